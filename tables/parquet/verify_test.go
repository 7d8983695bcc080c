package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"mediant/internal/tabletest"
	"mediant/tables/internal/columnartest"
)

// Metadata of files are walked over to their last byte; lists that claim more than is left, and structures within structures, are refused before the library reads them.
func TestVerify(t *testing.T) {
	type row struct {
		X float64 `parquet:"x"`
		S string  `parquet:"s,dict"`
	}
	data := written(t, []row{{1, "a"}, {2, "b"}})
	footer, err := readFooter(columnartest.Input("f.parquet", data))
	if err != nil {
		t.Fatal(err)
	}
	v := &verifier{footer, 1 << 16}
	if err := v.structure(deepest); err != nil || len(v.data) > 0 {
		t.Errorf("error %v, %d bytes left", err, len(v.data))
	}
	for cut := range len(footer) {
		if verify(footer[:cut]) == nil {
			t.Errorf("cut at %d of %d it is whole", cut, len(footer))
		}
	}
	field := func(kind byte, value ...byte) []byte { return append(append([]byte{1<<4 | kind}, value...), 0) }
	long := binary.AppendUvarint(nil, 1<<30)
	many := binary.AppendUvarint(nil, 100000)
	for name, c := range map[string]struct {
		data  []byte
		whole bool
	}{
		"nothing":           {[]byte{0}, true},
		"truth":             {field(typeTrue), true},
		"number":            {field(typeI64, 0x80, 1), true},
		"a far field":       {[]byte{typeI32, 0x80, 2, 5, 0}, true},
		"double":            {field(typeDouble, make([]byte, 8)...), true},
		"text":              {field(typeBinary, 2, 'a', 'b'), true},
		"truths":            {field(typeList, 2<<4|typeTrue, 1, 2), true},
		"structures":        {field(typeList, 2<<4|typeStruct, 0, 0), true},
		"map":               {field(typeMap, 0), false},
		"text beyond":       {field(typeBinary, long...), false},
		"list beyond":       {field(typeList, append([]byte{15<<4 | typeI32}, long...)...), false},
		"empty structures":  {field(typeList, append(append([]byte{15<<4 | typeStruct}, many...), make([]byte, 100000)...)...), false},
		"deep structures":   {append(bytes.Repeat([]byte{1<<4 | typeStruct}, 100), make([]byte, 101)...), false},
		"deep lists":        {field(typeList, append(bytes.Repeat([]byte{1<<4 | typeList}, 100), 0)...), false},
		"no end":            {[]byte{1<<4 | typeTrue}, false},
		"an endless number": {field(typeI64, bytes.Repeat([]byte{0x80}, 11)...), false},
	} {
		if err := verify(c.data); (err == nil) != c.whole {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Footers and headers of pages are looked at before the library decodes them.
func TestVerifiedFirst(t *testing.T) {
	schema := append(binary.AppendUvarint([]byte{2<<4 | typeList, 15<<4 | typeStruct}, 1<<20), 0) // of a million columns
	file := slices.Concat([]byte(magic), schema, binary.LittleEndian.AppendUint32(nil, uint32(len(schema))), []byte(magic))
	tabletest.Bounded(t, len(file), func() {
		if _, err := newFile(t.Context(), columnartest.Input("f.parquet", file)); !errors.Is(err, errMetadata) {
			t.Errorf("of a footer the error is %v", err)
		}
	})
	header := slices.Concat(bytes.Repeat([]byte{15<<4 | typeStruct}, 100), make([]byte, 101))
	if _, err := io.ReadAll(io.NewSectionReader(pagesOf(format.Uncompressed, header), 0, math.MaxInt64)); !errors.Is(err, errMetadata) {
		t.Errorf("of a page the error is %v", err)
	}
}
