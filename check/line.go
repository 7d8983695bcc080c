package check

import (
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/internal/blas"
)

const (
	// mostLineRows of a table say how a column goes with U, fewer of many columns so that all have lineCells, but leastLineRows, by lineFunctions of U at most.
	mostLineRows, leastLineRows, lineCells, lineFunctions = 2000, 400, 1 << 19, 40
	// lineSteps are those of the fit to lineCore of the rows, the nearest ones, or to halfCore of them where half may be off; rows within lineNear standard
	// deviations are on its line, beyond lineFar off it.
	lineSteps, lineCore, halfCore, lineNear, lineFar = 10, .6, .4, 3., 4.
	// Signs are found in signSteps; a reflected line leaves reflectedRest of the squares at most, where a constant leaves a third of those of normal values.
	signSteps, reflectedRest = 30, .15
	// linePenalty is that of the sum of squared coefficients, per row.
	linePenalty = 1e-6
)

// lineRows are those by which each column of X and Y is looked at.
func (c *checker) lineRows() int {
	return min(mostLineRows, max(leastLineRows, lineCells/max(1, len(c.roles.X)+len(c.roles.Y))))
}

// A uLine is what functions of U say of a column in the rows that most of them agree on.
type uLine struct {
	values, fits []float64
	off          []int // rows far from what U says
	sd           float64
}

// splits reports whether neither too few rows nor more than a share of them are off the line.
func (l *uLine) splits(most float64) bool {
	n := float64(len(l.values))
	return len(l.off) >= max(offRows, int(offLeast*n)) && float64(len(l.off)) <= most*n
}

// narrow reports whether U explains nine tenths of what it says most rows have.
func (l *uLine) narrow() bool { return l.sd*l.sd <= .1*math.Pow(stat.PopStdDev(l.fits, nil), 2) }

// ofAll takes a number of sampled rows to all rows.
func (l *uLine) ofAll(rows int, p *Profile) int {
	return int(math.Round(float64(rows) / float64(len(l.values)) * float64(p.Rows-p.Missing)))
}

// fitLine fits the columns of x to values in most of the rows.
func fitLine(x *mat.Dense, values []float64) *uLine {
	return fitLineFrom(x, values, make([]float64, len(values)), lineCore) // sizes are 0: all rows
}

