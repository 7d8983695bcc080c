package npy

import (
	"context"
	"fmt"
	"io"

	"mediant/internal/input"
	"mediant/tables/internal/columnar"
)

// An array is one NPY file, alone or in an archive.
type array struct {
	header
	name    string // of its columns
	refused string // why it is no column, "" if it is
	data    io.ReaderAt
}

// readArray reads the header of size bytes of data.
func readArray(name string, data io.ReaderAt, size int64) (array, error) {
	h, err := readHeader(io.NewSectionReader(data, 0, size), size)
	return array{header: h, name: name, data: data}, err
}

// fields are the columns: name, or name[0], name[1], ... of a matrix.
func (a *array) fields() []columnar.Field {
	if !a.matrix {
		return []columnar.Field{{Name: a.name, Kind: a.elem.columnKind(), Refused: a.refused}}
	}
	fields := make([]columnar.Field, a.columns)
	for j := range fields {
		fields[j] = columnar.Field{Name: fmt.Sprintf("%s[%d]", a.name, j), Kind: a.elem.columnKind()}
	}
	return fields
}

// A pass reads blocks of rows of an array.
type pass struct {
	*array
	columns []int // that are wanted
	bytes   []byte
}

// read adds rows start to start+n of the wanted columns to buffers, one a column.
func (p *pass) read(start, n int, to []*columnar.Buffer) error {
	width := p.elem.size * p.array.columns
	switch {
	case p.fortran:
		return p.readColumns(start, n, to)
	case width > blockBytes: // a row is read cell by cell
		return p.readCells(start, n, to)
	}
	if err := p.load(int64(start)*int64(width), n*width); err != nil {
		return err
	}
	for k, j := range p.columns {
		if err := p.decode(start, n, j*p.elem.size, width, to[k]); err != nil {
			return p.located(j, err)
		}
	}
	return nil
}

// readCells is read for an array of rows that are too wide to be read at once.
func (p *pass) readCells(start, n int, to []*columnar.Buffer) error {
	for row := start; row < start+n; row++ {
		for k, j := range p.columns {
			if err := p.load((int64(row)*int64(p.array.columns)+int64(j))*int64(p.elem.size), p.elem.size); err != nil {
				return err
			}
			if err := p.decode(row, 1, 0, p.elem.size, to[k]); err != nil {
				return p.located(j, err)
			}
		}
	}
	return nil
}

// readColumns is read for an array that is stored by columns.
func (p *pass) readColumns(start, n int, to []*columnar.Buffer) error {
	for k, j := range p.columns {
		if err := p.load((int64(j)*int64(p.rows)+int64(start))*int64(p.elem.size), n*p.elem.size); err != nil {
			return err
		}
		if err := p.decode(start, n, 0, p.elem.size, to[k]); err != nil {
			return p.located(j, err)
		}
	}
	return nil
}

// load reads n bytes of the data.
func (p *pass) load(at int64, n int) error {
	if cap(p.bytes) < n {
		p.bytes = make([]byte, n)
	}
	p.bytes = p.bytes[:n]
	if got, err := p.data.ReadAt(p.bytes, p.start+at); got < n {
		return fmt.Errorf("the file is cut: %w", err)
	}
	return nil
}

// decode adds n elements that are stride bytes apart.
func (p *pass) decode(start, n, first, stride int, to *columnar.Buffer) error {
	for i := range n {
		at := first + i*stride
		if err := p.elem.add(to, p.bytes[at:at+p.elem.size]); err != nil {
			return fmt.Errorf("row %d %w", start+i+1, err)
		}
	}
	return nil
}

func (p *pass) located(column int, err error) error {
	return fmt.Errorf("column %q: %w", p.fields()[column].Name, err)
}

// blockBytes are those of a block of an array, or of a cell that is larger.
const blockBytes = 4 << 20

// rowsAtATime keeps a block of an array within some memory: a block's rows, fewer where they are wide.
func (a *array) rowsAtATime() int {
	return max(1, min(columnar.BlockRows, blockBytes/max(1, a.elem.size*a.columns)))
}

// read yields the rows of arrays side by side; those that are wanted have so many.
func read(ctx context.Context, arrays []array, rows int, wants []columnar.Want, room *input.Room, yield func(columnar.Block, error) bool) {
	buffers := columnar.NewBuffers(wants, room)
	passes, to := passesFor(arrays, wants, buffers)
	step := columnar.RowsAtATime(len(wants))
	for _, p := range passes {
		step = min(step, p.rowsAtATime())
	}
	for start := 0; start < rows; start += step {
		n := min(step, rows-start)
		if err := ctx.Err(); err != nil {
			yield(columnar.Block{}, err)
			return
		}
		for i := range buffers {
			buffers[i].Reset()
		}
		for i, p := range passes {
			if err := p.read(start, n, to[i]); err != nil {
				yield(columnar.Block{}, err)
				return
			}
		}
		if !yield(columnar.BlockOf(n, buffers), nil) {
			return
		}
	}
}

// passesFor returns a pass over each array that has a wanted column, and where its columns go.
func passesFor(arrays []array, wants []columnar.Want, buffers []columnar.Buffer) (passes []*pass, to [][]*columnar.Buffer) {
	first := 0
	for i := range arrays {
		a := &arrays[i]
		p := &pass{array: a}
		var into []*columnar.Buffer
		for k, w := range wants {
			if j := w.Field - first; j >= 0 && j < a.columns {
				p.columns, into = append(p.columns, j), append(into, &buffers[k])
			}
		}
		first += a.columns
		if len(p.columns) > 0 {
			passes, to = append(passes, p), append(to, into)
		}
	}
	return passes, to
}
