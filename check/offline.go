package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

const (
	// lineRows of a table at most say how a column goes with U, by lineFunctions of U at most.
	lineRows, lineFunctions = 2000, 40
	// lineSteps are those of the fit to lineCore of the rows, the nearest ones; rows within lineNear standard deviations are on its line, beyond lineFar off it.
	lineSteps, lineCore, lineNear, lineFar = 10, .6, 3., 4.
	// endsNear is how near the sum of both ends is known, as a share of their distance.
	endsNear = .1
	// Off the line are offRows rows or more, offLeast of all, and offMost at most; offAlike of them are where one conversion has them, which chance
	// explains with a logarithm of odds of offChance at most.
	offRows, offLeast, offMost, offAlike, offChance = 20, .02, .45, .85, -30.
)

// A uLine is what functions of U say of a column in the rows that most of them agree on.
type uLine struct {
	values, fits []float64
	off          []int // rows far from what U says
	sd           float64
}

// offTheLine finds a column of X or Y part of which is not what U says of it, but is so by one conversion: another unit, or taken from a number; or is
// one value throughout.
func (c *checker) offTheLine(table Table, look *columnLook, p *Profile, t *tableLook) {
	if look.column.Kind != tables.Numeric || p.Distinct < 2*leastOfUnit {
		return
	}
	x, values := c.functionsOfU(t, look, lineRows, lineFunctions, true)
	if x == nil {
		return
	}
	l := fitLine(x, values)
	if !l.splits() {
		return
	}
	f := Finding{Code: MixedUnits, Severity: Warning, Table: table, Columns: []string{p.Name}, Of: p.Rows, gravity: 1}
	switch v, rows := l.constant(); {
	case rows > 0:
		f.Code, f.Rows = MissingMarker, l.ofAll(rows, p)
		f.What = fmt.Sprintf("%q is %g in about %d of %d rows of %s whose U goes with other values of it", p.Name, v, f.Rows, p.Rows, table.words())
		f.Effect = "if that marks missing values, it is learned from as a number"
		if !l.narrow() {
			f.Severity = Note // rows without a wage, or a dose, have 0 too
		}
		f.Remedy = fmt.Sprintf("%s takes it as missing, or --accept %s:%q if it was measured", naFlag(p.Name, v), MissingMarker, p.Name)
	default:
		what, cause, alike, surely := l.conversion()
		if alike == 0 {
			return
		}
		if !surely {
			f.Severity = Note
		}
		f.Rows = l.ofAll(alike, p)
		f.What = fmt.Sprintf("about %d of the %d values of %q in %s are like those of other rows of the same U %s (%s?)", f.Rows, p.Rows-p.Missing, p.Name, table.words(), what, cause)
		f.Effect = "if they are on another scale, they hide all that the others say"
		f.Remedy = fmt.Sprintf("write all on one scale, or --accept %s:%q if they are two kinds of rows", MixedUnits, p.Name)
	}
	c.add(f)
}

// splits reports whether neither too few rows nor too many are off the line.
func (l *uLine) splits() bool {
	n := float64(len(l.values))
	return len(l.off) >= max(offRows, int(offLeast*n)) && float64(len(l.off)) <= offMost*n
}

// narrow reports whether U explains nine tenths of what it says most rows have.
func (l *uLine) narrow() bool { return l.sd*l.sd <= .1*math.Pow(stat.PopStdDev(l.fits, nil), 2) }

// ofAll takes a number of sampled rows to all rows.
func (l *uLine) ofAll(rows int, p *Profile) int {
	return int(math.Round(float64(rows) / float64(len(l.values)) * float64(p.Rows-p.Missing)))
}

// fitLine fits the columns of x to values in most of the rows.
func fitLine(x *mat.Dense, values []float64) *uLine {
	n := len(values)
	l := &uLine{values: values, fits: make([]float64, n)}
	residual := make([]float64, n)
	sizes := make([]float64, n)
	refit := func(within float64) bool {
		var rows []int
		for i, size := range sizes {
			if size <= within {
				rows = append(rows, i)
			}
		}
		if !ridgeOf(x, values, rows, l.fits) {
			return false
		}
		for i, v := range values {
			residual[i] = v - l.fits[i]
			sizes[i] = math.Abs(residual[i])
		}
		return true
	}
	sortedSizes := func() []float64 {
		s := slices.Clone(sizes)
		slices.Sort(s)
		return s
	}
	within := 0. // sizes are 0: all rows
	for range lineSteps {
		if !refit(within) {
			return l
		}
		within = quantile(sortedSizes(), lineCore)
	}
	for range lineSteps / 2 {
		// The standard deviation by the median size among those within a bound, which holds nearly all of a normal variable.
		s := sortedSizes()
		l.sd = quantile(s, lineCore/2) / .67
		for range lineSteps / 2 {
			l.sd = quantile(s[:countIn(s, 0, lineNear*l.sd)], .5) / .6745
		}
		if !(l.sd > 0) || !refit(lineNear*l.sd) {
			return l
		}
	}
	for i, size := range sizes {
		if size > lineFar*l.sd {
			l.off = append(l.off, i)
		}
	}
	return l
}

