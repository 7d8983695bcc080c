package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/input"
	"mediant/internal/literal"
	"mediant/tables"
	"mediant/tables/internal/cells"
)

// errStopped ends a pass whose caller wants no more.
var errStopped = errors.New("stopped")

// stream passes the batches to use until it returns false, and returns errStopped then.
func (c *File) stream(ctx context.Context, use func(tables.Batch) bool) error {
	rows, err := openRows(ctx, &c.in, c.format)
	if err != nil {
		return err
	}
	if !slices.Equal(rows.names, c.names) {
		return c.changed()
	}
	rows.begun = true // the first pass has seen a row
	p := &pass{file: c, ctx: ctx, rows: rows, drop: c.drop, block: c.newBlock(), room: input.NewRoom(c.in.Size), batches: use}
	p.sieve = sieve{header: &rows.header, fields: c.fields, known: true, keep: c.keep}
	p.fast = !slices.ContainsFunc(c.fields, func(f cells.Field) bool { return f.NA != nil || f.Date || f.Kind != tables.Numeric })
	if k := c.takeKept(); k != nil {
		return p.useKept(k)
	}
	if err := eachChunk(rows, p.parse, p.use); err != nil {
		return err
	}
	if p.start != c.rows || p.read != c.records {
		return c.changed()
	}
	return nil
}

// A pass makes batches of a file whose columns are known.
type pass struct {
	sieve
	file    *File
	ctx     context.Context
	rows    *recordReader
	read    int   // records so far
	fast    bool  // all columns are of numbers, without markers of missing values
	drop    []int // numbers of those behind them that are no rows, ascending
	block   *block
	start   int // rows before those of the block
	room    *input.Room
	held    int // bytes of it that the text of the rows of the block takes, chunk by chunk
	batches func(tables.Batch) bool
}

// A parsedChunk has the rows of a chunk.
type parsedChunk struct {
	records records
	rows    []parsedRow
	num     []float64  // rows × numeric columns
	text    [][]string // of each column of text
	read    int        // records
	err     error      // in a record behind all
}

// A parsedRow is a record that is a row, unless the first pass has found that it is none.
type parsedRow struct {
	record int   // its number in the chunk
	err    error // why it cannot be a row
}

// parse reads the rows of a chunk.
func (p *pass) parse(c chunk, to *parsedChunk) {
	in := &to.records
	in.header, in.fast = p.header, p.fast
	in.open(c)
	to.read, to.rows, to.num = 0, to.rows[:0], to.num[:0]
	for i := range to.text {
		to.text[i] = to.text[i][:0]
	}
	for {
		cells, ragged, err := in.read()
		if to.err = err; err != nil {
			return
		}
		if to.read++; to.rows == nil {
			p.makeRoom(to, in.most())
		}
		row := parsedRow{record: to.read - 1}
		n, next := len(to.num), len(to.num)+p.block.numeric
		if in.numeric {
			to.num = slices.Grow(to.num, p.block.numeric)[:next]
			if bad := setNumbers(to.num[n:], in); bad >= 0 {
				row.err = fmt.Errorf("%w; line %d is new", p.file.changed(), in.start)
			}
			to.rows = append(to.rows, row)
			continue
		}
		if skip, _ := p.skip(cells, ragged); skip != "" {
			continue
		}
		to.num = slices.Grow(to.num, p.block.numeric)[:next]
		if ragged {
			row.err = p.rows.raggedError(cells, in.start)
			cells = make([]string, len(p.fields)) // to keep the place of a row
		}
		if bad := p.setRow(to.num[n:next], to.text, cells); bad >= 0 { // the first pass has seen this file without such a cell
			row.err = fmt.Errorf("%w; line %d is new", p.file.changed(), in.line(bad))
		}
		to.rows = append(to.rows, row)
	}
}

// makeRoom makes room for so many rows, which grows if there are more.
func (p *pass) makeRoom(to *parsedChunk, rows int) {
	to.rows, to.num = make([]parsedRow, 0, rows), make([]float64, 0, rows*p.block.numeric)
	for range p.block.text {
		to.text = append(to.text, make([]string, 0, rows))
	}
}

