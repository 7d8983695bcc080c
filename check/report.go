package check

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/names"
	"mediant/internal/parallel"
	"mediant/internal/progress"
	"mediant/tables"
	"mediant/tables/copies"
)

// Options say how tables are checked. The zero value is the default.
type Options struct {
	// Roles are those that are set explicitly. Columns that they name are never left out.
	Roles tables.RoleOptions
	// Treatment is the column of X of an effect, "" for a fit: other columns that only the first table has are not looked at.
	Treatment string
	// Probability of treatment, if the design fixed it; 0 else.
	Probability float64
	// Adjusted are the names of columns for which the effect is adjusted: they may differ between arms, and are looked at as X is.
	Adjusted []string
	// Instrument says that U is an instrument for X.
	Instrument bool
	// Explicit are names of columns whose kind was set explicitly (as text, say): their content is not doubted.
	Explicit []string
	Seed     uint64
	// Copies says what copies of a row count as in the result.
	Copies copies.Rule
	// Accept lists findings that are known, Strict makes an Error of each Warning that is not.
	Accept []Acceptance
	Strict bool
}

// A Report is what Tables finds.
type Report struct {
	XU       TableProfile  `json:"xu"`
	UY       TableProfile  `json:"uy"`
	Roles    *tables.Roles `json:"roles,omitempty"` // nil if they could not be assigned
	Findings []Finding     `json:"findings"`
	// LeftOut are the columns that should not be X, U or Y since no flag names them: identifiers and dates.
	LeftOut []string `json:"left_out,omitempty"`
}

// A TableProfile has the profiles of all columns of a table.
type TableProfile struct {
	Rows    int        `json:"rows"`
	Columns []*Profile `json:"columns"`
}

// Column returns the profile of the column of that name, as it stands or else in canonical form, or nil. It looks at one after
// the other.
func (t *TableProfile) Column(name string) *Profile {
	for _, p := range t.Columns {
		if p.Name == name {
			return p
		}
	}
	name = tables.CanonicalName(name)
	for _, p := range t.Columns {
		if tables.CanonicalName(p.Name) == name {
			return p
		}
	}
	return nil
}

// Tables looks at the tables of (X, U) and of (U, Y), but not at rows of weight 0. The error is one of reading them, or names a column to accept that
// neither has; roles that cannot be assigned are one too, unless findings say why.
func Tables(ctx context.Context, xu, uy tables.Source, opt Options) (*Report, error) {
	ctx = progress.Stage(ctx, "checking the tables")
	var err error
	if xu, err = withWeight(ctx, xu, opt.Roles.WeightsXU); err != nil {
		return nil, err
	}
	if uy, err = withWeight(ctx, uy, opt.Roles.WeightsUY); err != nil {
		return nil, err
	}
	var looks [2]*tableLook
	var errs [2]error
	parallel.Blocks(2, 1, func(i, _ int) { // two tables are parsed in the time of one
		looks[i], errs[i] = look(ctx, []tables.Source{xu, uy}[i], opt.Seed)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for _, a := range opt.Accept {
		if a.Column != "" && looks[0].of(a.Column) == nil && looks[1].of(a.Column) == nil {
			both := slices.Concat(tables.ColumnNames(xu.Columns()), tables.ColumnNames(uy.Columns()))
			return nil, fmt.Errorf("check: accept %s: no column %q in either table%s", a.Code, a.Column, names.DidYouMean(both, a.Column))
		}
	}
	c := checker{opt: opt, report: &Report{XU: looks[0].profile(), UY: looks[1].profile()}, xu: looks[0], uy: looks[1]}
	if err := c.run(ctx, xu, uy); err != nil {
		return nil, err
	}
	c.settle()
	return c.report, nil
}

// Refusal is the error of a report that has an Error, else nil.
func (r *Report) Refusal() error { return Refused(r.Findings) }

// Refused is the error of findings that have an Error, else nil.
func Refused(findings []Finding) error {
	var errs []Finding
	for _, f := range findings {
		if f.Severity == Error {
			errs = append(errs, f)
		}
	}
	if errs == nil {
		return nil
	}
	return &Refusal{errs}
}

// A checker is one look at two tables under way.
type checker struct {
	opt       Options
	report    *Report
	xu, uy    *tableLook
	roles     tables.Roles
	beside    []string                    // columns of weights, clusters and replicate weights, which are none of X, U and Y
	apart     bool                        // most rows of S_X have a U that S_Y lacks
	functions map[functionsKey]*mat.Dense // of U in sampled rows, as functionsOfU made them
}

// profiles are those of the column of a name in both tables, nil where there is none.
func (c *checker) profiles(name string) (x, y *Profile) {
	if i := c.xu.place(name); i >= 0 {
		x = c.report.XU.Columns[i]
	}
	if i := c.uy.place(name); i >= 0 {
		y = c.report.UY.Columns[i]
	}
	return x, y
}

func (c *checker) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// run finds the roles of the columns, and what is doubtful about those that have one.
func (c *checker) run(ctx context.Context, xu, uy tables.Source) error {
	c.beside = c.columnsBeside()
	c.skips(xu, uy)
	c.mixed(xu, uy)
	c.unsureDates(xu, uy)
	c.leaveOut()
	c.emptyY()
	roles := c.opt.Roles
	roles.Ignore = append(slices.Clone(roles.Ignore), c.report.LeftOut...)
	if c.opt.Treatment != "" {
		roles.X = []string{c.opt.Treatment}
	}
	c.names()
	if c.kindsOfU() { // which would be an error of roles
		return nil
	}
	assigned, err := tables.AssignRoles(xu.Columns(), uy.Columns(), roles)
	if err != nil {
		if c.report.hasError() {
			return nil
		}
		return err
	}
	assigned.X = slices.DeleteFunc(assigned.X, func(name string) bool { return slices.Contains(assigned.U, name) }) // controls are looked at as columns of U
	c.roles, c.report.Roles = assigned, &assigned
	c.sumsAbove()
	c.identifyingCovariates()
	c.contents()
	c.outputs()
	if c.nothingKnown() {
		return nil
	}
	c.classes()
	c.scaledApart()
	c.grouped()
	if err := c.rows(ctx, xu, uy); err != nil {
		return err
	}
	c.reversedArms()
	c.armsInBlocks()
	c.misaligned()
	if err := c.compareArms(ctx, xu); err != nil {
		return err
	}
	return c.compare(ctx, xu, uy)
}

func (r *Report) hasError() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
}

// settle applies what is accepted, and sorts.
func (c *checker) settle() {
	c.report.Findings = Settle(c.report.Findings, c.opt.Accept, c.opt.Strict)
}

// Settle makes notes of findings that are accepted and, if strict, errors of all other warnings, and sorts them, the gravest
// first. Rows that were learned from stay a Warning when they are accepted: what is estimated on them is too small all the same.
func Settle(findings []Finding, accept []Acceptance, strict bool) []Finding {
	settled := append([]Finding{}, findings...)
	for i := range settled {
		f := &settled[i]
		accepted := slices.ContainsFunc(accept, func(a Acceptance) bool { return a.accepts(*f) })
		switch {
		case accepted && f.Code == LearnedRows:
			f.Severity = Warning
		case accepted:
			f.Severity = Note
		case strict && f.Severity == Warning:
			f.Severity = Error
		}
	}
	byGravity(settled)
	return settled
}
