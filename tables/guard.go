package tables

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/progress"
)

// A Guard, made by NewGuard, checks that another Source satisfies the contract of Source while it is read. All rows are read through a Guard, so
// that a faulty Source of another package leads to an error, not to a panic or to meaningless numbers. A pass ends with an error
//
//   - when ctx is done, also if the Source looks at no ctx: the error is that of ctx;
//   - at a batch that is not one: it begins at another row than the one after the last, has fewer than one row, columns or
//     cells that are too few or too many, or sparse rows whose places do not ascend below their width;
//   - at an infinite number (NaN is a missing one; sparse rows have none);
//   - when the number of rows is another than its Facts tell, or than in the first complete pass.
//
// Such errors name table, pass, and column and row, from 1, where there is one. An error of the Source follows table, pass
// and the rows before it. A panic of the Source goes on. A Guard is safe for concurrent use if its Source is.
type Guard struct {
	src     Source
	name    string
	columns []Column
	kinds   [3]int // number of columns of each Kind

	mu     sync.Mutex
	passes int
	rows   int // of the first complete pass, negative before it
}

var _ Source = (*Guard)(nil)

// NewGuard returns the guard of a table of the given name, which errors begin with; "" if there is only one. A Guard is
// returned as it is. A nil src panics.
func NewGuard(name string, src Source) *Guard {
	switch s := src.(type) {
	case nil:
		panic("tables: nil Source")
	case *Guard:
		return s
	}
	g := &Guard{src: src, name: name, columns: slices.Clone(src.Columns()), rows: -1}
	for _, c := range g.columns {
		if c.Kind >= 0 && int(c.Kind) < len(g.kinds) {
			g.kinds[c.Kind]++
		}
	}
	return g
}

// unguarded is the Source that a Guard is of, or src itself.
func unguarded(src Source) Source {
	if g, ok := src.(*Guard); ok {
		return g.src
	}
	return src
}

// Columns lists the columns as they were when the guard was made. The caller must not change the slice.
func (g *Guard) Columns() []Column { return g.columns }

// Facts returns the Facts of the Source, with the number of rows once a pass has counted them.
func (g *Guard) Facts() Facts {
	f := FactsOf(g.src)
	f.Rows, _ = g.known()
	return f
}

// Count returns the number of rows, at the cost of a pass where nothing knows it.
func (g *Guard) Count(ctx context.Context) (int, error) {
	if n, ok := g.known(); ok {
		return n, nil
	}
	n := 0
	for b, err := range g.Batches(ctx) {
		if err != nil {
			return 0, err
		}
		n += b.Rows
	}
	return n, nil
}

// known returns the number of rows that the Source tells, or that a pass has counted.
func (g *Guard) known() (rows int, ok bool) {
	if n := FactsOf(g.src).Rows; n > 0 {
		return n, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(g.rows, 0), g.rows >= 0
}

// Batches yields the batches of the Source until one violates the contract.
func (g *Guard) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		p := g.begin()
		report, within := progress.Pass(ctx)
		for b, err := range g.src.Batches(within) {
			if err = p.check(ctx, b, err); err != nil {
				yield(Batch{}, err)
				return
			}
			p.done += b.Rows
			report(p.done, max(p.want, 0))
			if !yield(b, nil) {
				return
			}
		}
		if err := p.end(ctx); err != nil {
			yield(Batch{}, err)
		}
	}
}

// A guardedPass is one pass over a Guard.
type guardedPass struct {
	*Guard
	number int
	done   int    // rows so far
	want   int    // rows, if not negative
	from   string // who says so
}

func (g *Guard) begin() *guardedPass {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passes++
	p := &guardedPass{Guard: g, number: g.passes, want: g.rows, from: "the first pass"}
	if n := FactsOf(g.src).Rows; n > 0 {
		p.want, p.from = n, "its Facts"
	}
	return p
}

// check returns why the next batch, or the error in its place, ends the pass.
func (p *guardedPass) check(ctx context.Context, b Batch, err error) error {
	if done := ctx.Err(); done != nil {
		return done
	}
	if err != nil {
		if p.name == "" {
			return err
		}
		return fmt.Errorf("tables: %s after row %d: %w", p, p.done, err)
	}
	if err := p.shape(b); err != nil {
		return err
	}
	if p.want >= 0 && p.done+b.Rows > p.want {
		return p.fault("there are more than the %d rows of %s", p.want, p.from)
	}
	return p.values(b)
}

