package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/internal/draw"
	"mediant/tables"
)

// ArmsDiffer is the code of what makes the arms of a trial differ though the treatment hardly can.
const ArmsDiffer Code = "arms-differ"

const (
	// armAlarm is the level of all tests of the columns that a treatment should not change, together: one clean trial in two thousand is doubted.
	armAlarm = 5e-4
	// armLevels is how many distinct values of a column are compared one by one.
	armLevels = 20
)

// A trial is the first table by the two arms of a treatment.
type trial struct {
	sampledU
	treatment string
	arms      [2]string // as words: "0" and "1"
}

// trial splits independent rows of the first table, one of each group, by treatment; nil where there are no two arms of fewestRows.
func (c *checker) trial() *trial {
	t := &trial{sampledU: sampledU{looks: [2]*tableLook{c.xu, c.xu}}, treatment: c.opt.Treatment}
	rows := c.xu.independentRows(c.opt.Roles.WeightsXU, draw.Rand(c.opt.Seed, "check arms", 0))
	of := sampledU{looks: t.looks, rows: [2][]sampledRow{rows}}.byArm(c.opt.Treatment)
	if len(of) != 2 {
		return nil
	}
	for i, arm := range of {
		if len(arm.rows) < fewestRows {
			return nil
		}
		t.arms[i], t.rows[i] = arm.name, arm.rows
	}
	return t
}

// baseline are columns of the first table alone that have no role beside a treatment: they may have been there before it.
func (c *checker) baseline() []string {
	var names []string
	o := c.opt.Roles
	for i := range c.xu.looks {
		name := c.xu.looks[i].column.Name
		switch c.report.XU.Columns[i].Kind {
		case Identifier, Date, FreeText, Constant, Empty, Sparse:
			continue
		}
		if slices.Contains(c.roles.U, name) || slices.Contains(c.roles.X, name) || slices.Contains(c.report.LeftOut, name) || name == o.WeightsXU ||
			c.uy.of(name) != nil || matchesAny(name, slices.Concat(o.Y, o.Ignore)) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// compareArms looks for what makes the arms of a trial differ though the treatment did not: rows that one arm lost, and columns that
// were measured in another way there.
func (c *checker) compareArms(ctx context.Context, xu tables.Source) error {
	if c.opt.Treatment == "" {
		return nil
	}
	t := c.trial()
	if t == nil {
		return nil
	}
	c.shareOfArms()
	c.unequalArms(t, t.columns(c.baseline()))
	for _, u := range t.columns(c.roles.U) {
		if !c.unitByArm(t, u) {
			c.cutArm(t, u)
		}
		c.precisionByArm(t, u, len(c.roles.U))
	}
	return c.standardisedByArm(ctx, xu)
}

const (
	// A column is standardised within an arm of n rows if its mean is 0 and its standard deviation 1 up to ownScale/sqrt(n): rounding to two decimals moves the
	// mean by half of that. Of a column that is standardised over both arms and that the treatment does not change, the mean of half of its rows has an error of
	// .7/sqrt(n) and the standard deviation one of .5/sqrt(n): both are so near in one of 5,000 trials.
	ownScale = .006
	// nearZero is the mean of all rows up to which arms are looked at one by one.
	nearZero = 1e-3
)

// standardisedByArm finds numbers of U that were standardised within each arm, which takes the effect on their mean away. It reads the table once, if a column
// has the mean 0.
func (c *checker) standardisedByArm(ctx context.Context, xu tables.Source) error {
	var looks []*columnLook
	for _, name := range c.roles.U {
		if look := c.xu.of(name); look.column.Kind == tables.Numeric && math.Abs(look.mean) < nearZero && look.present() > 0 && look.numbers.low[0].value < 0 {
			looks = append(looks, look)
		}
	}
	if looks == nil {
		return nil
	}
	type sums struct{ rows, sum, squares float64 }
	of := make(map[string][]sums)
	arm := c.xu.of(c.opt.Treatment)
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			a := arm.word(b, i)
			if of[a] == nil {
				of[a] = make([]sums, len(looks))
			}
			for j, look := range looks {
				if v := b.Num.At(i, look.place); a != "" && !math.IsNaN(v) {
					s := &of[a][j]
					s.rows, s.sum, s.squares = s.rows+1, s.sum+v, s.squares+v*v
				}
			}
		}
	}
	delete(of, "")
	for j, look := range looks {
		own := true
		for _, s := range of {
			n, near := s[j].rows, ownScale/math.Sqrt(s[j].rows)
			squares := s[j].squares - s[j].sum*s[j].sum/n
			own = own && n >= fewestRows && math.Abs(s[j].sum/n) < near && min(math.Abs(math.Sqrt(squares/n)-1), math.Abs(math.Sqrt(squares/(n-1))-1)) < near
		}
		if own && len(of) > 1 {
			c.add(Finding{Code: UnitDiffers, Severity: Warning, Table: XU, Columns: []string{look.column.Name}, Rows: look.present(), gravity: causeFirst + 1,
				What:   fmt.Sprintf("%q has the mean 0 and the standard deviation 1 in each arm of %q: it was standardised within the arms", look.column.Name, c.opt.Treatment),
				Effect: "what the treatment does to its mean and spread is taken away, and the effect with it",
				Remedy: fmt.Sprintf("the values as measured, or standardised by one mean and one standard deviation in both tables, or "+ignoreRemedy, look.column.Name)})
		}
	}
	return nil
}

