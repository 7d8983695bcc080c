package encode_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/internal/sparsetest"
	"mediant/tables"
)

var nan = math.NaN()

// fit makes the encoder of all columns of the first source.
func fit(t testing.TB, sources ...tables.Source) *encode.Encoder {
	t.Helper()
	return fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), sources[0].Columns(), encode.EncoderOptions{}, sources...))
}

// encoded returns the encoded rows of a source and what was counted.
func encoded(t testing.TB, e *encode.Encoder, src tables.Source) (*mat.Dense, encode.Counts) {
	t.Helper()
	b := fixture.Must[*encode.Binding](t)(e.Bind(src.Columns()))
	var all mat.Dense
	var counts encode.Counts
	for batch, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		var rows mat.Dense
		counts.Add(b.EncodeTo(&rows, batch))
		if all.IsEmpty() {
			all.CloneFrom(&rows)
		} else {
			var taller mat.Dense
			taller.Stack(&all, &rows)
			all = taller
		}
	}
	return &all, counts
}

// TestLevels: those of text, sorted, with missing text where training had it, and none of numbers.
func TestLevels(t *testing.T) {
	e := fit(t, fixture.Table(t, "n", []float64{1, 2, 3}, "c", []string{"b", "a", "b"}, "d", []string{"x10", "", "x9"}))
	for i, want := range [][]string{nil, {"a", "b"}, {"", "x9", "x10"}} {
		if got := e.Levels(i); !slices.Equal(got, want) {
			t.Errorf("levels %q, want %q", got, want)
		}
	}
}

// TestOrigins: each encoded column is of the column that its name begins with, and one that does not vary has none.
func TestOrigins(t *testing.T) {
	e := fit(t, fixture.Table(t, "n", []float64{1, 2, math.NaN()}, "k", []float64{4, 4, 4}, "d", []string{"a", "", "b"}))
	if got, names := e.Origins(), e.Names(); !slices.Equal(got, []int{0, 0, 2, 2, 2}) || len(names) != len(got) {
		t.Errorf("origins %v of %q", got, names)
	}
}

