package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables/internal/columnartest"
)

// written is an NPY file with elements of the given type.
func written(descr string, fortran bool, shape string, data any) []byte {
	order := binary.ByteOrder(binary.LittleEndian)
	if strings.HasPrefix(descr, "'>") {
		order = binary.BigEndian
	}
	return writtenBy(1, fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, map[bool]string{true: "True", false: "False"}[fortran], shape), order, data)
}

func writtenBy(version byte, header string, order binary.ByteOrder, data any) []byte {
	var b bytes.Buffer
	b.WriteString(magic + string([]byte{version, 0}))
	if version == 1 {
		binary.Write(&b, binary.LittleEndian, uint16(len(header)+1))
	} else {
		binary.Write(&b, binary.LittleEndian, uint32(len(header)+1))
	}
	b.WriteString(header + "\n")
	binary.Write(&b, order, data)
	return b.Bytes()
}

func open(t *testing.T, name string, data []byte) *file {
	t.Helper()
	f, err := newFile(context.Background(), columnartest.Input(name, data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestArrays(t *testing.T) {
	byRows, byColumns := []float64{1, 2, 3, 4, 5, 6.5}, []float64{1, 3, 5, 2, 4, 6.5}
	matrix := [][]string{{"m[0]", "number", "1", "3", "5"}, {"m[1]", "number", "2", "4", "6.5"}}
	for _, c := range []struct {
		name string
		data []byte
		want [][]string
	}{
		{"by rows", written("'<f8'", false, "(3, 2)", byRows), matrix},
		{"by columns", written("'<f8'", true, "(3, 2)", byColumns), matrix},
		{"another view by columns", written("'<f8'", true, "(2, 3)", []float64{1, 2, 3, 4, 5, 6.5}), [][]string{{"m[0]", "number", "1", "2"}, {"m[1]", "number", "3", "4"}, {"m[2]", "number", "5", "6.5"}}},
		{"big-endian by columns", written("'>f8'", true, "(3, 2)", byColumns), matrix},
		{"halves of the width", written("'<f4'", true, "(3, 2)", []float32{1, 3, 5, 2, 4, 6.5}), matrix},
		{"16 bits", written("'<f2'", false, "(4,)", []uint16{0x3c00, 0xc100, 0x0001, 0x7e00}), [][]string{{"m", "number", "1", "-2.5", "5.960464477539063e-08", ""}}},
		{"version 2", writtenBy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", binary.LittleEndian, []float64{1, math.NaN()}), [][]string{{"m", "number", "1", ""}}},
		{"version 3", writtenBy(3, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", binary.LittleEndian, []float64{1}), [][]string{{"m", "number", "1"}}},
		{"signed", written("'|i1'", false, "(2,)", []int8{-128, 127}), [][]string{{"m", "number", "-128", "127"}}},
		{"signed, big-endian", written("'>i2'", false, "(2,)", []int16{-2, 300}), [][]string{{"m", "number", "-2", "300"}}},
		{"unsigned", written("'<u4'", false, "(2,)", []uint32{0, 4294967295}), [][]string{{"m", "number", "0", "4.294967295e+09"}}},
		{"truth values", written("'|b1'", false, "(2, 1)", []byte{1, 0}), [][]string{{"m[0]", "text", "true", "false"}}},
		{"bytes", written("'|S3'", false, "(2,)", []byte("ab\x00\x00\x00\x00")), [][]string{{"m", "text", "ab", ""}}},
		{"text", written("'<U2'", false, "(2,)", []uint32{'ü', 0, 'a', 'b'}), [][]string{{"m", "text", "ü", "ab"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, columnartest.Cells(t, open(t, "dir/m.npy", c.data))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A block has fewer rows than an array, and both orders read the same.
func TestManyRows(t *testing.T) {
	const rows, columns = 5000, 3
	byRows, byColumns := make([]float64, rows*columns), make([]float64, rows*columns)
	for i := range rows {
		for j := range columns {
			v := float64(i*10 + j)
			byRows[i*columns+j], byColumns[j*rows+i] = v, v
		}
	}
	a := columnartest.Cells(t, open(t, "m.npy", written("'<f8'", false, "(5000, 3)", byRows)))
	b := columnartest.Cells(t, open(t, "m.npy", written("'<f8'", true, "(5000, 3)", byColumns)))
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if got := a[2][2+4999]; got != "49992" {
		t.Errorf("the last cell is %s", got)
	}
}

// archive is a zip file, members compressed by the method.
func archive(t *testing.T, method uint16, members map[string][]byte, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(members[name])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	members := map[string][]byte{
		"u.npy": written("'<f8'", false, "(2,)", []float64{1, 2}),
		"x.npy": written("'<i8'", true, "(2, 2)", []int64{1, 2, 3, 4}),
		"y.npy": written("'<f8'", false, "(3,)", []float64{1, 2, 3}),
	}
	want := [][]string{{"u", "number", "1", "2"}, {"x[0]", "number", "1", "2"}, {"x[1]", "number", "3", "4"}}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		if diff := cmp.Diff(want, columnartest.Cells(t, open(t, "a.npz", archive(t, method, members, "u.npy", "x.npy")))); diff != "" {
			t.Error(diff)
		}
	}
	refused(t, archive(t, zip.Store, nil), "the archive is empty")
}

// What makes no column of an archive is refused by its name, and the others are read.
func TestArraysBesideColumns(t *testing.T) {
	members := map[string][]byte{
		"seed.npy": written("'<i8'", false, "()", []int64{7}), "o.npy": written("'|O'", false, "(2,)", []byte("pickle")),
		"u.npy": written("'<f8'", false, "(2,)", []float64{1, 2}), "y.npy": written("'<f8'", false, "(3,)", []float64{1, 2, 3}),
	}
	f := open(t, "a.npz", archive(t, zip.Store, members, "seed.npy", "o.npy", "u.npy", "y.npy"))
	got := map[string]string{}
	for _, field := range f.Fields() {
		got[field.Name] = field.Refused
	}
	want := map[string]string{"seed": "cannot be read: the array has 0 dimensions, want 1 or 2", "u": "",
		"o": "cannot be read: elements are of type '|O', want numbers, truth values or text", "y": `has 3 rows, "u" has 2, want as many`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"u", "number", "1", "2"}}, columnartest.Cells(t, f)); diff != "" {
		t.Error(diff)
	}
}

func refused(t *testing.T, data []byte, want string) {
	t.Helper()
	f, err := newFile(context.Background(), columnartest.Input("f.npy", data))
	if err == nil {
		err = columnartest.Drain(f)
	}
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "npy: f.npy: ") {
		t.Errorf("the error is %v, want %q", err, want)
	}
}

func TestRefused(t *testing.T) {
	two := []float64{1, 2}
	whole := written("'<f8'", false, "(2,)", two)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("x,u\n1,2\n3,4\n5,6\n"), "is no NPY file"},
		{[]byte("x"), "1 bytes are no NPY file"},
		{whole[:20], "its header claims"},
		{whole[:len(whole)-1], "its header claims 2 × 1 elements of 8 bytes"},
		{written("'<f8'", false, "(1000000000000,)", two), "its header claims 1000000000000 × 1 elements"},
		{written("'<f8'", false, "(4294967296, 4294967296)", two), "its header claims"},
		{written("'<f8'", false, "(-2,)", two), "the shape [-2]"},
		{written("'<f8'", false, "(0, 9000000000000000000)", []float64{}), "no rows"},
		{written("'<U0'", false, "(1000000000000,)", []float64{}), "elements are of type '<U0'"},
		{written("'<f8'", false, "(1, 1, 2)", two), "3 dimensions, want 1 or 2"},
		{written("'<f8'", false, "()", two), "0 dimensions"},
		{written("'<c16'", false, "(1,)", two), "elements are of type '<c16'"},
		{written("'|O'", false, "(1,)", two), "elements are of type '|O'"},
		{written("[('a', '<f8')]", false, "(2,)", two), "elements are of type [('a', '<f8')]"},
		{writtenBy(1, "{'descr': '<f8'}", binary.LittleEndian, two), "its header"},
		{writtenBy(9, "{}", binary.LittleEndian, two), "its header"},
		{written("'|S2'", false, "(1,)", []byte{0xff, 0xfe}), `column "f": row 1 is not UTF-8`},
		{written("'<U1'", false, "(1,)", []uint32{0x110000}), `column "f": row 1 is not Unicode`},
	} {
		refused(t, c.data, c.want)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(written("'<f8'", true, "(3, 2)", []float64{1, 2, 3, 4, 5, 6}))
	f.Add(written("'<U2'", false, "(2,)", []uint32{'a', 0, 'b', 'c'}))
	f.Fuzz(func(t *testing.T, data []byte) {
		tabletest.Bounded(t, len(data), func() {
			f, err := newFile(context.Background(), columnartest.Input("f.npy", data))
			if err != nil {
				return
			}
			defer f.Close()
			columnartest.Drain(f)
		})
	})
}
