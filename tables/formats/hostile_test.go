package formats

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
)

// arrowOf is an Arrow file of one batch.
func arrowOf(t *testing.T, fields []arrow.Field, columns []arrow.Array, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	schema := arrow.NewSchema(fields, nil)
	w, err := ipc.NewFileWriter(&b, append(options, ipc.WithSchema(schema))...)
	if err == nil {
		err = errors.Join(w.Write(array.NewRecordBatch(schema, columns, int64(columns[0].Len()))), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zeros is an array of so many zeros.
func zeros(n int) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(make([]float64, n), nil)
	return b.NewArray()
}

// texts is a dictionary of up to a hundred long texts, n times.
func texts(n int) arrow.Array {
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	for i := range n {
		b.AppendString(strings.Repeat(string(rune('a'+i%100)), mega))
	}
	return b.NewArray()
}

// arrows are files in columns.
func arrows(t *testing.T) map[string][]byte {
	x := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64}
	s := arrow.Field{Name: "s", Type: texts(0).DataType()}
	many, cells := make([]arrow.Field, 100_000), make([]arrow.Array, 100_000)
	null := array.NewNull(1)
	for i := range many {
		many[i], cells[i] = arrow.Field{Name: fmt.Sprint(i), Type: arrow.Null}, null
	}
	list := array.NewFixedSizeListBuilder(memory.DefaultAllocator, 4*mega, arrow.PrimitiveTypes.Int8)
	list.Append(true)
	list.ValueBuilder().(*array.Int8Builder).AppendValues(make([]int8, 4*mega), nil)
	lists := list.NewArray()
	return map[string][]byte{
		"zeros.arrow":   arrowOf(t, []arrow.Field{x}, []arrow.Array{zeros(20 * mega)}, ipc.WithZstd()),
		"lz4.arrow":     arrowOf(t, []arrow.Field{x}, []arrow.Array{zeros(20 * mega)}, ipc.WithLZ4()),
		"some.arrow":    arrowOf(t, []arrow.Field{x}, []arrow.Array{zeros(4 * mega)}, ipc.WithZstd()),
		"texts.arrow":   arrowOf(t, []arrow.Field{s}, []arrow.Array{texts(64)}, ipc.WithZstd()),
		"columns.arrow": arrowOf(t, many, cells),
		"list.arrow":    arrowOf(t, []arrow.Field{{Name: "l", Type: lists.DataType()}}, []arrow.Array{lists}, ipc.WithZstd()),
	}
}

// parquetOf is a Parquet file of rows.
func parquetOf[T any](t *testing.T, n int, row func(int) T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	for i := range n {
		if _, err := w.Write([]T{row(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wideNulls is a file of columns whose one page has two million values of null each.
func wideNulls(t *testing.T) []byte {
	return wide(t, 30, 2*mega, func(int) parquet.Row {
		row := make(parquet.Row, 30)
		for i := range row {
			row[i] = parquet.NullValue().Level(0, 0, i)
		}
		return row
	}, parquet.PageBufferSize(400*mega))
}

// wideCodes is a file of columns of few values each, of which one page has all rows.
func wideCodes(t *testing.T, columns, rows int) []byte {
	return wide(t, columns, rows, func(r int) parquet.Row {
		row := make(parquet.Row, columns)
		for i := range row {
			row[i] = parquet.DoubleValue(float64((r*r+i)%7)).Level(0, 1, i)
		}
		return row
	}, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(mega))
}

// wide is a file of optional columns of numbers in a dictionary.
func wide(t *testing.T, columns, n int, row func(int) parquet.Row, options ...parquet.WriterOption) []byte {
	t.Helper()
	group := parquet.Group{}
	for i := range columns {
		group[fmt.Sprintf("%03d", i)] = parquet.Encoded(parquet.Optional(parquet.Leaf(parquet.DoubleType)), &parquet.RLEDictionary)
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, append(options, parquet.NewSchema("t", group))...)
	rows := make([]parquet.Row, 1<<12)
	for at := 0; at < n; at += len(rows) {
		rows = rows[:min(len(rows), n-at)]
		for i := range rows {
			rows[i] = row(at + i)
		}
		if _, err := w.WriteRows(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parquets are files in columns, of pages that are small in the file.
func parquets(t *testing.T) map[string][]byte {
	type number struct {
		X float64 `parquet:"x"`
	}
	type coded struct {
		X float64 `parquet:"x,dict"`
	}
	type text struct {
		S string `parquet:"s"`
	}
	type word struct {
		S string `parquet:"s,dict"`
	}
	type delta struct {
		S string `parquet:"s,delta"`
	}
	type difference struct {
		I int64 `parquet:"i,delta"`
	}
	type list struct {
		L []float32 `parquet:"l,list"`
	}
	large := []parquet.WriterOption{parquet.PageBufferSize(400 * mega), parquet.Compression(&parquet.Zstd)}
	long := func(i int) string { return strings.Repeat(string(rune('a'+i%50)), mega) }
	return map[string][]byte{
		"zeros.parquet": parquetOf(t, 10*mega, func(int) number { return number{} }, large...),
		"page.parquet":  parquetOf(t, 1_300_000, func(int) number { return number{} }, large...),
		"codes.parquet": wideCodes(t, 100, 200_000),
		"some.parquet":  parquetOf(t, 2*mega, func(int) number { return number{} }, large...),
		"coded.parquet": parquetOf(t, 10*mega, func(int) coded { return coded{1} }, large...),
		"delta.parquet": parquetOf(t, 10*mega, func(i int) difference { return difference{int64(i)} }, large...),
		"texts.parquet": parquetOf(t, 100, func(i int) text { return text{long(i)} }, large...),
		"words.parquet": parquetOf(t, 200, func(i int) word { return word{long(i)} }, large...),
		"front.parquet": parquetOf(t, 100, func(i int) delta { return delta{long(0)} }, large...),
		"nulls.parquet": wideNulls(t),
		"list.parquet":  parquetOf(t, 1, func(i int) list { return list{make([]float32, 10*mega)} }, large...),
	}
}