// end checks what a complete pass has been.
func (p *guardedPass) end(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.want >= 0 && p.done != p.want {
		return p.fault("there are %d rows, want the %d of %s", p.done, p.want, p.from)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rows < 0 {
		p.rows = p.done
	}
	return nil
}

// String names table and pass.
func (p *guardedPass) String() string {
	if p.name == "" {
		return fmt.Sprintf("pass %d", p.number)
	}
	return fmt.Sprintf("%s, pass %d", p.name, p.number)
}

func (p *guardedPass) fault(format string, args ...any) error {
	return fmt.Errorf("tables: %s: %s", p, fmt.Sprintf(format, args...))
}

// shape returns an error unless b is a batch of the columns that follows the rows so far.
func (p *guardedPass) shape(b Batch) error {
	switch {
	case b.Start != p.done:
		return p.fault("a batch starts at row %d, want %d, from 0", b.Start, p.done)
	case b.Rows < 1:
		return p.fault("the batch after row %d has %d rows, want at least 1", p.done, b.Rows)
	}
	if n := len(b.weights.numbers); n != b.Rows && b.weights.numbers != nil {
		return p.fault("the batch after row %d has %d rows and the weights of %d", p.done, b.Rows, n)
	}
	if want := p.kinds[Numeric]; want > 0 {
		if b.Num == nil {
			return p.fault("the batch after row %d has no numbers, want %d columns", p.done, want)
		}
		if r, c := b.Num.Dims(); r != b.Rows || c != want {
			return p.fault("the numbers of the batch after row %d are %d×%d, want %d×%d", p.done, r, c, b.Rows, want)
		}
	}
	if want := p.kinds[Text]; want > 0 && len(b.Text) != want {
		return p.fault("the batch after row %d has %d columns of text, want %d", p.done, len(b.Text), want)
	}
	if want := p.kinds[Vector]; want > 0 && len(b.Sparse) != want {
		return p.fault("the batch after row %d has %d columns of sparse rows, want %d", p.done, len(b.Sparse), want)
	}
	for i := range p.kinds[Text] {
		if got := len(b.Text[i]); got != b.Rows {
			return p.fault("column %q of the batch after row %d has %d cells, want %d", p.column(Text, i), p.done, got, b.Rows)
		}
	}
	for i := range p.kinds[Vector] {
		if err := b.Sparse[i].check(b.Rows); err != nil {
			return p.fault("column %q of the batch after row %d: %v", p.column(Vector, i), p.done, err)
		}
	}
	return nil
}

// column names the i-th column of a kind.
func (g *Guard) column(kind Kind, i int) string {
	for _, c := range g.columns {
		if c.Kind != kind {
			continue
		}
		if i == 0 {
			return c.Name
		}
		i--
	}
	return ""
}

// values returns an error for a number that nothing can be computed with.
func (p *guardedPass) values(b Batch) error {
	if p.kinds[Numeric] > 0 {
		x := b.Num.RawMatrix()
		for i := range x.Rows {
			row := x.Data[i*x.Stride : i*x.Stride+x.Cols]
			if sum := floats.Sum(row); sum-sum == 0 { // a finite sum, which is found faster, has no infinite term
				continue
			}
			for j, v := range row {
				if math.IsInf(v, 0) {
					return p.badValue(p.column(Numeric, j), i, v)
				}
			}
		}
	}
	for k := range p.kinds[Vector] {
		rows := b.Sparse[k]
		for i := range b.Rows {
			for t := rows.Start[i]; t < rows.Start[i+1]; t++ {
				if v := rows.Values[t]; math.IsInf(v, 0) || math.IsNaN(v) {
					return p.badValue(p.column(Vector, k), i, v)
				}
			}
		}
	}
	return nil
}

func (p *guardedPass) badValue(column string, i int, v float64) error {
	return p.fault("column %q: row %d is %g, want a finite number", column, p.done+i+1, v)
}

// check returns an error unless s has n rows whose places ascend below the width.
func (s SparseRows) check(n int) error {
	switch {
	case len(s.Start) != n+1:
		return fmt.Errorf("%d starts of sparse rows, want %d", len(s.Start), n+1)
	case len(s.Columns) != len(s.Values):
		return fmt.Errorf("%d places for %d values", len(s.Columns), len(s.Values))
	case s.Width < 0 || s.Width > maxWidth:
		return fmt.Errorf("sparse rows of width %d, want 0 to %d", s.Width, maxWidth)
	}
	for i := range n {
		lo, hi := s.Start[i], s.Start[i+1]
		if lo < 0 || hi < lo || hi > len(s.Values) {
			return fmt.Errorf("sparse row %d has the values from %d to %d of %d", i+1, lo, hi, len(s.Values))
		}
		last := -1
		for _, j := range s.Columns[lo:hi] {
			if j <= last || j >= s.Width {
				return fmt.Errorf("sparse row %d has place %d after %d, want ascending ones below %d", i+1, j, last, s.Width)
			}
			last = j
		}
	}
	return nil
}
