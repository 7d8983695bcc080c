package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

// unequalArms finds columns beside U whose distributions differ between the arms.
func (c *checker) unequalArms(t *trial, columns []*uColumn) {
	type difference struct {
		u    *uColumn
		p    float64
		what string
		far  float64
	}
	var all []difference
	tests := 0
	for _, u := range columns {
		if slices.Contains(c.opt.Adjusted, u.name) || u.ofOneArm() { // a dose of the treatment, or what only one arm was asked
			continue
		}
		d := difference{u: u, p: 1}
		var k int
		d.p, d.what, d.far, k = t.contrast(u)
		tests += k
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b difference) int { return cmp.Compare(a.p, b.p) })
	for _, d := range all {
		if d.p*float64(tests) > armAlarm {
			return
		}
		c.add(Finding{Code: ArmsDiffer, Severity: Warning, Table: XU, Columns: []string{d.u.name}, Rows: d.u.rows(0) + d.u.rows(1), gravity: causeFirst + min(d.far, 1),
			What:   fmt.Sprintf("%q differs between the arms of %q: %s (p = %.1g)", d.u.name, t.treatment, d.what, d.p),
			Effect: "if it was there before the treatment, rows of one arm are missing, or the arms were not drawn at random: the effect takes them for drawn, and does not adjust for it",
			Remedy: fmt.Sprintf("all rows that were randomised; --accept %s:%q if the treatment may have changed it", ArmsDiffer, d.u.name)})
	}
}

// ofOneArm reports that a column has one value at most in an arm, and more in the other.
func (u *uColumn) ofOneArm() bool {
	var distinct [2]int
	for a := range 2 {
		if u.kind == tables.Text {
			distinct[a] = len(u.levels(a))
		} else {
			distinct[a] = len(slices.Compact(slices.Clone(u.present(a))))
		}
	}
	return min(distinct[0], distinct[1]) < 2
}

// contrast compares a column between the arms: the least p-value of so many tests, and in words what differs the most and how far, in standard
// deviations or shares. Levels and few numbers are compared one by one, by Fisher's exact test; others by their distribution functions and ranks.
func (t *trial) contrast(u *uColumn) (p float64, what string, far float64, tests int) {
	p = 1
	take := func(q float64, words string, size float64) {
		if tests++; q < p {
			p, what, far = q, words, math.Abs(size)
		}
	}
	both := func(x, y string) string {
		return fmt.Sprintf("%s in arm %s and %s in arm %s", x, t.arms[0], y, t.arms[1])
	}
	var present, missing [2]int
	for a := range 2 {
		for i := range u.rows(a) {
			if u.missing(a, i) {
				missing[a]++
			} else {
				present[a]++
			}
		}
	}
	if missing[0]+missing[1] > 0 {
		take(exactTest(missing[0], u.rows(0), missing[1], u.rows(1)), "missing in "+both(share(missing[0], u.rows(0)), share(missing[1], u.rows(1))), shareGap(missing, [2]int{u.rows(0), u.rows(1)}))
	}
	for _, l := range u.valueCounts() {
		take(exactTest(l.rows[0], present[0], l.rows[1], present[1]), fmt.Sprintf("%.40s is %s", l.words, both(share(l.rows[0], present[0]), share(l.rows[1], present[1]))), shareGap(l.rows, present))
	}
	if u.kind != tables.Numeric {
		return p, what, far, tests
	}
	x, y := u.present(0), u.present(1)
	d := standardised(x, y)
	words := fmt.Sprintf("its mean is %s, %.2g standard deviations apart", both(short(stat.Mean(x, nil)), short(stat.Mean(y, nil))), math.Abs(d))
	step := distance(x, y)
	if math.Abs(d) < .1 {
		words = fmt.Sprintf("its distribution functions are %.2g apart", step)
	}
	take(kolmogorov(step, len(x), len(y)), words, max(math.Abs(d), step))
	if z, ok := rankScore(x, y); ok {
		take(math.Erfc(math.Abs(z)/math.Sqrt2), words, d)
	}
	return p, what, far, tests
}

// shareGap is the difference of two shares.
func shareGap(k, n [2]int) float64 {
	return float64(k[1])/float64(max(1, n[1])) - float64(k[0])/float64(max(1, n[0]))
}

// A valueShare is a value and its rows in two samples.
type valueShare struct {
	words string
	rows  [2]int
}

// valueCounts are the levels of a column of few, or its numbers, most frequent first and without the last one, which says the same.
func (u *uColumn) valueCounts() []valueShare {
	counts := make(map[string]*valueShare)
	count := func(a int, words string) {
		if counts[words] == nil {
			counts[words] = &valueShare{words: words}
		}
		counts[words].rows[a]++
	}
	for a := range 2 {
		if u.kind == tables.Text {
			for level, n := range u.levels(a) {
				for range n {
					count(a, fmt.Sprintf("%q", level))
				}
			}
			continue
		}
		for _, v := range u.present(a) {
			if count(a, fmt.Sprint(v)); len(counts) > armLevels {
				return nil
			}
		}
	}
	var all []valueShare
	for _, v := range counts {
		all = append(all, *v)
	}
	slices.SortFunc(all, func(a, b valueShare) int {
		return cmp.Or(b.rows[0]+b.rows[1]-a.rows[0]-a.rows[1], strings.Compare(a.words, b.words))
	})
	if len(all) == 2 {
		all = all[:1]
	}
	return all[:min(len(all), armLevels)]
}

// standardised is the difference of the means of two samples, in standard deviations within them.
func standardised(x, y []float64) float64 {
	sd := math.Sqrt((stat.PopVariance(x, nil) + stat.PopVariance(y, nil)) / 2)
	if !(sd > 0) {
		return 0
	}
	return (stat.Mean(y, nil) - stat.Mean(x, nil)) / sd
}

// rankScore is the rank sum of two sorted samples as a normal deviate (Wilcoxon), ties with their mean rank. It is not ok where one value has
// most rows, or an arm has few: its tails are then heavier than normal ones.
func rankScore(x, y []float64) (z float64, ok bool) {
	n, m := float64(len(x)), float64(len(y))
	if min(n, m) < .05*(n+m) || min(n, m) < fewestRows {
		return 0, false
	}
	ranks, ties, most := 0., 0., 0.
	for i, j := 0, 0; i < len(x) || j < len(y); {
		v := math.Inf(1)
		if i < len(x) {
			v = x[i]
		}
		if j < len(y) {
			v = min(v, y[j])
		}
		from, ofX := float64(i+j), i
		for i < len(x) && x[i] == v {
			i++
		}
		for j < len(y) && y[j] == v {
			j++
		}
		same := float64(i+j) - from
		ranks += float64(i-ofX) * (from + (same+1)/2)
		ties += same * (same*same - 1)
		most = max(most, same)
	}
	all := n + m
	variance := n * m / 12 * (all + 1 - ties/(all*(all-1)))
	if most > all/2 || !(variance > 0) {
		return 0, false
	}
	return (ranks - n*(all+1)/2) / math.Sqrt(variance), true
}
