package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"mediant/check"
	"mediant/internal/corruption"
	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/internal/unfinished"
	"mediant/risk"
	"mediant/tables"
)

// corruptionFlags are those of study corruption; their defaults are the study of docs/corruption.md.
type corruptionFlags struct {
	runs, draws, rows, full int
	seed                    uint64
	data, only, pair, out   string
	json, quiet             bool
}

func newCorruption() *cobra.Command {
	var f corruptionFlags
	cmd := &cobra.Command{
		Use:   "corruption",
		Short: "What becomes of faults in the tables: found, harmless, or a wrong number in silence",
		Long: `Take clean pairs of tables whose truth is known, put one fault into each that real files have, run
fit or effect on it, and count what comes of it: a refusal, a finding that names the column, a result
that is right, or a wrong number in silence. Writes docs/corruption.md. A run is done again
by the name of its corruption, its pair and its seed.`,
		Example: `  mediant study corruption -o docs/corruption.md
  mediant study corruption --only 'misspelt' --pair survey --seed 2 --draws 1`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, least := range []struct {
				flag        string
				value, want int
			}{{"runs", f.runs, 1}, {"draws", f.draws, 1}, {"rows", f.rows, 50}, {"full", f.full, 1}} {
				if least.value < least.want {
					return usagef("--%s is %d, must be at least %d", least.flag, least.value, least.want)
				}
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.runs, "runs", 2100, "number of runs")
	flags.IntVar(&f.draws, "draws", 4, "draws of each pair of tables, of consecutive seeds; one of free text")
	flags.IntVar(&f.rows, "rows", 250, "rows of each of the two tables")
	flags.IntVar(&f.full, "full", 200, "one fit in so many searches for all its settings; the others are given them, which is faster")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the first draw")
	flags.StringVar(&f.data, "data", "", "folder of real pairs: a folder each with xu.csv, uy.csv and xuy.csv (coupled rows)")
	flags.StringVar(&f.only, "only", "", "corruptions whose name contains this alone")
	flags.StringVar(&f.pair, "pair", "", "the pair of this name alone")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.BoolVar(&f.json, "json", false, "print every run as JSON, besides the file of --output")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// A plannedRun is a corruption of a pair that is to be tried.
type plannedRun struct {
	corruption.Corruption
	place    corruption.Place
	strength int
	source   corruption.Source
	seed     uint64
	full     bool
}

// plan lists all that could be tried: each corruption in each place and strength once, then each again on another pair or draw.
func (f *corruptionFlags) plan(sources []corruption.Source) []plannedRun {
	var rounds [][]plannedRun
	variant := 0
	for _, c := range corruption.Find(f.only) {
		for _, place := range c.Places {
			for strength := range corruption.Strengths {
				var all []plannedRun
				for _, s := range sources {
					draws := f.draws
					if s.Text {
						draws = 1
					}
					for d := range draws {
						all = append(all, plannedRun{Corruption: c, place: place, strength: strength, source: s, seed: f.seed + uint64(d)})
					}
				}
				rnd := draw.Rand(f.seed, "study/corruption", variant)
				variant++
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				for i := range all {
					all[i].full = rnd.IntN(f.full) == 0
				}
				rounds = append(rounds, all)
			}
		}
	}
	// In random order, so that few runs are of all groups.
	rnd := draw.Rand(f.seed, "study/corruption/order", 0)
	rnd.Shuffle(len(rounds), func(i, j int) { rounds[i], rounds[j] = rounds[j], rounds[i] })
	var plan []plannedRun
	for k := 0; ; k++ {
		before := len(plan)
		for _, all := range rounds {
			if k < len(all) {
				plan = append(plan, all[k])
			}
		}
		if len(plan) == before {
			return plan
		}
	}
}

func (f *corruptionFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if f.out == "" || f.json {
		if err := tryStdout(stdout); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := checkOutput(f.out); err != nil {
			return err
		}
	}
	sources, err := f.sources()
	if err != nil {
		return err
	}
	dir, err := unfinished.CreateFolder(func() (string, error) { return os.MkdirTemp("", "mediant-corruption-*") })
	if err != nil {
		return err
	}
	defer unfinished.RemoveFolder(dir)
	progress := newProgress(stderr, f.quiet)
	defer progress.clear()
	done, err := f.runAll(ctx, f.plan(sources), dir, func(n int) { progress.show("run %d of %d", n+1, f.runs) })
	if err != nil {
		return err
	}
	progress.clear()
	if len(done) == 0 {
		return usagef("there is nothing to run: --only %q, --pair %q", f.only, f.pair)
	}
	if f.json {
		if err := writeJSON(stdout, done); err != nil || f.out == "" {
			return err
		}
	}
	text := f.markdown(done)
	if f.out == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return tables.WriteFile(f.out, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// runsAtOnce is how many runs are begun before their results are looked at.
const runsAtOnce = 32

// runAll goes through a plan until there are enough runs.
func (f *corruptionFlags) runAll(ctx context.Context, plan []plannedRun, dir string, show func(int)) ([]spoiltRun, error) {
	labs := make(chan *spoiltLab, runsAtOnce) // each is for one run at a time
	var done []spoiltRun
	for start := 0; start < len(plan) && len(done) < f.runs; start += runsAtOnce {
		show(len(done))
		batch := plan[start:min(len(plan), start+runsAtOnce)]
		runs, errs := make([]*spoiltRun, len(batch)), make([]error, len(batch))
		parallel.Blocks(len(batch), 1, func(i, _ int) {
			var lab *spoiltLab
			select {
			case lab = <-labs:
			default:
				if lab, errs[i] = newSpoiltLab(dir); errs[i] != nil {
					return
				}
			}
			runs[i], errs[i] = lab.try(ctx, batch[i])
			labs <- lab
		})
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		for _, r := range runs {
			if r != nil && len(done) < f.runs {
				done = append(done, *r)
			}
		}
	}
	return done, nil
}

// coupledRows tell the truth, in so many parts, whose spread is the error of the truth.
const coupledRows, coupledParts = 4000, 10

func (f *corruptionFlags) sources() ([]corruption.Source, error) {
	all := corruption.Synthetic(f.rows, coupledRows)
	if f.data != "" {
		real, err := corruption.Folder(f.data, f.rows, coupledRows)
		if err != nil {
			return nil, err
		}
		all = append(all, real...)
	}
	if f.pair != "" {
		all = slices.DeleteFunc(all, func(s corruption.Source) bool { return s.Name != f.pair })
	}
	return all, nil
}

// A commandResult is what one run of the command said, and what is true.
type commandResult struct {
	Refused  string          `json:"refused,omitempty"` // the line of an error
	Estimate *float64        `json:"estimate"`          // nil: no number was given
	SE       float64         `json:"se"`
	Lo       float64         `json:"lo"` // of all rows, where the estimate is of those with overlap
	Hi       float64         `json:"hi"`
	Truth    float64         `json:"truth"`
	TruthSE  float64         `json:"truth_se"`
	Unjudged string          `json:"unjudged,omitempty"` // why there is no truth
	Findings []check.Finding `json:"findings,omitempty"`
	Said     []string        `json:"said,omitempty"` // warnings, notes and signs of other kinds
	Doubted  bool            `json:"doubted"`        // a warning, or a sign that U is distributed differently
}

// holds reports whether the truth is within the interval, widened by the error of the truth.
func (r *commandResult) holds() bool {
	more := 1.96 * (math.Hypot(r.SE, r.TruthSE) - r.SE)
	return r.Truth >= r.Lo-more && r.Truth <= r.Hi+more
}

// A verdict is what came of a run.
type verdict string

const (
	refusedRun    verdict = "refused"
	namedRun      verdict = "named"
	warnedRun     verdict = "warned" // of another column, or of U as a whole
	rightRun      verdict = "right"
	negligibleRun verdict = "negligible"
	asCleanRun    verdict = "wrong as clean"
	unjudgedRun   verdict = "not judged"
	chanceRun     verdict = "by chance" // silent wrong, and seldom so on other draws
	silentRun     verdict = "silent wrong"
	unseenRun     verdict = "unseen wrong"
)

// A spoiltRun is a run and its verdict.
type spoiltRun struct {
	Group      string           `json:"group"`
	Corruption string           `json:"corruption"`
	Strength   string           `json:"strength"`
	Place      corruption.Place `json:"place"`
	Pair       string           `json:"pair"`
	Seed       uint64           `json:"seed"`
	Full       bool             `json:"full"`
	Columns    []string         `json:"columns"`
	Verdict    verdict          `json:"verdict"`
	Right      bool             `json:"right"`
	Named      bool             `json:"named"`
	Again      int              `json:"again"` // how often it is silent wrong on other draws
	Draws      int              `json:"draws"` // of so many whose clean pairs are right
	Clean      *commandResult   `json:"clean"`
	Spoilt     *commandResult   `json:"spoilt"`
}

// A spoiltLab runs the command in a folder, and keeps what it says of clean pairs.
type spoiltLab struct {
	dir   string
	clean map[string]*commandResult
	pairs map[string]*corruption.Pair
}

func newSpoiltLab(parent string) (*spoiltLab, error) {
	dir, err := os.MkdirTemp(parent, "lab-*")
	return &spoiltLab{dir: dir, clean: map[string]*commandResult{}, pairs: map[string]*corruption.Pair{}}, err
}

// try is run, and again on other draws where a wrong number is silent.
func (l *spoiltLab) try(ctx context.Context, p plannedRun) (*spoiltRun, error) {
	r, err := l.run(ctx, p)
	if err == nil && r != nil && r.Verdict == silentRun {
		err = l.repeat(ctx, p, r)
	}
	return r, err
}

// run tries one corruption; nil if the pair has nothing that could be spoilt so.
func (l *spoiltLab) run(ctx context.Context, p plannedRun) (*spoiltRun, error) {
	key := fmt.Sprintf("%s %d", p.source.Name, p.seed)
	pair := l.pairs[key]
	if pair == nil {
		var err error
		if pair, err = p.source.Make(p.seed); err != nil {
			return nil, err
		}
		l.pairs[key] = pair
	}
	spoilt, ok := p.Apply(pair, p.place, p.strength, p.seed)
	if !ok {
		return nil, nil
	}
	key += fmt.Sprint(" ", p.full)
	clean := l.clean[key]
	if clean == nil {
		var err error
		if clean, err = l.command(ctx, pair, p.full); err != nil {
			return nil, err
		}
		l.clean[key] = clean
	}
	got, err := l.command(ctx, spoilt.Pair, p.full)
	if err != nil {
		return nil, err
	}
	r := &spoiltRun{Group: p.Group, Corruption: p.Name, Strength: p.Strengths[p.strength], Place: p.place, Pair: p.source.Name, Seed: p.seed, Full: p.full,
		Columns: spoilt.Columns, Clean: clean, Spoilt: got}
	r.judge(spoilt.Unseen)
	return r, nil
}

// A silent wrong number on otherDraws is by chance if it is so on at most chanceShare of them: intervals of 95 % miss in as many.
const (
	otherDraws  = 20
	chanceShare = .1
)

// repeat tries a corruption on other draws of its pair.
func (l *spoiltLab) repeat(ctx context.Context, p plannedRun, r *spoiltRun) error {
	for d := range uint64(otherDraws) {
		p.seed = r.Seed + 1000 + d
		again, err := l.run(ctx, p)
		if err != nil {
			return err
		}
		if again == nil || again.Clean.Estimate == nil || !again.Clean.holds() {
			continue
		}
		r.Draws++
		if again.Verdict == silentRun {
			r.Again++
		}
	}
	if float64(r.Again) <= chanceShare*float64(r.Draws) {
		r.Verdict = chanceRun
	}
	return nil
}

// givenSettings are those of fits that do not search; each takes a tenth of a second.
var givenSettings = []string{"--method", "2step", "--phi", "gaussian", "--psi", "gaussian", "--features", "64", "--lambda", "1e-3"}

// textSettings are givenSettings for free text.
var textSettings = []string{"--method", "2step", "--phi", "nystrom:linear", "--psi", "nystrom:linear", "--features", "64", "--lambda", "1e-3"}

// command runs fit or effect on a pair.
func (l *spoiltLab) command(ctx context.Context, p *corruption.Pair, full bool) (*commandResult, error) {
	xu, uy, model := filepath.Join(l.dir, "xu.csv"), filepath.Join(l.dir, "uy.csv"), filepath.Join(l.dir, "model.mediant")
	for _, t := range []struct {
		path string
		of   *corruption.Sheet
	}{{xu, p.XU}, {uy, p.UY}} {
		if err := os.WriteFile(t.path, t.of.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"fit", "--xu", xu, "--uy", uy, "-o", model, "--json"}
	switch {
	case p.Treatment != "":
		args = []string{"effect", "--xu", xu, "--uy", uy, "--treatment", p.Treatment, "--json"}
	case p.Text:
		args = append(args, textSettings...)
	case full:
	default:
		args = append(args, givenSettings...)
	}
	var stdout, stderr bytes.Buffer
	status := run(ctx, args, &stdout, &stderr)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if status != statusDone {
		return &commandResult{Refused: l.without(lastLine(stderr.String()))}, nil
	}
	r, err := readCommand([]byte(l.without(stdout.String())))
	if err != nil || r.Estimate == nil {
		return r, err
	}
	if p.Treatment != "" {
		r.Truth, r.TruthSE = p.Effect, p.EffectSE
		return r, nil
	}
	if err := l.truth(ctx, r, model, p.Coupled); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		r.Unjudged = err.Error()
	}
	return r, nil
}

// without names files as they are called in the folder, which is a new one each time.
func (l *spoiltLab) without(text string) string {
	return strings.ReplaceAll(text, l.dir+string(filepath.Separator), "")
}

// readCommand reads what fit --json or effect --json says.
func readCommand(raw []byte) (*commandResult, error) {
	var said struct {
		Risk *struct {
			MSE        *float64
			SE, Lo, Hi float64
		}
		Overlap *struct{ All risk.Bracket }
		Effects []struct {
			Estimate   *float64
			SE, Lo, Hi float64
			Bounds     *risk.Bracket
		}
		Diagnosis struct {
			Law struct {
				P    *float64 `json:"p_value"`
				Text string
			} `json:"law_of_u"`
		}
		Findings        []check.Finding
		Warnings, Notes []string
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return nil, err
	}
	r := &commandResult{Findings: said.Findings, Said: slices.Concat(said.Warnings, said.Notes), Doubted: len(said.Warnings) > 0}
	r.Doubted = r.Doubted || slices.ContainsFunc(said.Findings, func(f check.Finding) bool { return f.Severity > check.Note })
	if p := said.Diagnosis.Law.P; p != nil && *p <= .01 {
		r.Doubted = true
		r.Said = append(r.Said, said.Diagnosis.Law.Text)
	}
	switch {
	case said.Risk != nil && said.Risk.MSE != nil:
		r.Estimate, r.SE, r.Lo, r.Hi = said.Risk.MSE, said.Risk.SE, said.Risk.Lo, said.Risk.Hi
		if said.Overlap != nil { // the risk is of part of the rows
			r.Lo, r.Hi = said.Overlap.All.Lower, said.Overlap.All.Upper
		}
	case len(said.Effects) > 0:
		e := said.Effects[0]
		r.Estimate, r.SE, r.Lo, r.Hi = e.Estimate, e.SE, e.Lo, e.Hi
		if e.Bounds != nil {
			r.Lo, r.Hi = e.Bounds.Lower, e.Bounds.Upper
		}
	}
	return r, nil
}

// truth is the mean squared error of a model on coupled rows, of which nothing is checked: that would see some faults late.
func (l *spoiltLab) truth(ctx context.Context, r *commandResult, path string, coupled *corruption.Sheet) error {
	model, err := loadModel(path, 0)
	if err != nil {
		return err
	}
	xy := filepath.Join(l.dir, "xy.csv")
	var parts []float64
	n := len(coupled.Rows) / coupledParts
	for k := range coupledParts {
		part := &corruption.Sheet{Names: coupled.Names, Rows: coupled.Rows[k*n : (k+1)*n]}
		if err := os.WriteFile(xy, part.Bytes(), 0o600); err != nil {
			return err
		}
		src, err := tables.OpenCSV(ctx, xy, tables.CSVOptions{Only: slices.Concat(model.X.Columns(), model.Y.Columns())})
		if err != nil {
			return err
		}
		score, err := model.Evaluate(ctx, src)
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
		parts = append(parts, score.MSE)
	}
	var std float64
	r.Truth, std = stat.MeanStdDev(parts, nil)
	r.TruthSE = std / math.Sqrt(coupledParts)
	return nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// negligibleShare is how much of the width of the interval an effect may have that is none.
const negligibleShare = .1

// judge finds the verdict.
func (r *spoiltRun) judge(unseen bool) {
	got := r.Spoilt
	r.Right = got.Refused == "" && got.Estimate != nil && got.Unjudged == "" && got.holds()
	switch {
	case got.Refused != "":
		r.Verdict, r.Named = refusedRun, len(r.Columns) == 0 || r.quotes(got.Refused)
	case got.Estimate == nil:
		r.Verdict, r.Named = refusedRun, r.names()
	case r.names():
		r.Named = true
		r.Verdict = namedRun
	case got.Doubted && !r.Clean.Doubted:
		r.Verdict = warnedRun
	case r.Right:
		r.Verdict = rightRun
	case got.Unjudged != "":
		r.Verdict = unjudgedRun
	case r.Clean.Estimate == nil || !r.Clean.holds():
		r.Verdict = asCleanRun
	case r.moved() <= negligibleShare*(r.Clean.Hi-r.Clean.Lo):
		r.Verdict = negligibleRun
	case unseen:
		r.Verdict = unseenRun
	default:
		r.Verdict = silentRun
	}
}

// moved is by how much the corruption changed the error of the estimate.
func (r *spoiltRun) moved() float64 {
	return math.Abs((*r.Spoilt.Estimate - r.Spoilt.Truth) - (*r.Clean.Estimate - r.Clean.Truth))
}

// names reports whether something was said of a spoilt column, or of the table if that was spoilt, that was not said of the clean pair.
func (r *spoiltRun) names() bool {
	for _, f := range r.Spoilt.Findings {
		if slices.ContainsFunc(r.Clean.Findings, func(c check.Finding) bool { return c.Code == f.Code && slices.Equal(c.Columns, f.Columns) }) {
			continue
		}
		if len(r.Columns) == 0 || slices.ContainsFunc(f.Columns, func(c string) bool { return slices.Contains(r.Columns, c) }) {
			return true
		}
	}
	for _, text := range r.Spoilt.Said {
		if !slices.Contains(r.Clean.Said, text) && r.quotes(text) {
			return true
		}
	}
	return false
}

// quotes reports whether a sentence names a spoilt column.
func (r *spoiltRun) quotes(text string) bool {
	return slices.ContainsFunc(r.Columns, func(c string) bool { return strings.Contains(text, fmt.Sprintf("%q", c)) })
}

// verdicts are the columns of the table, in order.
var verdicts = []verdict{refusedRun, namedRun, warnedRun, rightRun, negligibleRun, asCleanRun, unjudgedRun, unseenRun, chanceRun, silentRun}

// A tally counts verdicts; of refusals those that name the column or the line, of other runs those that are right.
type tally struct{ runs, among map[verdict]int }

// line is a row of the table.
func (t tally) line() string {
	var b strings.Builder
	for _, v := range verdicts {
		if (v == refusedRun || v == namedRun || v == warnedRun) && t.runs[v] > 0 {
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
func countRuns(done []spoiltRun, key func(spoiltRun) string) (keys []string, counts map[string]tally) {
	counts = map[string]tally{}
	for _, r := range done {
		k := key(r)
		if _, ok := counts[k]; !ok {
			keys, counts[k] = append(keys, k), tally{map[verdict]int{}, map[verdict]int{}}
		}
		counts[k].runs[r.Verdict]++
		if r.Right || r.Verdict == refusedRun && r.Named {
			counts[k].among[r.Verdict]++
		}
	}
	return keys, counts
}

func (f *corruptionFlags) markdown(done []spoiltRun) string {
	at := map[string]int{}
	for i, c := range corruption.All() {
		for s, label := range c.Strengths {
			at[c.Group+"/"+c.Name+"/"+label] = corruption.Strengths*i + s
		}
	}
	sorted := slices.Clone(done)
	slices.SortStableFunc(sorted, func(a, b spoiltRun) int {
		return cmp.Compare(at[a.Group+"/"+a.Corruption+"/"+a.Strength], at[b.Group+"/"+b.Corruption+"/"+b.Strength])
	})
	var b strings.Builder
	kinds, _ := countRuns(sorted, func(r spoiltRun) string { return r.Group + "/" + r.Corruption })
	fmt.Fprintf(&b, corruptionHead, len(done), len(kinds), f.rows, coupledRows, f.full, strings.Join(givenSettings, " "))
	heads := ""
	for _, v := range verdicts {
		heads += " " + string(v) + " |"
	}
	rule := strings.Repeat("---|", len(verdicts)+1)
	fmt.Fprintf(&b, "## By group\n\n| group | runs |%s\n|---|%s\n", heads, rule)
	groups, counts := countRuns(sorted, func(r spoiltRun) string { return r.Group })
	for _, g := range groups {
		fmt.Fprintf(&b, "| %s | %d |%s\n", g, counts[g].sum(), counts[g].line())
	}
	_, all := countRuns(sorted, func(spoiltRun) string { return "" })
	fmt.Fprintf(&b, "| all | %d |%s\n", all[""].sum(), all[""].line())
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s%s\n\n| corruption | strength | runs |%s\n|---|---|%s\n", strings.ToUpper(g[:1]), g[1:], heads, rule)
		of := slices.DeleteFunc(slices.Clone(sorted), func(r spoiltRun) bool { return r.Group != g })
		keys, counts := countRuns(of, func(r spoiltRun) string { return r.Corruption + " | " + r.Strength })
		for _, k := range keys {
			fmt.Fprintf(&b, "| %s | %d |%s\n", k, counts[k].sum(), counts[k].line())
		}
	}
	b.WriteString(corruptionPairs)
	fmt.Fprintf(&b, "| pair | runs |%s\n|---|%s\n", heads, rule)
	pairs, counts := countRuns(done, func(r spoiltRun) string { return r.Pair })
	slices.Sort(pairs)
	for _, p := range pairs {
		fmt.Fprintf(&b, "| %s | %d |%s\n", p, counts[p].sum(), counts[p].line())
	}
	for _, list := range []struct {
		of   verdict
		head string
	}{{silentRun, corruptionSilent}, {chanceRun, corruptionChance}, {unjudgedRun, corruptionUnjudged}} {
		runs := slices.DeleteFunc(slices.Clone(sorted), func(r spoiltRun) bool { return r.Verdict != list.of })
		b.WriteString(list.head)
		if len(runs) == 0 {
			b.WriteString("None.\n")
			continue
		}
		b.WriteString(corruptionRuns)
		for _, r := range runs {
			g := r.Spoilt
			fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | %d | %.4g | %.4g to %.4g | %.4g | %.4g | %d of %d |\n", r.Corruption, r.Strength, r.Place, strings.Join(r.Columns, ", "), r.Pair, r.Seed,
				*g.Estimate, g.Lo, g.Hi, g.Truth, r.moved()/(r.Clean.Hi-r.Clean.Lo), r.Again, r.Draws)
		}
	}
	f.unseen(&b, sorted)
	return b.String()
}

// unseen lists what nobody could see, by corruption and place.
func (f *corruptionFlags) unseen(b *strings.Builder, sorted []spoiltRun) {
	b.WriteString(corruptionUnseen)
	runs := slices.DeleteFunc(slices.Clone(sorted), func(r spoiltRun) bool { return r.Verdict != unseenRun })
	key := func(r spoiltRun) string { return fmt.Sprintf("%s | %s", r.Corruption, r.Place) }
	keys, counts := countRuns(runs, key)
	for _, k := range keys {
		r := runs[slices.IndexFunc(runs, func(r spoiltRun) bool { return key(r) == k })]
		g := r.Spoilt
		fmt.Fprintf(b, "| %s | %d | %s, %s %d: %.4g, %.4g to %.4g | %.4g |\n", k, counts[k].sum(), r.Strength, r.Pair, r.Seed, *g.Estimate, g.Lo, g.Hi, g.Truth)
	}
}

const corruptionHead = `# What becomes of faults in the tables?

Written by ` + "`mediant study corruption -o docs/corruption.md`" + `, with the folder of real tables as --data. %d runs of %d kinds of
faults, each at three strengths and in either table where that has a meaning, on pairs of tables whose truth is known:

- curve: numbers, E[Y|U] curved; survey: levels and numbers; codes: whole-number codes; skew: long tails; classes: Y is one of three
  classes; trial: the effect of a 0/1 treatment through surrogates;
- real ones: rows of the tables of docs/real-tables.md, and the effect of the assignment in Job Corps.

A table has %d rows, %d coupled ones (or all that there are) tell the truth. The command is ` + "`fit`" + ` or ` + "`effect`" + ` with
no flag, but that only one fit in %d, none of free text, searches for its settings; to the others they are given (` + "`%s`" + `; linear
Nyström features for free text), which changes nothing of what is looked for in the tables.

- Refused: exit status 1, or no number; in parentheses how many name the column, or the fault where it is one of the table.
- Named: a finding, warning or note, which the clean pair does not have, names the column, or the fault where it is one of the table; in
  parentheses how many of the results are right all the same.
- Warned: a warning names another column, or U as a whole.
- Right: nothing of that, and the true error of the model (on coupled rows with the X of the kind that it was given), or the true effect, is
  within the 95 %% interval, widened by the error of the truth; where the result says that it is of part of the rows, within its bounds over all.
- Negligible: it is not, but the fault moved the error of the estimate by less than a tenth of the interval's width.
- Wrong as clean: it is not, and not on the clean pair either, as chance has it in one case of twenty, or as the tables have it in which X says
  more of Y than U does.
- Unseen wrong: not within, where nobody could see the fault in these two tables.
- By chance: silent wrong, but on at most a tenth of 20 other draws of the pair (those whose clean pair is right): the fault only made another
  sample.
- Silent wrong: not within, moved by more, and without a word.

`

const corruptionPairs = `
## By pair

`

const corruptionRuns = `| corruption | strength | place | pair | seed | estimate | interval | truth | moved, in widths | on other draws |
|---|---|---|---|---|---|---|---|---|---|
`

const corruptionSilent = `
## Silent wrong numbers

` + "`mediant study corruption --only CORRUPTION --pair PAIR --seed SEED --draws 1`" + ` does them again.

`

const corruptionChance = `
## By chance

Silent wrong in these runs, but on at most a tenth of 20 other draws.

`

const corruptionUnjudged = `
## Not judged

Coupled rows could not be compared with the model: ranges in the place of numbers make labels of Y, and classes of the model.

`

const corruptionUnseen = `
## What no one could see in these two tables

- All of Y in another unit, on another scale or under other names of its classes: nothing in the tables says how Y is measured, and the model predicts
  what the second table calls Y. ` + "`mediant check`" + ` shows its range, median and most frequent values.
- Rows of X or Y, all of them, or of a column that does not depend on U (no sign of it in the clean table: p above 0.01), in a random order: tables
  where they are independent look the same. The result says "U explains ... % of the variance of Y".
- Values of Y that were changed within the range of Y, or left out because of what they are.

All that users read is the result itself: "risk MSE ..., 95 % interval ... (RMSE ...), if E[Y|U,X] = E[Y|U]", "effect of ... on ...: ...", and of a fit the
sentences of its diagnosis. The wrong runs, with one example each:

| corruption | place | wrong runs | example: strength, pair, seed, result | truth |
|---|---|---|---|---|
`
