package features

import (
	"context"
	"fmt"

	blasflags "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/moments"
)

// whitenRows is the number of rows whitened by one triangular solve: its products are wide enough
// for the matrix kernels, and its rows of a few thousand features stay within some megabytes.
const whitenRows = 512

// Nystrom holds the sections of a kernel at landmarks z_1..z_m, whitened by the Cholesky factor
// K_ZZ = L L':
//
//	phi(x) = L⁻¹ (k(x, z_1), …, k(x, z_r))',   phi(x)'phi(y) = k_Z(x)' K_ZZ⁺ k_Z(y)
//
// the best approximation of k in the span of the landmarks, exact at them [Williams and Seeger,
// Using the Nyström method to speed up kernel machines, NIPS 2000]. The factorisation picks the
// landmark with the largest residual k(z,z) - phi(z)'phi(z) next and stops when that is at most
// 8 m eps of the largest k(z, z): the r landmarks picked are kept and the others, duplicates
// included, are in their span to rounding. Fits with penalties below 1e-6 see that on rows unlike the landmarks
// (docs/theory.md, section 7). The zero value is not usable; use NewNystrom.
type Nystrom struct {
	sections *Sections
	u        blas64.General // L', r × r
	id       lazyID
}

var (
	_ stored = (*Nystrom)(nil)
	_ Folder = (*Nystrom)(nil)
)

func init() {
	register[*Nystrom](kind{
		name: "nystrom", read: (*reader).nystrom,
		made: &maker{
			kind: NystromFeatures, heads: []string{"nystrom"}, names: alone("nystrom:KERNEL"), parse: parseWithKernel(NystromFeatures), write: writeWithKernel,
			takes: func(kernels.Kernel) bool { return true }, byRows: true,
			bytes: nystromBytes, fitBytes: nystromFitBytes,
			useBytes: func(_ Spec, z Size) float64 {
				return 8*rowops.BlockRows*float64(z.Features) + panelBytes(float64(z.Features)*z.RowBytes)
			},
			fit: (*specFit).nystrom,
		},
	})
}

// NewNystrom returns the Nyström features of k at the rows of landmarks, in m² r flops and 8 m²
// bytes. The error says that a landmark or its kernel is not finite, that the kernel vanishes on
// every landmark, cannot take one, needs more columns, or that it cannot be described.
func NewNystrom(k kernels.Kernel, landmarks mat.Matrix) (*Nystrom, error) {
	return newNystromOf(context.Background(), k, landmarks)
}

// newNystromOf is NewNystrom until ctx is done, whose error it then returns.
func newNystromOf(ctx context.Context, k kernels.Kernel, landmarks mat.Matrix) (*Nystrom, error) {
	m, in := landmarks.Dims()
	if m < 1 {
		panic(mat.ErrZeroLength)
	}
	if need := kernels.Width(k); in < need {
		return nil, fmt.Errorf("features: nystrom: %d columns, the kernel needs %d", in, need)
	}
	if err := kernels.CheckRows(k, landmarks); err != nil {
		return nil, fmt.Errorf("features: nystrom: a landmark: %w", err)
	}
	gram := mat.NewDense(m, m, nil)
	k.GramTo(gram, landmarks, landmarks)
	if !rowops.Finite(gram.RawMatrix().Data) {
		return nil, fmt.Errorf("features: nystrom: the kernel of two landmarks is not finite")
	}
	pivots, err := pivotedCholesky(ctx, gram.RawMatrix(), residualCutoff(m))
	if err != nil {
		return nil, err
	}
	if len(pivots) == 0 {
		return nil, fmt.Errorf("features: nystrom: the kernel is zero on all %d landmarks", m)
	}
	sections, err := newSections(k, rowops.Pick(landmarks, pivots))
	if err != nil {
		return nil, err
	}
	return newNystrom(sections, upperOf(gram.RawMatrix(), len(pivots)))
}

