package encode

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/internal/fixture"
	"mediant/internal/rowops"
	"mediant/tables"
)

// TestEncodersCountWeights: an encoder of rows with weights is that of the rows written out, to rounding: levels, kinds of
// text and numbers of texts with a term are the same, means and deviations agree to 1e-12 of their size.
func TestEncodersCountWeights(t *testing.T) {
	want := []tables.Column{{Name: "x"}, {Name: "far"}, {Name: "level", Kind: tables.Text}, {Name: "text", Kind: tables.Text}}
	rapid.Check(t, func(r *rapid.T) {
		weighed, written := fixture.Weighted(r, t)
		var encoders []*Encoder
		for _, src := range []tables.Source{weighed, written} {
			e, err := FitEncoder(context.Background(), want, EncoderOptions{Text: TextOptions{Buckets: 256}}, src)
			if err != nil {
				r.Fatal(err)
			}
			encoders = append(encoders, e)
		}
		a, b := encoders[0], encoders[1]
		if a.Rows() != b.Rows() || strings.Join(a.Names(), ",") != strings.Join(b.Names(), ",") {
			r.Fatalf("%d rows and %v, want %d and %v", a.Rows(), a.Names(), b.Rows(), b.Names())
		}
		for i := range a.columns {
			p, q := a.columns[i], b.columns[i]
			if math.Abs(p.mean-q.mean) > 1e-12*math.Hypot(q.mean, q.scale) || math.Abs(p.scale-q.scale) > 1e-9*q.scale { // of 1e6 ± 3 ten digits are left
				r.Fatalf("%s: mean %.17g and scale %.17g, want %.17g and %.17g", p.name, p.mean, p.scale, q.mean, q.scale)
			}
			if p.text != nil && (p.text.documents != q.text.documents || fmt.Sprint(p.text.frequencies) != fmt.Sprint(q.text.frequencies)) {
				r.Fatalf("%s: terms in other numbers of texts", p.name)
			}
		}
	})
}

// TestEncodeRows: rows are those of EncodeAll of the given numbers, across batches; too many or none are refused.
func TestEncodeRows(t *testing.T) {
	values := make([]float64, 2500)
	for i := range values {
		values[i] = float64(i * i % 97)
	}
	src := fixture.Columns(t, tables.Numbers("x", values))
	ctx := context.Background()
	e, err := FitEncoder(ctx, []tables.Column{{Name: "x"}}, EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := e.EncodeAll(ctx, src, 2500)
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{0, 3, 1023, 1024, 2499}
	got, err := e.EncodeRows(ctx, src, rows)
	if err != nil || !mat.Equal(got, rowops.Pick(all, rows)) {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range [][]int{nil, {2500}} {
		if _, err := e.EncodeRows(ctx, src, wrong); err == nil {
			t.Errorf("rows %v of 2500", wrong)
		}
	}
}