// ridgeOf fills fits with the ridge regression of y on the columns of x and a constant in some rows.
func ridgeOf(x *mat.Dense, y []float64, rows []int, fits []float64) bool {
	_, width := x.Dims()
	n := len(rows)
	if n < 2*width {
		return false
	}
	design, centre := mat.NewDense(n, width, nil), make([]float64, width)
	middle := 0.
	for i, r := range rows {
		middle += y[r] / float64(n)
		for j, v := range x.RawRowView(r) {
			centre[j] += v / float64(n)
			design.Set(i, j, v)
		}
	}
	rest := mat.NewVecDense(n, nil)
	for i, r := range rows {
		rest.SetVec(i, y[r]-middle)
		for j := range centre {
			design.Set(i, j, design.At(i, j)-centre[j])
		}
	}
	gram := mat.NewSymDense(width, nil)
	gram.SymOuterK(1, design.T())
	for j := range width {
		gram.SetSym(j, j, gram.At(j, j)+linePenalty*float64(n))
	}
	var chol mat.Cholesky
	var b, w mat.VecDense
	if !chol.Factorize(gram) {
		return false
	}
	b.MulVec(design.T(), rest)
	if chol.SolveVecTo(&w, &b) != nil {
		return false
	}
	for i := range fits {
		fits[i] = middle
		for j, v := range x.RawRowView(i) {
			fits[i] += w.AtVec(j) * (v - centre[j])
		}
	}
	return true
}

// linePenalty is that of the sum of squared coefficients, per row.
const linePenalty = 1e-6

// constant is the value that nearly all rows off the line have and hardly any other row, and how many have it. Values that were cut at it are none: U says
// of those rows what no other has.
func (l *uLine) constant() (v float64, rows int) {
	off := make([]float64, len(l.off))
	for i, r := range l.off {
		off[i] = l.values[r]
	}
	slices.Sort(off)
	most := tally(off)[0]
	all := 0
	for _, v := range l.values {
		if v == most.value {
			all++
		}
	}
	if float64(most.rows) < .9*float64(len(off)) || float64(all) > 3*float64(most.rows) {
		return 0, 0
	}
	least, greatest := math.Inf(1), math.Inf(-1) // of rows that have another value
	for _, v := range l.values {
		if v != most.value {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	beyond := 0
	for _, r := range l.off {
		if l.fits[r] < least || l.fits[r] > greatest {
			beyond++
		}
	}
	if float64(beyond) > .1*float64(len(off)) {
		return 0, 0
	}
	return most.value, all
}

// conversion finds what the rows off the line are to it, and how many are so. A number that values were taken from surely is the sum of the ends
// of a scale, or 0.
func (l *uLine) conversion() (what, cause string, rows int, surely bool) {
	var ratios, sums []float64
	for _, r := range l.off {
		if q := l.values[r] / l.fits[r]; q > 0 {
			ratios = append(ratios, math.Log(q))
		}
		sums = append(sums, l.values[r]+l.fits[r])
	}
	slices.Sort(sums)
	from := quantile(sums, .5)
	if k := l.alike(func(v float64) float64 { return from - v }); k > 0 {
		low, high := slices.Min(l.values), slices.Max(l.values)
		return fmt.Sprintf("taken from %.4g", from), "the scale is reversed in part", k, min(math.Abs(from), math.Abs(from-low-high)) <= endsNear*(high-low)
	}
	if len(ratios) < offRows {
		return "", "", 0, false
	}
	slices.Sort(ratios)
	core := ratios[len(ratios)/10 : len(ratios)-len(ratios)/10]
	apart, se := quantile(ratios, .5), 1.2533*stat.PopStdDev(core, nil)*1.5/math.Sqrt(float64(len(core))) // the middle 80 % have 1 / 1.5 of the deviation of a normal variable
	if se > closeSurely {
		return "", "", 0, false
	}
	for _, f := range factors {
		for _, sign := range []float64{1, -1} {
			if f.factor < leastFactor || math.Abs(apart-sign*math.Log(f.factor)) > min(closeFactor, closeErrors*se+closeAlways) {
				continue
			}
			by := math.Pow(f.factor, sign)
			if k := l.alike(func(v float64) float64 { return v / by }); k > 0 {
				if sign < 0 {
					return fmt.Sprintf("divided by %.5g", f.factor), f.cause, k, true
				}
				return fmt.Sprintf("times %.5g", f.factor), f.cause, k, true
			}
		}
	}
	return "", "", 0, false
}

// alike is how many of the rows off the line are on it once converted, 0 if these are not most, or if chance explains it: rows of other U, too, are then
// on the line of a row.
func (l *uLine) alike(of func(v float64) float64) int {
	on := func(i, j int) bool { return math.Abs(of(l.values[i])-l.fits[j]) <= lineNear*l.sd }
	k, others, tried := 0, 0, 0
	for a, i := range l.off {
		if on(i, i) {
			k++
		}
		for b := 1; b < len(l.off); b += 1 + len(l.off)/64 {
			tried++
			if on(i, l.off[(a+b)%len(l.off)]) {
				others++
			}
		}
	}
	m := len(l.off)
	if float64(k) < offAlike*float64(m) || chernoff(k, m-k, float64(others+1)/float64(tried+1)) > offChance {
		return 0
	}
	return k
}
