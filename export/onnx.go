package export

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mediant"
	"mediant/internal/literal"
	"mediant/internal/names"
)

// UnsupportedError reports what a format has no form for.
type UnsupportedError struct{ Format, What string }

// Error implements error.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("export: %s cannot express %s", e.Format, e.What)
}

func notONNX(format string, args ...any) error {
	return &UnsupportedError{"ONNX", fmt.Sprintf(format, args...)}
}

// ONNX writes a model as an ONNX graph in float64, of operators of opset 13 and of ai.onnx.ml 2, with N rows as inputs
//
//	numbers  double N×a, the columns of numbers that the model uses; NaN is a missing value, and so are the markers of m.Reading
//	texts    string N×b, the columns of text that it uses; "" is a missing value, likewise
//	rows     double N×p, the places of a column of sparse rows
//
// of which those without columns are left out, and as outputs the predictions that mediant.Model.Predict yields,
//
//	predictions             double N×k, of numbers
//	label                   string N, of classes, with
//	probabilities or scores double N×k
//
// Names of columns, in order, are JSON lists in the metadata under "mediant.numbers", "mediant.texts", "mediant.rows" and "mediant.outputs". The graph computes
// what the model does but for rounding. It yields NaN where the model refuses a row. Other spellings of a level ("1.00" of "1") are its level only if they are common
// ones: with one zero after the point, or the three of a truth value. The error is an *UnsupportedError that names what ONNX cannot express, or that of w.
func ONNX(w io.Writer, m *mediant.Model) error {
	p, err := partsOf(m)
	if err != nil {
		return err
	}
	b := &onnxBuilder{graph: newGraph()}
	markers, err := markersOf(p.X, m.Reading.NA)
	if err != nil {
		return err
	}
	x, err := b.encode(p.X, markers)
	if err != nil {
		return err
	}
	y, err := b.predictor(p.F, x)
	if err != nil {
		return err
	}
	name, classes := tensor("predictions"), m.Y.Classes()
	switch {
	case m.Probabilities():
		name = "probabilities"
	case classes != nil:
		name = "scores"
	}
	b.named(name, "Identity", []tensor{y})
	if classes != nil {
		best := b.op("ArgMax", []tensor{y}, intAttribute("axis", 1), intAttribute("keepdims", 0))
		b.named("label", "Gather", []tensor{b.strings(classes), best})
		b.output(declared("label", stringType, dimension{name: "N"}))
	}
	b.output(declared(name, doubleType, dimension{name: "N"}, dimension{size: m.Y.Len()}))
	b.metadata("mediant.outputs", m.Y.Names())
	if classes != nil {
		b.metadata("mediant.classes", classes)
	}
	raw := b.modelProto("mediant", "Predicts Y from X, fitted by the method "+m.Method+".", b.entries)
	if len(raw) > math.MaxInt32 {
		return notONNX("a model of %.1f GB, as files of protocol buffers end at 2 GB", float64(len(raw))/1e9)
	}
	_, err = w.Write(raw)
	return err
}

// An onnxBuilder writes the nodes of a model.
type onnxBuilder struct {
	*graph
	entries [][2]string
}

func (b *onnxBuilder) metadata(key string, list []string) {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always encode
	}
	b.entries = append(b.entries, [2]string{key, string(text)})
}

func (b *onnxBuilder) add(x, y tensor) tensor    { return b.op("Add", []tensor{x, y}) }
func (b *onnxBuilder) sub(x, y tensor) tensor    { return b.op("Sub", []tensor{x, y}) }
func (b *onnxBuilder) mul(x, y tensor) tensor    { return b.op("Mul", []tensor{x, y}) }
func (b *onnxBuilder) div(x, y tensor) tensor    { return b.op("Div", []tensor{x, y}) }
func (b *onnxBuilder) matmul(x, y tensor) tensor { return b.op("MatMul", []tensor{x, y}) }
func (b *onnxBuilder) exp(x tensor) tensor       { return b.op("Exp", []tensor{x}) }
func (b *onnxBuilder) sqrt(x tensor) tensor      { return b.op("Sqrt", []tensor{x}) }

func (b *onnxBuilder) where(condition, x, y tensor) tensor {
	return b.op("Where", []tensor{condition, x, y})
}

func (b *onnxBuilder) double(x tensor) tensor {
	return b.op("Cast", []tensor{x}, intAttribute("to", doubleType))
}

// columns are those of x at these places.
func (b *onnxBuilder) columns(x tensor, places []int) tensor {
	return b.op("Gather", []tensor{x, b.ints(places...)}, intAttribute("axis", 1))
}

