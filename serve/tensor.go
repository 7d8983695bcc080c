package serve

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/tables"
)

// rows returns the number of rows of a tensor and of elements of each.
func (t *tensor) rows(most int) (rows, width int, err error) {
	if len(t.shape) == 0 {
		return 0, 0, fmt.Errorf("input %q has no shape", t.name)
	}
	if t.shape[0] == 0 {
		return 0, 0, fmt.Errorf("input %q has no rows: shape %d", t.name, t.shape)
	}
	if t.shape[0] > uint64(most) {
		return 0, 0, tooManyRows(t.shape[0], most)
	}
	const mostWidth = 1 << 24
	product := uint64(1)
	for _, n := range t.shape[1:] {
		if n == 0 || n > mostWidth || product*n > mostWidth { // both are below 2^25
			return 0, 0, fmt.Errorf("input %q has the shape %d, of rows with no element, or more than %d", t.name, t.shape, mostWidth)
		}
		product *= n
	}
	return int(t.shape[0]), int(product), nil
}

func tooManyRows(n uint64, most int) error {
	return refuse(413, "the request has %d rows, more than %d, the limit", n, most)
}

// sizes are the bytes of an element by datatype; text has no size.
var sizes = map[string]int{"BOOL": 1, "UINT8": 1, "UINT16": 2, "UINT32": 4, "UINT64": 8, "INT8": 1, "INT16": 2, "INT32": 4, "INT64": 8, "FP32": 4, "FP64": 8}

// fits returns an error unless the data can be those of n elements of a kind, before memory is taken for them.
func (t *tensor) fits(kind tables.Kind, n int) error {
	size, isNumber := sizes[t.datatype]
	switch {
	case kind == tables.Text && t.datatype != "BYTES":
		return fmt.Errorf("input %q has the datatype %q, want BYTES", t.name, t.datatype)
	case kind != tables.Text && !isNumber:
		return fmt.Errorf("input %q has the datatype %q, want FP64, FP32, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8 or BOOL", t.name, t.datatype)
	case t.hasBinary && isNumber && len(t.binary) != size*n:
		return fmt.Errorf("input %q has %d bytes of binary data, its shape %d of %s takes %d", t.name, len(t.binary), t.shape, t.datatype, size*n)
	case t.hasBinary && n > len(t.binary)/4 && !isNumber, !t.hasBinary && n > len(t.data):
		return fmt.Errorf("input %q has less data than its shape %d of %s takes", t.name, t.shape, t.datatype)
	}
	return nil
}

// numbersTo stores the elements in dst, whose length fits. NaN, and null in JSON, are missing values.
func (t *tensor) numbersTo(dst []float64) error {
	if t.hasBinary {
		size := sizes[t.datatype]
		for i := range dst {
			v, err := number(t.datatype, t.binary[i*size:])
			if err != nil {
				return fmt.Errorf("input %q: element %d (from 0): %w", t.name, i, err)
			}
			dst[i] = v
		}
		return nil
	}
	return t.elements(len(dst), func(i int, token []byte) error {
		v, err := parseNumber(t.datatype, token)
		dst[i] = v
		return err
	})
}

// number reads an element.
func number(datatype string, b []byte) (float64, error) {
	switch datatype {
	case "FP64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
	case "FP32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), nil
	case "INT64":
		v := int64(binary.LittleEndian.Uint64(b))
		return exactly(float64(v), int64(float64(v)) == v && float64(v) < 1<<63)
	case "UINT64":
		v := binary.LittleEndian.Uint64(b)
		return exactly(float64(v), float64(v) < 1<<64 && uint64(float64(v)) == v)
	case "INT32":
		return float64(int32(binary.LittleEndian.Uint32(b))), nil
	case "UINT32":
		return float64(binary.LittleEndian.Uint32(b)), nil
	case "INT16":
		return float64(int16(binary.LittleEndian.Uint16(b))), nil
	case "UINT16":
		return float64(binary.LittleEndian.Uint16(b)), nil
	case "INT8":
		return float64(int8(b[0])), nil
	case "BOOL":
		if b[0] > 1 {
			return 0, fmt.Errorf("%d is no truth value", b[0])
		}
	}
	return float64(b[0]), nil
}

var errInexact = errors.New("a whole number that float64 does not hold exactly")

func exactly(v float64, exact bool) (float64, error) {
	if !exact {
		return 0, errInexact
	}
	return v, nil
}

