package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/tables"
)

// columnsNamed are columns of numbers with names from a list.
func columnsNamed(list string) []tables.Column {
	var columns []tables.Column
	for _, name := range strings.Fields(list) {
		columns = append(columns, tables.Column{Name: name})
	}
	return columns
}

func TestNearNames(t *testing.T) {
	xu := columnsNamed("Age first.name Straße ß both_in x _ u1")
	uy := columnsNamed("age FIRST-NAME strasse both_in y - first_name u 1 u_1")
	want := []nearName{{"Age", "age"}, {"first.name", "FIRST-NAME"}, {"first.name", "first_name"}, {"u1", "u_1"}}
	if d := cmp.Diff(want, nearNames(xu, uy), cmp.AllowUnexported(nearName{})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := nearNames([]tables.Column{{Name: "Body mass"}}, []tables.Column{{Name: "body\u00a0Mass\u200b"}, {Name: "BODYMASS"}}); len(got) != 2 {
		t.Errorf("pairs %q, want two", got)
	}
	if got := nearNames([]tables.Column{{Name: "total"}}, []tables.Column{{Name: "t\u043etal"}}); len(got) != 1 {
		t.Errorf("pairs %q, want one, whose second name has a Cyrillic letter", got)
	}
	if got := nearNames(columnsNamed("age"), columnsNamed("age Age")); got != nil {
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
			if got := nearNames([]tables.Column{{Name: names[0]}}, []tables.Column{{Name: names[1]}}); len(got) > 1 || len(got) == 1 != c.want {
				t.Errorf("%q and %q: pairs %q, want one: %v", names[0], names[1], got, c.want)
			}
		}
	}
}
