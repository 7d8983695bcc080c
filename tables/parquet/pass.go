package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/parquet-go/parquet-go"

	"mediant/internal/input"
	"mediant/tables/internal/columnar"
)

// A cursor goes through the rows of a leaf, over pages and row groups.
type cursor struct {
	file   *file
	room   *input.Room
	leaf   int
	group  int           // the next
	pages  parquet.Pages // of the one before
	stored *unpacked     // which they are read from
	page   parquet.Page
	reader parquet.ValueReader
	values []parquet.Value
	at, n  int // in values
	items  []parquet.Value
}

// cursorValues are read at a time.
const cursorValues = 1024

func (f *file) newCursor(leaf int, r *input.Room) *cursor {
	return &cursor{file: f, room: r, leaf: leaf, values: make([]parquet.Value, cursorValues)}
}

// peek returns the next value, valid until the one after the next is asked for, or io.EOF.
func (c *cursor) peek() (*parquet.Value, error) {
	for c.at == c.n {
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	return &c.values[c.at], nil
}

// load reads on: values of the page, the next page, or the next row group.
func (c *cursor) load() (err error) {
	switch {
	case c.reader != nil:
		c.at = 0
		if c.n, err = c.reader.ReadValues(c.values); err == io.EOF {
			c.reader, err = nil, nil
		} else if err == nil && c.n == 0 {
			err = io.ErrNoProgress
		}
		return err
	case c.pages != nil:
		c.release()
		if c.page, err = c.pages.ReadPage(); err == io.EOF {
			err = c.pages.Close()
			c.pages = nil
			c.stored.release()
			return err
		}
		if err == nil {
			c.reader = c.page.Values()
		}
		return err
	case c.group == len(c.file.groups):
		return io.EOF
	}
	stored := c.file.stored.RowGroups()[0].ColumnChunks()[c.leaf].(*parquet.FileColumnChunk)
	c.stored = c.file.groups[c.group].chunks[c.leaf].pages(c.file.in, c.file.levels[c.leaf], c.room)
	c.pages = stored.PagesFrom(c.stored)
	c.group++
	return nil
}

// row returns the values of the next row, valid until the next call.
func (c *cursor) row() ([]parquet.Value, error) {
	v, err := c.peek()
	if err != nil {
		return nil, err
	}
	c.items = append(c.items[:0], v.Clone()) // the next value may be on another page
	for c.at++; ; c.at++ {
		v, err := c.peek()
		if err == io.EOF || err == nil && v.RepetitionLevel() == 0 {
			return c.items, nil
		}
		if err != nil {
			return nil, err
		}
		c.items = append(c.items, v.Clone())
	}
}

func (c *cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

func (c *cursor) close() {
	c.release()
	if c.pages != nil {
		c.pages.Close()
	}
}

// A column is a leaf in a pass, and where its values go.
type column struct {
	leaf
	*cursor
	row  int
	to   []*columnar.Buffer // of each item that is wanted
	item []int
}

// A pass reads blocks of rows of the leaves that are wanted.
type pass struct {
	file    *file
	columns []*column
	buffers []columnar.Buffer
}

func (f *file) newPass(wants []columnar.Want) *pass {
	of, room := map[int]*column{}, input.ColumnsRoom(f.in.Size, len(f.fields))
	p := &pass{file: f, buffers: columnar.NewBuffers(wants, room)}
	for k, w := range wants {
		at := f.of[w.Field]
		c := of[at.leaf]
		if c == nil {
			c = &column{leaf: f.leaves[at.leaf], cursor: f.newCursor(at.leaf, room)}
			of[at.leaf] = c
			p.columns = append(p.columns, c)
		}
		c.to, c.item = append(c.to, &p.buffers[k]), append(c.item, at.item)
	}
	return p
}

func (p *pass) close() {
	for _, c := range p.columns {
		c.close()
	}
}

// read reads n rows, columns on as many threads as there are.
func (p *pass) read(ctx context.Context, n int) (columnar.Block, error) {
	for i := range p.buffers {
		p.buffers[i].Reset()
	}
	if err := ctx.Err(); err != nil {
		return columnar.Block{}, err
	}
	threads := min(runtime.GOMAXPROCS(0), len(p.columns))
	errs := make([]error, threads)
	var wait sync.WaitGroup
	for t := range threads {
		wait.Go(func() {
			defer columnar.Located("parquet", p.file.name, &errs[t])
			for i := t; i < len(p.columns) && errs[t] == nil; i += threads {
				errs[t] = p.columns[i].read(n)
			}
		})
	}
	wait.Wait()
	return columnar.BlockOf(n, p.buffers), cmp.Or(errs...)
}

// end refuses columns that go on behind the last row.
func (p *pass) end() (err error) {
	defer columnar.Located("parquet", p.file.name, &err)
	for _, c := range p.columns {
		if _, err := c.peek(); err == nil {
			return fmt.Errorf("column %q: it has more values than the file has rows", c.name)
		} else if err != io.EOF {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	return nil
}

// read adds n rows to the buffers.
func (c *column) read(n int) error {
	for end := c.row + n; c.row < end; {
		if err := c.readSome(end - c.row); err != nil {
			if err == io.EOF {
				err = errors.New("the file ends before")
			}
			return fmt.Errorf("column %q: row %d: %w", c.name, c.row+1, err)
		}
	}
	return nil
}

// readSome adds at least one row, and at most n: of plain values as many as are decoded.
func (c *column) readSome(n int) error {
	if c.list > 0 {
		return c.readList()
	}
	if _, err := c.peek(); err != nil {
		return err
	}
	for _, v := range c.values[c.at:min(c.at+n, c.n)] {
		if err := c.add(c.to[0], v); err != nil {
			return err
		}
		c.at++
		c.row++
	}
	return nil
}

func (c *column) readList() error {
	items, err := c.cursor.row()
	if err != nil {
		return err
	}
	for k, i := range c.item {
		var item parquet.Value // null
		if len(items) == c.list {
			item = items[i]
		}
		if err := c.add(c.to[k], item); err != nil {
			return err
		}
	}
	c.row++
	return nil
}

func (c *column) add(to *columnar.Buffer, v parquet.Value) error {
	if v.IsNull() {
		to.Missing()
		return nil
	}
	return c.decode(to, v)
}