// parseNumber reads an element in JSON.
func parseNumber(datatype string, token []byte) (float64, error) {
	text := string(token)
	if text == "null" {
		return math.NaN(), nil
	}
	if token[0] == '"' || token[0] == '{' {
		return 0, fmt.Errorf("%s is no number", shortened(token))
	}
	if datatype == "BOOL" {
		switch text {
		case "true", "1":
			return 1, nil
		case "false", "0":
			return 0, nil
		}
		return 0, fmt.Errorf("%s is no truth value", shortened(token))
	}
	if text == "true" || text == "false" {
		return 0, fmt.Errorf("%s is no number", text)
	}
	bits := 8 * sizes[datatype]
	switch datatype[0] {
	case 'F':
		v, err := strconv.ParseFloat(text, bits)
		if err != nil {
			return 0, fmt.Errorf("%s is beyond the range of %s", shortened(token), datatype)
		}
		return v, nil
	case 'I':
		v, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			return 0, fmt.Errorf("%s is no number of the datatype %s", shortened(token), datatype)
		}
		return number("INT64", binary.LittleEndian.AppendUint64(nil, uint64(v)))
	}
	v, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%s is no number of the datatype %s", shortened(token), datatype)
	}
	return number("UINT64", binary.LittleEndian.AppendUint64(nil, v))
}

// texts returns n elements of text, "" where missing; n fits.
func (t *tensor) texts(n int) ([]string, error) {
	if !t.hasBinary {
		all := make([]string, n)
		return all, t.elements(n, func(i int, token []byte) error {
			if string(token) == "null" {
				return nil
			}
			if token[0] != '"' {
				return fmt.Errorf("%s is no string", shortened(token))
			}
			return json.Unmarshal(token, &all[i])
		})
	}
	all, rest := make([]string, n), t.binary
	for i := range all {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return nil, fmt.Errorf("input %q: the binary data end within element %d (from 0)", t.name, i)
		}
		length := int(binary.LittleEndian.Uint32(rest))
		text := rest[4 : 4+length]
		if !utf8.Valid(text) {
			return nil, fmt.Errorf("input %q: element %d (from 0) is not UTF-8", t.name, i)
		}
		all[i], rest = string(text), rest[4+length:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("input %q: %d bytes follow its binary data", t.name, len(rest))
	}
	return all, nil
}

// elements calls each for the n elements of data in JSON, which are one array, or arrays within each other as the shape has it.
func (t *tensor) elements(n int, each func(i int, token []byte) error) error {
	if len(t.data) == 0 || t.data[0] != '[' {
		return fmt.Errorf("input %q: data is no array", t.name)
	}
	s := scan{rest: t.data, each: each}
	shape := t.shape
	if next := strings.TrimLeft(string(t.data[1:min(len(t.data), 1+64)]), " \t\r\n"); len(shape) > 1 && !strings.HasPrefix(next, "[") {
		shape = []uint64{uint64(n)} // flat
	}
	if err := s.array(shape); err != nil {
		return fmt.Errorf("input %q of shape %d: %w", t.name, t.shape, err)
	}
	return nil
}

// A scan goes through valid JSON.
type scan struct {
	rest []byte
	at   int // elements so far
	each func(i int, token []byte) error
}

func (s *scan) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\n' || s.rest[0] == '\t' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// array reads an array of the shape, whose beginning is next.
func (s *scan) array(shape []uint64) error {
	s.rest = s.rest[1:]
	for n := uint64(0); ; n++ {
		s.space()
		if s.rest[0] == ']' {
			s.rest = s.rest[1:]
			if n != shape[0] {
				return fmt.Errorf("data has an array of %d elements where there are %d", n, shape[0])
			}
			return nil
		}
		if n == shape[0] {
			return fmt.Errorf("data has an array of more than %d elements", n)
		}
		if s.rest[0] == ',' {
			s.rest = s.rest[1:]
			s.space()
		}
		switch inner := s.rest[0] == '['; {
		case inner != (len(shape) > 1):
			return fmt.Errorf("data has other arrays within each other, at element %d (from 0)", s.at)
		case inner:
			if err := s.array(shape[1:]); err != nil {
				return err
			}
			continue
		}
		if err := s.each(s.at, s.token()); err != nil {
			return fmt.Errorf("element %d (from 0): %w", s.at, err)
		}
		s.at++
	}
}

