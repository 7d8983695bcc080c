package encode

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
)

func TestThresholds(t *testing.T) {
	src := fixture.Table(t, "y", []float64{0, 1, math.NaN(), 2.5}, "z", []float64{1, 2, 3, 4}, "c", []string{"a", "b", "a", "b"})
	targets := func(names ...string) *Targets {
		return fixture.Must[*Targets](t)(FitTargets(t.Context(), src, names, AutoTask))
	}
	at := Thresholds{At: []float64{0, 2}, Scale: []float64{1, .5}}
	y := fixture.Must[*Targets](t)(targets("y").Below(at))
	if got := y.Names(); y.Len() != 2 || !slices.Equal(got, []string{"y <= 0", "y <= 2"}) || !y.Together() || y.ID() == targets("y").ID() {
		t.Errorf("%d outputs %q", y.Len(), got)
	}
	b := fixture.Must[*TargetBinding](t)(y.Bind(src.Columns()))
	for batch, err := range src.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var dst mat.Dense
		complete := b.EncodeTo(&dst, batch)
		if !slices.Equal(complete, []int{0, 1, 3}) || !slices.Equal(dst.RawMatrix().Data[:4], []float64{1, .5, 0, .5}) || dst.At(3, 1) != 0 || !math.IsNaN(dst.At(2, 0)) {
			t.Errorf("rows %v of %v", complete, mat.Formatted(&dst))
		}
	}
	text := fixture.Must[[]byte](t)(json.Marshal(y))
	again := new(Targets)
	if err := json.Unmarshal(text, again); err != nil || again.ID() != y.ID() {
		t.Errorf("%s is read as another: %v", text, err)
	}
	for want, c := range map[string]struct {
		of *Targets
		at Thresholds
	}{
		"Y is classes": {targets("c"), at}, "Y is 2 columns": {targets("y", "z"), at}, "threshold 2 is 0": {targets("y"), Thresholds{[]float64{0, 0}, []float64{1, 1}}},
		"scale of threshold 1 is 0": {targets("y"), Thresholds{[]float64{0}, []float64{0}}}, "0 thresholds": {targets("y"), Thresholds{}},
	} {
		if _, err := c.of.Below(c.at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, text := range []string{`{"columns":["y","z"],"thresholds":{"at":[1],"scale":[1]}}`, `{"columns":["y"],"thresholds":{"at":[2,1],"scale":[1,1]}}`} {
		if err := json.Unmarshal([]byte(text), new(Targets)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
