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
func verify(data []byte) error {
	const (
		few     = 1 << 16
		perByte = 16 // bytes of the smallest description of a column or a chunk, and more
	)
	v := &verifier{data, few + len(data)/perByte}
	return v.structure(deepest)
}

func (v *verifier) structure(depth int) error {
	if depth == 0 {
		return errMetadata
	}
	for {
		b, err := v.next(1)
		if err != nil || b[0] == 0 {
			return err
		}
		if b[0]>>4 == 0 { // the number of the field, which else is the one before and these bits
			if _, err := v.varint(); err != nil {
				return err
			}
		}
		kind := b[0] & 15
		if kind == typeTrue || kind == typeFalse { // which is the value
			continue
		}
		if err := v.value(kind, depth); err != nil {
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
		return v.list(depth - 1)
	case typeStruct:
		return v.structure(depth - 1)
	}
	return errMetadata // maps are in no metadata of Parquet
}

func (v *verifier) list(depth int) error {
	b, err := v.next(1)
	if err != nil {
		return err
	}
	n, kind := uint64(b[0]>>4), b[0]&15
	if n == 15 {
		if n, err = v.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(v.data)) || depth == 0 { // each element has a byte at least
		return errMetadata
	}
	if kind == typeStruct {
		if v.structs -= int(n); v.structs < 0 {
			return errMetadata
		}
	}
	for range n {
		if err := v.value(kind, depth); err != nil {
			return err
		}
	}
	return nil
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
