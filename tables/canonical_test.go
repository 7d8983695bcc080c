package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestCanonicalName(t *testing.T) {
	for name, want := range map[string]string{
		"":                           "",
		"age":                        "age",
		" age\t":                     "age",
		"km/h, \"x\"":                "km/h, \"x\"",
		"gro\u0308\u00dfe":           "gr\u00f6\u00dfe", // decomposed
		"gr\u00f6\u00dfe":            "gr\u00f6\u00dfe",
		"\u212b":                     "\u00c5", // the ångström sign
		"u\u200b":                    "u",      // zero-width space
		"\ufeffu":                    "u",
		"a\u200db\u200c":             "ab",
		"so\u00adft":                 "soft",
		"\u200fu\u202c\u2066v\u2069": "uv",
		"a\u00a0b\u00a0":             "a b",
		"a\u2009b":                   "a b",
		"u\ufe0f":                    "u",
		"\u200b":                     "",
		"a\xff ":                     "a\xff",
		"Ａge":                        "Ａge", // another letter that can be seen
	} {
		if got := CanonicalName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		got := CanonicalName(name)
		if CanonicalName(got) != got || CanonicalName(norm.NFD.String(name)) != got || CanonicalName("\u2007\u200b"+name+"\ufeff") != got {
			t.Fatalf("%q is %q, of which the form is %q", name, got, CanonicalName(got))
		}
	})
}

// otherForms are names that look like "größe", as programs write them (JuliaData/DataFrames.jl PR #2904, datafold/data-diff PR #831).
var otherForms = []string{"gr\u00f6\u00dfe", "gro\u0308\u00dfe", "gr\u00f6\u00dfe\u200b", "\u00a0gro\u0308\u00dfe ", "gr\u00f6\u00ad\u00dfe", "\ufeffgr\u00f6\u00dfe"}

// TestNamesInOtherForms: names that look the same are one, in files and in memory, in roles, patterns, selections and
// options.
func TestNamesInOtherForms(t *testing.T) {
	const want = "gr\u00f6\u00dfe"
	for _, form := range otherForms {
		c := mustOpen(t, "x,"+form+"\n01,02\n3,4\n", CSVOptions{Text: []string{otherForms[1]}})
		if got := c.Columns()[1]; got != (Column{want, Text}) {
			t.Errorf("column %v, want text %q", got, want)
		}
		c = mustOpen(t, "x,"+form+"\n01,02\n3,4\n", CSVOptions{Only: []Column{{otherForms[3], Text}}})
		if got := c.Columns()[1]; got != (Column{want, Text}) {
			t.Errorf("column %v, want text %q", got, want)
		}
		for _, other := range otherForms {
			if _, err := Select(c.Columns(), []Column{{other, Text}}); err != nil {
				t.Error(err)
			}
			if _, err := Select([]Column{{other, Text}}, c.Columns()[1:]); err != nil {
				t.Error(err)
			}
			if got, err := MatchNames(c.Columns(), []string{other[:len(other)-2] + "*"}); err == nil && !slices.Equal(got, []string{want}) {
				t.Errorf("%q matches %q", other, got)
			}
			for _, opt := range []RoleOptions{{}, {U: []string{form}}, {Y: []string{"y"}, X: []string{"x"}}} {
				roles, err := AssignRoles([]Column{{Name: "x"}, {Name: form}}, []Column{{Name: other}, {Name: "y"}}, opt)
				if d := cmp.Diff(Roles{[]string{"x"}, []string{form}, []string{"y"}}, roles); err != nil || d != "" {
					t.Errorf("%q and %q: error %v, roles (-want +got)\n%s", form, other, err, d)
				}
			}
			_, err := AssignRoles([]Column{{Name: "x"}, {Name: "u"}, {Name: form}}, []Column{{Name: other}, {Name: "u"}}, RoleOptions{U: []string{"u"}})
			wantError(t, err, "both X and Y")
		}
	}
	_, err := open(t, strings.Join(otherForms[:2], ",")+"\n1,2\n", CSVOptions{})
	wantError(t, err, "f.csv:1: two columns are named")
}

func TestNearNames(t *testing.T) {
	xu := cols("Age first.name Straße ß both_in x _ u1")
	uy := cols("age FIRST-NAME strasse both_in y - first_name u 1 u_1")
	want := []NearName{{"Age", "age"}, {"first.name", "FIRST-NAME"}, {"first.name", "first_name"}, {"u1", "u_1"}}
	if d := cmp.Diff(want, NearNames(xu, uy)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := NearNames([]Column{{Name: "Body mass"}}, []Column{{Name: "body\u00a0Mass\u200b"}, {Name: "BODYMASS"}}); len(got) != 2 {
		t.Errorf("pairs %q, want two", got)
	}
	if got := NearNames([]Column{{Name: "total"}}, []Column{{Name: "t\u043etal"}}); len(got) != 1 {
		t.Errorf("pairs %q, want one, whose second name has a Cyrillic letter", got)
	}
	if got := NearNames(cols("age"), cols("age Age")); got != nil {
		t.Errorf("pairs %q of a name that both tables have", got)
	}
}

// TestNearNamesUnits: a unit behind a name may be in one table alone; what else is in brackets tells columns apart.
func TestNearNamesUnits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"weight (kg)", "weight", true}, {"weight", "Weight [kg]", true}, {"weight (kg)", "weight [kg]", true}, {"weight_kg", "weight (kg)", true}, {"load(%)", "load", true},
		{"income (year 1)", "income (year 10)", false}, {"income", "income (year 10)", false}, {"score (pupil)", "score (mother)", false}, {"(kg)", "kg", true}, {"(kg)", "", false},
	} {
		for _, names := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := NearNames([]Column{{Name: names[0]}}, []Column{{Name: names[1]}}); len(got) > 1 || len(got) == 1 != c.want {
				t.Errorf("%q and %q: pairs %q, want one: %v", names[0], names[1], got, c.want)
			}
		}
	}
}

