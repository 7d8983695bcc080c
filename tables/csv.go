package tables

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

var _ Source = (*CSV)(nil)

// CSVOptions say how a CSV file is written. The zero value reads comma-separated cells with
// decimal points.
type CSVOptions struct {
	// Comma is the delimiter. 0 means ','; if Decimal is ',' it means ';', or ',' where cells between commas are numbers in quotes that have
	// decimal commas.
	Comma rune
	// Decimal is the decimal mark, '.' or ','. 0 means '.'. Where the delimiter is ',' too, numbers with decimal commas must be in quotes.
	Decimal rune
	// Text has names or globs (see MatchNames) of columns to read as text whatever their cells look
	// like. Those that match no column have no effect, so that one list serves both tables.
	Text []string
	// Numbers has names or globs of columns to read as numbers: a cell that is not a number is then
	// an error, however many there are.
	Numbers []string
	// Only, if not nil, lists the columns that matter, with the kinds they must have, and replaces Text
	// and Numbers: all other columns are read as text, which nothing but bytes that are not UTF-8 can
	// offend. Columns that the file has not are no error here: Select names them.
	Only []Column
	// KeepRows takes every record below the header for a row, so that row i of the table is record i of the file: rows without
	// any value, a second header, units, sums and notes are not left out (see the package documentation).
	KeepRows bool
	// Rename has new names for columns, by their old ones. All other options use the new names. Old ones that the file has not have no
	// effect, so that one map serves both tables: CSV.Renamed tells which it has. It is an error if two columns have one name then.
	Rename map[string]string
	// Aliases is like Rename, but where two columns would have one name by that, those have no effect whose new name the file has: it may be
	// the table before or after it was renamed.
	Aliases map[string]string
	// NA are further markers of missing values, such as "." or "-99", in columns of numbers and of text, or COLUMN=MARKER for those in
	// columns that a name or glob matches. Spaces around cells are ignored, and numbers compare as numbers: -99 is -99.0. Columns that
	// the file has not are no error.
	NA []string
	// Dates has names or globs of columns of dates, with or without a time of day: 2024-03-01, 2024-03-01T12:00:00Z, 2024/03/01,
	// 01.03.2024, 03/01/2024, 1 Mar 2024. Such a column NAME becomes four columns of numbers: "NAME year", "NAME month", "NAME weekday", 1 to 7 from
	// Monday, and "NAME days" since 1970-01-01, with the time of day as a fraction; to patterns of names NAME is all four. Where no
	// day above 12 shows the order of day and month between slashes or hyphens, NAME=dmy or NAME=mdy must. NAME=excel reads numbers as days as spreadsheets
	// count them, 45000 being 2023-03-15, and other cells as written. With Only, a column of which no part is
	// listed is not read as dates.
	Dates []string
	// Lenient reads columns that would be refused for cells that are no numbers, or no dates, as text, so that all of them can be looked
	// at. Other faults stay errors.
	Lenient bool
	// ReaderBuffer is the number of bytes asked of the file at a time, 0 means 64 KiB. What is read
	// does not depend on it.
	ReaderBuffer int
}

// maxBuffer bounds ReaderBuffer.
const maxBuffer = 1 << 30

// marks returns the delimiter and the decimal mark.
func (o CSVOptions) marks() (comma rune, decimal byte, err error) {
	if o.ReaderBuffer < 0 || o.ReaderBuffer > maxBuffer {
		return 0, 0, fmt.Errorf("tables: CSVOptions.ReaderBuffer is %d, must be at least 0 and at most %d", o.ReaderBuffer, maxBuffer)
	}
	decimal = '.'
	switch o.Decimal {
	case 0, '.':
	case ',':
		decimal = ','
	default:
		return 0, 0, fmt.Errorf("tables: the decimal mark is %q, want '.' or ','", o.Decimal)
	}
	comma = o.Comma
	if comma == 0 {
		comma = ','
		if decimal == ',' {
			comma = ';'
		}
	}
	if !canDelimit(comma) {
		return 0, 0, fmt.Errorf("tables: %q cannot be a delimiter", comma)
	}
	return comma, decimal, nil
}

func canDelimit(c rune) bool {
	return !strings.ContainsRune("\"\r\n+-.eE0123456789", c) && c != utf8.RuneError && utf8.ValidRune(c)
}

// A csvFormat is how the text of a file is cut into cells.
type csvFormat struct {
	comma        rune
	defaultComma bool // it is unset, and the file may set it
	decimal      byte
	buffer       int
	rename       map[string]string
	aliases      map[string]string
}

func (o CSVOptions) format() (csvFormat, error) {
	comma, decimal, err := o.marks()
	return csvFormat{comma, o.Comma == 0, decimal, o.ReaderBuffer, o.Rename, o.Aliases}, err
}

// A CSV is a CSV file as a Source. It is made by OpenCSV; the package documentation has the rules
// by which it reads. Several passes may run at the same time.
type CSV struct {
	in     input
	format csvFormat
	keep   bool // every record is a row
	names  []string
	layout
	rows    int
	renamed []string
}

// OpenCSV opens a CSV file, plain or gzip, and reads it once to check it, to count its rows and to
// find the kinds of its columns; each pass of Batches then parses it again, in memory of the order
// of one block of rows. The path "-" is standard input, which is copied to a temporary file, as is
// a named pipe. Errors name the file, the line of the file, the column and the cell.
//
// The CSV must be closed, which also removes the temporary file. ctx ends the reading, and is not kept.
func OpenCSV(ctx context.Context, path string, opt CSVOptions) (*CSV, error) {
	if _, _, err := opt.marks(); err != nil {
		return nil, err
	}
	in, err := openInput(ctx, path)
	if err != nil {
		return nil, err
	}
	c, err := newCSV(ctx, in, opt)
	if err != nil {
		in.close()
		return nil, err
	}
	return c, nil
}

