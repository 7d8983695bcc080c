package encode

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/tables"
)

func TestClassesMustRepeat(t *testing.T) {
	labels := func(classes, rows int) []string {
		out := make([]string, rows)
		for i := range out {
			out[i] = strconv.Itoa(i%classes) + ".5"
		}
		return append(out, "", "") // rows without a label do not count
	}
	for _, c := range []struct {
		classes, rows int
		refused       bool
	}{
		{100, 100, false}, // every row its own, but few
		{101, 101, true},
		{101, 201, true},
		{101, 202, false},
	} {
		_, err := FitTargets(context.Background(), fixture.Columns(t, tables.Strings("price", labels(c.classes, c.rows))), []string{"price"}, Classify)
		refused := err != nil && strings.Contains(err.Error(), `"price" of Y is free text or a number, not a class: 101 different`)
		if refused != c.refused || err != nil && !refused {
			t.Errorf("%d classes in %d rows: error %v", c.classes, c.rows, err)
		}
	}
}

func TestClassIsThatOfTheOutput(t *testing.T) {
	y, err := FitTargets(context.Background(), fixture.Columns(t, tables.Strings("y", []string{"10", "9"})), []string{"y"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	if y.Class(0) != "9" || y.Class(1) != "10" {
		t.Errorf("classes %q and %q", y.Class(0), y.Class(1))
	}
}

// TestLabelsInOtherSpellings: of a table that was not learned from, a label is the class that is the same number or truth value,
// if there is one alone (scikit-learn/scikit-learn PR #18192, KevinMusgrave/pytorch-metric-learning#129).
func TestLabelsInOtherSpellings(t *testing.T) {
	for _, c := range []struct {
		classes, labels []string
		want            []int // -1: none
	}{
		{[]string{"0", "1"}, []string{"1.0", "0.00", "1", "01", "2", "true", " 1"}, []int{1, 0, 1, -1, -1, -1, 1}},
		{[]string{"0.0", "1.0"}, []string{"1", "0", "1.00", "+1"}, []int{1, 0, 1, -1}},
		{[]string{"False", "True"}, []string{"TRUE", "false", "T", "1", "yes"}, []int{1, 0, -1, -1, -1}},
		{[]string{"1", "1.0", "2"}, []string{"1", "1.0", "1.00", "2.0"}, []int{0, 1, -1, 2}},
		{[]string{"01", "1"}, []string{"01", "1.0", "1", "001"}, []int{0, 1, 1, -1}},
		{[]string{"no", "yes"}, []string{"Yes", "yes", "no "}, []int{-1, 1, -1}},
	} {
		train := fixture.Columns(t, tables.Strings("y", c.classes), tables.Strings("x", c.classes))
		y, err := FitTargets(context.Background(), train, []string{"y"}, AutoTask)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := y.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var loaded Targets
		if err := loaded.UnmarshalJSON(raw); err != nil {
			t.Fatal(err)
		}
		x, err := FitEncoder(context.Background(), train.Columns()[1:], EncoderOptions{}, train)
		if err != nil {
			t.Fatal(err)
		}
		later := fixture.Columns(t, tables.Strings("y", c.labels), tables.Strings("x", c.labels))
		for _, targets := range []*Targets{y, &loaded} {
			bind, err := targets.Bind(later.Columns())
			if err != nil {
				t.Fatal(err)
			}
			encoder, err := x.Bind(later.Columns())
			if err != nil {
				t.Fatal(err)
			}
			unknown := 0
			for b, err := range later.Batches(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				var hot, levels mat.Dense
				bind.EncodeTo(&hot, b)
				counts := encoder.EncodeTo(&levels, b)
				for i, want := range c.want {
					for j := range c.classes {
						one := 0.
						if j == want {
							one = 1
						}
						if hot.At(i, j) != one || levels.At(i, j) != one {
							t.Errorf("label %q of %q: class %v, level %v, want %d", c.labels[i], c.classes, hot.RawRowView(i), levels.RawRowView(i), want)
						}
					}
					if want < 0 {
						unknown++
					}
				}
				if unknown > 0 && counts.Unseen[0] != unknown || unknown == 0 && counts.Unseen != nil {
					t.Errorf("%v unseen levels, want %d", counts.Unseen, unknown)
				}
			}
			got, err := targets.Unknown(context.Background(), later)
			if err != nil {
				t.Fatal(err)
			}
			if rows := 0; got != nil {
				for _, l := range got.Labels {
					rows += l.Rows
				}
				if rows != unknown || got.Rows != unknown || got.Distinct != unknown || got.Labelled != len(c.labels) {
					t.Errorf("unknown %+v, want %d", got, unknown)
				}
			} else if unknown != 0 {
				t.Errorf("no unknown labels, want %d", unknown)
			}
		}
	}
}

// TestUnknownLabels: the most frequent are named first, and a table with none that is known is an error.
func TestUnknownLabels(t *testing.T) {
	train := fixture.Columns(t, tables.Strings("y", []string{"a", "b"}))
	y, err := FitTargets(context.Background(), train, []string{"y"}, AutoTask)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for i := range 12 {
		for range 1 + i%3 {
			labels = append(labels, "l"+strconv.Itoa(i))
		}
	}
	later := fixture.Columns(t, tables.Strings("y", append(labels, "", "")))
	u, err := y.Unknown(context.Background(), later)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := u.String(), `24 of 24 rows with a label have one that no class has: "l2" (3), "l5" (3), "l8" (3), "l11" (3), "l1" (2), "l4" (2), "l7" (2), "l10" (2), and 4 more`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := y.UnknownError(u); err == nil || !strings.Contains(err.Error(), `column "y" of Y`) || !strings.Contains(err.Error(), `the classes are "a", "b"`) {
		t.Errorf("error %v", err)
	}
	later = fixture.Columns(t, tables.Strings("y", append(labels, "a")))
	if u, err = y.Unknown(context.Background(), later); err != nil || u.Rows != 24 || u.Labelled != 25 || y.UnknownError(u) != nil {
		t.Errorf("unknown %+v, error %v", u, err)
	}
	weighed, err := tables.Weigh(context.Background(), fixture.Columns(t, tables.Strings("y", []string{"a", "c"}), tables.Numbers("w", []float64{1, 4})), "w")
	if err != nil {
		t.Fatal(err)
	}
	if u, err = y.Unknown(context.Background(), weighed); err != nil || u.Rows != 4 || u.Labelled != 5 {
		t.Errorf("unknown %+v, error %v", u, err)
	}
}
