package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"codeberg.org/sbinet/npyio/npy"

	"mediant/tables"
)

// magic is how an NPY file begins.
const magic = "\x93NUMPY"

// noColumn says why an array that is whole makes no columns of a table.
type noColumn string

func (e noColumn) Error() string { return string(e) }

// A header says what an array is and where its bytes begin.
type header struct {
	elem    element
	fortran bool
	rows    int
	columns int  // of a matrix; 1 of a vector
	matrix  bool // it has two dimensions
	start   int64
}

// readHeader reads that of an array of size bytes in all. Nothing is allocated that the file does not hold.
func readHeader(r io.Reader, size int64) (h header, err error) {
	var fixed [12]byte
	n, err := io.ReadFull(r, fixed[:10])
	if err != nil {
		return h, fmt.Errorf("%d bytes are no NPY file", n)
	}
	if string(fixed[:6]) != magic {
		return h, errors.New("is no NPY file")
	}
	length, begin := int64(binary.LittleEndian.Uint16(fixed[8:10])), int64(10)
	if fixed[6] != 1 {
		if _, err := io.ReadFull(r, fixed[10:12]); err != nil {
			return h, errors.New("the file is cut in its header")
		}
		length, begin = int64(binary.LittleEndian.Uint32(fixed[8:12])), 12
	}
	if begin+length > size {
		return h, fmt.Errorf("its header claims %d bytes, the file has %d", length, size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, errors.New("the file is cut in its header")
	}
	d, err := parseHeader(fixed[:begin], text)
	if err != nil {
		return h, err
	}
	h.start, h.fortran = begin+length, d.Fortran
	if h.elem, err = parseElement(d.Type); err != nil {
		return h, err
	}
	return h, h.shape(d.Shape, size)
}

// shape settles rows and columns, and refuses an array that the file has not all bytes of.
func (h *header) shape(dims []int, size int64) error {
	switch len(dims) {
	case 1:
		h.rows, h.columns = dims[0], 1
	case 2:
		h.rows, h.columns, h.matrix = dims[0], dims[1], true
	default:
		return noColumn(fmt.Sprintf("the array has %d dimensions, want 1 or 2", len(dims)))
	}
	if slices.Min(dims) < 0 {
		return fmt.Errorf("the array has the shape %v", dims)
	}
	if h.rows == 0 { // before columns are made of which the file has nothing
		return tables.ErrNoRows
	}
	have := size - h.start
	if width := int64(h.elem.size); h.columns > 0 && int64(h.rows) > have/width/int64(h.columns) {
		return fmt.Errorf("its header claims %d × %d elements of %d bytes, the file has %d bytes", h.rows, h.columns, width, have)
	}
	return nil
}

// description is what the library says of an array.
type description struct {
	Type    string
	Fortran bool
	Shape   []int
}

// parseHeader has the library read a header, which panics on some that are damaged.
func parseHeader(fixed, text []byte) (d description, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("its header is damaged")
		}
	}()
	if fixed[6] == 3 { // is 2 but for names of fields in UTF-8
		fixed[6] = 2
	}
	r, err := npy.NewReader(io.MultiReader(strings.NewReader(string(fixed)), strings.NewReader(string(text))))
	if err != nil {
		return d, fmt.Errorf("its header: %w", err)
	}
	return description{r.Header.Descr.Type, r.Header.Descr.Fortran, r.Header.Descr.Shape}, nil
}

// An element is a cell of an array: its kind as NumPy writes it (f, i, u, b, U, S), its bytes and their order.
type element struct {
	kind  byte
	size  int
	order binary.ByteOrder
}

// parseElement reads a type such as '<f8'.
func parseElement(descr string) (element, error) {
	refuse := noColumn(fmt.Sprintf("elements are of type %s, want numbers, truth values or text", strings.TrimSpace(descr)))
	s := strings.Trim(descr, "'\" ")
	if len(s) < 2 || strings.ContainsAny(s, "[(,") {
		return element{}, refuse
	}
	e := element{order: binary.LittleEndian}
	switch s[0] {
	case '>':
		e.order = binary.BigEndian
		s = s[1:]
	case '<', '=', '|':
		s = s[1:]
	}
	e.kind = s[0]
	size, err := strconv.Atoi(s[1:])
	if err != nil || size < 1 || size > 1<<20 { // NumPy writes text of no letters as one letter wide
		return element{}, refuse
	}
	e.size = size
	ok := map[byte][]int{'f': {2, 4, 8}, 'i': {1, 2, 4, 8}, 'u': {1, 2, 4, 8}, 'b': {1}}
	switch {
	case e.kind == 'U':
		e.size *= 4
	case e.kind == 'S':
	case !slices.Contains(ok[e.kind], size):
		return element{}, refuse
	}
	return e, nil
}
