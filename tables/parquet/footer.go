package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"mediant/tables/internal/columnar"
)

// A footer is what is read of the metadata of a file. The library would keep a kilobyte of each column in each row group, which may be 20 bytes of the file.
type footer struct {
	schema    []byte // the list of columns as it is in the file
	elements  int    // of the schema: columns and groups of them
	rows      int64
	groups    []rowGroup
	encrypted bool
}

type rowGroup struct {
	rows   int64
	chunks []chunk // by leaf
}

// A chunk is where a file stores the pages of a leaf in a row group.
type chunk struct {
	start, size int64
	codec       format.CompressionCodec
}

// Numbers of fields in the metadata of Parquet.
const (
	fileSchema, fileRows, fileGroups, fileEncryption = 2, 3, 4, 8
	groupChunks, groupRows                           = 1, 3
	chunkMeta                                        = 3
	metaCodec, metaSize, metaPages, metaDictionary   = 4, 7, 9, 11
)

// elementBytes are what the library allocates for an element of the schema and its chunk, as measured.
const elementBytes = 2048

// parseFooter reads metadata. It is an error if they have lists that are longer than their bytes, or structures that are too deep.
func parseFooter(data []byte) (f *footer, err error) {
	f, v := &footer{}, newVerifier(data)
	err = v.fields(deepest, func(id int, kind byte) (taken bool, err error) {
		switch {
		case id == fileSchema && kind == typeList:
			before := v.data
			f.elements, err = v.list(deepest - 1)
			f.schema = before[:len(before)-len(v.data)]
			return true, err
		case id == fileRows && kind == typeI64:
			f.rows, err = v.integer()
			return true, err
		case id == fileGroups && kind == typeList:
			_, err := v.structures(deepest-1, func() error {
				g, err := v.rowGroup(deepest - 2)
				f.groups = append(f.groups, g)
				return err
			})
			return true, err
		case id == fileEncryption:
			f.encrypted = true
		}
		return false, nil
	})
	return f, err
}

func (v *verifier) rowGroup(depth int) (g rowGroup, err error) {
	err = v.fields(depth, func(id int, kind byte) (taken bool, err error) {
		switch {
		case id == groupChunks && kind == typeList:
			_, err := v.structures(depth-1, func() error {
				c, err := v.chunk(depth - 2)
				g.chunks = append(g.chunks, c)
				return err
			})
			return true, err
		case id == groupRows && kind == typeI64:
			g.rows, err = v.integer()
			return true, err
		}
		return false, nil
	})
	return g, err
}

func (v *verifier) chunk(depth int) (c chunk, err error) {
	described := false
	var codec, dictionary int64
	err = v.fields(depth, func(id int, kind byte) (taken bool, err error) {
		if id != chunkMeta || kind != typeStruct {
			return false, nil
		}
		described = true
		return true, v.fields(depth-1, func(id int, kind byte) (taken bool, err error) {
			if kind != typeI32 && kind != typeI64 {
				return false, nil
			}
			n, err := v.integer()
			switch id {
			case metaCodec:
				codec = n
			case metaSize:
				c.size = n
			case metaPages:
				c.start = n
			case metaDictionary:
				dictionary = n
			}
			return true, err
		})
	})
	if err == nil && !described { // or it is in another file, or encrypted
		err = errors.New("its footer has a column without pages")
	}
	if dictionary > 0 && dictionary < c.start {
		c.start = dictionary
	}
	c.codec = format.CompressionCodec(codec)
	return c, err
}

// check refuses chunks outside a file of so many bytes.
func (f *footer) check(size int64) error {
	if f.encrypted {
		return errors.New("is encrypted")
	}
	if f.elements == 0 {
		return errors.New("has no columns")
	}
	if int64(f.elements) > (10*size+60<<20)/elementBytes {
		return fmt.Errorf("%w: %d columns in %d bytes", errMetadata, f.elements, size)
	}
	for _, g := range f.groups {
		for _, c := range g.chunks {
			if c.start < 0 || c.size < 0 || c.size > size-c.start {
				return fmt.Errorf("its footer has a column at %d of %d bytes, the file has %d", c.start, c.size, size)
			}
		}
	}
	return nil
}

// count is the number of rows of all row groups. Some old writers leave that of the file 0.
func (f *footer) count() (n int64, err error) {
	for _, g := range f.groups {
		if n += g.rows; g.rows < 0 || n < 0 {
			return 0, fmt.Errorf("the file is damaged: it has a row group of %d rows", g.rows)
		}
	}
	if f.rows != 0 && f.rows != n {
		return 0, fmt.Errorf("the file is damaged: it claims %d rows, its row groups have %d", f.rows, n)
	}
	return n, nil
}

// plainChunk is the metadata of a chunk whose pages are not compressed and begin at 0, in the compact protocol.
var plainChunk = slices.Concat(
	[]byte{2<<4 | typeI64, 0, 1<<4 | typeStruct},                                               // the place of the metadata, the metadata
	[]byte{1<<4 | typeI32, 0, 1<<4 | typeList, 1<<4 | typeI32, 0, 1<<4 | typeList, typeBinary}, // type, encodings: plain, path
	[]byte{1<<4 | typeI32, 0, 1<<4 | typeI64, 0, 1<<4 | typeI64, 0},                            // codec: none, values, bytes unpacked
	[]byte{1<<4 | typeI64}, binary.AppendVarint(nil, math.MaxInt64), []byte{2<<4 | typeI64, 0}, // bytes, the first page
	[]byte{0, 0},
)

// plain is a file with the schema of the footer and one row group, from whose columns the library reads the pages of all (unpacked).
func (f *footer) plain() []byte {
	leaves := 0
	if len(f.groups) > 0 {
		leaves = len(f.groups[0].chunks)
	}
	long := func(kind byte, n int) []byte { return binary.AppendUvarint([]byte{15<<4 | kind}, uint64(n)) }
	meta := slices.Concat(
		[]byte{1<<4 | typeI32, 2, 1<<4 | typeList}, f.schema, []byte{1<<4 | typeI64, 0}, // version, schema, rows
		[]byte{1<<4 | typeList, 1<<4 | typeStruct},                                                                                           // row groups
		[]byte{1<<4 | typeList}, long(typeStruct, leaves), bytes.Repeat(plainChunk, leaves), []byte{1<<4 | typeI64, 0, 1<<4 | typeI64, 0, 0}, // columns, bytes, rows
		[]byte{0},
	)
	return slices.Concat([]byte(magic), meta, binary.LittleEndian.AppendUint32(nil, uint32(len(meta))), []byte(magic))
}

// openPlain opens a file whose pages are read through unpacked.
func openPlain(in columnar.Input) (stored *parquet.File, f *footer, err error) {
	data, err := readFooter(in)
	if err != nil {
		return nil, nil, err
	}
	if f, err = parseFooter(data); err != nil {
		return nil, nil, err
	}
	if err := f.check(in.Size); err != nil {
		return nil, nil, err
	}
	plain := f.plain()
	if stored, err = parquet.OpenFile(bytes.NewReader(plain), int64(len(plain)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err != nil {
		return nil, nil, err
	}
	for _, g := range f.groups {
		if len(g.chunks) != len(stored.RowGroups()[0].ColumnChunks()) {
			return nil, nil, fmt.Errorf("the file is damaged: a row group has %d columns, the schema %d", len(g.chunks), len(stored.RowGroups()[0].ColumnChunks()))
		}
	}
	return stored, f, nil
}