// token cuts off a value that is no array.
func (s *scan) token() []byte {
	end := 1
	if s.rest[0] == '"' {
		for ; s.rest[end] != '"'; end++ {
			if s.rest[end] == '\\' {
				end++
			}
		}
		end++
	} else {
		for end < len(s.rest) && s.rest[end] != ',' && s.rest[end] != ']' && s.rest[end] > ' ' {
			end++
		}
	}
	token := s.rest[:end]
	s.rest = s.rest[end:]
	return token
}

// table makes a table of the columns of X of the inputs of a request, at most most rows.
func table(m *mediant.Model, inputs []*tensor, most int) (src tables.Source, rows int, err error) {
	columns := m.X.Columns()
	if len(inputs) == 0 {
		return nil, 0, errors.New("the request has no inputs")
	}
	if whole := matrixOf(columns, inputs); whole != nil {
		return matrixTable(m, whole, most)
	}
	byName := make(map[string]*tensor)
	for _, t := range inputs {
		if byName[t.name] != nil {
			return nil, 0, fmt.Errorf("input %q is there twice", t.name)
		}
		byName[t.name] = t
	}
	var data []tables.ColumnData
	for _, c := range columns {
		t := byName[c.Name]
		if t == nil {
			return nil, 0, fmt.Errorf("input %q is missing: the model needs %s", c.Name, listed(tables.ColumnNames(columns)))
		}
		delete(byName, c.Name)
		n, width, err := t.rows(most)
		switch {
		case err != nil:
			return nil, 0, err
		case c.Kind == tables.Vector && len(t.shape) != 2:
			return nil, 0, fmt.Errorf("input %q has the shape %d, want [rows, places]", t.name, t.shape)
		case c.Kind != tables.Vector && width != 1:
			return nil, 0, fmt.Errorf("input %q has the shape %d, want [rows] or [rows, 1]", t.name, t.shape)
		case data != nil && n != rows:
			return nil, 0, fmt.Errorf("input %q has %d rows, others have %d", t.name, n, rows)
		}
		rows = n
		column, err := t.column(c, n, width)
		if err != nil {
			return nil, 0, err
		}
		data = append(data, column)
	}
	for name := range byName {
		return nil, 0, fmt.Errorf("input %q is no column of X: the model needs %s", shortened([]byte(name)), listed(tables.ColumnNames(columns)))
	}
	src, err = tables.FromColumns(data...)
	return src, rows, err
}

// column reads a tensor as a column of n rows, of width elements each.
func (t *tensor) column(c tables.Column, n, width int) (tables.ColumnData, error) {
	if err := t.fits(c.Kind, n*width); err != nil {
		return tables.ColumnData{}, err
	}
	if c.Kind == tables.Text {
		all, err := t.texts(n)
		return tables.Strings(c.Name, all), err
	}
	all := make([]float64, n*width)
	if err := t.numbersTo(all); err != nil || c.Kind == tables.Numeric {
		return tables.Numbers(c.Name, all), err
	}
	rows := tables.SparseRows{Width: width}
	places := make([]int, width)
	for j := range places {
		places[j] = j
	}
	for i := range n {
		if err := rows.Add(places, all[i*width:(i+1)*width]); err != nil {
			return tables.ColumnData{}, fmt.Errorf("input %q: row %d (from 0): %w", t.name, i, err)
		}
	}
	return tables.Vectors(c.Name, rows), nil
}

// matrixOf is the one input that has all columns of X, several numbers, or nil.
func matrixOf(columns []tables.Column, inputs []*tensor) *tensor {
	isOther := func(c tables.Column) bool { return c.Kind != tables.Numeric }
	if len(inputs) != 1 || len(inputs[0].shape) != 2 || len(columns) == 1 || slices.ContainsFunc(columns, isOther) {
		return nil
	}
	return inputs[0]
}

// matrixTable makes a table of an input with all columns of X in their order.
func matrixTable(m *mediant.Model, t *tensor, most int) (tables.Source, int, error) {
	rows, width, err := t.rows(most)
	if err != nil {
		return nil, 0, err
	}
	columns := m.X.Columns()
	if width != len(columns) {
		return nil, 0, fmt.Errorf("input %q has the shape %d, want [rows, %d]: the model needs %s", t.name, t.shape, len(columns), listed(tables.ColumnNames(columns)))
	}
	if err := t.fits(tables.Numeric, rows*width); err != nil {
		return nil, 0, err
	}
	x := mat.NewDense(rows, width, nil)
	if err := t.numbersTo(x.RawMatrix().Data); err != nil {
		return nil, 0, err
	}
	src, err := m.X.Table(x)
	return src, rows, err
}

// listed lists at most a line's worth of names.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}