// fitLineFrom begins with the rows of size 0, and goes on with a share of the rows.
func fitLineFrom(x *mat.Dense, values, sizes []float64, core float64) *uLine {
	l := &uLine{values: values, fits: make([]float64, len(values))}
	regression := ridge{x: x, values: values}
	var before []int
	refit := func(within float64) bool {
		var rows []int
		for i, size := range sizes {
			if size <= within {
				rows = append(rows, i)
			}
		}
		if slices.Equal(rows, before) { // and so are the fits
			return true
		}
		before = rows
		if !regression.fit(rows, l.fits) {
			return false
		}
		for i, v := range values {
			sizes[i] = math.Abs(v - l.fits[i])
		}
		return true
	}
	sortedSizes := func() []float64 {
		s := slices.Clone(sizes)
		slices.Sort(s)
		return s
	}
	within := 0.
	for range lineSteps {
		if !refit(within) {
			return l
		}
		within = quantile(sortedSizes(), core)
	}
	for range lineSteps / 2 {
		// The standard deviation by the median size among those within a bound, which holds nearly all of a normal variable.
		s := sortedSizes()
		l.sd = quantile(s, core/2) / .67
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

// A ridge fits the columns of x and a constant to values in some of the rows, again and again.
type ridge struct {
	x      *mat.Dense
	values []float64
	design mat.Dense // the memory of the rows of a fit
}

// fit fills fits with the ridge regression in some rows.
func (r *ridge) fit(rows []int, fits []float64) bool {
	_, width := r.x.Dims()
	n := len(rows)
	if n < 2*width {
		return false
	}
	r.design.Reset()
	r.design.ReuseAs(n, width)
	centre := make([]float64, width)
	middle := 0.
	for _, row := range rows {
		middle += r.values[row] / float64(n)
		floats.AddScaled(centre, 1/float64(n), r.x.RawRowView(row))
	}
	rest := mat.NewVecDense(n, nil)
	for i, row := range rows {
		rest.SetVec(i, r.values[row]-middle)
		floats.SubTo(r.design.RawRowView(i), r.x.RawRowView(row), centre)
	}
	var chol mat.Cholesky
	var b, w mat.VecDense
	if !chol.Factorize(gramOf(&r.design, linePenalty)) {
		return false
	}
	b.MulVec(r.design.T(), rest)
	if chol.SolveVecTo(&w, &b) != nil {
		return false
	}
	slope := w.RawVector().Data
	middle -= floats.Dot(slope, centre)
	for i := range fits {
		fits[i] = middle + floats.Dot(slope, r.x.RawRowView(i))
	}
	return true
}

// gramOf is x'x with a penalty, per row, on its diagonal.
func gramOf(x *mat.Dense, penalty float64) *mat.SymDense {
	n, width := x.Dims()
	gram := mat.NewSymDense(width, nil)
	raw := gram.RawSymmetric()
	blas.Syrk(1, x.RawMatrix(), blas64.General{Rows: width, Cols: width, Stride: raw.Stride, Data: raw.Data})
	for j := range width {
		gram.SetSym(j, j, gram.At(j, j)+penalty*float64(n))
	}
	return gram
}

// fitReflected fits the columns of x to values of which about half are taken from a sum: values less half of it are the fit, or the fit with the other sign.
// It is nil where no such fit explains most of the values.
func fitReflected(x *mat.Dense, signed *signedDesign, values []float64, sum float64) *uLine {
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = v - sum/2
	}
	fits := signed.fits(distances)
	rest, all := 0., floats.Dot(distances, distances)
	sizes := make([]float64, len(values))
	for i, d := range distances {
		gap := math.Abs(d) - math.Abs(fits[i])
		if rest += gap * gap; d*fits[i] < 0 {
			sizes[i] = math.Inf(1)
		}
	}
	if rest > reflectedRest*all {
		return nil
	}
	return fitLineFrom(x, values, sizes, halfCore)
}

// A signedDesign is a constant and functions, by which values of unknown signs are fitted.
type signedDesign struct {
	x     *mat.Dense
	chol  mat.Cholesky
	solid bool // the functions are not collinear
}

func newSignedDesign(functions *mat.Dense) *signedDesign {
	n, _ := functions.Dims()
	constant := mat.NewDense(n, 1, nil)
	for i := range n {
		constant.Set(i, 0, 1)
	}
	d := &signedDesign{x: beside([]*mat.Dense{constant, functions})}
	d.solid = d.chol.Factorize(gramOf(d.x, linePenalty))
	return d
}

// start has the coefficients of the product of the functions that the squares of the values go along with the most, nil if there are none.
func (d *signedDesign) start(values []float64) *mat.VecDense {
	n, width := d.x.Dims()
	mean := floats.Dot(values, values) / float64(n)
	weighed := mat.NewDense(n, width, nil)
	for i, v := range values {
		floats.ScaleTo(weighed.RawRowView(i), v*v-mean, d.x.RawRowView(i))
	}
	var product, vectors mat.Dense
	blas.MulTo(&product, gonum.Trans, d.x, gonum.NoTrans, weighed)
	moments := mat.NewSymDense(width, nil)
	for i := range width {
		for j := range i + 1 {
			moments.SetSym(i, j, product.At(i, j))
		}
	}
	var eigen mat.EigenSym
	if !d.solid || !eigen.Factorize(moments, true) {
		return nil
	}
	eigen.VectorsTo(&vectors)
	return mat.NewVecDense(width, mat.Col(nil, width-1, &vectors))
}

// fits are those to values of unknown signs, which are those of the fits.
func (d *signedDesign) fits(values []float64) []float64 {
	fits := make([]float64, len(values))
	w := d.start(values)
	if w == nil {
		return fits
	}
	to, signed := mat.NewVecDense(len(values), fits), mat.NewVecDense(len(values), nil)
	for range signSteps {
		to.MulVec(d.x, w)
		changed := false
		for i, v := range values {
			v = math.Copysign(v, fits[i])
			changed = changed || v != signed.AtVec(i)
			signed.SetVec(i, v)
		}
		if !changed { // and so are the coefficients
			return fits
		}
		w.MulVec(d.x.T(), signed)
		if d.chol.SolveVecTo(w, w) != nil {
			break
		}
	}
	to.MulVec(d.x, w)
	return fits
}
