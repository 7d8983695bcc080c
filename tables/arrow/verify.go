package arrow

import (
	"encoding/binary"
	"errors"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// errDamaged is of metadata whose counts and offsets do not fit it.
var errDamaged = errors.New("the file is damaged: its metadata claims more than it holds")

// A verifier checks what the library allocates memory for without looking: the counts of vectors in the metadata of a schema. Places of
// members in tables are those of Schema.fbs, File.fbs and Message.fbs of the format.
type verifier struct{ tables int } // that may still be looked at

// vector checks vector number slot of a table, of elements of so many bytes, and returns where it begins and its length.
func (v *verifier) vector(t flatbuffers.Table, slot, size int) (start flatbuffers.UOffsetT, n int, err error) {
	o := t.Offset(flatbuffers.VOffsetT(4 + 2*slot))
	if o == 0 {
		return 0, 0, nil
	}
	at := flatbuffers.UOffsetT(o)
	start, n = t.Vector(at), t.VectorLen(at)
	if int64(start)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		return 0, 0, errDamaged
	}
	return start, n, nil
}

// inner is table number slot of a table.
func inner(t flatbuffers.Table, slot int) (flatbuffers.Table, bool) {
	o := t.Offset(flatbuffers.VOffsetT(4 + 2*slot))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

// schema checks a Schema (fields in slot 1, metadata in slot 2) or a Field (children in slot 5, metadata in slot 6).
func (v *verifier) schema(t flatbuffers.Table, fields, metadata int) error {
	if v.tables--; v.tables < 0 { // more than the bytes can have: they point in circles
		return errDamaged
	}
	if _, _, err := v.vector(t, metadata, flatbuffers.SizeUOffsetT); err != nil {
		return err
	}
	start, n, err := v.vector(t, fields, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	for i := range n {
		child := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT))}
		if err := v.schema(child, 5, 6); err != nil {
			return err
		}
	}
	return nil
}

// root is the table that metadata begins with.
func root(data []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
}

// verify checks the metadata of the schema of a file or stream. Offsets out of range panic, as they do in the library.
func (f *file) verify(isFile bool) error {
	data, err := f.metadata(isFile)
	if err != nil {
		return err
	}
	if len(data) < 2*flatbuffers.SizeUOffsetT {
		return errDamaged
	}
	v := &verifier{tables: len(data) / flatbuffers.SizeUOffsetT}
	t := root(data)
	place := 2 // the header of a message
	if isFile {
		for _, slot := range []int{2, 3} { // blocks of dictionaries and of rows
			if err := f.verifyBlocks(v, t, slot); err != nil {
				return err
			}
		}
		place = 1
	} else if err := f.verifyStream(v); err != nil {
		return err
	}
	if _, _, err := v.vector(t, 4, flatbuffers.SizeUOffsetT); err != nil { // metadata, in both
		return err
	}
	schema, ok := inner(t, place)
	if !ok {
		return errDamaged
	}
	return v.schema(schema, 1, 2)
}

// metadata is the footer of a file, which its length and the magic word follow, or the first message of a stream, behind its length
// and, but in old versions, four bytes of ones.
func (f *file) metadata(isFile bool) ([]byte, error) {
	var word [4]byte
	read := func(at int64) uint32 {
		f.in.ReadAt(word[:], at)
		return binary.LittleEndian.Uint32(word[:])
	}
	var start, n int64
	if isFile {
		end := f.in.Size - int64(len(word)+len(magic))
		n = int64(read(end))
		start = end - n
	} else {
		if start = 4; read(0) == 0xffffffff {
			start = 8
		}
		n = int64(read(start - 4))
	}
	if start < 0 || start+n > f.in.Size {
		return nil, errors.New("the file is cut, or is no Arrow file")
	}
	data := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(f.in, start, n), data)
	return data, err
}
