package csv

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/names"
	"mediant/internal/tabletest"
	"mediant/tables"
)

// otherForms are names that look like "größe", as programs write them (JuliaData/DataFrames.jl PR #2904, datafold/data-diff PR #831).
var otherForms = []string{"gr\u00f6\u00dfe", "gro\u0308\u00dfe", "gr\u00f6\u00dfe\u200b", "\u00a0gro\u0308\u00dfe ", "gr\u00f6\u00ad\u00dfe", "\ufeffgr\u00f6\u00dfe"}

// TestNamesInOtherForms: names that look the same are one, in files and in memory, in roles, patterns, selections and
// options.
func TestNamesInOtherForms(t *testing.T) {
	const want = "gr\u00f6\u00dfe"
	for _, form := range otherForms {
		c := mustOpen(t, "x,"+form+"\n01,02\n3,4\n", Options{Text: []string{otherForms[1]}})
		if got := c.Columns()[1]; got != (tables.Column{Name: want, Kind: tables.Text}) {
			t.Errorf("column %v, want text %q", got, want)
		}
		c = mustOpen(t, "x,"+form+"\n01,02\n3,4\n", Options{Only: []tables.Column{{Name: otherForms[3], Kind: tables.Text}}})
		if got := c.Columns()[1]; got != (tables.Column{Name: want, Kind: tables.Text}) {
			t.Errorf("column %v, want text %q", got, want)
		}
		for _, other := range otherForms {
			if _, err := tables.Select(c.Columns(), []tables.Column{{Name: other, Kind: tables.Text}}); err != nil {
				t.Error(err)
			}
			if _, err := tables.Select([]tables.Column{{Name: other, Kind: tables.Text}}, c.Columns()[1:]); err != nil {
				t.Error(err)
			}
			if got, err := tables.MatchNames(c.Columns(), []string{other[:len(other)-2] + "*"}); err == nil && !slices.Equal(got, []string{want}) {
				t.Errorf("%q matches %q", other, got)
			}
			for _, opt := range []tables.RoleOptions{{}, {U: []string{form}}, {Y: []string{"y"}, X: []string{"x"}}} {
				roles, err := tables.AssignRoles([]tables.Column{{Name: "x"}, {Name: form}}, []tables.Column{{Name: other}, {Name: "y"}}, opt)
				if d := cmp.Diff(tables.Roles{X: []string{"x"}, U: []string{form}, Y: []string{"y"}}, roles); err != nil || d != "" {
					t.Errorf("%q and %q: error %v, roles (-want +got)\n%s", form, other, err, d)
				}
			}
			_, err := tables.AssignRoles([]tables.Column{{Name: "x"}, {Name: "u"}, {Name: form}}, []tables.Column{{Name: other}, {Name: "u"}}, tables.RoleOptions{U: []string{"u"}})
			tabletest.WantError(t, err, "tables", "both X and Y")
		}
	}
	_, err := open(t, strings.Join(otherForms[:2], ",")+"\n1,2\n", Options{})
	wantError(t, err, "f.csv:1: two columns are named")
}

// Names of columns that lists, globs or CSV would take apart.
var awkward = []string{"a,b", `5" pipe`, `"q"`, "[x]", "a*", "b?", `back\slash`, "x=y", "a, b", "km/h", "n,", `,"`, "[a,b]*"}

// TestResolveNames: an argument that is a column is that column, whatever is in it; else it is a list as in CSV, or of plain
// commas.
func TestResolveNames(t *testing.T) {
	var columns []tables.Column
	for _, name := range append([]string{"a", "b", "c d"}, awkward...) {
		columns = append(columns, tables.Column{Name: name})
	}
	for _, name := range awkward {
		for _, arguments := range [][]string{{name}, {`"` + strings.ReplaceAll(name, `"`, `""`) + `"`}} {
			if got, err := tables.MatchNames(columns, arguments); err != nil || !slices.Equal(got, []string{name}) {
				t.Errorf("%q: error %v, columns %q, want %q", arguments, err, got, name)
			}
		}
	}
	for argument, want := range map[string][]string{
		"a,b":                 {"a,b"},
		"b,a":                 {"b", "a"},
		`a,"a,b"`:             {"a", "a,b"},
		`a, "a,b", b`:         {"a", "a,b", "b"},
		`5" pipe,a`:           {`5" pipe`, "a"},
		`"5"" pipe","a, b",a`: {`5" pipe`, "a, b", "a"},
		"c d,b":               {"c d", "b"},
		"a,":                  {"a", ""},
		"":                    {""},
	} {
		if got := names.Resolve(tables.ColumnNames(columns), []string{argument}); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", argument, got, want)
		}
	}
	c := mustOpen(t, "\"a,b\",a,b\n1,1,1\n2,2,2\n", Options{Text: []string{"a,b"}, Numbers: []string{"b,a"}})
	if d := cmp.Diff([]tables.Column{{Name: "a,b", Kind: tables.Text}, {Name: "a", Kind: tables.Numeric}, {Name: "b", Kind: tables.Numeric}}, c.Columns()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestRenamedColumns: columns are read by their new names, which all other options use, in repeated headers too.
func TestRenamedColumns(t *testing.T) {
	renamed := map[string]string{"a": "c", " c": "a ", "gr\u00f6\u00dfe": "size\u200b"}
	opt := Options{Rename: renamed, Text: []string{"a"}, Numbers: []string{"c"}}
	opt.Rename["other"] = "z"
	c := mustOpen(t, "a,gro\u0308\u00dfe,c\n1,x,3\na,gr\u00f6\u00dfe,c\n2,y,4\n", opt)
	tabletest.WantTable(t, c, map[string][]float64{"c": {1, 2}}, map[string][]string{"size": {"x", "y"}, "a": {"3", "4"}})
	if d := cmp.Diff([]string{"a", "c", "gr\u00f6\u00dfe"}, c.Renamed()); d != "" {
		t.Errorf("renamed (-want +got)\n%s", d)
	}
	_, err := open(t, "a,c\n1,2\n", Options{Rename: map[string]string{"a": "c"}})
	wantError(t, err, "f.csv:1: csv.Options.Rename", `"a" cannot become "c"`)
}

// plainSource is a Source of another package.
type plainSource struct{ tables.Source }
