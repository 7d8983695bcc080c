package encode

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/tables"
)

func TestTargetsOfLabels(t *testing.T) {
	// Labels are text in natural order: 1 < 2 < 10, and "01" is not "1" (mljar-supervised#245).
	src := fixture.Columns(t, tables.Numbers("u", make([]float64, 6)), tables.Strings("digit", []string{"10", "2", "", "1", "01", "2"}))
	y, err := FitTargets(context.Background(), src, []string{"digit"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(y.Names(), " "), "digit=01 digit=1 digit=2 digit=10"; got != want {
		t.Errorf("outputs %s, want %s", got, want)
	}
	b, err := y.Bind(src.Columns())
	if err != nil {
		t.Fatal(err)
	}
	for batch := range src.Batches(context.Background()) {
		var dst mat.Dense
		if complete := b.EncodeTo(&dst, batch); !slices.Equal(complete, []int{0, 1, 3, 4, 5}) {
			t.Errorf("complete rows %v", complete)
		}
		for i, label := range []string{"10", "2", "", "1", "01", "2"} {
			for j, class := range y.Classes() {
				want := 0.0
				if label == class {
					want = 1
				}
				if got := dst.At(i, j); got != want && !(label == "" && math.IsNaN(got)) {
					t.Errorf("row %d, class %q: %g, want %g", i, class, got, want)
				}
			}
		}
	}
}

func TestTargetsDoNotDependOnRowOrder(t *testing.T) {
	labels := []string{"b", "a", "10", "9", "c", "a"}
	id := func(labels []string) string {
		y, err := FitTargets(context.Background(), fixture.Columns(t, tables.Strings("y", labels)), []string{"y"}, Classify)
		if err != nil {
			t.Fatal(err)
		}
		return y.ID().String()
	}
	want := id(labels)
	slices.Reverse(labels)
	if got := id(labels); got != want {
		t.Errorf("identity %s, reversed %s", want, got)
	}
	if got := id(labels[:5]); got == want {
		t.Error("other classes have the same identity")
	}
}

func TestTargetsOfNumbers(t *testing.T) {
	nan := math.NaN()
	src := fixture.Columns(t, tables.Numbers("a", []float64{1, nan, 3}), tables.Numbers("b", []float64{4, 5, nan}))
	y, err := FitTargets(context.Background(), src, []string{"b", "a"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	if y.Len() != 2 || y.Classes() != nil {
		t.Errorf("%d outputs, classes %v", y.Len(), y.Classes())
	}
	b, err := y.Bind(src.Columns())
	if err != nil {
		t.Fatal(err)
	}
	for batch := range src.Batches(context.Background()) {
		var dst mat.Dense
		if complete := b.EncodeTo(&dst, batch); !slices.Equal(complete, []int{0}) {
			t.Errorf("complete rows %v, want the first", complete)
		}
		if dst.At(0, 0) != 4 || dst.At(0, 1) != 1 {
			t.Errorf("first row %v", dst.RawRowView(0))
		}
	}
}

func TestTargetsRefuse(t *testing.T) {
	many := make([]string, maxClasses+1)
	for i := range many {
		many[i] = "label " + strconv.Itoa(i)
	}
	src := fixture.Columns(t, tables.Numbers("n", make([]float64, len(many))), tables.Strings("text", many),
		tables.Strings("one", slices.Repeat([]string{"a"}, len(many))))
	for _, c := range []struct {
		want  string
		names []string
		task  Task
	}{
		{"no column", nil, AutoTask},
		{`"absent"`, []string{"absent"}, AutoTask},
		{"read it as text", []string{"n"}, Classify},
		{"one column of labels", []string{"n", "text"}, Classify},
		{`"text" of Y is text, beside others`, []string{"n", "text"}, AutoTask},
		{`"text" of Y is text`, []string{"text"}, Regress},
		{"only the label", []string{"one"}, AutoTask},
		{`"text" of Y is free text or a number, not a class: more than 10000`, []string{"text"}, AutoTask},
	} {
		if _, err := FitTargets(context.Background(), src, c.names, c.task); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one about %s", c.names, err, c.want)
		}
	}
}

func TestTargetsJSON(t *testing.T) {
	src := fixture.Columns(t, tables.Numbers("n", []float64{1, 2}), tables.Strings("c", []string{"p", "q"}))
	for _, name := range []string{"n", "c"} {
		y, err := FitTargets(context.Background(), src, []string{name}, AutoTask)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(y)
		if err != nil {
			t.Fatal(err)
		}
		var back Targets
		if err := json.Unmarshal(raw, &back); err != nil || back.ID() != y.ID() || !slices.Equal(back.Columns(), y.Columns()) {
			t.Errorf("%s: read back %+v (%v)", raw, back, err)
		}
	}
	for _, bad := range []string{`{}`, `{"columns":[]}`, `{"columns":["a"],"classes":["x"]}`, `{"columns":["a"],"classes":["y","x"]}`,
		`{"columns":["a"],"classes":["x","x"]}`, `{"columns":["a","b"],"classes":["x","y"]}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), new(Targets)); err == nil {
			t.Errorf("accepted %s", bad)
		}
	}
}
