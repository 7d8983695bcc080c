package parquet

import (
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ tables.Writer = (*Writer)(nil)

// A Writer, made by NewWriter, writes a Parquet file compressed with Snappy: doubles and strings, null where missing.
type Writer struct {
	rows  columnar.Rows
	file  *parquet.GenericWriter[any]
	batch []parquet.Row
}

// NewWriter writes to w. Names must be distinct and not empty.
func NewWriter(w io.Writer, columns []tables.Column) (*Writer, error) {
	rows, err := columnar.NewRows(columns)
	if err != nil {
		return nil, fmt.Errorf("parquet: write: %w", err)
	}
	schema := parquet.NewSchema("table", newGroup(columns))
	return &Writer{rows: rows, file: parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("mediant", "", ""))}, nil
}

// Write implements tables.Writer.
func (w *Writer) Write(b tables.Batch) error {
	w.batch = w.batch[:0]
	for r := range b.Rows {
		row := make(parquet.Row, len(w.rows.Columns))
		for i, c := range w.rows.Columns {
			number, text, err := w.rows.Cell(b, r, i)
			switch {
			case err != nil:
				return fmt.Errorf("parquet: write: %w", err)
			case c.Kind == tables.Text && text == "", math.IsNaN(number):
				row[i] = parquet.NullValue().Level(0, 0, i)
			case c.Kind == tables.Text:
				row[i] = parquet.ValueOf(text).Level(0, 1, i)
			default:
				row[i] = parquet.ValueOf(number).Level(0, 1, i)
			}
		}
		w.batch = append(w.batch, row)
	}
	w.rows.Written += b.Rows
	if _, err := w.file.WriteRows(w.batch); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}

// Close writes the footer.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}

// A group is the columns in their order; a parquet.Group has them by name.
type group struct {
	parquet.Group
	fields []parquet.Field
}

type field struct {
	parquet.Node
	name string
}

func newGroup(columns []tables.Column) group {
	g := group{Group: parquet.Group{}}
	for _, c := range columns {
		node := parquet.Optional(parquet.Leaf(parquet.DoubleType))
		if c.Kind == tables.Text {
			node = parquet.Optional(parquet.String())
		}
		g.Group[c.Name] = node
		g.fields = append(g.fields, field{node, c.Name})
	}
	return g
}

func (g group) Fields() []parquet.Field { return g.fields }

func (f field) Name() string { return f.name }

func (f field) Value(base reflect.Value) reflect.Value { return base.MapIndex(reflect.ValueOf(f.name)) }
