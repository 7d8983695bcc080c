package tables_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables"
)

func TestAssignRoles(t *testing.T) {
	list := strings.Fields
	for _, tt := range []struct {
		name, xu, uy string
		opt          tables.RoleOptions
		x, u, y      string
	}{
		{"default", "x2 u2 x1 u1", "y u1 u2 z", tables.RoleOptions{}, "x2 x1", "u2 u1", "y z"},
		{"text", "x:text u:text", "u:text y:text", tables.RoleOptions{}, "x", "u", "y"},
		{"u given", "a u b", "u c", tables.RoleOptions{U: list("u")}, "a b", "u", "c"},
		{"u glob", "a u1 v u2 b", "u2 u1 y", tables.RoleOptions{U: list("u*")}, "a v b", "u1 u2", "y"},
		{"u in the order of the first table", "u1 x u2", "u2 u1 y", tables.RoleOptions{U: list("u2 u1")}, "x", "u1 u2", "y"},
		{"x given", "a b u", "u y", tables.RoleOptions{X: list("b")}, "b", "u", "y"},
		{"x given of the common ones", "a u", "a u y", tables.RoleOptions{X: list("a")}, "a", "u", "y"},
		{"y given of the common ones", "x u y", "u y", tables.RoleOptions{Y: list("y")}, "x", "u", "y"},
		{"y glob", "x u", "u y1 id y2", tables.RoleOptions{Y: list("y?")}, "x", "u", "y1 y2"},
		{"all given", "id x u", "id u y", tables.RoleOptions{X: list("x"), U: list("u"), Y: list("y")}, "x", "u", "y"},
		{"common column to X", "c x u", "c u y", tables.RoleOptions{X: list("c x"), U: list("u")}, "c x", "u", "y"},
		{"common column to Y", "c x u", "c u y", tables.RoleOptions{X: list("x"), U: list("u")}, "x", "u", "c y"},
		{"patterns overlap", "a1 a2 u", "u y", tables.RoleOptions{X: list("a1 a* a1")}, "a1 a2", "u", "y"},
		{"name with a star", "a* ab u", "u y", tables.RoleOptions{X: list("a*")}, "a*", "u", "y"},
		{"slash", "km/h u", "u y", tables.RoleOptions{X: list("km*")}, "km/h", "u", "y"},
		{"weights", "x u w", "u y v", tables.RoleOptions{WeightsXU: "w", WeightsUY: "v"}, "x", "u", "y"},
		{"weights of one name", "x u w", "u y w", tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}, "x", "u", "y"},
		{"weights of one table", "x u w", "u y w", tables.RoleOptions{WeightsXU: "w"}, "x", "u", "y"},
		{"ignored", "id x u", "id u y", tables.RoleOptions{Ignore: list("id")}, "x", "u", "y"},
		{"ignored in one table", "id x u", "u y", tables.RoleOptions{Ignore: list("id")}, "x", "u", "y"},
		{"ignored in the other", "x u", "u y day", tables.RoleOptions{Ignore: list("da*")}, "x", "u", "y"},
		{"ignored list", "a b x u", "u y c", tables.RoleOptions{Ignore: list("a,b,c")}, "x", "u", "y"},
		{"ignored and globs", "xid x u", "u y", tables.RoleOptions{Ignore: list("xid"), X: list("x*")}, "x", "u", "y"},
		{"ignored glob and weights", "w1 w2 x u", "u y", tables.RoleOptions{Ignore: list("w*"), WeightsXU: "w1"}, "x", "u", "y"},
		{"list of names", "a b u", "u y", tables.RoleOptions{X: list("a,b")}, "a b", "u", "y"},
		{"list in quotes", "a b u", "u y", tables.RoleOptions{X: list(`a,"b"`)}, "a b", "u", "y"},
		{"weights and globs", "x u w", "u y w", tables.RoleOptions{WeightsXU: "w", X: list("[wx]"), Y: list("[wy]")}, "x", "u", "y"},
		{"controls", "v1 x v2 u", "u v2 v1 y", tables.RoleOptions{Controls: list("v2 v*")}, "x v1 v2", "v1 v2 u", "y"},
		{"controls and u given", "v x u c", "u v y c", tables.RoleOptions{U: list("u"), Y: list("y"), X: list("x"), Controls: list("v")}, "x v", "v u", "y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tables.AssignRoles(tabletest.Columns(tt.xu), tabletest.Columns(tt.uy), tt.opt)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tables.Roles{list(tt.x), list(tt.u), list(tt.y)}, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestAssignRolesRefuses(t *testing.T) {
	list := strings.Fields
	for _, tt := range []struct {
		name, xu, uy string
		opt          tables.RoleOptions
		want         []string
	}{
		{"nothing in common", "a b", "c d", tables.RoleOptions{}, []string{"the tables have no column in common", `the first has "a", "b", the second "c", "d"`, "csv.Options.Rename"}},
		{"common columns taken", "a u", "u y", tables.RoleOptions{X: list("u")}, []string{"left for U", "in RoleOptions.U"}},
		{"no X", "u", "u y", tables.RoleOptions{}, []string{"left for X", "in RoleOptions.X"}},
		{"no Y", "x u", "u", tables.RoleOptions{}, []string{"left for Y", "in RoleOptions.Y"}},
		{"unknown X", "x u", "u y", tables.RoleOptions{X: list("z")}, []string{`no column "z"`, `"x", "u"`, "first table"}},
		{"X of the second table", "x u", "u y", tables.RoleOptions{X: list("y")}, []string{`no column "y"`, "first table"}},
		{"unknown Y", "x u", "u y", tables.RoleOptions{Y: list("x")}, []string{`no column "x"`, "second table"}},
		{"unknown U", "x u", "u y", tables.RoleOptions{U: list("z")}, []string{`no column "z"`}},
		{"empty name", "x u", "u y", tables.RoleOptions{X: []string{""}}, []string{`no column ""`}},
		{"glob without a match", "x u", "u y", tables.RoleOptions{X: list("z*")}, []string{`no column matches "z*"`}},
		{"malformed glob", "x u", "u y", tables.RoleOptions{Y: list("[")}, []string{`malformed pattern "["`}},
		{"U missing in the first", "x", "u y", tables.RoleOptions{U: list("u")}, []string{`"u" is missing in the first table`}},
		{"U missing in the second", "x u", "y", tables.RoleOptions{U: list("u")}, []string{`"u" is missing in the second table`}},
		{"one of a glob missing", "x u1 u2", "u1 y", tables.RoleOptions{U: list("u*")}, []string{`"u2" is missing in the second table`}},
		{"kinds differ", "x u v:text", "u v y", tables.RoleOptions{}, []string{`"v"`, "text in the first table and numeric in the second", `csv.Options.Text "v"`}},
		{"U and X", "x u", "u y", tables.RoleOptions{U: list("u"), X: list("*")}, []string{`"u" cannot be both U and X`}},
		{"U and Y", "x u", "u y", tables.RoleOptions{U: list("u"), Y: list("u")}, []string{`"u" cannot be both U and Y`}},
		{"X and Y", "a u", "a u", tables.RoleOptions{X: list("a"), Y: list("a")}, []string{`"a" cannot be both X and Y`}},
		{"X and Y by default", "x c u", "c u y", tables.RoleOptions{U: list("u")}, []string{`"c"`, "both X and Y", "in RoleOptions.X or RoleOptions.Y"}},
		{"unknown weights", "x u", "u y w", tables.RoleOptions{WeightsXU: "w"}, []string{"weights", "first table", `"w"`}},
		{"unknown weights, second", "x u w", "u y", tables.RoleOptions{WeightsUY: "w"}, []string{"weights", "second table", `"w"`}},
		{"text weights", "x u w:text", "u y", tables.RoleOptions{WeightsXU: "w"}, []string{"weights", `"w"`, "text"}},
		{"weights and X", "x u w", "u y", tables.RoleOptions{WeightsXU: "w", X: list("w")}, []string{`"w" cannot be both weights and X`}},
		{"ignored and X", "x u", "u y", tables.RoleOptions{Ignore: list("x"), X: list("x")}, []string{`"x" cannot be both ignored and X`}},
		{"ignored U", "x u", "u y", tables.RoleOptions{Ignore: list("u"), U: list("u")}, []string{`"u" cannot be both ignored and U`}},
		{"ignored weights", "x u w", "u y", tables.RoleOptions{Ignore: list("w"), WeightsXU: "w"}, []string{`"w" cannot be both weights and ignored`}},
		{"nothing to ignore", "x u", "u y", tables.RoleOptions{Ignore: list("id")}, []string{`no column "id"`}},
		{"no glob to ignore", "x u", "u y", tables.RoleOptions{Ignore: list("x,id*")}, []string{`no column matches "id*"`}},
		{"controls of one table", "x u", "u y", tables.RoleOptions{Controls: list("x")}, []string{`controls are columns of U: no column "x"`}},
		{"controls of one table, u given", "x v u", "u y", tables.RoleOptions{U: list("u"), Controls: list("v")}, []string{`the U column "v" is missing in the second table`}},
		{"malformed controls", "x u", "u y", tables.RoleOptions{Controls: list("[")}, []string{`controls: malformed pattern "["`}},
		{"all of U ignored", "x u", "u y", tables.RoleOptions{Ignore: list("u")}, []string{"left for U"}},
		{"weights alone match", "x u w", "u y", tables.RoleOptions{WeightsXU: "w", X: list("w*")}, []string{`no column matches "w*"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tables.AssignRoles(tabletest.Columns(tt.xu), tabletest.Columns(tt.uy), tt.opt)
			wantError(t, err, tt.want...)
		})
	}
}

func TestMatchNames(t *testing.T) {
	got, err := tables.MatchNames(tabletest.Columns("b1 a c b2"), []string{"c", "b*", "b1"})
	if d := cmp.Diff([]string{"b1", "c", "b2"}, got); err != nil || d != "" {
		t.Errorf("error %v, names (-want +got)\n%s", err, d)
	}
	_, err = tables.MatchNames(tabletest.Columns("a"), []string{"b"})
	wantError(t, err, `no column "b"`)
	_, err = tables.MatchNames(tabletest.Columns("a"), []string{`a\`})
	wantError(t, err, "malformed")
}
