package csv

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mediant/internal/input"
	"mediant/tables"
)

var _ tables.File = (*File)(nil)

// Options describe the dialect of a CSV file and how its columns are read. The zero value reads comma-separated cells with
// decimal points.
type Options struct {
	// Comma is the delimiter. 0 means ',', or, where the header has none, the one of ';', tab and '|' that alone cuts the first 100 records evenly; if Decimal is ',' it means ';', or ',' where cells between commas are numbers in quotes that have
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
	Only []tables.Column
	// KeepRows takes every record below the header for a row, so that row i of the table is record i of the file: rows without
	// any value, a second header, units, sums and notes are not left out (see the package documentation).
	KeepRows bool
	// Rename has new names for columns, by their old ones. All other options use the new names. Old ones that the file has not have no
	// effect, so that one map serves both tables: File.Renamed returns those that it has. It is an error if two columns have one name then.
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
	// Ignore is of no account in CSV: see tables.ReadOptions.
	Ignore []string
	// Lenient reads columns that would be refused for cells that are no numbers, or no dates, as text, so that all of them can be looked
	// at. Other faults stay errors.
	Lenient bool
	// ReaderBuffer is the number of bytes asked of the file at a time, and, up to 128 KiB, parsed by one goroutine; 0 means 64 KiB and 128 KiB. What is read
	// does not depend on it.
	ReaderBuffer int
}

// Columns are the options that every format has.
func (o Options) Columns() tables.ReadOptions {
	return tables.ReadOptions{Text: o.Text, Numbers: o.Numbers, Only: o.Only, Rename: o.Rename, Aliases: o.Aliases, NA: o.NA, Dates: o.Dates, Ignore: o.Ignore, Lenient: o.Lenient}
}

// maxBuffer bounds ReaderBuffer.
const maxBuffer = 1 << 30

// marks returns the delimiter and the decimal mark.
func (o Options) marks() (comma rune, decimal byte, err error) {
	if o.ReaderBuffer < 0 || o.ReaderBuffer > maxBuffer {
		return 0, 0, fmt.Errorf("csv: csv.Options.ReaderBuffer is %d, must be at least 0 and at most %d", o.ReaderBuffer, maxBuffer)
	}
	decimal = '.'
	switch o.Decimal {
	case 0, '.':
	case ',':
		decimal = ','
	default:
		return 0, 0, fmt.Errorf("csv: the decimal mark is %q, want '.' or ','", o.Decimal)
	}
	comma = o.Comma
	if comma == 0 {
		comma = ','
		if decimal == ',' {
			comma = ';'
		}
	}
	if !canDelimit(comma) {
		return 0, 0, fmt.Errorf("csv: %q cannot be a delimiter", comma)
	}
	return comma, decimal, nil
}

func canDelimit(c rune) bool {
	return !strings.ContainsRune("\"\r\n+-.eE0123456789", c) && c != utf8.RuneError && utf8.ValidRune(c)
}

// A dialect is how the text of a file is cut into cells.
type dialect struct {
	comma        rune
	defaultComma bool // it is unset, and the file may set it
	decimal      byte
	buffer       int
	rename       map[string]string
	aliases      map[string]string
}

func (o Options) format() (dialect, error) {
	comma, decimal, err := o.marks()
	return dialect{comma, o.Comma == 0, decimal, o.ReaderBuffer, o.Rename, o.Aliases}, err
}

// A File is a CSV file as a Source. It is made by Open; the package documentation has the rules
// by which it reads. Several passes may run at the same time.
type File struct {
	in     input.File
	format dialect
	keep   bool // every record is a row
	names  []string
	layout
	rows    int
	renamed []string
	mu      sync.Mutex // of kept
}

// Open opens a CSV file, plain or gzip, and reads it once to check it, to count its rows and to
// find the kinds of its columns; each pass of Batches then parses it again, a few megabytes at a time on as many goroutines as there
// are processors. Up to 128 MiB of a table of nothing but numbers are kept until the next pass, which need not parse then. The path "-" is standard input, which is copied to a temporary file, as is
// a named pipe. Errors name the file, the line of the file, the column and the cell.
//
// The File must be closed, which also removes the temporary file. ctx ends the reading, and is not kept.
func Open(ctx context.Context, path string, opt Options) (*File, error) {
	if _, _, err := opt.marks(); err != nil {
		return nil, err
	}
	in, err := input.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	return OpenInput(ctx, in, opt)
}

// OpenInput is Open of what package formats has opened to see what it is.
func OpenInput(ctx context.Context, in input.File, opt Options) (*File, error) {
	c, err := newFile(ctx, in, opt)
	if err != nil {
		in.Close()
		return nil, err
	}
	return c, nil
}

func newFile(ctx context.Context, in input.File, opt Options) (*File, error) {
	format, err := opt.format()
	if err != nil {
		return nil, err
	}
	c := &File{in: in, format: format, keep: opt.KeepRows}
	open := func() (*recordReader, error) {
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
	c.layout, c.rows = *l, l.at.Rows
	return c, nil
}

// Close closes the file; after it, Batches yields an error.
func (c *File) Close() error {
	c.takeKept()
	return c.in.Close()
}

// Columns lists the columns in the order of the file. The caller must not change the slice.
func (c *File) Columns() []tables.Column { return c.columns }

// Rows returns the number of rows, the header not counted.
func (c *File) Rows() int { return c.rows }

// Facts tells the number of rows, where they are in the file, and what reading it found.
func (c *File) Facts() tables.Facts {
	return tables.Facts{Rows: c.rows, TextBytes: c.in.Size, Place: c.at.Place, Skips: c.skips, Mixed: c.mixed, UnsureDates: c.unsure}
}

// Renamed returns the old names in csv.Options.Rename that the file has, in canonical form.
func (c *File) Renamed() []string { return slices.Clone(c.renamed) }

// Batches reads the file from its start. The cells of a text column share memory with the line they
// are from: clone what is to outlive the batch.
func (c *File) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		if err := c.stream(ctx, func(b tables.Batch) bool { return yield(b, nil) }); err != nil && err != errStopped {
			yield(tables.Batch{}, err)
		}
	}
}

func (c *File) changed() error {
	return fmt.Errorf("csv: %s: the file changed while it was read", c.in.Name)
}
