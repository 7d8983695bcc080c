package tables

import (
	"errors"
	"fmt"
	"slices"

	"mediant/internal/names"
)

// Roles has the names of the columns that are X, U and Y: X in the order of the first table, U in
// that of the first table too, Y in that of the second.
type Roles struct{ X, U, Y []string }

// RoleOptions name columns for AssignRoles. The zero value is the default rule.
type RoleOptions struct {
	// X, U and Y are names or globs (see MatchNames). X is looked for in the first table, Y in the
	// second, and U must be in both. An empty list means the default rule.
	X, U, Y []string
	// WeightsXU and WeightsUY name the numeric column of weights of each table (see Weigh), "" means
	// none. A column of this name has no role in either table.
	WeightsXU, WeightsUY string
	// ClusterXU and ClusterUY name the column of clusters of each table (see Clusters), "" means that rows are independent. A column of this name has no role
	// in either table.
	ClusterXU, ClusterUY string
	// ReplicatesXU and ReplicatesUY name the numeric columns of replicate weights of each table (see ReplicateColumns), nil means none. Columns of these names have no
	// role in either table. Package effect takes standard errors from them, and no other package.
	ReplicatesXU, ReplicatesUY []string
	// Ignore are names or globs of columns without a role in either table, such as identifiers. Each must match in at least
	// one of them.
	Ignore []string
	// Controls are names or globs of columns of U that are columns of X as well, for methods of package instrument. They count as named in U if U is set.
	Controls []string
}

// AssignRoles gives the columns of the tables S_X = {(X, U)} and S_Y = {(U, Y)} their roles. By
// default
//
//	U = the columns that both tables have
//	X = those only in the first
//	Y = those only in the second
//
// Columns of a role that is set are removed from the defaults of the other two. If U is set, X is by default all other columns of the first table,
// and Y all others of the second; a column that would then be both must be named. Weights, replicate weights, clusters and what is to be ignored have no role: naming one is an error, and globs pass over
// them. Names that differ in their canonical form alone (CanonicalName) are one.
//
// Controls have two roles: they are in U, and in X behind its other columns.
//
// The error names the column or the pattern: unknown, in two roles, a U that is missing in one
// table or is text in one and numeric in the other, weights that are text, or a role left empty.
func AssignRoles(xu, uy []Column, opt RoleOptions) (Roles, error) {
	a := assigner{xu: xu, uy: uy, inXU: names.NewLookup(ColumnNames(xu)), inUY: names.NewLookup(ColumnNames(uy)), role: make(map[string]string)}
	if err := a.weights(opt); err != nil {
		return Roles{}, err
	}
	if _, err := a.claim(ignoredRole, union(xu, uy), opt.Ignore); err != nil {
		return Roles{}, err
	}
	if opt.U != nil {
		opt.U = slices.Concat(opt.U, opt.Controls)
	}
	var r Roles
	var err error
	if r.U, err = a.claim("U", union(xu, uy), opt.U); err != nil {
		return Roles{}, err
	}
	if r.X, err = a.claim("X", xu, opt.X); err != nil {
		return Roles{}, firstTable(err)
	}
	if r.Y, err = a.claim("Y", uy, opt.Y); err != nil {
		return Roles{}, secondTable(err)
	}
	if err := a.defaults(&r); err != nil {
		return Roles{}, err
	}
	controls, err := a.controls(r.U, opt.Controls)
	if err != nil {
		return Roles{}, err
	}
	r.X = slices.Concat(r.X, controls)
	return r, nil
}

// controls are the columns of U that the patterns name, in the order of U.
func (a *assigner) controls(u, patterns []string) ([]string, error) {
	is := make([]bool, len(u))
	for _, p := range names.Resolve(u, patterns) {
		hit, err := names.Match(u, p)
		if err != nil {
			return nil, fmt.Errorf("tables: controls: %w", err)
		}
		if len(hit) == 0 {
			return nil, fmt.Errorf("tables: controls are columns of U: %w", names.NoMatch(u, p))
		}
		for _, i := range hit {
			is[i] = true
		}
	}
	var controls []string
	for i, name := range u {
		if is[i] {
			controls = append(controls, name)
		}
	}
	return controls, nil
}

// AssignXU gives the columns of a table of (X, U) their roles where there is no other table: U or X must be set, and the other one is by default all
// other columns. Of RoleOptions Y and WeightsUY are not used. The error is that of AssignRoles.
func AssignXU(columns []Column, opt RoleOptions) (Roles, error) {
	a := assigner{xu: columns, inXU: names.NewLookup(ColumnNames(columns)), role: make(map[string]string)}
	opt.WeightsUY, opt.ClusterUY, opt.ReplicatesUY = "", "", nil
	u, x, err := a.assignOne(columns, opt, "X", opt.X)
	return Roles{X: x, U: u}, err
}