func (b *onnxBuilder) concat(parts []tensor) tensor {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.op("Concat", parts, intAttribute("axis", 1))
}

// ordered are the columns of parts side by side, in another order: column j of the result is column order[j].
func (b *onnxBuilder) ordered(parts []tensor, order []int) tensor {
	x := b.concat(parts)
	for j, from := range order {
		if j != from {
			return b.columns(x, order)
		}
	}
	return x
}

// sum adds up the elements along an axis.
func (b *onnxBuilder) sum(x tensor, axis int, keep bool) tensor {
	kept := int64(0)
	if keep {
		kept = 1
	}
	return b.op("ReduceSum", []tensor{x, b.ints(axis)}, intAttribute("keepdims", kept))
}

// repeated is a row of equal numbers. A single number before or after a MatMul will not do: onnxruntime makes it a factor of the product in float32.
func (b *onnxBuilder) repeated(v float64, n int) tensor { return b.row(slices.Repeat([]float64{v}, n)) }

// rectified is max(0, x), and NaN where x is, which Relu need not be.
func (b *onnxBuilder) rectified(x tensor) tensor {
	return b.where(b.op("Less", []tensor{x, b.number(0)}), b.number(0), x)
}

// atLeastZero refuses negative entries, as the model does: NaN takes their place.
func (b *onnxBuilder) atLeastZero(x tensor) tensor {
	return b.where(b.op("Less", []tensor{x, b.number(0)}), b.number(math.NaN()), x)
}

// encode adds the inputs and encodes them as package encode does.
func (b *onnxBuilder) encode(e encoder, markers [][]string) (tensor, error) {
	in := inputsOf(e)
	if len(in.rows) > 1 {
		return "", notONNX("%d columns of sparse rows", len(in.rows))
	}
	var blocks []tensor
	at, width := make([][]int, len(e.Columns)), 0 // places of the encoded columns of each column in the blocks side by side
	place := func(c, columns int) {
		for range columns {
			at[c] = append(at[c], width)
			width++
		}
	}
	if len(in.numbers) > 0 {
		b.declareInput("numbers", doubleType, len(in.numbers), columnNames(e, in.numbers))
		values, missing := b.encodeNumbers(e, in.numbers, markers)
		blocks = append(blocks, values)
		for _, c := range in.numbers {
			place(c, 1)
		}
		if missing != "" {
			blocks = append(blocks, missing)
			for _, c := range in.numbers {
				place(c, 1)
			}
		}
		for _, c := range in.numbers {
			at[c] = keptPlaces(e.Columns[c], at[c])
		}
	}
	if len(in.texts) > 0 {
		b.declareInput("texts", stringType, len(in.texts), columnNames(e, in.texts))
		for i, c := range in.texts {
			of := e.Columns[c]
			if of.Text != nil {
				return "", notONNX("the hashed free text of column %q", of.Name)
			}
			blocks = append(blocks, b.encodeText(of, i, markers[c]))
			place(c, len(of.Levels))
		}
	}
	for _, c := range in.rows {
		of := e.Columns[c]
		b.declareInput("rows", doubleType, of.Places, []string{of.Name})
		rows := tensor("rows")
		if e.Standardize {
			rows = b.div(rows, b.repeated(of.Scale, of.Places))
		}
		blocks = append(blocks, rows)
		place(c, of.Places)
	}
	var order []int
	for c := range e.Columns {
		order = append(order, at[c]...)
	}
	x := b.concat(blocks)
	if len(order) == width {
		return b.ordered([]tensor{x}, order), nil
	}
	return b.columns(x, order), nil
}

// inputs are the columns of each input, as places in an encoder.
type inputs struct{ numbers, texts, rows []int }

func inputsOf(e encoder) (in inputs) {
	for i, c := range e.Columns {
		switch {
		case c.Kind == "numeric" && (c.Dropped == "" || c.hasIndicator()):
			in.numbers = append(in.numbers, i)
		case c.Kind == "text" && c.Dropped == "":
			in.texts = append(in.texts, i)
		case c.Kind == "vector" && c.Dropped == "":
			in.rows = append(in.rows, i)
		}
	}
	return in
}

// hasIndicator reports whether there is an encoded column of whether a number is missing.
func (c column) hasIndicator() bool { return c.Missing && c.Dropped != "missing" }

// keptPlaces are those of the value and of the indicator of a column of numbers that are encoded.
func keptPlaces(c column, places []int) (kept []int) {
	if c.Dropped == "" {
		kept = append(kept, places[0])
	}
	if c.hasIndicator() {
		kept = append(kept, places[1])
	}
	return kept
}

func columnNames(e encoder, columns []int) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = e.Columns[c].Name
	}
	return list
}

