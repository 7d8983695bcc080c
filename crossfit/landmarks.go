package crossfit

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/moments"
)

// A Nyström landmark that is a row of one fold has a feature of its own, about which the other folds contain almost no
// information, so that the held-out row is unlike a new one. So a fit without a fold leaves out the landmarks that are in
// that fold alone. This needs no new sums: the directions of the features that their sections span are projected out
// (features.Nystrom.OwnDirections, moments.CoMoments.Orthogonal; docs/theory.md, section 15).

// LandmarkFolds lists, for each landmark of a map, the folds with rows equal to it.
type LandmarkFolds struct {
	Of    *features.Nystrom
	Folds [][]int
}

// ownDirections returns orthonormal columns for the landmarks whose folds are all gone, nil for none. A map of which no landmark would
// be left keeps them all: without features there is nothing to compare.
func (l *LandmarkFolds) ownDirections(gone []int) *mat.Dense {
	if l == nil {
		return nil
	}
	var out []int
	for i, folds := range l.Folds {
		if len(folds) > 0 && !slices.ContainsFunc(folds, func(f int) bool { return !slices.Contains(gone, f) }) {
			out = append(out, i)
		}
	}
	if len(out) == 0 || len(out) == len(l.Folds) {
		return nil
	}
	return l.Of.OwnDirections(out)
}

// A Splitter makes Splits of the sums of folds. It finds the landmarks of maps by the identities in the sums.
type Splitter struct {
	Landmarks map[moments.ID]*LandmarkFolds
	Remaining []int                   // numbers of the folds in the sums
	Removed   []int                   // numbers of the folds that were removed before, by Problem.Without
	Noise     map[[2]moments.ID]Noise // by the identities of both sides of sums that have noise
}

// Fold returns the number of the fold at index k. Folds that do not come from passes have no landmarks.
func (s Splitter) Fold(k int) int {
	if k < len(s.Remaining) {
		return s.Remaining[k]
	}
	return k
}

// Training returns sum without the landmarks of the folds that were taken out, and of those in gone.
func (s Splitter) Training(sum *moments.CoMoments, gone ...int) *moments.CoMoments {
	gone = append(slices.Clone(s.Removed), gone...)
	if len(gone) == 0 || sum.Weight() == 0 {
		return sum
	}
	return sum.Orthogonal(s.Landmarks[sum.Left()].ownDirections(gone), s.Landmarks[sum.Right()].ownDirections(gone))
}

// TrainingLeft is Training for a sum over rows in memory, whose left side has the identity of a map without its encoder.
func (s Splitter) TrainingLeft(sum *moments.CoMoments, left moments.ID) *moments.CoMoments {
	if len(s.Removed) == 0 || sum.Weight() == 0 {
		return sum
	}
	return sum.Orthogonal(s.Landmarks[left].ownDirections(s.Removed), nil)
}

// TrainingTarget removes from the target t, (q+1)×k means over the other folds of (psi, 1) times a function, the directions
// of the landmarks of fold gone. psi is the identity of the features.
func (s Splitter) TrainingTarget(psi moments.ID, t *mat.Dense, gone int) {
	n := s.Landmarks[psi].ownDirections(append(slices.Clone(s.Removed), gone))
	if n == nil {
		return
	}
	q, _ := n.Dims()
	_, k := t.Dims()
	top := t.Slice(0, q, 0, k).(*mat.Dense)
	var along, out mat.Dense
	along.Mul(n.T(), top)
	out.Mul(n, &along)
	top.Sub(top, &out)
}

// TrainingRows returns what removes the directions of the landmarks of the folds that were taken out from rows of the features of, in place.
func (s Splitter) TrainingRows(of moments.ID) func(rows *mat.Dense) {
	var n *mat.Dense
	if len(s.Removed) > 0 {
		n = s.Landmarks[of].ownDirections(s.Removed)
	}
	if n == nil {
		return func(*mat.Dense) {}
	}
	var along, out mat.Dense
	return func(rows *mat.Dense) {
		along.Reset()
		out.Reset()
		fast.MulTo(&along, blas.NoTrans, rows, blas.NoTrans, n)
		fast.MulTo(&out, blas.NoTrans, &along, blas.Trans, n)
		rows.Sub(rows, &out)
	}
}