// setNumbers stores the numbers of a numeric record, all of whose columns are, and returns the first that is none that a table can hold, -1 if there is none.
func setNumbers(to []float64, in *records) (bad int) {
	bad = -1
	for j := range to {
		n, cell := in.number(j)
		v, class := n.Parse(cell, in.decimal)
		to[j] = v
		if class != literal.Number {
			bad = j
		}
	}
	return bad
}

// setRow stores the cells of a row, and returns the first that its column cannot hold, -1 if there is none.
func (p *pass) setRow(numbers []float64, text [][]string, cells []string) (bad int) {
	bad = -1
	for j, cell := range cells {
		f := &p.fields[j]
		if f.NA != nil && f.NA.Has(literal.Trim(cell)) {
			cell = ""
		}
		ok := true
		switch {
		case f.Kind == tables.Text:
			text[f.At] = append(text[f.At], cell)
		case f.Date:
			ok = f.SetDate(numbers, literal.Trim(cell), p.decimal)
		default:
			v, class := literal.Parse(cell, p.decimal)
			numbers[f.At], ok = v, class == literal.Number || class == literal.Missing
		}
		if !ok && bad < 0 {
			bad = j
		}
	}
	return bad
}

// use takes the rows of the next chunk.
func (p *pass) use(c *parsedChunk) error {
	if err := p.hold(c); err != nil {
		return err
	}
	for i, row := range c.rows {
		if len(p.drop) > 0 && p.drop[0] == p.read+row.record {
			p.drop = p.drop[1:]
			continue
		}
		if row.err != nil {
			return row.err
		}
		if p.start == p.file.rows {
			return p.file.changed()
		}
		p.block.add(c, i)
		if err := p.flushFull(); err != nil {
			return err
		}
		if p.block.rows == 0 { // what is held is of chunks before
			p.room.Give(p.held - len(c.records.text))
			p.held = len(c.records.text)
		}
	}
	p.read += c.read
	if c.err != io.EOF {
		return p.rows.fault(c.err, c.records.start)
	}
	return nil
}

// hold takes the room for the text of a chunk, which its cells of text share.
func (p *pass) hold(c *parsedChunk) error {
	if len(p.block.text) == 0 {
		return nil
	}
	if err := p.room.Take(len(c.records.text)); err != nil {
		return fmt.Errorf("csv: %s:%d: the text of %d rows %w; decompress the file to read it", p.file.in.Name, c.records.next, tables.BlockRows, err)
	}
	p.held += len(c.records.text)
	return nil
}

// flushFull passes on the batch if it has all its rows.
func (p *pass) flushFull() error {
	if p.block.rows < min(tables.BlockRows, p.file.rows-p.start) {
		return nil
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if !p.batches(p.block.batch(p.start)) {
		return errStopped
	}
	p.start += p.block.rows
	p.block.rows = 0
	return nil
}

// A block holds the rows of a batch; its memory is reused for the next.
type block struct {
	rows    int
	numeric int       // number of numeric columns
	num     []float64 // rows × numeric
	text    [][]string
}

func (c *File) newBlock() *block {
	b := &block{}
	size := min(tables.BlockRows, c.rows)
	for _, column := range c.columns {
		if column.Kind == tables.Text {
			b.text = append(b.text, make([]string, size))
		} else {
			b.numeric++
		}
	}
	b.num = make([]float64, size*b.numeric)
	return b
}

// add adds row i of a chunk.
func (b *block) add(c *parsedChunk, i int) {
	for k, column := range b.text {
		column[b.rows] = c.text[k][i]
	}
	b.addNumbers(c.num[i*b.numeric : (i+1)*b.numeric])
}

// addNumbers adds a row of numbers.
func (b *block) addNumbers(row []float64) {
	copy(b.num[b.rows*b.numeric:], row)
	b.rows++
}

func (b *block) batch(start int) tables.Batch {
	batch := tables.Batch{Start: start, Rows: b.rows}
	if b.numeric > 0 {
		batch.Num = mat.NewDense(b.rows, b.numeric, b.num[:b.rows*b.numeric])
	}
	for _, column := range b.text {
		batch.Text = append(batch.Text, column[:b.rows])
	}
	return batch
}