// shareOfArms compares the share of treated rows with the probability that the design had, where it is set: six standard deviations are refused
// by an estimate.
func (c *checker) shareOfArms() {
	p, look := c.opt.Probability, c.xu.of(c.opt.Treatment)
	if p == 0 || c.opt.Roles.WeightsXU != "" || look.column.Kind != tables.Numeric || !c.is(look.column.Name, Truth) {
		return
	}
	n := float64(look.present())
	if z := math.Abs(look.mean-p) / math.Sqrt(p*(1-p)/n); math.Erfc(z/math.Sqrt2) < armAlarm {
		c.add(Finding{Code: ArmsDiffer, Severity: Note, Table: XU, Columns: []string{look.column.Name}, Rows: look.present(), Of: look.rows, gravity: causeFirst,
			What:   fmt.Sprintf("%.3g %% of the %d rows are treated, %.2g standard deviations from the probability of %.3g %% that is set", 100*look.mean, look.present(), z, 100*p),
			Effect: "if rows of one arm were lost, the effect is of those that are left",
			Remedy: "all rows that were randomised, or the probability of the design"})
	}
}

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
		if u.ofOneArm() { // a dose of the treatment, or what only one arm was asked
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
	at := step * math.Sqrt(float64(len(x))*float64(len(y))/float64(len(x)+len(y)))
	if math.Abs(d) < .1 {
		words = fmt.Sprintf("its distribution functions are %.2g apart", step)
	}
	take(min(1, 2*math.Exp(-2*at*at)), words, max(math.Abs(d), step)) // Kolmogorov's limit, which is above the p-value where there are ties
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

// precisionByArm finds numbers of U that are rounded more coarsely in one arm than in the other.
func (c *checker) precisionByArm(t *trial, u *uColumn, columns int) {
	if u.kind != tables.Numeric || u.ofOneArm() {
		return
	}
	for a := range 2 {
		rough, fine := u.present(a), u.present(1-a)
		step := stepOf(rough)
		if step == 0 || len(slices.Compact(slices.Clone(rough))) < 3 {
			continue
		}
		on := 0
		for _, v := range fine {
			if isMultiple(v, step) {
				on++
			}
		}
		// The other arm's share of multiples, one more counted, would make all of this one multiples with so small a probability.
		if float64(len(rough))*math.Log(float64(on+1)/float64(len(fine)+1)) > math.Log(armAlarm/float64(2*columns)) {
			continue
		}
		f := Finding{Code: PrecisionDiffers, Severity: Note, Table: XU, Columns: []string{u.name}, Rows: len(rough), gravity: -causeFirst,
			What: fmt.Sprintf("%q has only multiples of %s in arm %s of %q, and finer values in %s of the rows of arm %s", u.name, short(step), t.arms[a], t.treatment,
				share(len(fine)-on, len(fine)), t.arms[1-a]),
			Effect: "rounding is an error of U that only one arm has, as if it had been measured in another way there",
			Remedy: fmt.Sprintf("round both arms alike, or "+ignoreRemedy, u.name)}
		if spread(rough) <= coarse*step {
			f.Severity = Warning
		}
		c.add(f)
		return
	}
}

// steps of rounding, the coarsest first.
var steps = []float64{1000, 500, 100, 50, 20, 10, 5, 2, 1, .5, .2, .1, .05, .02, .01, .001, .0001}

// stepOf is the coarsest of the steps that all values are multiples of, 0 if there is none.
func stepOf(values []float64) float64 {
	for _, step := range steps {
		if !slices.ContainsFunc(values, func(v float64) bool { return !isMultiple(v, step) }) {
			return step
		}
	}
	return 0
}

// isMultiple reports whether a number is a multiple of a step up to the rounding of decimals.
func isMultiple(v, step float64) bool {
	k := v / step
	return math.Abs(k-math.Round(k)) <= 1e-9*max(1, math.Abs(k))
}

// unitByArm finds a column of U that is in another unit in one arm, by a factor that hardly any treatment has.
func (c *checker) unitByArm(t *trial, u *uColumn) bool {
	if u.kind != tables.Numeric || u.ofOneArm() {
		return false
	}
	x, y := u.present(0), u.present(1)
	before := distance(x, y)
	if before < farApart {
		return false
	}
	of := rounded(y)
	for _, conv := range conversions(x, y) {
		if conv.factor == 0 || max(conv.factor, 1/conv.factor) < grossFactor {
			continue
		}
		if to := conv.converted(x); to == nil || !alike(distance(rounded(to), of), len(x), len(y)) && !(distance(rounded(to), of) <= .6*before && near(spread(to)/spread(y)) && distance(rounded(to), of) < .35) {
			continue
		}
		cause := ""
		if conv.cause != "" {
			cause = " (" + conv.cause + "?)"
		}
		c.add(Finding{Code: UnitDiffers, Severity: Warning, Table: XU, Columns: []string{u.name}, Rows: len(x) + len(y), gravity: causeFirst + before,
			What: fmt.Sprintf("the spread of %q is %s in arm %s of %q and %s in arm %s; %s, arm %s is like the other%s", u.name, short(spread(x)), t.arms[0], t.treatment,
				short(spread(y)), t.arms[1], conv.what, t.arms[0], cause),
			Effect: "the effect is then mostly one of units",
			Remedy: fmt.Sprintf("write both arms alike, or "+ignoreRemedy+"; --accept %s:%q if the treatment does that", u.name, UnitDiffers, u.name)})
		return true
	}
	return false
}

const (
	// An arm is cut if its values end abruptly, where the other arm goes on. cutRows of each are the least that tell, and cutShare of the
	// other arm must lie beyond.
	cutRows, cutShare = 50, .05
	// The outermost fifth of values spans as much as the next fifth where the density does not fall towards the end, and about three times as much in
	// a normal tail: at most cutEnd times in the one arm, cutEndOfFew in one of fewer than manyRows, and openEnd times at least in the other. Of arms that
	// a treatment shifted or stretched, of 12 families of distributions, 3 in 100 ends of 70 to 140 rows with as many rows beyond are so by chance, and
	// none of 500: a note.
	cutEnd, cutEndOfFew, openEnd, manyRows = 1.4, 1.2, 1.8, 100
)

// cutArm finds a column of U whose values end abruptly in one arm and go on in the other.
func (c *checker) cutArm(t *trial, u *uColumn) {
	if u.kind != tables.Numeric {
		return
	}
	for _, sign := range []float64{1, -1} {
		for a := range 2 {
			cut, whole := outward(u.present(a), sign), outward(u.present(1-a), sign)
			if min(len(cut), len(whole)) < cutRows {
				return
			}
			beyond := 0
			for _, v := range whole {
				if v > cut[len(cut)-1] {
					beyond++
				}
			}
			limit, sorted := cutEnd, t.sorted(u.name)
			if len(cut) < manyRows && !sorted {
				limit = cutEndOfFew
			}
			if float64(beyond) < max(fewestRows, cutShare*float64(len(whole))) || endOf(cut) > limit || endOf(whole) < openEnd {
				continue
			}
			end := map[float64]string{1: "above", -1: "below"}[sign]
			f := Finding{Code: ArmsDiffer, Severity: Note, Table: XU, Columns: []string{u.name}, Rows: beyond, Of: len(whole), gravity: causeFirst + float64(beyond)/float64(len(whole)),
				What: fmt.Sprintf("%q ends abruptly at %s in arm %s of %q, and %d of the %d rows of arm %s are %s that", u.name, short(sign*cut[len(cut)-1]), t.arms[a], t.treatment,
					beyond, len(whole), t.arms[1-a], end),
				Effect: "if rows of one arm were lost by their values, the effect is mostly that loss",
				Remedy: fmt.Sprintf("all rows that were randomised; --accept %s:%q if the treatment does that", ArmsDiffer, u.name)}
			if sorted {
				f.Severity = Warning
				f.What += "; the table is sorted by it within the arms, as one that was cut off"
			}
			c.add(f)
			return
		}
	}
}

// outward are sorted values whose last one is that of the end: they themselves, or times -1 the other way round.
func outward(values []float64, sign float64) []float64 {
	to := make([]float64, len(values))
	for i, v := range values {
		to[i] = sign * v
	}
	slices.Sort(to)
	return to
}

// endOf is the span of the outermost fifth of sorted values over that of the fifth beside it, infinite where that has no span.
func endOf(v []float64) float64 {
	k, n := max(fewestRows, len(v)/5), len(v)-1
	outer, inner := v[n]-v[n-k], v[n-k]-v[n-2*k]
	if inner == 0 {
		return math.Inf(1)
	}
	return outer / inner
}

// sorted reports whether a column ascends, or descends, in the rows of each arm as they stand in the table.
func (t *trial) sorted(name string) bool {
	place := t.looks[0].of(name).place
	for a := range 2 {
		rows := slices.Clone(t.rows[a])
		slices.SortFunc(rows, func(a, b sampledRow) int { return cmp.Compare(a.number, b.number) })
		up, down := true, true
		last := math.NaN()
		for _, row := range rows {
			v := row.num[place]
			if math.IsNaN(v) {
				continue
			}
			up, down = up && !(v < last), down && !(v > last)
			last = v
		}
		if !up && !down {
			return false
		}
	}
	return true
}
