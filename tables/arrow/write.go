package arrow

import (
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ tables.Writer = (*Writer)(nil)

// A Writer, made by NewWriter, writes an IPC file, a record batch a batch: float64 and text, null where missing.
type Writer struct {
	rows  columnar.Rows
	file  *ipc.FileWriter
	build *array.RecordBuilder
}

// NewWriter writes to w. Names must be distinct and not empty.
func NewWriter(w io.Writer, columns []tables.Column) (*Writer, error) {
	rows, err := columnar.NewRows(columns)
	if err != nil {
		return nil, fmt.Errorf("arrow: write: %w", err)
	}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}
		if c.Kind == tables.Text {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	schema := arrow.NewSchema(fields, nil)
	file, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return nil, fmt.Errorf("arrow: write: %w", err)
	}
	return &Writer{rows, file, array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// Write implements tables.Writer.
func (w *Writer) Write(b tables.Batch) error {
	for i, c := range w.rows.Columns {
		field := w.build.Field(i)
		for r := range b.Rows {
			number, text, err := w.rows.Cell(b, r, i)
			switch {
			case err != nil:
				return fmt.Errorf("arrow: write: %w", err)
			case c.Kind == tables.Text && text == "", math.IsNaN(number):
				field.AppendNull()
			case c.Kind == tables.Text:
				field.(*array.StringBuilder).Append(text)
			default:
				field.(*array.Float64Builder).Append(number)
			}
		}
	}
	w.rows.Written += b.Rows
	batch := w.build.NewRecordBatch()
	defer batch.Release()
	if err := w.file.Write(batch); err != nil {
		return fmt.Errorf("arrow: write: %w", err)
	}
	return nil
}

// Close writes the footer.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("arrow: write: %w", err)
	}
	return nil
}
