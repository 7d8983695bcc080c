package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/moments"
)

// A Metric is a linear map R'x. Distances of its features are those of the metric M = R R',
//
//	|R'x - R'y|² = (x - y)' M (x - y)
//
// so that a radial kernel after it (Chain) is one of the metric. A learned metric (package metric) is large where the function to be fitted varies.
// The zero value is not usable; use NewMetric or NewDiagonalMetric.
type Metric struct {
	scales []float64      // the diagonal of R; nil: root
	root   blas64.General // R, in × in, lower triangular
	id     lazyID
}

var _ stored = (*Metric)(nil)

func init() {
	register[*Metric](kind{name: "metric", read: (*reader).metric, made: metricMaker()})
}

// NewDiagonalMetric returns the metric whose M has this diagonal, of at least one element, and is 0 elsewhere. The error says that an element is negative or not finite, or
// that all are 0.
func NewDiagonalMetric(diagonal []float64) (*Metric, error) {
	if len(diagonal) == 0 {
		panic(mat.ErrZeroLength)
	}
	m := &Metric{scales: make([]float64, len(diagonal))}
	for j, v := range diagonal {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("features: metric: element %d of the diagonal is %g, want a number of at least 0", j, v)
		}
		m.scales[j] = math.Sqrt(v)
	}
	return m, m.check()
}

// ridgeOfMetric is what is added to the diagonal of M, as a share of its mean: a metric from fewer rows than columns is singular.
const ridgeOfMetric = 1e-6

// NewMetric returns the metric M, of which a millionth of the mean of its diagonal is added to the diagonal. It costs d³/3 flops. The error says that M is not positive semidefinite, or not
// finite, or 0.
func NewMetric(of mat.Symmetric) (*Metric, error) {
	d := of.SymmetricDim()
	sum := mat.NewSymDense(d, nil)
	sum.CopySym(of)
	more := ridgeOfMetric * mat.Trace(of) / float64(d)
	for i := range d {
		sum.SetSym(i, i, of.At(i, i)+more)
	}
	upper := mat.DenseCopyOf(sum)
	if !(more > 0) || math.IsInf(more, 1) || !fast.Cholesky(upper.RawMatrix()) {
		return nil, fmt.Errorf("features: metric: the matrix of %d columns is not positive semidefinite, or it is 0 or not finite", d)
	}
	root := mat.NewDense(d, d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			root.Set(j, i, upper.At(i, j))
		}
	}
	m := &Metric{root: root.RawMatrix()}
	return m, m.check()
}

// check returns an error unless R is finite and not 0.
func (m *Metric) check() error {
	largest := 0.
	for _, v := range m.weights() {
		largest = max(largest, math.Abs(v))
	}
	if !rowops.Finite(m.weights()) || largest == 0 {
		return fmt.Errorf("features: metric: it is 0, or not finite")
	}
	return nil
}

func (m *Metric) weights() []float64 {
	if m.scales != nil {
		return m.scales
	}
	return m.root.Data
}

// Dims returns the number of columns twice.
func (m *Metric) Dims() (in, out int) {
	if m.scales != nil {
		return len(m.scales), len(m.scales)
	}
	return m.root.Rows, m.root.Cols
}

// ID returns the map's identity.
func (m *Metric) ID() moments.ID { return m.id.of(m) }

// MapTo stores R'x of each row x in dst, in d flops a row for a diagonal metric and 2d² for others.
func (m *Metric) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		s := rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(s)
		from, own := rowops.Dense(x, lo, hi, s), rowops.Block(to, lo, 0, hi-lo, to.Cols)
		if m.scales == nil {
			fast.Gemm(blas.NoTrans, blas.NoTrans, 1, from, m.root, 0, own)
			return
		}
		for i := range own.Rows {
			row, of := rowops.Row(own, i), rowops.Row(from, i)
			for j, scale := range m.scales {
				row[j] = scale * of[j]
			}
		}
	})
}

