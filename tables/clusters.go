package tables

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"mediant/internal/literal"
	"mediant/internal/names"
)

// Clusters number the clusters of rows of one table or several: the values of a column of numbers or text, such as a school. Equal values of two
// tables are one cluster; other spellings of one number or truth value are one value. The zero value has no cluster.
type Clusters struct {
	keys []string         // by number
	at   map[string]int32 // the number of a key
}

// Len returns the number of clusters.
func (c *Clusters) Len() int { return len(c.keys) }

// Key returns the value of a cluster, in its canonical spelling.
func (c *Clusters) Key(cluster int) string { return c.keys[cluster] }

// Mark returns the rows of src with the clusters that its column of the given name has (Batch.Clusters), new ones numbered in the order of their first
// rows. A Table gives a Table. It costs one pass. It is an error if there is no such column, if it is one of sparse rows, or if a row lacks it.
func (c *Clusters) Mark(ctx context.Context, src Source, name string) (Source, error) {
	columns := src.Columns()
	at := names.Index(ColumnNames(columns), name)
	if at < 0 {
		return nil, fmt.Errorf("tables: clusters: %w", names.Missing(ColumnNames(columns), name))
	}
	if columns[at].Kind == Vector {
		return nil, fmt.Errorf("tables: clusters: column %q holds sparse rows, want numbers or text", name)
	}
	sel, err := Select(columns, columns[at:at+1])
	if err != nil {
		return nil, err
	}
	m := &marked{guard: NewGuard("", src), name: columns[at].Name, sel: sel, clusters: c, numbers: make(map[uint64]int32), texts: make(map[string]int32)}
	var all []int32
	table, held := unguarded(src).(*Table)
	for b, err := range m.guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		of, err := m.of(b, c.add)
		if err != nil {
			return nil, err
		}
		if held {
			all = append(all, of...)
		}
	}
	if !held {
		return m, nil
	}
	own := *table
	own.weights.clusters = all
	return &own, nil
}

// add returns the number of a key, a new one if it is new.
func (c *Clusters) add(key string) (int32, bool) {
	at, found := c.at[key]
	if !found {
		if c.at == nil {
			c.at = make(map[string]int32)
		}
		at = int32(len(c.keys))
		c.keys = append(c.keys, key)
		c.at[key] = at
	}
	return at, true
}

// marked is a Source with clusters whose batches are read anew in each pass.
type marked struct {
	guard    *Guard
	name     string
	sel      *Selection
	clusters *Clusters
	numbers  map[uint64]int32 // of the cells of the column, as bits of numbers or as text
	texts    map[string]int32
}

func (m *marked) Columns() []Column { return m.guard.Columns() }

func (m *marked) Facts() Facts { return m.guard.Facts() }

// of returns the clusters of the rows of a batch; add returns the number of a key that no cell had before.
func (m *marked) of(b Batch, add func(key string) (int32, bool)) ([]int32, error) {
	kind, place := m.sel.Place(0)
	out := make([]int32, b.Rows)
	for i := range out {
		var key string
		var found bool
		if kind == Numeric {
			v := b.Num.At(i, place)
			if out[i], found = m.numbers[math.Float64bits(v)]; found {
				continue
			}
			if !math.IsNaN(v) {
				key = strconv.FormatFloat(v+0, 'f', -1, 64) // no -0
			}
		} else {
			cell := b.Text[place][i]
			if out[i], found = m.texts[cell]; found {
				continue
			}
			key = literal.LabelKey(cell)
		}
		if key == "" {
			return nil, fmt.Errorf("tables: %s: cluster %q is missing; every row needs one, and a row that belongs to none a value of its own", FactsOf(m.guard).Where(b.Number(i)), m.name)
		}
		if out[i], found = add(key); !found {
			return nil, fmt.Errorf("tables: %s: cluster %q is %.40q, which it was not in the first pass: did the table change?", FactsOf(m.guard).Where(b.Number(i)), m.name, key)
		}
		if kind == Numeric {
			m.numbers[math.Float64bits(b.Num.At(i, place))] = out[i]
		} else {
			m.texts[strings.Clone(b.Text[place][i])] = out[i] // a copy: cells may be parts of a block of the file
		}
	}
	return out, nil
}

// Batches yields the batches of the source with their clusters.
func (m *marked) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	unknown := func(string) (int32, bool) { return 0, false }
	return func(yield func(Batch, error) bool) {
		for b, err := range m.guard.Batches(ctx) {
			if err == nil {
				b.weights.clusters, err = m.of(b, unknown)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// pickClusters are the clusters of some rows of a batch, nil if it has none.
func pickClusters(clusters []int32, rows []int) []int32 {
	if clusters == nil {
		return nil
	}
	out := make([]int32, len(rows))
	for i, row := range rows {
		out[i] = clusters[row]
	}
	return out
}
