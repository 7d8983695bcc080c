package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"strings"
)

// A function is one function of assembly while it is written.
type function struct {
	name, signature string
	doc             []string
	offsets         map[string]int // of parameters and results from the frame pointer
	size            int            // of parameters and results
	frame           int            // bytes of the stack
	lines           []string
	generals        registers
	vectors         registers
	open            []*count // of the loops that are being written
	counts          []*count // of those that are reported
}

// A count is what one run of a loop takes.
type count struct {
	what                string
	flops, instructions int
}

// newFunction begins a function of the signature, such as "(x *float64, n int) (done int)".
func newFunction(name, signature string, doc ...string) *function {
	f := &function{name: name, signature: signature, doc: doc, offsets: map[string]int{}}
	f.declare()
	// R16 to R18 are the linker's and the system's, R27 to R30 the assembler's, the runtime's and the link.
	for r := range 27 {
		if r < 16 || r > 18 {
			f.generals = append(f.generals, r)
		}
	}
	for v := range 32 {
		f.vectors = append(f.vectors, v)
	}
	return f
}

// declare lays out parameters and results as Go does: eight bytes each, but one for a bool.
func (f *function) declare() {
	expr, err := parser.ParseExpr("func" + f.signature + " {}")
	if err != nil {
		panic(fmt.Sprintf("neon: %s: %v", f.name, err))
	}
	kind := expr.(*ast.FuncLit).Type
	f.layOut(kind.Params)
	if kind.Results != nil {
		f.size = (f.size + 7) &^ 7
		f.layOut(kind.Results)
	}
}

func (f *function) layOut(fields *ast.FieldList) {
	for _, field := range fields.List {
		size := 8
		if t, ok := field.Type.(*ast.Ident); ok && t.Name == "bool" {
			size = 1
		}
		for _, name := range field.Names {
			f.offsets[name.Name] = f.size
			f.size += size
		}
	}
}

// parameter returns the address of a parameter or result.
func (f *function) parameter(name string) string {
	offset, ok := f.offsets[name]
	if !ok {
		panic(fmt.Sprintf("neon: %s has no parameter %q", f.name, name))
	}
	return fmt.Sprintf("%s+%d(FP)", name, offset)
}

// instruct writes an instruction that performs so many floating-point operations.
func (f *function) instruct(flops int, format string, args ...any) {
	f.lines = append(f.lines, "\t"+fmt.Sprintf(format, args...))
	for _, c := range f.open {
		c.flops += flops
		c.instructions++
	}
}

func (f *function) label(name string) { f.lines = append(f.lines, name+":") }

// loop writes a loop that runs body, and lowers n by step, while n is at least step. What is left is in n. What one run
// takes is reported as that of the named thing, unless it has no name.
func (f *function) loop(label string, n general, step int, what string, body func()) {
	c := &count{what: what}
	f.instruct(0, "SUBS $%d, %v, %v", step, n, n)
	f.instruct(0, "BLT %sEnd", label)
	f.label(label)
	f.open = append(f.open, c)
	f.scope(body)
	f.instruct(0, "SUBS $%d, %v, %v", step, n, n)
	f.instruct(0, "BGE %s", label)
	f.open = f.open[:len(f.open)-1]
	f.label(label + "End")
	f.instruct(0, "ADD $%d, %v, %v", step, n, n)
	if what != "" {
		f.counts = append(f.counts, c)
	}
}

// scope writes body and frees the registers that it takes.
func (f *function) scope(body func()) {
	generals, vectors := f.generals, f.vectors
	body()
	f.generals, f.vectors = generals, vectors
}

// String returns the assembly.
func (f *function) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "\n// func %s%s\nTEXT ·%s(SB), NOSPLIT, $%d-%d\n", f.name, f.signature, f.name, f.frame, f.size)
	for _, line := range f.lines {
		s.WriteString(line + "\n")
	}
	return s.String()
}

// stub returns the declaration.
func (f *function) stub() string {
	return fmt.Sprintf("\n// %s\n//\n//go:noescape\nfunc %s%s\n", strings.Join(f.doc, "\n// "), f.name, f.signature)
}
