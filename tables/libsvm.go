package tables

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// LibSVMOptions, of which Features must be set, name the columns of a file in the format of libsvm.
type LibSVMOptions struct {
	// Features names the column of kind Vector, Label that of the labels; "" leaves labels out, as is done
	// with labels that are the same in every row, which stand in files that have none.
	Features, Label string
	// Text reads labels as text, to classify.
	Text bool
}

// maxIndex bounds the indices of a file: products of sparse rows hold some bytes for each.
const maxIndex = 1 << 24

// A Sparse is a table in memory with one column of kind Vector, and perhaps one of labels, as a Source. It is
// made by ReadLibSVM, OpenLibSVM or FromSparse, does not change, and is safe for concurrent use.
type Sparse struct {
	columns []Column
	cells   SparseRows
	numbers []float64 // labels
	words   []string  // or these
	places  *places   // nil unless the rows are from a file
}

var _ Source = (*Sparse)(nil)

// FromSparse returns the rows of x, a mat.RowNonZeroDoer such as the CSR of james-bowman/sparse, as a Source of
// one column of kind Vector. Columns may come in any order within a row, each once. x is copied. The error says
// that there are no rows, or names the row and the column, counted from 0, of a value that is not finite or whose
// square is not, or of a column that comes twice.
func FromSparse(name string, x mat.Matrix) (*Sparse, error) {
	rows, width := x.Dims()
	sparse, ok := x.(mat.RowNonZeroDoer)
	if !ok {
		panic("tables: a matrix without DoRowNonZero is not sparse: use FromMatrix")
	}
	s := &Sparse{columns: []Column{{Name: name, Kind: Vector}}, cells: SparseRows{Width: width, Start: []int{0}}}
	if rows == 0 {
		return nil, errors.New("tables: matrix: no rows")
	}
	for i := range rows {
		var row []element
		sparse.DoRowNonZero(i, func(_, j int, v float64) { row = append(row, element{j, v}) })
		if err := s.cells.add(row); err != nil {
			return nil, fmt.Errorf("tables: column %q: row %d (from 0): %w", name, i, err)
		}
	}
	return s, checkNames([]string{name})
}

// OpenLibSVM reads a file, plain or gzip, "-" for standard input, in the format of libsvm,
//
//	label index:value index:value ...
//
// with indices from 1, ascending within a line, and an optional comment after "#". It is kept in memory, 16 bytes
// an element. Errors name the file, the line and what is wrong with it; ctx ends the reading.
func OpenLibSVM(ctx context.Context, path string, opt LibSVMOptions) (*Sparse, error) {
	in, err := openInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	text, packed, err := in.text(ctx, 0)
	if err != nil {
		return nil, err
	}
	s, err := ReadLibSVM(in.name, text, opt)
	if packed && errors.Is(err, io.ErrUnexpectedEOF) {
		err = damagedGzip(err)
	}
	return s, err
}

// MeasureLibSVM returns the size in bytes of the table that OpenLibSVM makes of a file, from the number of its colons and
// lines. Standard input cannot be read twice and has the size 0.
func MeasureLibSVM(ctx context.Context, path string) (int64, error) {
	if path == "-" {
		return 0, nil
	}
	in, err := openInput(ctx, path)
	if err != nil {
		return 0, err
	}
	defer in.close()
	text, _, err := in.text(ctx, 0)
	if err != nil {
		return 0, err
	}
	size := int64(16)
	for {
		block, err := text.Peek(text.Size())
		size += 16 * int64(bytes.Count(block, []byte(":"))+bytes.Count(block, []byte("\n")))
		if _, skip := text.Discard(len(block)); err != nil || skip != nil {
			return size, nil // OpenLibSVM says what is wrong
		}
	}
}

