package shards_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mediant"
	"mediant/beam/job"
	"mediant/beam/shards"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/predictions"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/formats"
)

// newModel fits a model to rows of x and u and of u and y, pins its file m.mediant, and returns it.
func newModel(t *testing.T, p party) (*mediant.Model, shards.File) {
	t.Helper()
	var x, u, v, y []float64
	for i := range 400 {
		x, u = append(x, wave(i, 3)), append(u, wave(i, 3)+.3*wave(i, 11))
		v, y = append(v, wave(i, 7)), append(y, wave(i, 7)*wave(i, 7)+.1*wave(i, 5))
	}
	spec := features.Spec{Size: 12, Bandwidth: 2}
	m, err := mediant.Fit(t.Context(), fixture.Columns(t, tables.Numbers("x", x), tables.Numbers("u", u)), fixture.Columns(t, tables.Numbers("u", v), tables.Numbers("y", y)),
		mediant.Options{Setup: problem.Setup{Phi: spec, Psi: spec}, Method: rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	p.file(t, "m.mediant", b.Bytes())
	pinned, err := shards.Pin(t.Context(), p.path("m.mediant"))
	if err != nil {
		t.Fatal(err)
	}
	return m, pinned
}

// ramp are n values of x from -scale to scale.
func ramp(n int, scale float64) tables.ColumnData {
	var x []float64
	for i := range n {
		x = append(x, scale*(2*float64(i)/float64(n-1)-1))
	}
	return tables.Numbers("x", x)
}

// TestPredict: each shard has its file of predictions, one of a header alone too.
func TestPredict(t *testing.T) {
	p := party{dir: t.TempDir()}
	m, pinned := newModel(t, p)
	names := []string{p.table(t, "in-0.csv", ramp(20, 1)), p.table(t, "in-1.parquet", ramp(30, .9)), "in-2.csv"}
	p.file(t, "in-2.csv", []byte("x\n"))
	err := job.Run(t.Context(), job.Attempts{Times: 1}, func(s beam.Scope) {
		out := shards.Predict(s, pinned, shards.Match(s, p.path("in-*")), shards.PredictOptions{Folder: p.path("out")})
		shards.Write(s, p.path("last"), beam.ParDo(s, bytesOf, out)) // of whichever file is last
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		want := "y\n"
		if i < 2 {
			var b bytes.Buffer
			w, err := formats.NewWriter("x.csv", &b, predictions.Options{}.Columns(m))
			if err == nil {
				err = predictions.Options{}.Write(t.Context(), m, p.open(t, name, m.X.Columns()), w)
			}
			if err != nil {
				t.Fatal(err)
			}
			want = b.String()
		}
		got, err := os.ReadFile(p.path(fmt.Sprintf("out/in-%d.csv", i)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, want %q (%v)", name, got, want, err)
		}
	}
	if last, err := os.ReadFile(p.path("last")); err != nil || !strings.HasPrefix(string(last), p.path("out/in-")) {
		t.Errorf("the last file is %q (%v)", last, err)
	}
}

func bytesOf(s string) []byte { return []byte(s) }

func init() { beam.RegisterFunction(bytesOf) }

// TestPredictRefuses: what would be lost, or is in another unit than in training, fails the job and writes nothing.
func TestPredictRefuses(t *testing.T) {
	p := party{dir: t.TempDir()}
	_, pinned := newModel(t, p)
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(p.path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
		p.table(t, dir+"/same.csv", ramp(20, 1))
	}
	p.table(t, "metres.csv", ramp(200, 1000))
	p.file(t, "blank.csv", nil)
	other := pinned
	other.SHA256 = strings.Repeat("0", 64)
	out := p.path("out")
	for _, c := range []struct {
		model shards.File
		files string
		opt   shards.PredictOptions
		want  string
	}{
		{pinned, "?/same.csv", shards.PredictOptions{Folder: out}, "would both be written to"},
		{pinned, "a/same.csv", shards.PredictOptions{Folder: p.path("a")}, "would be overwritten"},
		{pinned, "a/same.csv", shards.PredictOptions{Folder: out, Scores: true}, "scores are of classes"},
		{pinned, "a/same.csv", shards.PredictOptions{Folder: out, Errors: true}, "no standard errors"},
		{pinned, "a/same.csv", shards.PredictOptions{Folder: out, Accept: []string{"nothing"}}, "nothing"},
		{pinned, "metres.csv", shards.PredictOptions{Folder: out}, "another unit"},
		{pinned, "metres.csv", shards.PredictOptions{Folder: p.path("accepted"), Accept: []string{"later-unit"}}, ""},
		{pinned, "blank.csv", shards.PredictOptions{Folder: out}, "an empty file"},
		{pinned, "none*.csv", shards.PredictOptions{Folder: out}, "no files matching"},
		{other, "a/same.csv", shards.PredictOptions{Folder: out}, "want " + other.SHA256},
	} {
		err := job.Run(t.Context(), job.Attempts{Times: 1}, func(s beam.Scope) { shards.Predict(s, c.model, shards.Match(s, p.path(c.files)), c.opt) })
		if said := fmt.Sprint(err); !strings.Contains(said, c.want) || (err == nil) != (c.want == "") {
			t.Errorf("%s, %+v: %v, want %q", c.files, c.opt, err, c.want)
		}
	}
	if left, err := filepath.Glob(p.path("out/*")); err != nil || len(left) > 0 {
		t.Errorf("files %v (%v)", left, err)
	}
}
