package export

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message is one of Protocol Buffers, written field by field with the numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
type message []byte

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) text(field protowire.Number, s string) { m.bytes(field, []byte(s)) }

func (m *message) int(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

// Types of elements: TensorProto.DataType.
const (
	int64Type  = 7
	stringType = 8
	boolType   = 9
	doubleType = 11
)

// An attribute of a node: AttributeProto, with field numbers of its value and of its type.
type attribute message

func attributeOf(name string, kind int64, value func(m *message)) attribute {
	var m message
	m.text(1, name)
	value(&m)
	m.int(20, kind)
	return attribute(m)
}

func intAttribute(name string, v int64) attribute {
	return attributeOf(name, 2, func(m *message) { m.int(3, v) })
}

func graphAttribute(name string, g message) attribute {
	return attributeOf(name, 5, func(m *message) { m.bytes(6, g) })
}

func intsAttribute(name string, list []int64) attribute {
	return attributeOf(name, 7, func(m *message) {
		for _, v := range list {
			m.int(8, v)
		}
	})
}

func stringsAttribute(name string, list []string) attribute {
	return attributeOf(name, 8, func(m *message) {
		for _, v := range list {
			m.text(9, v)
		}
	})
}

// A tensor is the name of one in a graph.
type tensor string

// A graph is a GraphProto that is being written. Names are unique in it and in the graphs within it, which may use its tensors.
type graph struct {
	body  message
	names *int
}

func newGraph() *graph { return &graph{names: new(int)} }

func (g *graph) fresh(of string) tensor {
	*g.names++
	return tensor(fmt.Sprintf("%s_%d", of, *g.names))
}

// mlDomain has the operators of ONNX that are not for tensors of numbers alone.
const mlDomain = "ai.onnx.ml"

// op adds a node with one output.
func (g *graph) op(name string, inputs []tensor, attributes ...attribute) tensor {
	out := g.fresh(name)
	g.named(out, name, inputs, attributes...)
	return out
}

// named is op with a name for the output.
func (g *graph) named(out tensor, name string, inputs []tensor, attributes ...attribute) {
	var n message
	for _, in := range inputs {
		n.text(1, string(in))
	}
	n.text(2, string(out))
	n.text(3, string(out))
	n.text(4, name)
	for _, a := range attributes {
		n.bytes(5, a)
	}
	if name == "LabelEncoder" {
		n.text(7, mlDomain)
	}
	g.body.bytes(1, n)
}

// initializer adds a constant: a TensorProto, whose data value writes.
func (g *graph) initializer(of string, kind int64, dims []int, data func(m *message)) tensor {
	name := g.fresh(of)
	var t message
	for _, d := range dims {
		t.int(1, int64(d))
	}
	t.int(2, kind)
	t.text(8, string(name))
	data(&t)
	g.body.bytes(5, t)
	return name
}

// numbers adds a constant of the given dimensions; none: a scalar.
func (g *graph) numbers(v []float64, dims ...int) tensor {
	return g.initializer("number", doubleType, dims, func(m *message) {
		raw := make([]byte, 0, 8*len(v))
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
		}
		m.bytes(9, raw)
	})
}

func (g *graph) number(v float64) tensor { return g.numbers([]float64{v}) }

// row adds a constant of one row.
func (g *graph) row(v []float64) tensor { return g.numbers(v, 1, len(v)) }

func (g *graph) matrix(a array) tensor { return g.numbers(a.data, a.Rows, a.Cols) }

// ints adds a constant vector.
func (g *graph) ints(v ...int) tensor {
	return g.initializer("index", int64Type, []int{len(v)}, func(m *message) {
		raw := make([]byte, 0, 8*len(v))
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
		}
		m.bytes(9, raw)
	})
}

// strings adds a constant vector.
func (g *graph) strings(v []string) tensor {
	return g.initializer("text", stringType, []int{len(v)}, func(m *message) {
		for _, s := range v {
			m.text(6, s)
		}
	})
}

// A dimension is a number, or a name for any.
type dimension struct {
	size int
	name string
}

// declared is a ValueInfoProto.
func declared(name tensor, kind int64, dims ...dimension) message {
	var shape message
	for _, d := range dims {
		var own message
		if d.name != "" {
			own.text(2, d.name)
		} else {
			own.int(1, int64(d.size))
		}
		shape.bytes(1, own)
	}
	var of, typ, info message
	of.int(1, kind)
	of.bytes(2, shape)
	typ.bytes(1, of)
	info.text(1, string(name))
	info.bytes(2, typ)
	return info
}

func (g *graph) input(info message) { g.body.bytes(11, info) }

func (g *graph) output(info message) { g.body.bytes(12, info) }

// finished returns the graph under a name.
func (g *graph) finished(name string) message {
	g.body.text(2, name)
	return g.body
}

const (
	irVersion = 7
	// Opset is the version of ONNX's operators that are used, MLOpset that of ai.onnx.ml.
	Opset   = 13
	MLOpset = 2
)

// modelProto is a ModelProto of the graph.
func (g *graph) modelProto(name, doc string, metadata [][2]string) message {
	var m message
	m.int(1, irVersion)
	m.text(2, "mediant")
	m.text(6, doc)
	m.bytes(7, g.finished(name))
	for _, set := range []struct {
		domain  string
		version int64
	}{{"", Opset}, {mlDomain, MLOpset}} {
		var own message
		own.text(1, set.domain)
		own.int(2, set.version)
		m.bytes(8, own)
	}
	for _, entry := range metadata {
		var own message
		own.text(1, entry[0])
		own.text(2, entry[1])
		m.bytes(14, own)
	}
	return m
}
