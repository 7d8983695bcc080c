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

// FitEncoders finds roles, encoders and targets.
func (p *Problem) FitEncoders(ctx context.Context) error {
	if err := p.Assign(ctx); err != nil {
		return err
	}
	if err := p.LeaveOut(ctx); err != nil {
		return err
	}
	var err error
	if p.X, err = p.encoder(ctx, p.Roles.X, p.Sources[TableXU]); err != nil {
		return fmt.Errorf("problem: X: %w", err)
	}
	p.Notes = append(p.Notes, p.X.Notes()...)
	if err := p.EncodeU(ctx); err != nil {
		return err
	}
	if err := p.learn(ctx); err != nil {
		return err
	}
	return p.encodeLandmarks(ctx, "X", p.X, p.Setup.LandmarksX, &p.Setup.Phi)
}

// learn finds what a model keeps of the tables, of copies of a row one, whether they count or not.
func (p *Problem) learn(ctx context.Context) error {
	src := p.Sources
	if p.Setup.Copies == copies.Keep {
		for i := range src {
			var err error
			if src[i], _, err = copies.Distinct(ctx, src[i], p.columnsOf(i)); err != nil {
				return err
			}
		}
	}
	var err error
	p.Learned, err = check.Learn(ctx, src[TableXU], src[TableUY], p.Roles, p.Setup.Seed)
	return err
}

// Assign finds roles, weights and targets.
func (p *Problem) Assign(ctx context.Context) error {
	var err error
	if p.Roles, err = tables.AssignRoles(p.Sources[TableXU].Columns(), p.Sources[TableUY].Columns(), p.Setup.Roles); err != nil {
		return err
	}
	if err := p.Weigh(ctx); err != nil {
		return err
	}
	p.Y, err = encode.FitTargets(ctx, p.Sources[TableUY], p.Roles.Y, p.Setup.Task)
	return err
}

// EncodeU fits the encoder of U on the pooled rows.
func (p *Problem) EncodeU(ctx context.Context) error {
	var err error
	if p.U, err = p.encoder(ctx, p.Roles.U, p.Sources[:]...); err != nil {
		return fmt.Errorf("problem: U: %w", err)
	}
	p.Notes = append(p.Notes, p.U.Notes()...)
	return p.encodeLandmarks(ctx, "U", p.U, p.Setup.LandmarksU, &p.Setup.Psi)
}

// encodeLandmarks encodes the landmarks of a side, if there are any, for its spec.
func (p *Problem) encodeLandmarks(ctx context.Context, side string, e *encode.Encoder, src tables.Source, spec *features.Spec) error {
	if src == nil {
		return nil
	}
	rows, counts, err := e.EncodeAll(ctx, tables.NewGuard("landmarks of "+side, src), MapRows)
	if err != nil {
		return fmt.Errorf("problem: landmarks of %s: %w", side, err)
	}
	for _, warning := range e.Warnings(counts) {
		p.Notes = append(p.Notes, fmt.Sprintf("landmarks of %s: %s", side, warning))
	}
	spec.Given = rows
	return nil
}

func (p *Problem) encoder(ctx context.Context, names []string, sources ...tables.Source) (*encode.Encoder, error) {
	opt := encode.EncoderOptions{NoStandardize: p.Setup.NoStandardize, Text: p.Setup.Text}
	return encode.FitEncoder(ctx, Named(p.Sources[TableXU].Columns(), names), opt, sources...)
}

// Named returns the columns of the given names, which are there.
func Named(columns []tables.Column, names []string) []tables.Column {
	out := make([]tables.Column, len(names))
	for i, name := range names {
		out[i] = columns[slices.IndexFunc(columns, func(c tables.Column) bool { return c.Name == name })]
	}
	return out
}

// MapFeatures fits phi and psi.
func (p *Problem) MapFeatures(ctx context.Context) error {
	if err := p.MapX(ctx); err != nil {
		return err
	}
	return p.MapU(ctx)
}

// MapX fits phi on a sample of encoded rows of S_X.
func (p *Problem) MapX(ctx context.Context) (err error) {
	p.Phi, err = p.FitMap(ctx, p.Setup.Phi, "phi", p.X, p.Sources[TableXU])
	return err
}

// MapU fits psi on a pooled sample of both tables.
func (p *Problem) MapU(ctx context.Context) (err error) {
	p.Psi, err = p.FitMap(ctx, p.Setup.Psi, "psi", p.U, p.Sources[:]...)
	return err
}

// FitMap fits a map on a sample of the pooled encoded rows of the sources.
func (p *Problem) FitMap(ctx context.Context, spec features.Spec, purpose string, e *encode.Encoder, sources ...tables.Source) (features.Map, error) {
	rows, err := encode.Sample(ctx, e, e.SourceRows(), MapRows, p.Setup.Seed, purpose, sources...)
	if err != nil {
		return nil, err
	}
	m, notes, err := spec.FitContext(ctx, rows, p.Setup.Seed, purpose)
	p.Notes = append(p.Notes, notes...)
	return m, Located(ctx, err, e, sources...)
}

// Located says of an error in an entry of a sample in which row of which table the entry is, and in which column.
func Located(ctx context.Context, err error, e *encode.Encoder, sources ...tables.Source) error {
	for i, src := range sources {
		if found := e.Locate(ctx, err, src); found != nil {
			return fmt.Errorf("table of %s: %w", []string{"X and U", "U and Y"}[i], found)
		}
	}
	return err
}
