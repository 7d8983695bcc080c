package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

// distributions finds columns of U whose own distribution differs between the tables: by one permutation test over all of them,
// so that it is the family of columns that has the level. Why it differs is looked for before that is said.
func (m *comparer) distributions(ctx context.Context, rnd *rand.Rand) error {
	differs := make([]int, len(m.columns)) // in so many arms
	for _, arm := range m.arms {
		columns := shortened(arm)
		if len(columns) == 0 || columns[0].rows(0) < fewestRows || columns[0].rows(1) < fewestRows {
			return nil
		}
		c, err := compareMeans(ctx, columns[0].rows(0), columns[0].rows(1), []block{marginalBlock(columns)}, rnd)
		if err != nil {
			return err
		}
		for j, score := range c.scores {
			if c.pValue(score) <= alarm {
				differs[j]++
			}
		}
	}
	var differing []int
	for j, u := range m.columns {
		if differs[j] == len(m.arms) && !m.settled[u.name] {
			differing = append(differing, j)
		}
	}
	if err := m.swapped(ctx, differing, m.numbersSwapped); err != nil {
		return err
	}
	for _, j := range differing {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch u := m.columns[j]; {
		case m.settled[u.name]:
		case u.kind == tables.Text:
			m.levelsDiffer(u)
		case !slices.ContainsFunc(m.arms, func(arm []*uColumn) bool { return m.units(arm[j]) }):
			m.numbersDiffer(u)
		}
	}
	for _, u := range m.open(m.columns) {
		m.precision(u)
	}
	return nil
}

// precision finds numbers that are whole in one table and have fractions in the other.
func (m *comparer) precision(u *uColumn) {
	if u.kind != tables.Numeric {
		return
	}
	var whole, values [2]int
	for t := range 2 {
		for _, v := range u.present(t) {
			if values[t]++; v == math.Trunc(v) {
				whole[t]++
			}
		}
	}
	for t, in := range []string{"first", "second"} {
		// The other table's share of whole numbers, one more counted, would make all of this one whole with so small a probability.
		chance := math.Pow(float64(whole[1-t]+1)/float64(values[1-t]+1), float64(values[t]))
		if whole[t] < values[t] || values[1-t] == 0 || chance > alarm/float64(len(m.columns)) {
			continue
		}
		f := Finding{Code: PrecisionDiffers, Severity: Note, Columns: []string{u.name}, Rows: values[t],
			What:   fmt.Sprintf("%q is whole in all rows of the %s table, and has fractions in the other one", u.name, in),
			Effect: "rounding is an error of U that only one table has",
			Remedy: fmt.Sprintf("round both alike, or "+ignoreRemedy, u.name)}
		if spread(u.present(t)) <= coarse {
			f.Severity = Warning
		}
		m.say(f)
		return
	}
}

// coarse is the spread, in steps of rounding, up to which rounding is a large part of U: errors of a variance of 1/12 beside one of
// (coarse/1.35)², about a hundredth.
const coarse = 4

const (
	differsEffect = "Y is learned from U of one distribution and asked of another: form 1 of the risk and the brackets may be far off"
	ignoreRemedy  = "--ignore %q leaves it out"
)

// numbersDiffer says how a column of numbers differs.
func (m *comparer) numbersDiffer(u *uColumn) {
	x, y := u.present(0), u.present(1)
	if len(x) == 0 || len(y) == 0 {
		return
	}
	m.say(Finding{Code: DistributionDiffers, Severity: Warning, Columns: []string{u.name}, gravity: distance(x, y),
		What: fmt.Sprintf("%q differs between the tables: %s", u.name, contrast(x, y)), Effect: differsEffect,
		Remedy: fmt.Sprintf("%s; if one table has been coded otherwise, mend it, or "+ignoreRemedy, m.shiftRemedy(), u.name)})
}