func TestEncoder(t *testing.T) {
	src := fixture.Table(t,
		"age", []float64{10, nan, 30, 20},
		"color", []string{"red", "x10", "", "x9"},
		"height", []float64{1, 2, 3, 4},
		"empty", []float64{nan, nan, nan, nan},
		"same", []float64{7, nan, 7, 7},
		"blank", []string{"", "", "", ""},
		"word", []string{"a", "a", "a", "a"},
	)
	e := fit(t, src)
	wantNames := []string{"age", "age missing", "color=", "color=red", "color=x9", "color=x10", "height", "same missing"}
	if diff := cmp.Diff(wantNames, e.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if e.Width() != len(wantNames) || e.Rows() != 4 || !slices.Equal(e.SourceRows(), []int{4}) {
		t.Errorf("width %d, rows %d, %v", e.Width(), e.Rows(), e.SourceRows())
	}
	if diff := cmp.Diff(src.Columns(), e.Columns()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	wantNotes := []string{
		`column "empty" is left out: it is missing in every row`,
		`column "same" is left out: it is 7 in every row that has it`,
		`column "blank" is left out: it is missing in every row`,
		`column "word" is left out: it is "a" in every row that has it`,
	}
	if diff := cmp.Diff(wantNotes, e.Notes()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	got, counts := encoded(t, e, src)
	a, h := 1/math.Sqrt(2.0/3), 1/math.Sqrt(1.25)
	want := mat.NewDense(4, 8, []float64{
		-a, 0, 0, 1, 0, 0, -1.5 * h, 0,
		0, 1, 0, 0, 0, 1, -0.5 * h, 1,
		a, 0, 1, 0, 0, 0, 0.5 * h, 0,
		0, 0, 0, 0, 1, 0, 1.5 * h, 0,
	})
	if d := fixture.Distance(got, want); d > 1e-15 {
		t.Errorf("encoded\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
	}
	if counts.Missing != nil || counts.Unseen != nil {
		t.Errorf("training rows were counted as new: %v", counts)
	}
}

// TestEncoderAtPrediction: other columns and another order, levels and missing values that training
// did not have.
func TestEncoderAtPrediction(t *testing.T) {
	e := fit(t, fixture.Table(t, "a", []float64{1, 3}, "b", []string{"x", "y"}, "c", []float64{nan, 1}))
	src := fixture.Table(t, "b", []string{"z", "y", ""}, "more", []float64{1, 2, 3}, "c", []float64{1, nan, nan}, "a", []float64{nan, 5, nan})
	got, counts := encoded(t, e, src)
	want := mat.NewDense(3, 4, []float64{0, 0, 0, 0, 3, 0, 1, 1, 0, 0, 0, 1})
	if !mat.Equal(got, want) {
		t.Errorf("encoded\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
	}
	if !slices.Equal(counts.Missing, []int{2, 0, 0}) || !slices.Equal(counts.Unseen, []int{0, 2, 0}) {
		t.Errorf("counts %+v", counts)
	}
	wantLines := []string{
		`column "a": 2 missing, none in training: the training mean 2 is used`,
		`column "b": 2 values that training did not have: treated as none of its levels`,
	}
	counts.Add(encode.Counts{})
	if diff := cmp.Diff(wantLines, e.Warnings(counts)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestCount: without encoding, as encoding counts, and with an example of each column; free text and columns that are left out have
// nothing to count.
func TestCount(t *testing.T) {
	const n = 300
	text, level, number, constant := make([]string, n), make([]string, n), make([]float64, n), make([]float64, n)
	for i := range n {
		text[i], level[i], number[i] = fmt.Sprintf("the %dth word w%d", i, i*i), []string{"p", "q"}[i%2], float64(i)
	}
	grade := slices.Repeat([]string{"1", "2"}, n/2) // 1.0 is no other
	same := slices.Repeat([]string{"same"}, n)
	e := fit(t, fixture.Table(t, "text", text, "level", level, "grade", grade, "number", number, "constant", constant, "same", same))
	src := fixture.Table(t, "text", []string{"new words", "", "w"}, "level", []string{"", "r", "s"}, "grade", []string{"1.0", "2", "3"}, "number", []float64{nan, 1, nan}, "constant", []float64{nan, 2, 3}, "same", []string{"x", "y", "z"})
	bind, err := e.Bind(src.Columns())
	if err != nil {
		t.Fatal(err)
	}
	for b := range src.Batches(context.Background()) {
		_, want := bind.Rows(&mat.Dense{}, b)
		got := bind.Count(b)
		if !slices.Equal(got.Example, []string{"", "r", "3", "", "", ""}) {
			t.Errorf("examples %q", got.Example)
		}
		if got.Example = nil; !cmp.Equal(got, want) || want.Unseen[1] != 3 || want.Unseen[2] != 1 || want.Missing[3] != 2 {
			t.Errorf("%+v are counted, %+v by encoding", got, want)
		}
	}
}

// TestNearLevel: an unseen level that is another spelling of one of training says of which.
func TestNearLevel(t *testing.T) {
	e := fit(t, fixture.Table(t, "colour", []string{"green", "dark red", "1.5"}))
	for unseen, want := range map[string]string{"Green": "green", "grene": "green", "Dark_Red": "dark red", "1,5": "1.5", "blue": "", "": ""} {
		counts, err := e.Count(context.Background(), fixture.Table(t, "colour", []string{"green", unseen}))
		if err != nil {
			t.Fatal(err)
		}
		found := e.Findings(counts)
		if want != "" {
			want = fmt.Sprintf("is it %q?", want)
		}
		if len(found) != 1 || found[0].Remedy != want || found[0].Code != check.LaterLevel || found[0].Rows != 1 {
			t.Errorf("%q: %+v, want %q", unseen, found, want)
		}
	}
}

// TestConstantColumn has the table of scikit-learn issue 17794: 23 rows of 2.7, whose mean is not
// 2.7 in floating point and whose deviation so came out as 1e-15.
func TestConstantColumn(t *testing.T) {
	numbers, same := make([]float64, 23), make([]float64, 23)
	for i := range numbers {
		numbers[i], same[i] = float64(i), 2.7
	}
	with, without := fit(t, fixture.Table(t, "t", numbers, "k", same)), fit(t, fixture.Table(t, "t", numbers))
	got, _ := encoded(t, with, fixture.Table(t, "t", numbers, "k", same))
	want, _ := encoded(t, without, fixture.Table(t, "t", numbers))
	if !mat.Equal(got, want) {
		t.Error("the constant column changes the encoded rows")
	}
	for i, v := range numbers {
		if d := math.Abs(got.At(i, 0) - (v-11)/6.6332495807108); d > 1e-14 {
			t.Errorf("row %d is %g, off by %g", i, got.At(i, 0), d)
		}
	}
	if string(with.Canonical()) != string(without.Canonical()) {
		t.Error("the constant column changes the identity")
	}
	if len(with.Notes()) != 1 || !strings.Contains(with.Notes()[0], `"k"`) {
		t.Errorf("notes %q do not name it", with.Notes())
	}
}

func TestNoStandardize(t *testing.T) {
	src := fixture.Table(t, "a", []float64{1, nan, 5}, "k", []float64{2, 2, 2})
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{NoStandardize: true}, src))
	got, _ := encoded(t, e, src)
	if want := mat.NewDense(3, 2, []float64{1, 0, 3, 1, 5, 0}); !mat.Equal(got, want) {
		t.Errorf("encoded\n%v", mat.Formatted(got))
	}
	if string(e.Canonical()) == string(fit(t, src).Canonical()) {
		t.Error("standardised and plain columns have one identity")
	}
}

func TestEncodeAllocatesNothing(t *testing.T) {
	src := fixture.Table(t, "a", []float64{1, nan, 3}, "b", []string{"x", "y", "x"})
	e := fit(t, src)
	b := fixture.Must[*encode.Binding](t)(e.Bind(src.Columns()))
	for batch := range src.Batches(context.Background()) {
		dst := mat.NewDense(3, e.Width(), nil)
		if got := testing.AllocsPerRun(10, func() { b.EncodeTo(dst, batch) }); got > 0 {
			t.Errorf("%g allocations", got)
		}
		fixture.MustPanic(t, func() { b.EncodeTo(mat.NewDense(2, e.Width(), nil), batch) })
	}
}

// TestEncodeToOverwrites: rows are reused, and zeros are written too.
func TestEncodeToOverwrites(t *testing.T) {
	src := fixture.Table(t, "a", []float64{1, nan, 3}, "b", []string{"x", "y", "x"})
	e := fit(t, src)
	want, _ := encoded(t, e, src)
	b := fixture.Must[*encode.Binding](t)(e.Bind(src.Columns()))
	for batch := range src.Batches(context.Background()) {
		got := mat.NewDense(3, 4, []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9})
		if b.EncodeTo(got, batch); !mat.Equal(got, want) {
			t.Errorf("encoded\n%v\nwant\n%v", mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// Rows are encoded a few at a time, of every kind of column: each as if it were alone, and all are counted.
func TestEncodeToGoesByRows(t *testing.T) {
	const n = 300 // more than a block
	numbers, levels, free, sparse := make([]float64, n), make([]string, n), make([]string, n), mat.NewDense(n, 3, nil)
	for i := range n {
		numbers[i], levels[i] = float64(i*i%17), []string{"x", "y"}[i%2]
		free[i] = fmt.Sprintf("word%d of %d", i, i/2)
		sparse.Set(i, i%3, float64(i+1))
	}
	beside := func(numbers []float64, levels, free []string, sparse *mat.Dense) tables.Source {
		s := fixture.Must[*tables.Table](t)(tables.FromSparse("s", sparsetest.Of(sparse)))
		return fixture.Must[tables.Source](t)(tables.HStack(fixture.Table(t, "a", numbers, "b", levels, "c", free), s))
	}
	e := fit(t, beside(numbers, levels, free, sparse))
	for _, i := range []int{0, 133, 270} {
		numbers[i], levels[i] = nan, "z"
	}
	got, counts := encoded(t, e, beside(numbers, levels, free, sparse))
	if counts.Missing[0] != 3 || counts.Unseen[1] != 3 {
		t.Errorf("counted %v missing and %v unseen, want 3 of each", counts.Missing, counts.Unseen)
	}
	for i := range n {
		one, _ := encoded(t, e, beside(numbers[i:i+1], levels[i:i+1], free[i:i+1], mat.DenseCopyOf(sparse.Slice(i, i+1, 0, 3))))
		if !mat.Equal(got.Slice(i, i+1, 0, e.Width()), one) {
			t.Fatalf("row %d is\n%v\nalone\n%v", i, mat.Formatted(got.RowView(i).T()), mat.Formatted(one))
		}
	}
}

func TestEncodeYieldsAllRows(t *testing.T) {
	x := fixture.NormalRows(2500, 2)
	src := fixture.Must[*tables.Matrix](t)(tables.FromMatrix([]string{"a", "b"}, x))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{NoStandardize: true}, src))
	at := 0
	for rows, err := range e.Encode(context.Background(), src) {
		if err != nil {
			t.Fatal(err)
		}
		n, _ := rows.Dims()
		if !mat.Equal(rows, x.Slice(at, at+n, 0, 2)) {
			t.Errorf("rows from %d on differ", at)
		}
		at += n
	}
	if at != 2500 {
		t.Errorf("%d rows, want 2500", at)
	}
}

func TestEncodeStopsAtAnError(t *testing.T) {
	e := fit(t, fixture.Table(t, "a", []float64{1, 2}))
	rows := 0
	for _, err := range e.Encode(context.Background(), broken{columns: numeric("a"), err: errors.New("disk on fire")}) {
		if rows++; err == nil || err.Error() != "disk on fire" {
			t.Errorf("error %v", err)
		}
	}
	if rows != 1 {
		t.Errorf("%d blocks and errors, want 1", rows)
	}
}

func BenchmarkEncodeTo(b *testing.B) {
	x := fixture.NormalRows(tables.BlockRows, 50)
	names := make([]string, 50)
	for j := range names {
		names[j] = fmt.Sprint("c", j)
	}
	src := fixture.Must[*tables.Matrix](b)(tables.FromMatrix(names, x))
	e := fit(b, src)
	binding := fixture.Must[*encode.Binding](b)(e.Bind(src.Columns()))
	dst := new(mat.Dense)
	for batch := range src.Batches(context.Background()) {
		for b.Loop() {
			binding.EncodeTo(dst, batch)
		}
	}
}
