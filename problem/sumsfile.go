package problem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"encoding/json"

	"mediant/internal/frame"
	"mediant/moments"
)

// sumsHeader is what a file of sums has beside its plan and totals.
type sumsHeader struct {
	Runs    []Run `json:"runs"`
	XU      bool  `json:"xu,omitempty"` // has sums of S_X
	UY      bool  `json:"uy,omitempty"`
	Dropped int   `json:"dropped,omitempty"`
}

// WriteTo writes the sums with their plan, for ReadSums. Sums of the same parts, merged in any order, give the same bytes. The error names a map that
// is not registered.
func (s *Sums) WriteTo(w io.Writer) (int64, error) {
	text, err := json.Marshal(sumsHeader{s.Runs, s.XU != nil, s.UY != nil, s.Dropped})
	if err != nil {
		return 0, fmt.Errorf("problem: sums: %w", err)
	}
	out := frame.NewWriter(w)
	out.Bytes([]byte(sumsMagic))
	out.Number(uint64(len(text)))
	out.Bytes(text)
	if _, err := s.Plan.WriteTo(out); err != nil {
		return 0, err
	}
	for _, side := range [][][]*moments.Total{s.XU, s.UY} {
		for _, fold := range side {
			for _, t := range fold {
				if _, err := t.WriteTo(out); err != nil {
					return 0, err
				}
			}
		}
	}
	return out.End()
}

// IsSums reports whether a file begins as one of sums, of any version; 7 bytes are enough.
func IsSums(head []byte) bool { return bytes.HasPrefix(head, []byte(sumsMagic[:len(sumsMagic)-1])) }

// ReadSums reads sums that WriteTo wrote. A file that is truncated, changed, of another kind or of an unknown version is an error, never a panic, and so are sums that are
// not finite or that their plan does not have. Memory stays within a few times the size of the file.
func ReadSums(r io.Reader) (*Sums, error) {
	const name = "sums"
	buffered := bufio.NewReaderSize(r, 1<<20)
	in := frame.NewReader(buffered)
	h, plan, err := readSumsHead(in)
	if err != nil {
		return nil, err
	}
	s := &Sums{Plan: plan, Dropped: h.Dropped, Runs: h.Runs}
	for t, there := range []bool{h.XU, h.UY} {
		if !there {
			continue
		}
		byFold, err := readTotals(in, plan, t)
		if err != nil {
			return nil, damaged(name, err)
		}
		if t == TableXU {
			s.XU = byFold
		} else {
			s.UY = byFold
		}
	}
	if err := in.End(); err != nil {
		return nil, damaged(name, err)
	}
	if _, err := buffered.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, damaged(name, errors.New("it goes on behind its end"))
	}
	if err := s.checkRuns(); err != nil {
		return nil, damaged(name, err)
	}
	return s, nil
}

// readSumsHead reads what stands before the totals.
func readSumsHead(in *frame.Reader) (h sumsHeader, plan Plan, err error) {
	if err := magicOf(in, sumsMagic, "sums"); err != nil {
		return h, plan, err
	}
	if err := readHeader(in, &h); err != nil {
		return h, plan, damaged("sums", err)
	}
	nested := frame.NewReader(in)
	if err := magicOf(nested, planMagic, "plan"); err != nil {
		return h, plan, damaged("sums", err)
	}
	if plan, err = readPlan(nested); err != nil {
		return h, plan, damaged("sums", err)
	}
	return h, plan, nil
}

// readTotals reads those of a table.
func readTotals(in io.Reader, plan Plan, table int) ([][]*moments.Total, error) {
	if err := plan.has(table); err != nil {
		return nil, err
	}
	grid := plan.Grid(table)
	left, right := plan.ids(table)
	byFold := make([][]*moments.Total, 0, min(plan.folds(), 1<<10)) // what is there, not what is claimed
	for k := range plan.folds() {
		byFold = append(byFold, nil)
		for range plan.blocks() {
			t, err := moments.ReadTotal(in, grid)
			if err != nil {
				return nil, err
			}
			if t.Left() != left || t.Right() != right {
				return nil, fmt.Errorf("the sums of %s are of other maps than the plan's", tableNames[table])
			}
			byFold[k] = append(byFold[k], t)
		}
	}
	return byFold, nil
}

// checkRuns returns an error unless runs have the rows that the sums have.
func (s *Sums) checkRuns() error {
	for t, side := range [][][]*moments.Total{s.XU, s.UY} {
		rows := 0
		for _, fold := range side {
			for _, of := range fold {
				rows += of.Rows()
			}
		}
		for _, run := range s.Runs {
			if !(run.Discount >= 0 && run.Discount <= 1) {
				return fmt.Errorf("its run %s has the discount %g", run.ID, run.Discount)
			}
			if run.Table != t {
				continue
			}
			rows -= run.Rows
			if run.Private == nil {
				continue
			}
			if side == nil {
				return fmt.Errorf("it has a private run and no sums of %s", tableNames[t])
			}
			if err := run.Private.check(s.Plan, t); err != nil {
				return err
			}
		}
		if rows != 0 {
			return fmt.Errorf("its runs are of other rows of %s than its sums", tableNames[t])
		}
	}
	return nil
}
