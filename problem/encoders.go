package problem

import (
	"context"
	"fmt"
	"slices"

	"mediant/check"
	"mediant/encode"
	"mediant/features"
	"mediant/tables"
	"mediant/tables/copies"
)

// assign finds roles, weights and targets.
func (e *Encoded) assign(ctx context.Context) error {
	var err error
	if e.roles, err = tables.AssignRoles(e.sources[TableXU].Columns(), e.sources[TableUY].Columns(), e.setup.Roles); err != nil {
		return err
	}
	if err := e.weigh(ctx); err != nil {
		return err
	}
	e.y, err = encode.FitTargets(ctx, e.sources[TableUY], e.roles.Y, e.setup.Task)
	return err
}

// encodeU fits the encoder of U on the pooled rows, which counts them.
func (e *Encoded) encodeU(ctx context.Context) error {
	var err error
	opt := encode.EncoderOptions{NoStandardize: e.setup.NoStandardize, Text: e.setup.Text}
	if e.u, err = encode.FitEncoder(ctx, SelectColumns(e.sources[TableXU].Columns(), e.roles.U), opt, e.sources[:]...); err != nil {
		return fmt.Errorf("problem: U: %w", err)
	}
	e.note(e.u.Notes()...)
	for i, rows := range e.u.SourceRows() {
		if e.counts[i] = rows; e.stored[i] == 0 {
			e.stored[i] = rows
		}
	}
	return e.encodeLandmarks(ctx, "U", e.u, e.setup.LandmarksU, &e.setup.Psi)
}

// learn finds what a model keeps of the tables, of copies of a row one, whether they count or not.
func (e *Encoded) learn(ctx context.Context) error {
	src := e.sources
	if e.setup.Copies == copies.Keep {
		for i := range src {
			var err error
			if src[i], _, err = copies.Distinct(ctx, src[i], e.columnsOf(i)); err != nil {
				return err
			}
		}
	}
	var err error
	e.learned, err = check.Learn(ctx, src[TableXU], src[TableUY], e.roles, e.setup.Seed)
	return err
}

// encodeLandmarks encodes the landmarks of a side, if there are any, for its spec.
func (e *Encoded) encodeLandmarks(ctx context.Context, side string, by *encode.Encoder, src tables.Source, spec *features.Spec) error {
	if src == nil {
		return nil
	}
	rows, counts, err := by.EncodeAll(ctx, tables.NewGuard("landmarks of "+side, src), MapRows)
	if err != nil {
		return fmt.Errorf("problem: landmarks of %s: %w", side, err)
	}
	for _, warning := range by.Warnings(counts) {
		e.note(fmt.Sprintf("landmarks of %s: %s", side, warning))
	}
	spec.LandmarkRows = rows
	return nil
}

// encoderX fits the encoder of X.
func (e *Encoded) encoderX(ctx context.Context) (*encode.Encoder, error) {
	xu := e.sources[TableXU]
	return encode.FitEncoder(ctx, SelectColumns(xu.Columns(), e.roles.X), e.setup.encoderOptionsX(), xu)
}

func (s Setup) encoderOptionsX() encode.EncoderOptions {
	return encode.EncoderOptions{NoStandardize: s.NoStandardize || s.RawX, KeepConstant: s.RawX, Text: s.Text}
}

// SelectColumns returns the columns with the given names, all of which must exist.
func SelectColumns(columns []tables.Column, names []string) []tables.Column {
	out := make([]tables.Column, len(names))
	for i, name := range names {
		out[i] = columns[slices.IndexFunc(columns, func(c tables.Column) bool { return c.Name == name })]
	}
	return out
}

// WithTargets returns a copy with other outputs of the same columns of Y, such as thresholds (encode.Targets.Below).
func (e *Encoded) WithTargets(y *encode.Targets) *Encoded {
	own := *e
	own.y = y
	return &own
}
