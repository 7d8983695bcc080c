package csv

import (
	"io"
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/tables/internal/cells"
	"mediant/tables/notes"
)

// A scannedChunk is what the first pass finds in a chunk by itself. Most rows are looked at there; records of which others decide what they are stand apart,
// to be added to the scan in the order of the file.
type scannedChunk struct {
	chunk   chunk
	records records
	all     []scannedRecord
	apart   []candidate
	skipped map[notes.SkipReason]int // where the first record in apart is that is left out for a reason
	columns []cells.Scan             // of the rows that do not stand apart
	hash    bool                     // one of them begins with #
	marked  bool
	err     error // in a record behind all

	keeps   bool      // all records are rows of numbers
	numbers []float64 // of them, while they are parsed
	kept    []float64 // of them, to be kept
}

// A scannedRecord is a record in the order of the file.
type scannedRecord struct {
	line  int
	apart bool
	empty bool // a cell is
	left  bool // out, as one before it, which counts it
}

// look parses a chunk.
func (s *scan) look(c chunk, found *scannedChunk) {
	found.chunk = c
	found.keeps, found.numbers, found.kept = s.kept != nil, found.numbers[:0], nil
	s.lookApart(c, found, false)
	if found.keeps {
		found.kept = slices.Clone(found.numbers)
	}
}

// lookApart is look, with every record apart if all is set.
func (s *scan) lookApart(c chunk, found *scannedChunk, all bool) {
	in := &found.records
	in.header, in.fast = s.header, !all && !slices.ContainsFunc(s.columns, func(c cells.Scan) bool { return !c.TakesNumerals() })
	in.open(c)
	found.all, found.apart, found.hash, found.marked = found.all[:0], found.apart[:0], false, false
	found.columns, found.skipped = found.columns[:0], map[notes.SkipReason]int{}
	for i := range s.columns {
		found.columns = append(found.columns, s.columns[i].Fresh())
	}
	for {
		cells, ragged, err := in.read()
		if found.err = err; err != nil {
			return
		}
		if found.all == nil {
			found.all = make([]scannedRecord, 0, in.most())
			if found.keeps {
				found.numbers = make([]float64, 0, in.most()*len(found.columns))
			}
		}
		r := scannedRecord{line: in.start}
		if in.numeric {
			found.all = append(found.all, r)
			for i := range found.columns {
				n, cell := in.number(i)
				found.columns[i].LookNumeral(n, cell, s.decimal, in.start)
				if found.keeps {
					found.numbers = append(found.numbers, n.Value(cell, s.decimal))
				}
			}
			continue
		}
		skip, marked := s.skip(cells, ragged)
		found.marked = found.marked || marked
		if skip != "" && found.again(skip, ragged) {
			continue
		}
		r.apart = all || skip != "" || ragged
		if !r.apart && s.summaries() {
			var word bool
			word, r.empty = summaryWord(cells)
			r.apart = word || r.empty && s.sumsAbove != nil
		}
		found.all = append(found.all, r)
		if found.keeps = found.keeps && !r.apart; found.keeps {
			found.numbers, found.keeps = appendCells(found.numbers, cells, s.decimal)
		}
		if r.apart {
			found.setApart(cells, skip, ragged)
			continue
		}
		found.hash = found.hash || strings.HasPrefix(cells[0], "#")
		for i, cell := range cells {
			found.columns[i].Look(cell, s.decimal, in.line(i))
		}
	}
}

// setApart keeps the record that was read last.
func (f *scannedChunk) setApart(cells []string, skip notes.SkipReason, ragged bool) {
	in := &f.records
	if skip != "" {
		f.skipped[skip] = len(f.apart)
	}
	f.apart = append(f.apart, candidate{start: in.start, skip: skip, ragged: ragged, cells: slices.Clone(cells), lines: slices.Clone(in.lines)})
}

// again counts a record that is left out for the same reason as one before it in the chunk, and keeps no cells of it.
func (f *scannedChunk) again(skip notes.SkipReason, ragged bool) bool {
	first, ok := f.skipped[skip]
	if !ok || f.apart[first].ragged != ragged {
		return false
	}
	f.apart[first].more++
	f.all = append(f.all, scannedRecord{left: true})
	return true
}

// summaryWord reports whether a record has a word of sums or of notes, and whether a cell is empty. It is asked of every record.
func summaryWord(cells []string) (word, empty bool) {
	letters := false
	for _, cell := range cells {
		if len(cell) > 0 && ' ' < cell[0] && cell[0] < 'A' && cell[0] != '*' {
			continue // no word begins so
		}
		cell = literal.Trim(cell)
		letters = letters || cell != ""
		empty = empty || cell == ""
	}
	if !letters {
		return false, empty
	}
	at, _ := endWord(cells)
	if at < 0 {
		at, _ = subtotalWord(cells)
	}
	return at >= 0, empty
}

// use adds what was found in the next chunk.
func (s *scan) use(found *scannedChunk) error {
	if s.kept != nil && (!found.keeps || !s.kept.add(found.kept)) {
		s.kept = nil
	}
	if s.wantsFirst() {
		s.lookApart(found.chunk, found, true)
	}
	apart := found.apart
	for _, r := range found.all {
		number := s.read
		s.read++
		if r.left {
			continue
		}
		if r.apart {
			next := apart[0]
			apart, next.number = apart[1:], number
			s.rows.begun = s.rows.begun || !next.ragged
			if err := s.add(next); err != nil {
				return err
			}
			continue
		}
		s.rows.begun = true
		if r.empty && s.sumsAbove == nil {
			s.noteUnnamed(number, r.line)
		}
		if err := s.takeTail(); err != nil {
			return err
		}
		s.at.Add(r.line)
	}
	for i := range s.columns {
		s.columns[i].Merge(&found.columns[i])
	}
	s.hash, s.marked = s.hash || found.hash, s.marked || found.marked
	if found.err != io.EOF {
		return s.rows.fault(found.err, found.records.start)
	}
	return nil
}
