package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mediant/tables"
)

// An answer collects the columns of predictions.
type answer struct {
	columns []tables.Column
	numbers [][]float64 // of each column, nil for text
	text    [][]string
	rows    int
}

var _ tables.Writer = (*answer)(nil)

func newAnswer(columns []tables.Column, rows int) *answer {
	a := &answer{columns: columns, numbers: make([][]float64, len(columns)), text: make([][]string, len(columns))}
	for i, c := range columns {
		if c.Kind == tables.Text {
			a.text[i] = make([]string, 0, rows)
		} else {
			a.numbers[i] = make([]float64, 0, rows)
		}
	}
	return a
}

// Write implements tables.Writer.
func (a *answer) Write(b tables.Batch) error {
	number, text := 0, 0
	for i, c := range a.columns {
		if c.Kind == tables.Text {
			a.text[i] = append(a.text[i], b.Text[text]...)
			text++
			continue
		}
		for r := range b.Rows {
			a.numbers[i] = append(a.numbers[i], b.Num.At(r, number))
		}
		number++
	}
	a.rows += b.Rows
	return nil
}

// Close implements tables.Writer.
func (a *answer) Close() error { return nil }

// valueBytes bounds what a value takes in an answer, as a number and as text.
const valueBytes = 40

// wanted are the indices of the columns of an answer that a request asks for, and whether each is binary.
func wanted(q *inferRequest, columns []tables.Column) (of []int, asBinary []bool, err error) {
	all, _, err := q.parameters.boolean("binary_data_output")
	if err != nil {
		return nil, nil, err
	}
	if len(q.outputs) == 0 {
		for i := range columns {
			of, asBinary = append(of, i), append(asBinary, all)
		}
		return of, asBinary, nil
	}
	for _, o := range q.outputs {
		i := slices.IndexFunc(columns, func(c tables.Column) bool { return c.Name == o.name })
		if i < 0 {
			return nil, nil, fmt.Errorf("output %q is none of %s", shortened([]byte(o.name)), listed(tables.ColumnNames(columns)))
		}
		if slices.Contains(of, i) {
			return nil, nil, fmt.Errorf("output %q is asked for twice", o.name)
		}
		own, there, err := o.parameters.boolean("binary_data")
		if err != nil {
			return nil, nil, fmt.Errorf("output %q: %w", o.name, err)
		}
		of, asBinary = append(of, i), append(asBinary, there && own || !there && all)
	}
	return of, asBinary, nil
}

// encode writes the columns as a response of the protocol; length is that of its JSON if binary data follow, else 0.
func (a *answer) encode(m *Model, id string, warnings []string, of []int, asBinary []bool) (body []byte, length int) {
	body = append(body, `{"model_name":`...)
	body = appendJSON(body, m.Name)
	body = append(body, `,"model_version":`...)
	body = appendJSON(body, m.Version)
	if id != "" {
		body = append(body, `,"id":`...)
		body = appendJSON(body, id)
	}
	if len(warnings) > 0 {
		body = append(body, `,"parameters":{"warnings":`...)
		body = appendJSON(body, warnings)
		body = append(body, '}')
	}
	body = append(body, `,"outputs":[`...)
	var tail []byte
	for n, i := range of {
		if n > 0 {
			body = append(body, ',')
		}
		body = append(body, `{"name":`...)
		body = appendJSON(body, a.columns[i].Name)
		body = fmt.Appendf(body, `,"shape":[%d],"datatype":%q`, a.rows, datatypeOf(a.columns[i].Kind))
		if asBinary[n] {
			before := len(tail)
			tail = a.appendBinary(tail, i)
			body = fmt.Appendf(body, `,"parameters":{"binary_data_size":%d}}`, len(tail)-before)
			continue
		}
		body = append(body, `,"data":`...)
		body = a.appendData(body, i)
		body = append(body, '}')
	}
	body = append(body, "]}"...)
	if tail != nil {
		length = len(body)
	}
	return append(body, tail...), length
}

func datatypeOf(k tables.Kind) string {
	if k == tables.Text {
		return "BYTES"
	}
	return "FP64"
}

func (a *answer) appendData(b []byte, i int) []byte {
	b = append(b, '[')
	for r := range a.rows {
		if r > 0 {
			b = append(b, ',')
		}
		if a.numbers[i] == nil {
			b = appendJSON(b, a.text[i][r])
		} else {
			b = strconv.AppendFloat(b, a.numbers[i][r], 'g', -1, 64)
		}
	}
	return append(b, ']')
}

func (a *answer) appendBinary(b []byte, i int) []byte {
	for r := range a.rows {
		if a.numbers[i] == nil {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(a.text[i][r])))
			b = append(b, a.text[i][r]...)
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.numbers[i][r]))
		}
	}
	return b
}

// appendJSON appends a value that can be marshalled.
func appendJSON(b []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // of strings and lists of them, which cannot be
		panic(err)
	}
	return append(b, text...)
}