// contrast puts the difference of two sorted samples into words.
func contrast(x, y []float64) string {
	constant := func(v []float64) bool { return v[0] == v[len(v)-1] }
	switch {
	case constant(x) && constant(y):
		return fmt.Sprintf("it is %.4g in all rows of the first and %.4g in all of the second", x[0], y[0])
	case constant(x):
		return fmt.Sprintf("it is %.4g in all rows of the first and varies from %.4g to %.4g in the second", x[0], y[0], y[len(y)-1])
	case constant(y):
		return fmt.Sprintf("it varies from %.4g to %.4g in the first and is %.4g in all rows of the second", x[0], x[len(x)-1], y[0])
	}
	if d := math.Abs(standardised(x, y)); d < sameMean && quantile(x, .5) == quantile(y, .5) && spread(x) == spread(y) {
		return fmt.Sprintf("it is %s, with about the same median, mean and spread", shareBelow(x, y))
	}
	of, place := spread, fmt.Sprintf("its median is %.4g in the first and %.4g in the second", quantile(x, .5), quantile(y, .5))
	if quantile(x, .5) == quantile(y, .5) {
		place = fmt.Sprintf("its mean is %.4g in the first and %.4g in the second", stat.Mean(x, nil), stat.Mean(y, nil))
	}
	if ratio := of(x) / of(y); ratio > 2 || ratio < .5 {
		return fmt.Sprintf("%s, and its spread %.3g times that of the second", place, ratio)
	}
	return fmt.Sprintf("%s, its spread %.4g and %.4g", place, of(x), of(y))
}

// sameMean is how far means are apart, in standard deviations, that are about the same.
const sameMean = .1

// shareBelow says how much of two sorted samples is below the value at which their distribution functions are farthest apart, or equal to it.
func shareBelow(x, y []float64) string {
	below := func(v []float64, at float64) int {
		n, _ := slices.BinarySearchFunc(v, at, func(v, at float64) int {
			if v <= at {
				return -1
			}
			return 1
		})
		return n
	}
	gap := func(at float64) float64 {
		return math.Abs(float64(below(x, at))/float64(len(x)) - float64(below(y, at))/float64(len(y)))
	}
	at := min(x[0], y[0])
	for _, values := range [][]float64{x, y} {
		for _, v := range values {
			if by := gap(v) - gap(at); by > 1e-12 || by > -1e-12 && v < at { // the least of several
				at = v
			}
		}
	}
	return fmt.Sprintf("at most %.4g in %s of the rows of the first and in %s of those of the second", at, share(below(x, at), len(x)), share(below(y, at), len(y)))
}

// spread of a sorted sample is the range of its middle half, or of its middle nine tenths where that is 0, or its standard
// deviation.
func spread(v []float64) float64 {
	if s := quantile(v, .75) - quantile(v, .25); s > 0 {
		return s
	}
	if s := quantile(v, .95) - quantile(v, .05); s > 0 {
		return s
	}
	return stat.PopStdDev(v, nil)
}

// distance of two sorted samples is the largest gap of their distribution functions (Kolmogorov and Smirnov).
func distance(x, y []float64) float64 {
	d, i, j := 0., 0, 0
	for i < len(x) && j < len(y) {
		v := min(x[i], y[j])
		for i < len(x) && x[i] <= v {
			i++
		}
		for j < len(y) && y[j] <= v {
			j++
		}
		d = max(d, math.Abs(float64(i)/float64(len(x))-float64(j)/float64(len(y))))
	}
	return d
}

// kolmogorov is the limit of the p-value of a distance of samples of n and m values, which is above it where there are ties.
func kolmogorov(d float64, n, m int) float64 {
	return min(1, 2*math.Exp(-2*d*d*float64(n)*float64(m)/float64(n+m)))
}

// alike reports whether a distance of samples of n and m values is one of equal distributions, at a level of 1 %.
func alike(d float64, n, m int) bool { return kolmogorov(d, n, m) >= .01 }

// levelsDiffer says how a column of levels, or free text, differs: by the level whose shares are farthest apart.
func (m *comparer) levelsDiffer(u *uColumn) {
	f := Finding{Code: DistributionDiffers, Severity: Warning, Columns: []string{u.name}, Effect: differsEffect,
		What:   fmt.Sprintf("the words of %q differ between the tables", u.name),
		Remedy: fmt.Sprintf("%s; if one table has been coded otherwise, mend it, or "+ignoreRemedy, m.shiftRemedy(), u.name)}
	if !u.free {
		var counts [2]map[string]int
		var total [2]float64
		for t := range 2 {
			counts[t] = u.levels(t)
			for _, n := range counts[t] {
				total[t] += float64(n)
			}
		}
		worst, gap := "", -1.
		for _, level := range slices.Sorted(levelsOf(counts[0], counts[1])) {
			if d := math.Abs(float64(counts[0][level])/total[0] - float64(counts[1][level])/total[1]); d > gap {
				worst, gap = level, d
			}
		}
		f.gravity = gap
		f.What = fmt.Sprintf("the levels of %q differ between the tables: %.40q is %s of the first and %s of the second", u.name, worst,
			share(counts[0][worst], int(total[0])), share(counts[1][worst], int(total[1])))
	}
	m.say(f)
}