// ReadLibSVM is OpenLibSVM for a reader; errors call it by the name given.
func ReadLibSVM(name string, r io.Reader, opt LibSVMOptions) (*Sparse, error) {
	s := &Sparse{places: &places{file: name}, cells: SparseRows{Start: []int{0}}, columns: []Column{{Name: opt.Features, Kind: Vector}}}
	names := []string{opt.Features}
	if opt.Label != "" {
		s.columns = append(s.columns, Column{Name: opt.Label, Kind: Numeric})
		if opt.Text {
			s.columns[1].Kind = Text
		}
		names = append(names, opt.Label)
	}
	if err := checkNames(names); err != nil {
		return nil, fmt.Errorf("tables: %s: %w", name, err)
	}
	lines := bufio.NewReaderSize(r, defaultReaderBuffer)
	for line := 1; ; line++ {
		text, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("tables: %s: %w", name, err)
		}
		text, _, _ = strings.Cut(text, "#")
		if fields := strings.Fields(text); len(fields) > 0 {
			if err := s.addLine(fields); err != nil {
				return nil, fmt.Errorf("tables: %s:%d: %w", name, line, err)
			}
			s.places.add(line)
		}
		if err == io.EOF {
			break
		}
	}
	if s.Rows() == 0 {
		return nil, fmt.Errorf("tables: %s: no rows", name)
	}
	s.dropConstantLabel()
	return s, nil
}

func (s *Sparse) dropConstantLabel() {
	for i := 1; i < s.Rows(); i++ {
		if s.words != nil && s.words[i] != s.words[0] || s.numbers != nil && s.numbers[i] != s.numbers[0] {
			return
		}
	}
	s.columns, s.words, s.numbers = s.columns[:1], nil, nil
}

// addLine adds the fields of a line: the label and the elements.
func (s *Sparse) addLine(fields []string) error {
	if len(s.columns) > 1 {
		if err := s.addLabel(fields[0]); err != nil {
			return err
		}
	}
	row := make([]element, len(fields)-1)
	for i, field := range fields[1:] {
		var err error
		if row[i], err = parseElement(field); err != nil {
			return err
		}
		if i > 0 && row[i].column <= row[i-1].column {
			return fmt.Errorf("index %d after index %d, want ascending ones", row[i].column+1, row[i-1].column+1)
		}
	}
	return s.cells.add(row)
}

func (s *Sparse) addLabel(text string) error {
	if strings.Contains(text, ":") {
		return fmt.Errorf("the line begins with %s, want a label", quote(text))
	}
	if s.columns[1].Kind == Text {
		s.words = append(s.words, text)
		return nil
	}
	v, class := parseCell(text, '.')
	if class != cellNumber && class != cellMissing {
		return fmt.Errorf("the label %s is not a number", quote(text))
	}
	s.numbers = append(s.numbers, v)
	return nil
}

func parseElement(field string) (element, error) {
	index, value, ok := strings.Cut(field, ":")
	j, err := strconv.Atoi(index)
	if !ok || err != nil || j < 1 || j > maxIndex {
		return element{}, fmt.Errorf("%s is no element, want index:value with an index from 1", quote(field))
	}
	v, class := parseCell(value, '.')
	if class != cellNumber {
		return element{}, fmt.Errorf("the value of index %d is %s, want a number", j, quote(value))
	}
	return element{j - 1, v}, nil
}

// Columns lists the sparse column and then the labels, if there are any.
func (s *Sparse) Columns() []Column { return s.columns }

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return len(s.cells.Start) - 1 }

// Batches yields views of the table, which must not be changed.
func (s *Sparse) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for start := 0; start < s.Rows(); start += BlockRows {
			if err := ctx.Err(); err != nil {
				yield(Batch{}, err)
				return
			}
			end := min(s.Rows(), start+BlockRows)
			b := Batch{Start: start, Rows: end - start, Sparse: []SparseRows{s.cells.slice(start, end)}}
			if s.numbers != nil {
				b.Num = mat.NewDense(end-start, 1, s.numbers[start:end])
			}
			if s.words != nil {
				b.Text = [][]string{s.words[start:end]}
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
