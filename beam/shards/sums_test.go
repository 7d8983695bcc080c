package shards_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"mediant/beam/job"
	"mediant/beam/shards"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// TestMain lets the program of the tests be a worker of a runner in another process.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := job.Init(""); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// wave is a number in [-1, 1] that looks like noise.
func wave(i, j int) float64 { return math.Sin(float64(i*j%1009) + float64(j)) }

// A party has 16 shards of each table in a folder, half of them CSV and half Parquet, and one of Y with a header alone; a plan; and the sums of all shards.
type party struct {
	dir  string
	plan shards.File
	want []byte
}

func newParty(t *testing.T) party {
	t.Helper()
	p := party{dir: t.TempDir()}
	var sums [2][]string
	for i := range 16 {
		var x, u, v, y []float64
		for j := range 30 + i {
			row := 100*i + j
			x, v = append(x, wave(row, 3)), append(v, wave(row, 7))
			u, y = append(u, wave(row, 3)+.3*wave(row, 11)), append(y, wave(row, 7)*wave(row, 7)+.1*wave(row, 5))
		}
		y[i] = math.NaN() // left out
		ending := []string{".csv", ".parquet"}[i%2]
		sums[0] = append(sums[0], p.table(t, fmt.Sprintf("xu-%02d%s", i, ending), tables.Numbers("x", x), tables.Numbers("u", u)))
		sums[1] = append(sums[1], p.table(t, fmt.Sprintf("uy-%02d%s", i, ending), tables.Numbers("u", v), tables.Numbers("y", y)))
	}
	p.file(t, "uy-none.csv", []byte("u,y\n"))
	plan := planOf(t, p.open(t, sums[0][0], nil), p.open(t, sums[1][0], nil))
	p.file(t, "u.plan", written(t, plan))
	var err error
	if p.plan, err = shards.Pin(t.Context(), p.path("u.plan")); err != nil {
		t.Fatal(err)
	}
	var parts []*problem.Sums
	for i := range 16 {
		xu, err := plan.SumXU(t.Context(), p.open(t, sums[0][i], plan.Columns(problem.TableXU)))
		if err != nil {
			t.Fatal(err)
		}
		uy, err := plan.SumUY(t.Context(), p.open(t, sums[1][i], plan.Columns(problem.TableUY)))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, xu, uy)
	}
	all, err := problem.MergeSums(parts...)
	if err != nil {
		t.Fatal(err)
	}
	p.want = written(t, all)
	return p
}

func (p party) path(name string) string { return filepath.Join(p.dir, name) }

