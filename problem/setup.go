package problem

import (
	"fmt"
	"math"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/moments"
	"mediant/tables"
	"mediant/tables/copies"
)

// A Setup says how tables become features; all methods share it. The zero value is usable: roles
// by column name, 512 Gaussian random Fourier features a side at the median bandwidth, standardised
// columns, intercepts, seed 0.
type Setup struct {
	// Roles names columns where the default rule (U = columns of both tables) does not do, and the
	// columns of weights, which count as tables.Weigh says, and of clusters, whose rows may depend on each other: each is in one fold as a whole.
	Roles tables.RoleOptions
	Task  encode.Task
	// Phi and Psi are the feature maps of X and of U; features.Fixed sets an existing map.
	Phi, Psi features.Spec
	// LandmarksX and LandmarksU are tables of at most 20,000 rows, with the columns of X and of U, that serve as Nyström landmarks of Phi and Psi in
	// place of those that their size and rule would select; nil: none. They are encoded like all other rows.
	LandmarksX, LandmarksU tables.Source
	// Text says how columns of free text become numbers.
	Text encode.TextOptions
	// NoIntercept leaves out the unpenalised intercepts, NoStandardize the scaling of numeric columns
	// to mean 0 and variance 1.
	NoIntercept, NoStandardize bool
	// RawX has the numbers of X pass as they are, and keeps columns that do not vary: predictions of another program are such an X.
	RawX bool
	Seed uint64
	// Arithmetic is that in which products of features are summed. Mixed takes about half of the time for them with AVX2, AVX-512 or NEON. 2Step-RR by ridge regression refines its solution to that of Float64; without refinement
	// predictions move: of 1,200 rows with penalties of 1e-4 by 1e-5 of their spread, less for more rows, and by a percent where penalties are 1e-7 (moments.MixedErrors, CoMoments.MixedMoves).
	// Auto, the default, is Mixed for 2Step-RR with many rows and features (rr.SumInTurn), else Float64. Sums by a Plan are in float64.
	Arithmetic moments.Arithmetic
	// Memory limits the peak memory of the program in bytes, tables in memory included; 0 is no limit. Work that would need more returns a
	// MemoryError before it begins. Memory that the garbage collector has not yet freed is not counted; debug.SetMemoryLimit bounds that.
	Memory int64
	// Folds is the number of folds for the uncoupled risk and for methods that choose a penalty by cross-validation; 0 and 1 mean no cross-fitting.
	// It is reduced to the number of rows of the smaller table.
	Folds int
	// Shift corrects for covariate shift: it weights the rows of S_Y by the ratio of the densities of U in S_X and in S_Y, so that h is fitted under
	// the distribution of U in S_X. The ratio must be bounded. The weights reduce the effective number of rows of S_Y. The ratio is estimated from
	// psi, so a Search chooses features without it.
	Shift bool
	// Copies says what the copies of a row count as (package tables/copies), among the columns that have a role. By default they are one
	// observation, in one fold, with the weight of all of them.
	Copies copies.Rule
	// AllRows keeps the rows of S_X without overlap (check.FindOverlap). By default they are left out of the fit and the risk, the risk refers to
	// the remaining rows, and there is no risk if more than half of the weight has no overlap. Package effect leaves no row out.
	AllRows bool

	// Reserve returns the bytes that work on the problem needs beside a fit in closed form; nil: none.
	Reserve func(Footprint) float64
	// Fold, if not nil, returns the fold of a row of a table (TableXU or TableUY) without clusters, from 0, in place of a random one.
	Fold func(table, row int) int
}

// DefaultFolds is the default number of folds of an assessment.
const DefaultFolds = 5

// Settings are checked before any work by the Validate method of the struct that has them, which Fit, Estimate,
// Choose and Assess call first: a setting out of range is an error that names the field. What a method is given by a
// Problem is checked when that is prepared.

// RequireTables returns an error if a table is nil.
func RequireTables(xu, uy tables.Source) error {
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
		bounds.Field("problem: Setup.Arithmetic", s.Arithmetic.Validate()),
		bounds.Count("problem: Setup.Memory", int(max(s.Memory, math.MinInt32))), // of which only the sign matters
		bounds.Count("problem: Setup.Folds", s.Folds),
	)
}
