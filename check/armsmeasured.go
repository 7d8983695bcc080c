package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

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

// spreadErrors over the root of the rows bounds the logarithm of a ratio of spreads, whose standard error is about 1.2 over it, or of standard deviations.
const spreadErrors = 2.5

// spreadAlike reports whether sorted values spread alike, by either measure: the spread of codes has steps, and a few far values decide a standard deviation.
func spreadAlike(x, y []float64) bool {
	limit := max(math.Log(nearFactor), spreadErrors/math.Sqrt(float64(min(len(x), len(y)))))
	return math.Abs(math.Log(spread(x)/spread(y))) <= limit || math.Abs(math.Log(stat.PopStdDev(x, nil)/stat.PopStdDev(y, nil))) <= limit
}

// unitByArm finds a column of U that is in another unit in one arm, by a factor that hardly any treatment has. That the arms are alike by a factor is not enough,
// since few rows are alike by many: their spreads have that ratio as well, and their values are much farther apart without it.
func (c *checker) unitByArm(t *trial, u *uColumn) bool {
	if u.kind != tables.Numeric || u.ofOneArm() {
		return false
	}
	x, y := u.present(0), u.present(1)
	before := distance(x, y)
	if min(len(x), len(y)) < fewestRows || before < farApart {
		return false
	}
	of := rounded(y)
	for _, conv := range conversions(x, y) {
		if conv.factor == 0 || max(conv.factor, 1/conv.factor) < grossFactor {
			continue
		}
		to := conv.converted(x)
		if to == nil || !spreadAlike(to, y) {
			continue
		}
		if after := distance(rounded(to), of); after > .6*before || after >= .35 && !alike(after, len(x), len(y)) {
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
