package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/internal/cells"
	"mediant/tables/notes"
)

var _ tables.File = (*Source)(nil)

// A Source is a File as a table, made by NewSource.
type Source struct {
	format  string // begins errors
	name    string
	file    File
	closers []io.Closer
	heads   []string // of the fields that are read
	renamed []string
	unread  []string // that Options.Ignore names
	fields  []cells.Field
	columns []tables.Column
	wants   []Want // of each field
	set     []bool // options set its kind
	rows    int
	text    int64 // bytes of all cells of text
	mixed   []notes.MixedColumn
}

// NewSource reads file once, to check it and to count its rows. Closing the Source closes what is given, in that order; so does an error. Errors begin with
// the name of the format.
func NewSource(ctx context.Context, format, name string, file File, opt tables.ReadOptions, closers ...io.Closer) (*Source, error) {
	s := &Source{format: format, name: name, file: file, closers: closers}
	err := s.open(ctx, opt)
	if err != nil {
		return nil, errors.Join(s.error(err), s.Close())
	}
	return s, nil
}

// error puts format and file in front of an error that has not come from the file itself, which names both.
func (s *Source) error(err error) error {
	var own located
	if errors.As(err, &own) {
		return fmt.Errorf("%s: %s%w", s.format, s.name, own.error)
	}
	return err
}

var errNoRows = located{fmt.Errorf(": %w", tables.ErrNoRows)}

// located is an error that goes on behind the name of the file.
type located struct{ error }

func (s *Source) open(ctx context.Context, opt tables.ReadOptions) error {
	if s.file.Rows() == 0 { // and perhaps no columns
		return errNoRows
	}
	scans, err := s.choose(opt)
	if err != nil {
		return located{fmt.Errorf(": %w", err)}
	}
	again, err := s.scan(ctx, scans)
	if err != nil {
		return err
	}
	if again { // whole numbers that float64 cannot hold are text, which has another size
		if _, err = s.scan(ctx, scans); err != nil {
			return err
		}
	}
	if s.rows == 0 {
		return errNoRows
	}
	if opt.Lenient {
		s.mixed = cells.Forgive(s.name, s.heads, scans, '.')
	}
	if s.fields, s.columns, err = cells.Settle(s.heads, scans); err != nil {
		return located{fmt.Errorf(": %w", err)}
	}
	if err := cells.FirstComplaint("", s.fields, scans, '.', opt.Only != nil); err != nil {
		return located{err}
	}
	return nil
}

// choose takes the fields that are read, and what each is read as.
func (s *Source) choose(opt tables.ReadOptions) ([]cells.Scan, error) {
	all := s.file.Fields()
	heads := make([]string, len(all))
	for i, f := range all {
		heads[i] = names.Canonical(f.Name)
	}
	heads, renamed, err := names.Rename(heads, names.WithAliases(heads, opt.Rename, opt.Aliases))
	if err != nil {
		return nil, fmt.Errorf("Options.Rename: %w", err)
	}
	if err := names.Check(heads); err != nil {
		return nil, err
	}
	s.renamed = renamed
	scans, err := cells.ScansFor(s.name, heads, opt, '.')
	if err != nil {
		return nil, err
	}
	var kept []cells.Scan
	for i, f := range all {
		c := scans[i]
		kind, forced := c.Forced()
		switch {
		case (f.Refused != "" || f.Bytes) && unused(heads[i], opt):
			if opt.Only == nil {
				s.unread = append(s.unread, heads[i])
			}
			continue
		case f.Refused != "":
			return nil, fmt.Errorf("column %q %s; leave it unused: Options.Ignore", heads[i], f.Refused)
		case !forced && f.Mixed == "":
			c.SetKind(f.Kind)
			kind = f.Kind
		case !forced:
			kind = tables.Text // to be looked at
		}
		want := Want{Field: i, As: tables.Text}
		if kind == tables.Numeric && f.Kind == tables.Numeric && !c.IsDate() {
			want.As = tables.Numeric
		}
		kept, s.heads, s.wants = append(kept, c), append(s.heads, heads[i]), append(s.wants, want)
		s.set = append(s.set, forced)
	}
	return kept, nil
}

