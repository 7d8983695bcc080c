package parquet

import (
	"encoding/binary"
	"errors"
)

// errMetadata is of metadata that is not what its bytes can hold.
var errMetadata = errors.New("the file is damaged: its metadata claims more than it holds")

// A verifier walks over a structure in the compact protocol of Thrift, which metadata are written in. The library makes room for as many elements as a list claims,
// before it looks for them, and follows structures to any depth.
type verifier struct {
	data    []byte // that is left
	structs int    // elements of lists that are structures, some hundred bytes each in memory, that there may still be
}

// Types of the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// deepest is more than the metadata of Parquet are nested.
const deepest = 32

// verify refuses metadata with lists that are longer than their bytes, or too deep. data may go on behind the structure; it is an error if it ends within.
func verify(data []byte) error { return newVerifier(data).structure(deepest) }

func newVerifier(data []byte) *verifier {
	const (
		few     = 1 << 16
		perByte = 16 // bytes of the smallest description of a column or a chunk, and more
	)
	return &verifier{data, few + len(data)/perByte}
}

func (v *verifier) structure(depth int) error {
	return v.fields(depth, func(int, byte) (bool, error) { return false, nil })
}

// fields calls take for each field of a structure, with its number and type; take reports whether it has gone over the value. Truth values are in the type.
func (v *verifier) fields(depth int, take func(id int, kind byte) (taken bool, err error)) error {
	if depth <= 0 {
		return errMetadata
	}
	for id := 0; ; {
		b, err := v.next(1)
		if err != nil || b[0] == 0 {
			return err
		}
		if id += int(b[0] >> 4); b[0]>>4 == 0 { // the number of the field, which else is the one before and these bits
			far, err := v.integer()
			if err != nil {
				return err
			}
			id = int(far)
		}
		kind := b[0] & 15
		if kind == typeTrue || kind == typeFalse { // which is the value
			continue
		}
		taken, err := take(id, kind)
		if err == nil && !taken {
			err = v.value(kind, depth)
		}
		if err != nil {
			return err
		}
	}
}

// value goes over a value of a field or a list.
func (v *verifier) value(kind byte, depth int) error {
	switch kind {
	case typeTrue, typeFalse, typeByte:
		_, err := v.next(1)
		return err
	case typeI16, typeI32, typeI64:
		_, err := v.varint()
		return err
	case typeDouble:
		_, err := v.next(8)
		return err
	case typeBinary:
		n, err := v.varint()
		if err == nil {
			_, err = v.next(n)
		}
		return err
	case typeList, typeSet:
		_, err := v.list(depth - 1)
		return err
	case typeStruct:
		return v.structure(depth - 1)
	}
	return errMetadata // maps are in no metadata of Parquet
}

// list goes over a list, whose length it returns.
func (v *verifier) list(depth int) (n int, err error) {
	n, kind, err := v.head(depth)
	if err != nil {
		return 0, err
	}
	for range n {
		if err := v.value(kind, depth); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// structures calls do to go over each structure of a list, whose length it returns.
func (v *verifier) structures(depth int, do func() error) (n int, err error) {
	n, kind, err := v.head(depth)
	if err == nil && n > 0 && kind != typeStruct {
		err = errMetadata
	}
	for i := 0; i < n && err == nil; i++ {
		err = do()
	}
	return n, err
}

// head is the length of a list and the type of its elements.
func (v *verifier) head(depth int) (length int, kind byte, err error) {
	b, err := v.next(1)
	if err != nil {
		return 0, 0, err
	}
	n := uint64(b[0] >> 4)
	if n == 15 {
		if n, err = v.varint(); err != nil {
			return 0, 0, err
		}
	}
	if kind = b[0] & 15; n > uint64(len(v.data)) || depth <= 0 { // each element has a byte at least
		return 0, 0, errMetadata
	}
	if kind == typeStruct {
		if v.structs -= int(n); v.structs < 0 {
			return 0, 0, errMetadata
		}
	}
	return int(n), kind, nil
}

// integer is a signed number.
func (v *verifier) integer() (int64, error) {
	n, size := binary.Varint(v.data)
	if size <= 0 {
		return 0, errMetadata
	}
	v.data = v.data[size:]
	return n, nil
}

func (v *verifier) varint() (uint64, error) {
	n, size := binary.Uvarint(v.data)
	if size <= 0 {
		return 0, errMetadata
	}
	v.data = v.data[size:]
	return n, nil
}

// next are the next n bytes.
func (v *verifier) next(n uint64) ([]byte, error) {
	if n > uint64(len(v.data)) {
		return nil, errMetadata
	}
	b := v.data[:n]
	v.data = v.data[n:]
	return b, nil
}
