package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ tables.Writer = (*Writer)(nil)

// A Writer, made by NewWriter, writes an object a row. A missing cell is null.
type Writer struct {
	w     io.Writer
	rows  columnar.Rows
	names [][]byte // as they begin a member
	buf   []byte
}

// NewWriter writes to w. Names must be distinct and not empty.
func NewWriter(w io.Writer, columns []tables.Column) (*Writer, error) {
	rows, err := columnar.NewRows(columns)
	if err != nil {
		return nil, fmt.Errorf("jsonl: write: %w", err)
	}
	jw := &Writer{w: w, rows: rows}
	for i, c := range columns {
		begin := []byte(`,`)
		if i == 0 {
			begin = []byte(`{`)
		}
		jw.names = append(jw.names, append(appendString(begin, c.Name), ':'))
	}
	return jw, nil
}

// Write implements tables.Writer.
func (w *Writer) Write(b tables.Batch) error {
	w.buf = w.buf[:0]
	for r := range b.Rows {
		for i, name := range w.names {
			w.buf = append(w.buf, name...)
			number, text, err := w.rows.Cell(b, r, i)
			if err != nil {
				return fmt.Errorf("jsonl: write: %w", err)
			}
			switch {
			case text != "":
				w.buf = appendString(w.buf, text)
			case w.rows.Columns[i].Kind == tables.Text || math.IsNaN(number):
				w.buf = append(w.buf, "null"...)
			default:
				w.buf = strconv.AppendFloat(w.buf, number, 'g', -1, 64)
			}
		}
		w.buf = append(w.buf, "}\n"...)
	}
	w.rows.Written += b.Rows
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("jsonl: write: %w", err)
	}
	return nil
}

// Close implements tables.Writer.
func (w *Writer) Close() error { return nil }

// appendString appends text as JSON.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can always be encoded
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}