func (p party) file(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(p.path(name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// table writes a table, and returns its name.
func (p party) table(t *testing.T, name string, columns ...tables.ColumnData) string {
	t.Helper()
	src := fixture.Columns(t, columns...)
	var b bytes.Buffer
	w, err := formats.NewWriter(name, &b, src.Columns())
	if err == nil {
		err = tables.Copy(t.Context(), w, src)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.file(t, name, b.Bytes())
	return name
}

func (p party) open(t *testing.T, name string, only []tables.Column) tables.Source {
	t.Helper()
	f, err := formats.Open(t.Context(), p.path(name), formats.Options{Options: csv.Options{Only: only}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f.Source
}

// planOf is a plan of 12 features a side and 20 blocks.
func planOf(t *testing.T, xu, uy tables.Source) problem.Plan {
	t.Helper()
	spec := features.Spec{Size: 12, Bandwidth: 2}
	encoded, err := problem.Encode(t.Context(), problem.Setup{Phi: spec, Psi: spec, Folds: 5, Seed: 3}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := encoded.Map(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := mapped.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func written(t *testing.T, v io.WriterTo) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := v.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sum runs Sums over the shards of the party, of which paths may be another collection, and returns what it writes.
func (p party) sum(t *testing.T, attempts job.Attempts, between func(s beam.Scope, paths beam.PCollection) beam.PCollection) ([]byte, error) {
	t.Helper()
	out := p.path("all.sums")
	os.Remove(out)
	err := job.Run(t.Context(), attempts, func(s beam.Scope) {
		xu, uy := shards.Match(s, p.path("xu-0*"), p.path("xu-1*")), shards.Match(s, p.path("uy-*"))
		if between != nil {
			uy = between(s, uy)
		}
		shards.Write(s, out, shards.Sums(s, p.plan, xu, uy, shards.SumsOptions{}))
	})
	if err != nil {
		if _, statErr := os.Stat(out); statErr == nil {
			t.Error("a job that failed wrote sums")
		}
		return nil, err
	}
	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return raw, nil
}

// TestSumsOfOneTable: a table without the other, in one shard, gives the bytes of Plan.SumXU.
func TestSumsOfOneTable(t *testing.T) {
	p := newParty(t)
	raw, err := os.ReadFile(p.path("u.plan"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := problem.ReadPlan(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	want, err := plan.SumXU(t.Context(), p.open(t, "xu-07.parquet", plan.Columns(problem.TableXU)))
	if err != nil {
		t.Fatal(err)
	}
	sum := func(fewRows bool) error {
		return job.Run(t.Context(), job.Attempts{Times: 1}, func(s beam.Scope) {
			sums := shards.Sums(s, p.plan, shards.Match(s, p.path("xu-07.*")), beam.PCollection{}, shards.SumsOptions{FewRows: fewRows})
			shards.Write(s, p.path("one.sums"), sums)
		})
	}
	if err := sum(false); err == nil || !strings.Contains(err.Error(), "37 rows for 12 features") {
		t.Errorf("of few rows: %v", err)
	}
	if err := sum(true); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(p.path("one.sums")); err != nil || !bytes.Equal(got, written(t, want)) {
		t.Errorf("%d other bytes (%v)", len(got), err)
	}
}

// TestSums: a job over 32 shards writes the bytes of problem.MergeSums of their sums.
func TestSums(t *testing.T) {
	p := newParty(t)
	got, err := p.sum(t, job.Attempts{Times: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, p.want) {
		t.Errorf("%d bytes, want %d others", len(got), len(p.want))
	}
	left, err := filepath.Glob(p.path("*all.sums*"))
	if err != nil || !slices.Equal(left, []string{p.path("all.sums")}) {
		t.Errorf("files %v (%v)", left, err)
	}
}

// loseFn fails once, at a shard: a worker that fails before the file Done is there makes it.
type loseFn struct{ How, Shard, Done string }

func init() { register.DoFn1x2[string, string, error](&loseFn{}) }

func (f *loseFn) ProcessElement(path string) (string, error) {
	if _, err := os.Stat(f.Done); err == nil || path != f.Shard {
		return path, nil
	}
	if err := os.WriteFile(f.Done, nil, 0o666); err != nil {
		return "", err
	}
	switch f.How {
	case "panics":
		panic("of a worker")
	case "is killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return "", errors.New("of a worker")
}

// lose loses a worker at one of the later shards.
func (p party) lose(how string) func(s beam.Scope, paths beam.PCollection) beam.PCollection {
	os.Remove(p.path("done"))
	return func(s beam.Scope, paths beam.PCollection) beam.PCollection {
		return beam.ParDo(s, &loseFn{how, p.path("uy-11.parquet"), p.path("done")}, paths)
	}
}

// TestSumsAfterFailure: a worker that fails once changes nothing in the second attempt. Without one the job fails.
func TestSumsAfterFailure(t *testing.T) {
	p := newParty(t)
	for _, how := range []string{"fails", "panics"} {
		if _, err := p.sum(t, job.Attempts{Times: 1}, p.lose(how)); err == nil || !strings.Contains(err.Error(), "of a worker") {
			t.Errorf("a worker that %s: %v", how, err)
		}
		got, err := p.sum(t, job.Attempts{Times: 2}, p.lose(how))
		if err != nil || !bytes.Equal(got, p.want) {
			t.Errorf("a worker that %s once: %d bytes, want %d (%v)", how, len(got), len(p.want), err)
		}
	}
}

// TestSumsOfWorkerProcesses: a runner in another process, with workers in their own processes or in this one, gives the same bytes, also where a worker is killed.
func TestSumsOfWorkerProcesses(t *testing.T) {
	p := newParty(t)
	endpoint := prism(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		environment, config string
		lose                func(beam.Scope, beam.PCollection) beam.PCollection
		limit               time.Duration // of the attempt that loses a worker, for which prism of Beam 2.77 sometimes waits for ever
	}{
		{environment: "LOOPBACK"},
		{environment: "PROCESS", config: fmt.Sprintf(`{"command": %q}`, program)},
		{environment: "PROCESS", config: fmt.Sprintf(`{"command": %q}`, program), lose: p.lose("is killed"), limit: 40 * time.Second},
	} {
		set(t, map[string]string{"runner": "universal", "endpoint": endpoint, "environment_type": c.environment, "environment_config": c.config})
		got, err := p.sum(t, job.Attempts{Times: 2, Limit: c.limit}, c.lose)
		if err != nil || !bytes.Equal(got, p.want) {
			t.Errorf("%+v: %d bytes, want %d (%v)", c, len(got), len(p.want), err)
		}
		if _, err := os.Stat(p.path("done")); c.lose != nil && err != nil {
			t.Error("no worker was killed")
		}
	}
}

// set sets flags of Beam until the end of the test.
func set(t *testing.T, flags map[string]string) {
	t.Helper()
	for name, value := range flags {
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { flag.Set(name, before) })
	}
}

// prism builds and starts prism in a process of its own, and returns its endpoint.
func prism(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "prism")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/apache/beam/sdks/v2/go/cmd/prism").CombinedOutput(); err != nil {
		t.Fatalf("prism cannot be built: %v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	var output bytes.Buffer
	cmd := exec.Command(program, "--job_port", port, "--serve_http=false", "--log_kind", "text")
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("prism:\n%s", &output)
		}
	})
	return "localhost:" + port
}