func newCSV(ctx context.Context, in input, opt CSVOptions) (*CSV, error) {
	format, err := opt.format()
	if err != nil {
		return nil, err
	}
	c := &CSV{in: in, format: format, keep: opt.KeepRows}
	open := func() (*csvRows, error) {
		rows, err := openRows(ctx, &c.in, format)
		if err == nil {
			c.names, c.renamed = rows.names, rows.renamed
		}
		return rows, err
	}
	l, err := scanColumns(open, opt, format.decimal)
	if err != nil {
		return nil, err
	}
	c.layout, c.rows = *l, l.places.next
	return c, nil
}

// Close closes the file; after it, Batches yields an error.
func (c *CSV) Close() error { return c.in.close() }

// Columns lists the columns in the order of the file. The caller must not change the slice.
func (c *CSV) Columns() []Column { return c.columns }

// Rows returns the number of rows, the header not counted.
func (c *CSV) Rows() int { return c.rows }

// Renamed returns the old names in CSVOptions.Rename that the file has, in canonical form.
func (c *CSV) Renamed() []string { return slices.Clone(c.renamed) }

// Batches reads the file from its start. The cells of a text column share memory with the line they
// are from: clone what is to outlive the batch.
func (c *CSV) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		if err := c.stream(ctx, func(b Batch) bool { return yield(b, nil) }); err != nil {
			yield(Batch{}, err)
		}
	}
}

// stream passes the batches to use until it returns false.
func (c *CSV) stream(ctx context.Context, use func(Batch) bool) error {
	rows, err := openRows(ctx, &c.in, c.format)
	if err != nil {
		return err
	}
	if !slices.Equal(rows.names, c.names) {
		return c.changed()
	}
	sieve := &sieve{rows: rows, fields: c.fields, known: true, keep: c.keep, drop: c.drop}
	block := c.newBlock()
	for start := 0; start < c.rows; start += block.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := block.fill(sieve, min(BlockRows, c.rows-start)); err != nil {
			return err
		}
		if !use(block.batch(start)) {
			return nil
		}
	}
	if _, err := sieve.nextRow(); err != io.EOF {
		if err == nil {
			err = c.changed()
		}
		return err
	}
	if sieve.read != c.records {
		return c.changed()
	}
	return nil
}

func (c *CSV) changed() error {
	return fmt.Errorf("tables: %s: the file changed while it was read", c.in.name)
}

// A csvBlock holds the rows of a batch; its memory is reused for the next.
type csvBlock struct {
	csv     *CSV
	rows    int
	numeric int       // number of numeric columns
	num     []float64 // rows × numeric
	text    [][]string
}

func (c *CSV) newBlock() *csvBlock {
	b := &csvBlock{csv: c}
	_, numeric, text := kindIndexes(c.columns)
	size := min(BlockRows, c.rows)
	b.numeric = numeric
	b.num = make([]float64, size*numeric)
	b.text = make([][]string, text)
	for i := range b.text {
		b.text[i] = make([]string, size)
	}
	return b
}

// fill reads n rows.
func (b *csvBlock) fill(rows *sieve, n int) error {
	for i := range n {
		record, err := rows.nextRow()
		if err == io.EOF {
			return b.csv.changed()
		}
		if err != nil {
			return err
		}
		if err := b.setRow(i, record, rows.rows); err != nil {
			return err
		}
	}
	b.rows = n
	return nil
}

func (b *csvBlock) setRow(i int, record []string, rows *csvRows) error {
	row := b.num[i*b.numeric : (i+1)*b.numeric]
	for j, cell := range record {
		f := &b.csv.fields[j]
		if f.na.has(trimSpaces(cell)) {
			cell = ""
		}
		if f.kind == Text {
			b.text[f.at][i] = cell
			continue
		}
		if f.date {
			if !f.setDate(row, trimSpaces(cell), b.csv.format.decimal) {
				return fmt.Errorf("%w; line %d is new", b.csv.changed(), rows.line(j))
			}
			continue
		}
		v, class := parseCell(cell, b.csv.format.decimal)
		if class != cellNumber && class != cellMissing {
			// The first pass has seen this file without such a cell.
			return fmt.Errorf("%w; line %d is new", b.csv.changed(), rows.line(j))
		}
		row[f.at] = v
	}
	return nil
}

// setDate stores the parts of a date in a row of numbers.
func (f *csvField) setDate(row []float64, cell string, decimal byte) bool {
	parts := row[f.at : f.at+len(datePartNames)]
	if cell == "" || usualMarker(cell) {
		for i := range parts {
			parts[i] = math.NaN()
		}
		return true
	}
	d, ok := f.how.date(cell, decimal)
	if ok {
		d.partsTo(parts)
	}
	return ok
}

func (b *csvBlock) batch(start int) Batch {
	batch := Batch{Start: start, Rows: b.rows}
	if b.numeric > 0 {
		batch.Num = mat.NewDense(b.rows, b.numeric, b.num[:b.rows*b.numeric])
	}
	if len(b.text) > 0 {
		batch.Text = make([][]string, len(b.text))
		for i := range b.text {
			batch.Text[i] = b.text[i][:b.rows]
		}
	}
	return batch
}