func (b *onnxBuilder) declareInput(name string, kind int64, columns int, names []string) {
	b.input(declared(tensor(name), kind, dimension{name: "N"}, dimension{size: columns}))
	b.metadata("mediant."+name, names)
}

// encodeNumbers returns the values of all columns, and whether each is missing if that is encoded of any ("" if not).
func (b *onnxBuilder) encodeNumbers(e encoder, columns []int, markers [][]string) (values, missing tensor) {
	n := len(columns)
	mean, scale := make([]float64, n), make([]float64, n)
	values = "numbers"
	any := false
	for i, c := range columns {
		of := e.Columns[c]
		mean[i], scale[i] = of.Mean, of.Scale
		any = any || of.hasIndicator()
	}
	for _, row := range numbersThatMark(columns, markers) {
		values = b.where(b.op("Equal", []tensor{values, b.row(row)}), b.number(math.NaN()), values)
	}
	nan := b.op("IsNaN", []tensor{values})
	values = b.where(nan, b.row(mean), values)
	if e.Standardize {
		values = b.div(b.sub(values, b.row(mean)), b.row(scale))
	}
	if any {
		missing = b.double(nan)
	}
	return values, missing
}

// markersOf are the markers of missing values of each column, of those that a reading has for all columns or for some (csv.Options.NA).
func markersOf(e encoder, na []string) ([][]string, error) {
	heads, all := make([]string, len(e.Columns)), make([][]string, len(e.Columns))
	for c, of := range e.Columns {
		heads[c] = of.Name
	}
	for _, marker := range na {
		where := make([]int, len(heads))
		for c := range where {
			where[c] = c
		}
		if at := strings.LastIndex(marker, "="); at > 0 && at < len(marker)-1 {
			var err error
			if where, err = names.Match(heads, marker[:at]); err != nil {
				return nil, fmt.Errorf("export: %w", err)
			}
			marker = marker[at+1:]
		}
		for _, c := range where {
			all[c] = append(all[c], literal.Trim(marker))
		}
	}
	return all, nil
}

// numbersThatMark are rows of the numbers among the markers of some columns; NaN, which equals nothing, fills them up.
func numbersThatMark(columns []int, markers [][]string) (rows [][]float64) {
	for i, c := range columns {
		count := 0
		for _, marker := range markers[c] {
			if _, ok := literal.Scan(marker, '.'); !ok {
				continue
			}
			if count == len(rows) {
				rows = append(rows, slices.Repeat([]float64{math.NaN()}, len(columns)))
			}
			rows[count][i] = literal.Value(marker, '.')
			count++
		}
	}
	return rows
}

// encodeText returns one column of 0 and 1 for each level of column i of texts: LabelEncoder numbers the levels, with their number for any other text.
func (b *onnxBuilder) encodeText(c column, i int, markers []string) tensor {
	keys, values := levelKeys(c.Levels, markers)
	level := b.op("LabelEncoder", []tensor{b.columns("texts", []int{i})},
		stringsAttribute("keys_strings", keys), intsAttribute("values_int64s", values), intAttribute("default_int64", int64(len(c.Levels))))
	every := make([]int, len(c.Levels))
	for l := range every {
		every[l] = l
	}
	return b.double(b.op("Equal", []tensor{level, b.ints(every...)}))
}

// levelKeys are the texts that are taken for a level: the level itself, other common spellings of it that are no level's or of one level alone, and markers of missing values.
func levelKeys(levels, markers []string) (keys []string, values []int64) {
	of, spelt := map[string]int{}, map[string]int{} // how many levels have a key of package literal
	for l, level := range levels {
		of[level] = l
		spelt[literal.LabelKey(level)]++
	}
	taken := map[string]bool{}
	add := func(key string, level int) {
		if !taken[key] {
			taken[key] = true
			keys, values = append(keys, key), append(values, int64(level))
		}
	}
	for l, level := range levels {
		add(level, l)
	}
	for l, level := range levels {
		key := literal.LabelKey(level)
		if spelt[key] > 1 {
			continue
		}
		others := []string{key, key + ".0"}
		switch key {
		case "true":
			others = []string{"true", "True", "TRUE"}
		case "false":
			others = []string{"false", "False", "FALSE"}
		}
		for _, other := range others {
			if literal.LabelKey(other) == key {
				add(other, l)
			}
		}
	}
	if empty, ok := of[""]; ok {
		for _, marker := range markers {
			add(marker, empty)
			if key := literal.LabelKey(marker); literal.LabelKey(key+".0") == key {
				add(key, empty)
				add(key+".0", empty)
			}
		}
	}
	return keys, values
}
