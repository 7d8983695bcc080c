package tables

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Load reads src into memory, so that later passes do not parse it again: 8 bytes a number, 16
// bytes a cell of text or an element of a sparse row, and each distinct text of a column once. A Table is
// returned as it is. The table has the weights of src.
func Load(ctx context.Context, src Source) (*Table, error) {
	if t, ok := unguarded(src).(*Table); ok {
		return t, nil
	}
	guard := NewGuard("", src)
	rows, _ := guard.known()
	l := newLoader(src.Columns(), max(rows, 0))
	for b, err := range guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		l.add(b, 0, b.Rows)
	}
	if l.rows == 0 {
		return nil, fmt.Errorf("tables: no rows")
	}
	t := l.table()
	t.file = FactsOf(src)
	return t, nil
}

// A loader gathers rows of batches in a Table. Cells of text are cloned, each distinct one once, because those
// of a batch may hold on to the lines they are from.
type loader struct {
	Table
	seen []map[string]string // of each text column
}

// newLoader makes room for the given number of rows.
func newLoader(columns []Column, rows int) *loader {
	l := &loader{Table: Table{columns: slices.Clone(columns)}}
	_, numeric, text := kindIndexes(l.columns)
	l.num = newGeneral(0, numeric, make([]float64, 0, rows*numeric))
	l.text = make([][]string, text)
	l.seen = make([]map[string]string, text)
	for i := range text {
		l.text[i] = make([]string, 0, rows)
		l.seen[i] = make(map[string]string)
	}
	for range len(columns) - numeric - text {
		l.sparse = append(l.sparse, SparseRows{Start: []int{0}})
	}
	return l
}

// table returns what was gathered.
func (l *loader) table() *Table {
	t := l.Table
	t.num.Rows = t.rows
	return &t
}

// add adds rows lo to hi of a batch, with all that a Batch has of a row.
func (l *loader) add(b Batch, lo, hi int) {
	l.rows += hi - lo
	if l.num.Cols > 0 {
		for i := lo; i < hi; i++ {
			l.num.Data = append(l.num.Data, b.Num.RawRowView(i)...)
		}
	}
	for i := range l.text {
		for _, cell := range b.Text[i][lo:hi] {
			kept, ok := l.seen[i][cell]
			if !ok {
				kept = strings.Clone(cell)
				l.seen[i][kept] = kept
				l.letters += int64(len(kept))
			}
			l.text[i] = append(l.text[i], kept)
		}
	}
	for i := range l.sparse {
		l.sparse[i].append(b.Sparse[i], lo, hi)
	}
	if b.weights.known() {
		l.weights.add(b.weights, lo, hi)
	}
}

// letters is the length of the distinct cells.
func letters(cells []string) int64 {
	seen := make(map[string]bool)
	total := int64(0)
	for _, cell := range cells {
		if !seen[cell] {
			seen[cell] = true
			total += int64(len(cell))
		}
	}
	return total
}

// regrouped yields the rows that a pass keeps, BlockRows at a time. pass calls its argument with each batch, the rows of it that are
// kept and what is known of these, until that returns false.
func regrouped(ctx context.Context, columns []Column, pass func(ctx context.Context, use func(b Batch, kept []int, weights rowWeights) bool) error) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		g := newLoader(columns, 2*BlockRows)
		start := 0
		emit := func(n int) bool {
			all := g.table().batch(0, g.rows)
			b := g.table().batch(0, n)
			b.Start = start
			start += n
			g = newLoader(columns, 2*BlockRows) // what was yielded is the caller's
			g.add(all, n, all.Rows)
			return yield(b, nil)
		}
		stopped := false
		err := pass(ctx, func(b Batch, kept []int, weights rowWeights) bool {
			g.addRows(b, kept, weights)
			for g.rows >= BlockRows && !stopped {
				stopped = !emit(BlockRows)
			}
			return !stopped
		})
		switch {
		case stopped:
		case err != nil:
			yield(Batch{}, err)
		case g.rows > 0:
			emit(g.rows)
		}
	}
}

// addRows adds the given rows of a batch with other weights.
func (l *loader) addRows(b Batch, rows []int, weights rowWeights) {
	b.weights = rowWeights{}
	for lo := 0; lo < len(rows); { // by runs
		hi := lo + 1
		for hi < len(rows) && rows[hi] == rows[hi-1]+1 {
			hi++
		}
		l.add(b, rows[lo], rows[hi-1]+1)
		lo = hi
	}
	l.weights.add(weights, 0, len(rows))
}
