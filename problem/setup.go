package problem

import (
	"fmt"
	"math"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/tables"
	"mediant/tables/copies"
)

// A Setup says how tables become features; all methods share it. The zero value is usable: roles
// by column name, 512 Gaussian random Fourier features a side at the median bandwidth, standardised
// columns, intercepts, seed 0.
type Setup struct {
	// Roles names columns where the default rule (U = columns of both tables) does not do, and the
	// columns of weights, which count as tables.Weigh says.
	Roles tables.RoleOptions
	Task  encode.Task
	// Phi and Psi are the feature maps of X and of U; features.Fixed sets one that there is already.
	Phi, Psi features.Spec
	// LandmarksX and LandmarksU are tables of rows that serve as Nyström landmarks of Phi and Psi, whatever size and rule
	// these have, with the columns of X and of U, which are encoded as all other rows are; nil: none. At most 20,000 rows.
	LandmarksX, LandmarksU tables.Source
	// Text says how columns of free text become numbers.
	Text encode.TextOptions
	// NoIntercept leaves out the unpenalised intercepts, NoStandardize the scaling of numeric columns
	// to mean 0 and variance 1.
	NoIntercept, NoStandardize bool
	Seed                       uint64
	// Memory is the limit in bytes for what the program takes at its peak, tables in memory included: what would take
	// more is refused with a MemoryError, before it is begun. 0 is none. It bounds what is in use; to have the garbage
	// collector keep within it as well is for debug.SetMemoryLimit.
	Memory int64
	// Folds is the number of folds whose moments are kept apart, for the uncoupled risk and for
	// methods that choose a penalty by cross-validation; 0 and 1 mean a single one. There are never
	// more than the smaller table has rows.
	Folds int
	// Shift weighs the rows of S_Y by the ratio of the distribution of U in S_X to that in S_Y, so that h is fitted
	// where f will ask for it. It needs a ratio that is bounded; whatever is fitted on S_Y then is as noisy
	// as with fewer rows. The ratio is a function of psi, and so a Search chooses features without it.
	Shift bool
	// Copies says what copies of a row count as, those that copies.Distinct finds among the columns that have a role: one observation with the weight of
	// all of them, in one fold, where it is unset.
	Copies copies.Rule
	// AllRows keeps the rows of S_X whose U S_Y has nothing like (check.FindOverlap). Else they are left out of fit and risk, which is then that of
	// the rest, and where they are more than half of all rows there is no risk. An Effect leaves no row out.
	AllRows bool

	// Reserve is what is done with the problem takes in memory, in bytes, beside a fit in closed form; nil: nothing.
	Reserve func(Footprint) float64
	// fold, if not nil, is the fold of each row of a table instead of one that is drawn.
	Fold func(table, row int) int
}

// DefaultFolds is the number of folds of an assessment where nothing else is asked for.
const DefaultFolds = 5

// Settings are checked before any work by the Validate method of the struct that has them, which Fit, Estimate,
// Choose and Assess call first: a setting out of range is an error that names the field. What a method is given by a
// Problem is checked when that is prepared.

// SomeTables refuses a table that is nil.
func SomeTables(xu, uy tables.Source) error {
	if xu == nil || uy == nil {
		return fmt.Errorf("problem: a table is nil: S_X, of X and U, and S_Y, of U and Y, are both needed")
	}
	return nil
}

// Validate returns an error that names the first field out of range.
func (s Setup) Validate() error {
	return bounds.First(
		s.Copies.Check("problem: Setup.Copies"),
		bounds.Enum("problem: Setup.Task", s.Task, "encode.AutoTask, Regress or Classify", encode.AutoTask, encode.Regress, encode.Classify),
		bounds.Field("problem: Setup.Phi", s.Phi.Validate()),
		bounds.Field("problem: Setup.Psi", s.Psi.Validate()),
		bounds.Field("problem: Setup.Text", s.Text.Validate()),
		bounds.Count("problem: Setup.Memory", int(max(s.Memory, math.MinInt32))), // of which only the sign matters
		bounds.Count("problem: Setup.Folds", s.Folds),
	)
}
