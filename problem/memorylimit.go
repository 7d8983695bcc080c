package problem

import (
	"errors"
	"fmt"
	"math"

	"mediant/tables"
)

// A Preview is what is known of a table before it is read: its columns, nil if they are unknown, and a lower bound of its
// number of rows. The zero value means that nothing is known.
type Preview struct {
	Columns []tables.Column
	Rows    int
}

// leastFootprint returns one that is no larger than that of any two tables of which so much is known, sparse ones or not.
func (s Setup) leastFootprint(sparse bool, xu, uy Preview) Footprint {
	f := Footprint{Setup: s, Outputs: 1, Rows: [2]int{max(1, xu.Rows), max(1, uy.Rows)}}
	for i, name := range []string{s.Roles.WeightsXU, s.Roles.WeightsUY} {
		if name != "" { // rows of weight 0 are left out, and others may stand for many
			f.Rows[i] = 1
		}
	}
	f.stored = f.Rows
	f.Columns = float64(len(xu.Columns) + len(uy.Columns))
	if roles, err := tables.AssignRoles(xu.Columns, uy.Columns, s.Roles); err == nil {
		f.Outputs = float64(len(roles.Y)) // at least: a label has several
	}
	f.Sparse.X, f.Sparse.U = sparse, sparse
	f.X, f.U = f.Phi().LeastSize(min(MapRows, f.Rows[0])), f.Psi().LeastSize(min(MapRows, f.Rows[0]+f.Rows[1]))
	return f
}

// LeastWithin returns a MemoryError if need exceeds the limit for every table that has these previews.
func (s Setup) LeastWithin(need func(Footprint) float64, what string, xu, uy Preview) error {
	for _, sparse := range []bool{true, false} {
		err := s.leastFootprint(sparse, xu, uy).Within(need, what)
		if memory := new(MemoryError); !errors.As(err, &memory) {
			return err
		} else if memory.Least = true; !sparse {
			return memory
		}
	}
	return nil
}

// CheckMemory returns a MemoryError if a fit with this setup, and a risk if it has folds, needs more than Memory for every
// table that has these previews. Fits check it themselves; call it first where tables take long to open.
func (s Setup) CheckMemory(xu, uy Preview) error {
	return s.LeastWithin(Footprint.Preparing, "", xu, uy)
}

// CheckMemory returns a MemoryError if work that needs this number of bytes, beside the problem's sums, maps and tables, would
// exceed the Memory of its Setup. what names the work in the message. Methods call it before they begin.
func (e *Encoded) CheckMemory(bytes float64, what string) error {
	return e.Footprint().Within(func(f Footprint) float64 { return f.Base() + f.Sums() + bytes }, what)
}

// A MemoryError reports that work would need more memory, in bytes, than its Setup allows.
type MemoryError struct {
	Need  float64
	Limit int64
	What  string // what needs it
	// Size is the largest number of features for both maps that would fit; 0 if none would, or if the number of features does not matter.
	Size int
	// Least reports that Need is a lower bound, because the tables have not been read yet.
	Least bool
}

func (e *MemoryError) Error() string {
	about, smaller := "about", ""
	if e.Least {
		about = "at least"
	}
	if e.Size > 0 {
		smaller = fmt.Sprintf("ask for maps of size %d or ", e.Size)
	}
	return fmt.Sprintf("problem: this needs %s %s for %s, above the limit of %s: %sraise the limit", about, bytesText(e.Need), e.What, bytesText(float64(e.Limit)), smaller)
}

// bytesText writes a number of bytes for people, rounded up.
func bytesText(n float64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", math.Ceil(10*n/(1<<30))/10)
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", math.Ceil(n/(1<<20)))
	default:
		return fmt.Sprintf("%.0f KiB", math.Ceil(n/(1<<10)))
	}
}

// Within returns a MemoryError if need(f) exceeds the memory limit of the setup of f.
func (f Footprint) Within(need func(Footprint) float64, what string) error {
	limit := float64(f.Setup.Memory)
	bytes := need(f)
	if f.Setup.Memory <= 0 || bytes <= limit {
		return nil
	}
	if what == "" {
		what = fmt.Sprintf("%d and %d features", f.X.Features, f.U.Features)
		if f.Held > 0 {
			what += fmt.Sprintf(" and tables of %s", bytesText(f.Held))
		}
	}
	return &MemoryError{Need: bytes, Limit: f.Setup.Memory, What: what, Size: f.largest(func(f Footprint) bool { return need(f) <= limit })}
}

// largest returns the largest size of both maps that fits, to two digits, or 0.
func (f Footprint) largest(fits func(Footprint) bool) int {
	lo, hi := 0, max(f.X.Features, f.U.Features) // lo fits, hi does not
	if !f.Setup.Phi.HasSize() && !f.Setup.Psi.HasSize() {
		return 0
	}
	for hi-lo > 2 {
		at := (lo + hi) / 4 * 2
		if at <= lo {
			break
		}
		if fits(f.With(f.Setup.Phi.WithSize(at), f.Setup.Psi.WithSize(at))) {
			lo = at
		} else {
			hi = at
		}
	}
	for unit := 2; unit <= lo; unit *= 10 { // 2, 20, 200: even
		if lo >= 100*unit/2 {
			lo = lo / unit * unit
		}
	}
	return lo
}
