package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mediant/internal/tabletest"
	"mediant/tables/internal/columnartest"
)

// ended is a file of a footer alone, without pages.
func ended(footer []byte) []byte {
	return slices.Concat([]byte(magic), footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte(magic))
}

// crafted is a footer of columns of numbers in row groups, in few bytes.
func crafted(columns, groups int) []byte {
	long := func(kind byte, n int) []byte { return binary.AppendUvarint([]byte{15<<4 | kind}, uint64(n)) }
	root := slices.Concat([]byte{4<<4 | typeBinary, 0, 1<<4 | typeI32}, binary.AppendVarint(nil, int64(columns)), []byte{0}) // the name, the number of columns
	leaf := []byte{1<<4 | typeI32, 10, 2<<4 | typeI32, 0, 1<<4 | typeBinary, 1, 'x', 0}                                      // double, required, the name
	chunk := []byte{2<<4 | typeI64, 0, 1<<4 | typeStruct, 1<<4 | typeI32, 0, 1<<4 | typeList, 1<<4 | typeI32, 0, 1<<4 | typeList, 1<<4 | typeBinary, 1, 'x', 1<<4 | typeI32, 0, 1<<4 | typeI64, 2, 1<<4 | typeI64, 0, 1<<4 | typeI64, 0, 2<<4 | typeI64, 8, 0, 0}
	group := slices.Concat([]byte{1<<4 | typeList}, long(typeStruct, columns), bytes.Repeat(chunk, columns), []byte{2<<4 | typeI64, 2, 0})
	return slices.Concat(
		[]byte{1<<4 | typeI32, 2, 1<<4 | typeList}, long(typeStruct, columns+1), root, bytes.Repeat(leaf, columns),
		[]byte{1<<4 | typeI64, 0, 1<<4 | typeList}, long(typeStruct, groups), bytes.Repeat(group, groups), []byte{0})
}

// TestFootersAreBounded: many columns, many row groups, and more columns than the bytes of the file can stand for.
func TestFootersAreBounded(t *testing.T) {
	for _, c := range []struct {
		columns, groups int
		refused         bool
	}{{3, 2, false}, {16000, 1, false}, {27000, 1, false}, {60000, 1, true}, {10, 15000, false}, {1, 60000, false}} {
		data := ended(crafted(c.columns, c.groups))
		tabletest.Bounded(t, len(data), func() {
			f, err := newFile(t.Context(), columnartest.Input("f.parquet", data))
			if errors.Is(err, errMetadata) != c.refused || !c.refused && err != nil {
				t.Errorf("%d columns in %d row groups, %d bytes: %v", c.columns, c.groups, len(data), err)
			}
			if err == nil && (len(f.Fields()) != c.columns || f.Rows() != c.groups) {
				t.Errorf("%d columns of %d rows, want %d of %d", len(f.Fields()), f.Rows(), c.columns, c.groups)
			}
		})
	}
}

// TestFooter: what is read of metadata is what the library reads.
func TestFooter(t *testing.T) {
	type row struct {
		X float64   `parquet:"x"`
		S string    `parquet:"s,dict,snappy"`
		E []float64 `parquet:"e,list"`
	}
	data, err := readFooter(columnartest.Input("f.parquet", written(t, []row{{1, "a", []float64{1}}, {2, "b", []float64{3}}})))
	if err != nil {
		t.Fatal(err)
	}
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), data, &meta); err != nil {
		t.Fatal(err)
	}
	meta.RowGroups = append(meta.RowGroups, meta.RowGroups[0])
	meta.RowGroups[1].NumRows = 7
	marshal := func() []byte {
		data, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	f, err := parseFooter(marshal())
	if err != nil || f.elements != len(meta.Schema) || f.rows != 2 || len(f.groups) != 2 || f.groups[1].rows != 7 {
		t.Fatalf("%+v, error %v", f, err)
	}
	for i, c := range f.groups[0].chunks {
		m := meta.RowGroups[0].Columns[i].MetaData
		want := chunk{m.DataPageOffset, m.TotalCompressedSize, m.Codec}
		if m.DictionaryPageOffset > 0 {
			want.start = m.DictionaryPageOffset
		}
		if c != want {
			t.Errorf("column %d: %+v, want %+v", i, c, want)
		}
	}
	if f.groups[0].chunks[1].codec != format.Snappy || f.groups[0].chunks[1].start >= meta.RowGroups[0].Columns[1].MetaData.DataPageOffset {
		t.Errorf("column 1: %+v", f.groups[0].chunks[1])
	}
	for want, change := range map[string]func(){
		"a row group has 2 columns, the schema 3": func() { meta.RowGroups[1].Columns = meta.RowGroups[1].Columns[:2] },
		"is encrypted": func() { meta.EncryptionAlgorithm.Value = &format.AesGcmV1{} },
	} {
		before := meta
		meta.RowGroups = slices.Clone(meta.RowGroups)
		change()
		file := append(make([]byte, 0, 1000), ended(marshal())...)
		if _, err := newFile(t.Context(), columnartest.Input("f.parquet", file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		meta = before
	}
	if _, err := newFile(t.Context(), columnartest.Input("f.parquet", ended(bytes.Replace(crafted(1, 1), []byte{2<<4 | typeI64, 0, 1<<4 | typeStruct, 1<<4 | typeI32}, []byte{2<<4 | typeI64, 0, 2<<4 | typeStruct, 1<<4 | typeI32}, 1)))); fmt.Sprint(err) != "parquet: f.parquet: its footer has a column without pages" {
		t.Errorf("a chunk without metadata: %v", err)
	}
}
