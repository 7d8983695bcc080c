package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mediant/internal/corruption"
)

// verdicts are the columns of the table, in order.
var verdicts = []Verdict{Refused, Named, Warned, Right, Negligible, WrongAsClean, NotCompared, UnseenWrong, ByChance, SilentWrong}

// A tally counts verdicts; of refusals those that name the column or the line, of other runs those that are right.
type tally struct{ runs, among map[Verdict]int }

// line is a row of the table.
func (t tally) line() string {
	var b strings.Builder
	for _, v := range verdicts {
		if (v == Refused || v == Named || v == Warned) && t.runs[v] > 0 {
			fmt.Fprintf(&b, " %d (%d) |", t.runs[v], t.among[v])
			continue
		}
		fmt.Fprintf(&b, " %d |", t.runs[v])
	}
	return b.String()
}

func (t tally) sum() int {
	n := 0
	for _, c := range t.runs {
		n += c
	}
	return n
}

// countRuns counts verdicts by a key, and returns the keys in the order in which they come first.
func countRuns(done []Run, key func(Run) string) (keys []string, counts map[string]tally) {
	counts = map[string]tally{}
	for _, r := range done {
		k := key(r)
		if _, ok := counts[k]; !ok {
			keys, counts[k] = append(keys, k), tally{map[Verdict]int{}, map[Verdict]int{}}
		}
		counts[k].runs[r.Verdict]++
		if r.Right || r.Verdict == Refused && r.Named {
			counts[k].among[r.Verdict]++
		}
	}
	return keys, counts
}

// Markdown is docs/corruption.md of these runs.
func (s *Study) Markdown(runs []Run) string {
	sorted := inOrder(runs)
	var b strings.Builder
	kinds, _ := countRuns(sorted, func(r Run) string { return r.Group + "/" + r.Corruption })
	fmt.Fprintf(&b, headText, len(runs), len(kinds), s.Rows, CoupledRows, s.Full, strings.Join(fixedSettings, " "))
	writeGroups(&b, sorted)
	b.WriteString(pairsText)
	pairs, counts := countRuns(runs, func(r Run) string { return r.Pair })
	slices.Sort(pairs)
	writeCounts(&b, "pair | runs", pairs, counts)
	writeRuns(&b, silentText, ofVerdict(sorted, SilentWrong))
	writeRuns(&b, chanceText, ofVerdict(sorted, ByChance))
	writeRuns(&b, notComparedText, ofVerdict(sorted, NotCompared))
	writeUnseen(&b, ofVerdict(sorted, UnseenWrong))
	return b.String()
}

// inOrder sorts runs as package corruption lists what was done.
func inOrder(runs []Run) []Run {
	at := map[string]int{}
	for i, c := range corruption.All() {
		for s, label := range c.Strengths {
			at[c.Group+"/"+c.Name+"/"+label] = corruption.Strengths*i + s
		}
	}
	place := func(r Run) int { return at[r.Group+"/"+r.Corruption+"/"+r.Strength] }
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b Run) int { return cmp.Compare(place(a), place(b)) })
	return sorted
}

func ofVerdict(runs []Run, v Verdict) []Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Verdict != v })
}

// writeGroups has a table of all groups, and one of each.
func writeGroups(b *strings.Builder, sorted []Run) {
	b.WriteString("## By group\n\n")
	groups, counts := countRuns(sorted, func(r Run) string { return r.Group })
	_, all := countRuns(sorted, func(Run) string { return "all" })
	counts["all"] = all["all"]
	writeCounts(b, "group | runs", append(slices.Clone(groups), "all"), counts)
	for _, g := range groups {
		fmt.Fprintf(b, "\n## %s%s\n\n", strings.ToUpper(g[:1]), g[1:])
		of := slices.DeleteFunc(slices.Clone(sorted), func(r Run) bool { return r.Group != g })
		keys, counts := countRuns(of, func(r Run) string { return r.Corruption + " | " + r.Strength })
		writeCounts(b, "corruption | strength | runs", keys, counts)
	}
}

// writeCounts is a table with a line for each key, which stands in the columns before the last of head.
func writeCounts(b *strings.Builder, head string, keys []string, counts map[string]tally) {
	fmt.Fprintf(b, "| %s |", head)
	for _, v := range verdicts {
		fmt.Fprintf(b, " %s |", v)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat("---|", strings.Count(head, "|")+1+len(verdicts)))
	for _, k := range keys {
		fmt.Fprintf(b, "| %s | %d |%s\n", k, counts[k].sum(), counts[k].line())
	}
}

// writeRuns lists single runs.
func writeRuns(b *strings.Builder, head string, runs []Run) {
	b.WriteString(head)
	if len(runs) == 0 {
		b.WriteString("None.\n")
		return
	}
	b.WriteString(runsText)
	for _, r := range runs {
		g := r.Spoilt
		fmt.Fprintf(b, "| %s | %s | %s, %s | %s | %d | %.4g | %.4g to %.4g | %.4g | %.4g | %d of %d |\n", r.Corruption, r.Strength, r.Place, strings.Join(r.Columns, ", "), r.Pair, r.Seed,
			*g.Estimate, g.Lo, g.Hi, g.Truth, r.moved()/(r.Clean.Hi-r.Clean.Lo), r.Again, r.Draws)
	}
}

// writeUnseen lists what nobody could see, by corruption and place.
func writeUnseen(b *strings.Builder, runs []Run) {
	b.WriteString(unseenText)
	key := func(r Run) string { return fmt.Sprintf("%s | %s", r.Corruption, r.Place) }
	keys, counts := countRuns(runs, key)
	for _, k := range keys {
		r := runs[slices.IndexFunc(runs, func(r Run) bool { return key(r) == k })]
		g := r.Spoilt
		fmt.Fprintf(b, "| %s | %d | %s, %s %d: %.4g, %.4g to %.4g | %.4g |\n", k, counts[k].sum(), r.Strength, r.Pair, r.Seed, *g.Estimate, g.Lo, g.Hi, g.Truth)
	}
}
