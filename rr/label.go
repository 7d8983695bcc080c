package rr

import (
	"context"
	"errors"
	"iter"

	"mediant/tables"
)

// ErrNoH reports a model that has no prediction from U: methods such as the naive chain have none.
var ErrNoH = errors.New("rr: the model has no h(U)")

// PredictFromU yields h(U), the outputs for the rows of src, block by block, as Predict does f(X); U's columns are found by name. It gives rows of S_X their
// labels, so that any other learner can be trained as f. A model without an h yields ErrNoH.
func (m *Model) PredictFromU(ctx context.Context, src tables.Source) iter.Seq2[Block, error] {
	if m.H == nil {
		return func(yield func(Block, error) bool) { yield(Block{}, ErrNoH) }
	}
	fromU := *m
	fromU.X, fromU.F, fromU.Roles.X = m.U, m.H, m.Roles.U
	return fromU.Predict(ctx, src)
}
