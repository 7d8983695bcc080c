package features

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/moments"
)

// CountSketch adds up the columns of x in D buckets with random signs,
//
//	phi_b(x) = Σ_{j: bucket(j) = b} sign_j x_j
//
// so that phi(x)'phi(y) is unbiased for x'y [Charikar, Chen and Farach-Colton, Finding frequent items in
// data streams, ICALP 2002; Weinberger et al., Feature hashing for large scale multitask learning, ICML
// 2009], with the variance
//
//	Σ_{i≠j} P(bucket(i) = bucket(j)) (x_i² y_j² + x_i y_i x_j y_j)
//
// Independent buckets meet with probability 1/D. Here each run of D columns has all buckets in a random
// order: columns of a run never meet, others do with probability 1/D, so that the variance is smaller, and 0
// where D is at least the number of columns. It is made for wide sparse rows. The zero value is
// not usable; use NewCountSketch.
type CountSketch struct {
	size    int
	buckets []bucket
	id      lazyID
}

var _ stored = (*CountSketch)(nil)

func init() {
	register[*CountSketch](kind{
		name: "count sketch", read: (*reader).countSketch,
		made: &maker{
			kind: CountSketchFeatures, heads: []string{"countsketch"}, names: alone("countsketch"), parse: parseAlone(CountSketchFeatures),
			bytes: sketchBytes,
			fit: func(f *specFit) (Map, error) {
				_, in := f.rows.Dims()
				return NewCountSketch(in, f.Estimate(in), f.seed, f.purpose)
			},
		},
	})
}

// NewCountSketch draws buckets and signs for rows of in columns from the streams "purpose/buckets" of the seed. It
// panics if in < 1. The error says that size is not positive.
func NewCountSketch(in, size int, seed uint64, purpose string) (*CountSketch, error) {
	if in < 1 {
		panic(mat.ErrZeroLength)
	}
	if err := checkSketchSize("count sketch", size); err != nil {
		return nil, err
	}
	return newCountSketch(size, drawBuckets(in, size, seed, purpose+"/buckets", 0)), nil
}

func newCountSketch(size int, buckets []bucket) *CountSketch {
	return &CountSketch{size: size, buckets: buckets}
}

func checkSketchSize(kind string, size int) error {
	if size < 1 || size > maxFeatures {
		return fmt.Errorf("features: %s: size %d, want from 1 to %d", kind, size, maxFeatures)
	}
	return nil
}

// A bucket is where a column goes, counted from 1, negative for the sign -1.
type bucket int32

// add adds the signed v to the bucket's element of sums.
func (b bucket) add(sums []float64, v float64) {
	if b < 0 {
		sums[-b-1] -= v
	} else {
		sums[b-1] += v
	}
}

// drawBuckets draws a bucket for each of in columns; each run of size columns gets a permutation of them.
func drawBuckets(in, size int, seed uint64, purpose string, block int) []bucket {
	rnd := draw.Rand(seed, purpose, block)
	buckets := make([]bucket, 0, in)
	for len(buckets) < in {
		for _, b := range rnd.Perm(size)[:min(size, in-len(buckets))] {
			sign := 1 - 2*int(rnd.Uint64()>>63)
			buckets = append(buckets, bucket(sign*(b+1)))
		}
	}
	return buckets
}

// bucketsOf reads the buckets of a file.
func bucketsOf(values []float64, size int) ([]bucket, error) {
	buckets := make([]bucket, len(values))
	for j, v := range values {
		if v != math.Trunc(v) || math.Abs(v) < 1 || math.Abs(v) > float64(size) {
			return nil, fmt.Errorf("bucket %g, want an integer from 1 to %d or its negative", v, size)
		}
		buckets[j] = bucket(v)
	}
	return buckets, nil
}

func appendBuckets(dst []float64, buckets []bucket) []float64 {
	for _, b := range buckets {
		dst = append(dst, float64(b))
	}
	return dst
}

// Dims returns the number of columns of x and D.
func (m *CountSketch) Dims() (in, out int) { return len(m.buckets), m.size }

// ID returns the map's identity.
func (m *CountSketch) ID() moments.ID { return m.id.of(m) }

// MapTo stores the sums of the rows of x in dst, an addition for each element, or nonzero if x is sparse.
func (m *CountSketch) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, rowops.BlockRows, func(lo, hi int) {
		rows := rowops.Open(x, lo, hi)
		defer rows.Close()
		for i := lo; i < hi; i++ {
			sums := rowops.Row(to, i)
			clear(sums)
			rows.Each(i, func(j int, v float64) { m.buckets[j].add(sums, v) })
		}
	})
}

func (m *CountSketch) header() header {
	in, out := m.Dims()
	return header{Kind: "count sketch", In: in, Out: out, Arrays: []array{{Name: "buckets", Rows: 1, Cols: in}}}
}

func (m *CountSketch) appendWeights(dst []float64) []float64 { return appendBuckets(dst, m.buckets) }

func (r *reader) countSketch(h header) (Map, error) {
	buckets, err := r.buckets(h, 1, h.In)
	if err != nil {
		return nil, err
	}
	return newCountSketch(h.Out, buckets), nil
}

// buckets takes the only array of a header, buckets of its features.
func (r *reader) buckets(h header, rows, cols int) ([]bucket, error) {
	if len(h.Arrays) != 1 {
		return nil, fmt.Errorf("%d arrays, want 1", len(h.Arrays))
	}
	if err := checkSketchSize(h.Kind, h.Out); err != nil {
		return nil, err
	}
	values, err := r.take(h.Arrays[0], array{Name: "buckets", Rows: rows, Cols: cols})
	if err != nil {
		return nil, err
	}
	return bucketsOf(values, h.Out)
}

// sketchBytes is the size of the buckets of a sketch.
func sketchBytes(s Spec, z Size) float64 { return 16 * float64(z.In) * float64(max(1, s.Degree)) }

// String names the map for people.
func (m *CountSketch) String() string { return "sketch of the columns" }