// IsDiagonal reports whether M is diagonal by construction.
func (m *Metric) IsDiagonal() bool { return m.scales != nil }

// Root returns R.
func (m *Metric) Root() *mat.Dense {
	if m.scales == nil {
		return mat.DenseCopyOf(rowops.View(m.root))
	}
	d := len(m.scales)
	out := mat.NewDense(d, d, nil)
	for j, scale := range m.scales {
		out.Set(j, j, scale)
	}
	return out
}

// Matrix returns M.
func (m *Metric) Matrix() *mat.SymDense {
	d, _ := m.Dims()
	out := mat.NewSymDense(d, nil)
	if m.scales == nil {
		out.SymOuterK(1, rowops.View(m.root))
		return out
	}
	for j, scale := range m.scales {
		out.SetSym(j, j, scale*scale)
	}
	return out
}

// Diagonal returns the diagonal of M.
func (m *Metric) Diagonal() []float64 {
	d, _ := m.Dims()
	out := make([]float64, d)
	if m.scales == nil {
		of := m.Matrix()
		for j := range out {
			out[j] = of.At(j, j)
		}
		return out
	}
	for j, scale := range m.scales {
		out[j] = scale * scale
	}
	return out
}

// Shares returns the diagonal of M divided by its sum: how much of the mean squared gradient of the fitted function is along each column, where M was learned.
func (m *Metric) Shares() []float64 {
	shares := m.Diagonal()
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}

// Directions returns the eigenvectors of the most largest eigenvalues of M, one a row, the largest element of each positive, and the shares of these eigenvalues in their sum.
func (m *Metric) Directions(most int) (shares []float64, directions *mat.Dense, err error) {
	of := m.Matrix()
	var eigen mat.EigenSym
	if !eigen.Factorize(of, true) {
		return nil, nil, fmt.Errorf("features: metric: the eigenvalues did not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values, d := eigen.Values(nil), of.SymmetricDim()
	most = min(most, d)
	directions = mat.NewDense(most, d, nil)
	for i := range most {
		shares = append(shares, values[d-1-i]/mat.Trace(of))
		row := directions.RawRowView(i)
		mat.Col(row, d-1-i, &vectors)
		largest := 0.
		for _, v := range row {
			if math.Abs(v) > math.Abs(largest) {
				largest = v
			}
		}
		if largest < 0 {
			for j := range row {
				row[j] = -row[j]
			}
		}
	}
	return shares, directions, nil
}

func (m *Metric) header() header {
	d, _ := m.Dims()
	h := header{Kind: "metric", In: d, Out: d, Arrays: []array{{Name: "scales", Rows: 1, Cols: d}}}
	if m.scales == nil {
		h.Arrays[0] = array{Name: "root", Rows: d, Cols: d}
	}
	return h
}

func (m *Metric) appendWeights(dst []float64) []float64 { return append(dst, m.weights()...) }

// metric reads a Metric.
func (r *reader) metric(h header) (Map, error) {
	if len(h.Arrays) != 1 {
		return nil, fmt.Errorf("%d arrays, want 1", len(h.Arrays))
	}
	m := &Metric{}
	var err error
	if h.Arrays[0].Name == "root" {
		m.root, err = r.matrix(h.Arrays[0], "root", h.In, h.In)
	} else {
		m.scales, err = r.take(h.Arrays[0], array{Name: "scales", Rows: 1, Cols: h.In})
	}
	if err != nil {
		return nil, err
	}
	return m, m.check()
}

// String names the map for people.
func (m *Metric) String() string {
	if m.scales != nil {
		return "diagonal metric"
	}
	return "metric"
}

// MetricOf returns the metric that comes first in a map, as in those that a Spec of MetricFeatures makes; nil if there is none.
func MetricOf(m Map) *Metric {
	if c, ok := m.(*Chain); ok {
		first, _ := c.first.(*Metric)
		return first
	}
	return nil
}