// AssignUY is AssignXU for a table of (U, Y).
func AssignUY(columns []Column, opt RoleOptions) (Roles, error) {
	a := assigner{uy: columns, inUY: names.NewLookup(ColumnNames(columns)), role: make(map[string]string)}
	opt.WeightsXU, opt.ClusterXU, opt.ReplicatesXU = "", "", nil
	u, y, err := a.assignOne(columns, opt, "Y", opt.Y)
	return Roles{U: u, Y: y}, err
}

// assignOne finds U and another role.
func (a *assigner) assignOne(columns []Column, opt RoleOptions, role string, patterns []string) (u, other []string, err error) {
	if len(opt.U) == 0 && len(patterns) == 0 {
		return nil, nil, fmt.Errorf("tables: of one table alone it is open which columns are U; name U in RoleOptions.U, or %s in RoleOptions.%[1]s", role)
	}
	if err := a.weights(opt); err != nil {
		return nil, nil, err
	}
	if _, err := a.claim(ignoredRole, columns, opt.Ignore); err != nil {
		return nil, nil, err
	}
	if u, err = a.claim("U", columns, opt.U); err != nil {
		return nil, nil, err
	}
	if other, err = a.claim(role, columns, patterns); err != nil {
		return nil, nil, err
	}
	all := func(string) bool { return true }
	if u == nil {
		u = a.free(columns, all)
	}
	if other == nil {
		other = a.free(columns, all)
	}
	for _, of := range []struct {
		role    string
		columns []string
	}{{"U", u}, {role, other}} {
		if len(of.columns) == 0 {
			return nil, nil, fmt.Errorf("tables: no column of the table is left for %s", of.role)
		}
	}
	return u, other, nil
}

func firstTable(err error) error  { return fmt.Errorf("%w (X is in the first table)", err) }
func secondTable(err error) error { return fmt.Errorf("%w (Y is in the second table)", err) }

// An assigner keeps the role of each column that has one, "weights", "clusters", "replicate weights" and "ignored" among them, by its canonical name.
type assigner struct {
	xu, uy     []Column
	inXU, inUY names.Lookup
	role       map[string]string
}

const (
	weightsRole = "weights"
	clusterRole = "clusters"
	ignoredRole = "ignored"

	replicatesRole = "replicate weights"
)

func (a *assigner) roleOf(name string) string { return a.role[names.Canonical(name)] }

func (a *assigner) give(name, role string) { a.role[names.Canonical(name)] = role }

func (a *assigner) weights(opt RoleOptions) error {
	for _, w := range []struct {
		name    string
		columns []Column
		table   string
	}{{opt.WeightsXU, a.xu, "first"}, {opt.WeightsUY, a.uy, "second"}} {
		if w.name == "" {
			continue
		}
		i := names.Index(ColumnNames(w.columns), w.name)
		if i < 0 {
			return fmt.Errorf("tables: weights: the %s table has %w", w.table, names.Missing(ColumnNames(w.columns), w.name))
		}
		if w.columns[i].Kind != Numeric {
			return fmt.Errorf("tables: weights: column %q of the %s table is text, want numbers", w.name, w.table)
		}
		a.give(w.name, weightsRole)
	}
	return a.clusters(opt)
}

func (a *assigner) clusters(opt RoleOptions) error {
	for _, c := range []struct {
		name    string
		columns []Column
		table   string
	}{{opt.ClusterXU, a.xu, "first"}, {opt.ClusterUY, a.uy, "second"}} {
		if c.name == "" {
			continue
		}
		if names.Index(ColumnNames(c.columns), c.name) < 0 {
			return fmt.Errorf("tables: clusters: the %s table has %w", c.table, names.Missing(ColumnNames(c.columns), c.name))
		}
		if had := a.roleOf(c.name); had == weightsRole {
			return fmt.Errorf("tables: column %q cannot be both %s and %s", c.name, had, clusterRole)
		}
		a.give(c.name, clusterRole)
	}
	for _, r := range []struct {
		patterns []string
		columns  []Column
		table    string
	}{{opt.ReplicatesXU, a.xu, "first"}, {opt.ReplicatesUY, a.uy, "second"}} {
		if _, err := a.replicates(r.columns, r.patterns); err != nil {
			return fmt.Errorf("%w (replicate weights of the %s table)", err, r.table)
		}
	}
	return nil
}