// unused reports a column that nothing is read of.
func unused(head string, opt tables.ReadOptions) bool {
	if opt.Only != nil {
		return !slices.ContainsFunc(opt.Only, func(c tables.Column) bool { return c.Name == head })
	}
	return names.Matches(head, opt.Ignore)
}

// scan looks at all cells. again reports that the wants of some columns have changed.
func (s *Source) scan(ctx context.Context, scans []cells.Scan) (again bool, err error) {
	s.rows, s.text = 0, 0
	found := make([]Values, len(s.wants)) // their flags
	for b, err := range s.file.Blocks(ctx, s.wants) {
		if err != nil {
			return false, err
		}
		for k, v := range b.Values {
			found[k].Rounded, found[k].Fraction = found[k].Rounded || v.Rounded, found[k].Fraction || v.Fraction
			if err := s.lookNumbers(k, &scans[k], v.Numbers); err != nil {
				return false, err
			}
			s.lookText(&scans[k], v.Cells)
		}
		s.rows += b.Rows
	}
	for k, f := range found {
		if f.Rounded && !f.Fraction && !s.set[k] {
			scans[k].SetKind(tables.Text)
			s.wants[k].As, again = tables.Text, true
		}
	}
	return again, nil
}

// lookNumbers refuses what no table holds.
func (s *Source) lookNumbers(k int, c *cells.Scan, numbers []float64) error {
	for i, v := range numbers {
		if math.IsInf(v*v, 0) && !c.NA.HasNumber(v) {
			why := "is too large: float64 cannot hold its square; rescale the column"
			if math.IsInf(v, 0) {
				why = "is not finite"
			}
			return located{fmt.Errorf(":%d: column %q: %g %s", s.rows+i+1, s.heads[k], v, why)}
		}
	}
	return nil
}

// lookText looks at cells as at those of a file of text, whose line is the row here, from 1.
func (s *Source) lookText(c *cells.Scan, column []string) {
	for i, cell := range column {
		s.text += int64(len(cell))
		c.Look(cell, '.', s.rows+i+1)
	}
}

// Columns lists the columns in the order of the file. The caller must not change the slice.
func (s *Source) Columns() []tables.Column { return s.columns }

// Rows returns the number of rows.
func (s *Source) Rows() int { return s.rows }

// Header returns the names of the columns that are read, in which a column of dates is one.
func (s *Source) Header() []string { return slices.Clone(s.heads) }

// Dates returns the columns that were read as dates, as Options.Dates has them.
func (s *Source) Dates() []string { return cells.DatesOf(s.fields) }

// Renamed returns the old names in Options.Rename that the file has.
func (s *Source) Renamed() []string { return slices.Clone(s.renamed) }

// Facts are what is known besides the rows.
func (s *Source) Facts() tables.Facts {
	return tables.Facts{
		Rows: s.rows, TextBytes: s.text, Unread: s.unread, Mixed: s.mixed, UnsureDates: cells.UnsureDates(s.name, s.fields),
		Place: func(row int) string { return fmt.Sprintf("%s:%d", s.name, row+1) },
	}
}

// Close closes the file.
func (s *Source) Close() error { return closeAll(s.closers) }

func closeAll(closers []io.Closer) error {
	var errs []error
	for _, c := range closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Batches reads the file from its start.
func (s *Source) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		w := s.newBatcher()
		for b, err := range s.file.Blocks(ctx, s.wants) {
			if err == nil {
				err = w.add(b, func(batch tables.Batch) bool { return yield(batch, nil) })
			}
			if err == errStopped {
				return
			}
			if err != nil {
				yield(tables.Batch{}, err)
				return
			}
		}
		if err := w.end(func(batch tables.Batch) bool { return yield(batch, nil) }); err != nil && err != errStopped {
			yield(tables.Batch{}, err)
		}
	}
}