// Names of columns that lists, globs or CSV would take apart.
var awkward = []string{"a,b", `5" pipe`, `"q"`, "[x]", "a*", "b?", `back\slash`, "x=y", "a, b", "km/h", "n,", `,"`, "[a,b]*"}

// TestResolveNames: an argument that is a column is that column, whatever is in it; else it is a list as in CSV, or of plain
// commas.
func TestResolveNames(t *testing.T) {
	var columns []Column
	for _, name := range append([]string{"a", "b", "c d"}, awkward...) {
		columns = append(columns, Column{Name: name})
	}
	for _, name := range awkward {
		for _, arguments := range [][]string{{name}, {`"` + strings.ReplaceAll(name, `"`, `""`) + `"`}} {
			if got, err := MatchNames(columns, arguments); err != nil || !slices.Equal(got, []string{name}) {
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
		if got := ResolveNames(columns, []string{argument}); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", argument, got, want)
		}
	}
	c := mustOpen(t, "\"a,b\",a,b\n1,1,1\n2,2,2\n", CSVOptions{Text: []string{"a,b"}, Numbers: []string{"b,a"}})
	if d := cmp.Diff([]Column{{"a,b", Text}, {"a", Numeric}, {"b", Numeric}}, c.Columns()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestRename(t *testing.T) {
	table, err := FromColumns(Numbers("a", []float64{1, 2}), Strings("gro\u0308\u00dfe", []string{"x", "y"}), Numbers("c", []float64{3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	c := mustOpen(t, "a,gro\u0308\u00dfe,c\n1,x,3\n2,y,4\n", CSVOptions{})
	want := readTable{cols("c size:text a"), map[string][]float64{"c": {1, 2}, "a": {3, 4}}, map[string][]string{"size": {"x", "y"}}}
	names := map[string]string{"a": "c", " c": "a ", "gr\u00f6\u00dfe": "size\u200b"}
	for _, src := range []Source{table, c, NewGuard("", c), plainSource{c}} {
		got, err := Rename(src, names)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, readAll(t, got)); d != "" {
			t.Errorf("%T: (-want +got)\n%s", src, d)
		}
		if src.Columns()[0].Name != "a" {
			t.Errorf("%T: the source has other names itself", src)
		}
		for _, bad := range []struct {
			names map[string]string
			want  string
		}{{map[string]string{"z": "b"}, `no column "z"`}, {map[string]string{"a": "c"}, `column "a" cannot become "c"`}, {map[string]string{"c": "a"}, `column "c" cannot become "a"`}, {map[string]string{"a": " "}, "no new name"}} {
			_, err := Rename(src, bad.names)
			wantError(t, err, bad.want)
		}
	}
	opt := CSVOptions{Rename: names, Text: []string{"a"}, Numbers: []string{"c"}}
	opt.Rename["other"] = "z"
	c = mustOpen(t, "a,gro\u0308\u00dfe,c\n1,x,3\na,gr\u00f6\u00dfe,c\n2,y,4\n", opt)
	wantTable(t, c, map[string][]float64{"c": {1, 2}}, map[string][]string{"size": {"x", "y"}, "a": {"3", "4"}})
	if d := cmp.Diff([]string{"a", "c", "gr\u00f6\u00dfe"}, c.Renamed()); d != "" {
		t.Errorf("renamed (-want +got)\n%s", d)
	}
	_, err = open(t, "a,c\n1,2\n", CSVOptions{Rename: map[string]string{"a": "c"}})
	wantError(t, err, "f.csv:1: CSVOptions.Rename", `"a" cannot become "c"`)
}

// plainSource is a Source of another package.
type plainSource struct{ Source }

func TestRenamedWhere(t *testing.T) {
	c := mustOpen(t, "a,b\n1,2\n,\n3,4\n", CSVOptions{})
	for _, src := range []Source{c, plainSource{c}} {
		weighed, err := Weigh(context.Background(), src, "b")
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rename(weighed, map[string]string{"a": "z"})
		if err != nil {
			t.Fatal(err)
		}
		if !Weighed(got) || got.Columns()[0].Name != "z" {
			t.Errorf("weights %v, columns %v", Weighed(got), got.Columns())
		}
		_, plain := src.(plainSource)
		if where := Where(got, 1); !plain && !strings.HasSuffix(where, "f.csv:4") {
			t.Errorf("row 1 is at %s", where)
		}
		if n, known := KnownRows(got); n != 2 || !known {
			t.Errorf("%d rows, known %v", n, known)
		}
		if Held(got) != Held(weighed) || LoadBytes(got, 2) != LoadBytes(weighed, 2) {
			t.Errorf("%d bytes held and %d loaded, want %d and %d", Held(got), LoadBytes(got, 2), Held(weighed), LoadBytes(weighed, 2))
		}
		if fmt.Sprint(Skips(got)) != fmt.Sprint(Skips(src)) {
			t.Errorf("skips %v", Skips(got))
		}
	}
}

// TestRenamesThatLookTheSame: of two old names that look the same the last in order counts, whatever the order of the map.
func TestRenamesThatLookTheSame(t *testing.T) {
	for range 20 {
		names, found, err := renameAll([]string{"a", "b"}, map[string]string{"a": "c", "a ": "d", "z": "b"})
		if err != nil || !slices.Equal(names, []string{"d", "b"}) || !slices.Equal(found, []string{"a", "a"}) {
			t.Fatalf("%q of %q, %v", names, found, err)
		}
	}
}