// claim gives role to the columns that the patterns name, and returns them in table order.
func (a *assigner) claim(role string, columns []Column, patterns []string) ([]string, error) {
	var claimed []string
	all := ColumnNames(columns)
	for _, p := range names.Resolve(all, patterns) {
		hit, err := names.Match(all, p)
		if err != nil {
			return nil, fmt.Errorf("tables: %w", err)
		}
		named := names.Index(all, p)
		hit = slices.DeleteFunc(hit, func(i int) bool {
			had := a.roleOf(columns[i].Name)
			return i != named && (had == weightsRole || had == clusterRole || had == ignoredRole || had == replicatesRole && role != replicatesRole)
		})
		if len(hit) == 0 {
			return nil, fmt.Errorf("tables: %w", names.NoMatch(all, p))
		}
		for _, i := range hit {
			n := columns[i].Name
			if had := a.roleOf(n); had != "" && had != role {
				return nil, fmt.Errorf("tables: column %q cannot be both %s and %s", n, had, role)
			}
			a.give(n, role)
		}
	}
	for _, c := range columns {
		if a.roleOf(c.Name) == role {
			claimed = append(claimed, c.Name)
		}
	}
	return claimed, nil
}

// defaults fills the roles that were not given.
func (a *assigner) defaults(r *Roles) error {
	if r.U == nil {
		r.U = a.free(a.xu, a.inUY.Has)
		if len(r.U) == 0 {
			return a.noMediator()
		}
		for _, n := range r.U {
			a.give(n, "U")
		}
	}
	all := func(string) bool { return true }
	x, y := r.X, r.Y
	if x == nil {
		x = a.free(a.xu, all)
	}
	if y == nil {
		y = a.free(a.uy, all)
	}
	if err := a.checkMediator(r.U); err != nil { // before the columns it lacks are given other roles
		return err
	}
	inY := make(map[string]bool, len(y))
	for _, n := range y {
		inY[names.Canonical(n)] = true
	}
	for _, n := range x {
		if inY[names.Canonical(n)] {
			return fmt.Errorf("tables: column %q is in both tables and not U, so it would be both X and Y; name X or Y in RoleOptions.X or RoleOptions.Y", n)
		}
	}
	r.X, r.Y = x, y
	if len(x) == 0 {
		return errors.New("tables: no column of the first table is left for X; name X in RoleOptions.X, or U in RoleOptions.U")
	}
	if len(y) == 0 {
		return errors.New("tables: no column of the second table is left for Y; name Y in RoleOptions.Y, or U in RoleOptions.U")
	}
	return nil
}

// free returns the names of the columns without a role that pass.
func (a *assigner) free(columns []Column, pass func(string) bool) []string {
	var left []string
	for _, c := range columns {
		if a.roleOf(c.Name) == "" && pass(c.Name) {
			left = append(left, c.Name)
		}
	}
	return left
}

func (a *assigner) noMediator() error {
	for _, c := range a.xu {
		if a.inUY.Has(c.Name) {
			return errors.New("tables: no column that both tables have is left for U; name U in RoleOptions.U")
		}
	}
	return fmt.Errorf("tables: the tables have no column in common: the first has %s, the second %s; if one of these is no header, mend the file or its delimiter; "+
		"csv.Options.Rename reads a column by another name", names.List(ColumnNames(a.xu)), names.List(ColumnNames(a.uy)))
}

// checkMediator refuses columns of U that the tables do not share.
func (a *assigner) checkMediator(u []string) error {
	for _, n := range u {
		i, j := a.inXU.Find(n), a.inUY.Find(n)
		switch {
		case i < 0:
			return fmt.Errorf("tables: the U column %q is missing in the first table", n)
		case j < 0:
			return fmt.Errorf("tables: the U column %q is missing in the second table", n)
		case a.xu[i].Kind != a.uy[j].Kind:
			return fmt.Errorf("tables: the U column %q is %v in the first table and %v in the second; "+
				"csv.Options.Text %q reads both as text", n, a.xu[i].Kind, a.uy[j].Kind, n)
		}
	}
	return nil
}

// union lists the columns of xu and then those only in uy.
func union(xu, uy []Column) []Column {
	all, inXU := slices.Clone(xu), names.NewLookup(ColumnNames(xu))
	for _, c := range uy {
		if !inXU.Has(c.Name) {
			all = append(all, c)
		}
	}
	return all
}