// newNystrom takes over u, which must be a Cholesky factor.
func newNystrom(sections *Sections, u blas64.General) (*Nystrom, error) {
	for i := range u.Rows {
		if !(rowops.Row(u, i)[i] > 0) {
			return nil, fmt.Errorf("features: nystrom: diagonal element %d of the whitening is %g, want a positive number", i, rowops.Row(u, i)[i])
		}
	}
	return &Nystrom{sections: sections, u: u}, nil
}

// Dims returns the number of columns of x and the rank r.
func (m *Nystrom) Dims() (in, out int) { return m.sections.Dims() }

// ID returns the map's identity.
func (m *Nystrom) ID() moments.ID { return m.id.of(m) }

// Kernel returns the kernel.
func (m *Nystrom) Kernel() kernels.Kernel { return m.sections.kernel }

// Landmarks returns the r landmarks kept, one a row, in the order they were picked: a *CSR if they were given
// as sparse rows, else a copy of the dense ones.
func (m *Nystrom) Landmarks() mat.Matrix { return m.sections.Landmarks() }

// MapTo stores the whitened sections of each row of x in dst, in r² flops a row beside the kernel's
// own. It works within dst.
func (m *Nystrom) MapTo(dst *mat.Dense, x mat.Matrix) {
	n := prepare(m, dst, x)
	m.sections.MapTo(dst, x)
	to := dst.RawMatrix()
	parallel.Blocks(n, whitenRows, func(lo, hi int) {
		blas.SolveRight(rowops.Block(to, lo, 0, hi-lo, to.Cols), m.u)
	})
}

// Fold returns the sections and L'⁻¹·coef, since (L⁻¹ k)'coef = k'(L'⁻¹ coef). A prediction from the
// sections differs from one by the features by rounding of up to eps |L⁻¹| |coef|, where |L⁻¹| can
// reach the inverse root of the cutoff.
func (m *Nystrom) Fold(coef *mat.Dense) (Map, *mat.Dense) {
	if p, _ := coef.Dims(); p != m.u.Rows {
		panic(mat.ErrShape)
	}
	folded := mat.DenseCopyOf(coef)
	blas.SolveLeft(blasflags.NoTrans, m.u, folded.RawMatrix())
	return m.sections, folded
}

// Whiten replaces the columns of sums over rows of the sections, Σ k_Z(x) t', by those of the features, L⁻¹ Σ k_Z(x) t', in r² flops a column: with Fold, products with features cost what those with sections do.
func (m *Nystrom) Whiten(sums *mat.Dense) {
	if p, _ := sums.Dims(); p != m.u.Rows {
		panic(mat.ErrShape)
	}
	blas.SolveLeft(blasflags.Trans, m.u, sums.RawMatrix())
}

func (m *Nystrom) header() header {
	h := m.sections.header()
	h.Kind = "nystrom"
	h.Arrays = append(h.Arrays, array{Name: "whitening", Rows: m.u.Rows, Cols: m.u.Cols, Packed: "upper"})
	return h
}

func (m *Nystrom) appendWeights(dst []float64) []float64 {
	return packUpper(m.sections.appendWeights(dst), m.u)
}

// OwnDirections returns r orthonormal columns, p×r, that span the directions of the features that the other landmarks do not
// span, for r landmarks given by their indices. A fit in features orthogonal to these columns is a fit with the other
// landmarks alone. It costs 2p²r + 4pr² flops.
func (m *Nystrom) OwnDirections(landmarks []int) *mat.Dense {
	p, r := m.u.Rows, len(landmarks)
	// Landmark i has the features U e_i, to which U'⁻¹e_j is orthogonal for all j but i.
	rows := rowops.New(r, p)
	for i, j := range landmarks {
		rowops.Row(rows, i)[j] = 1
	}
	blas.SolveRight(rows, m.u)
	q := mat.DenseCopyOf(rowops.View(rows).T())
	tau, work := make([]float64, r), []float64{0}
	a := q.RawMatrix()
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	size := []float64{0}
	lapack64.Orgqr(a, tau, size, -1)
	if need := int(size[0]); need > len(work) {
		work = make([]float64, need)
	}
	lapack64.Orgqr(a, tau, work, len(work))
	return q
}

// String names the map for people.
func (m *Nystrom) String() string { return "nystrom: " + describeKernel(m.Kernel()) }
