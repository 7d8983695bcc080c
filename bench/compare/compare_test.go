package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/experiments"
	"mediant/internal/asm"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{4, 1}, spread{1.75, 2.5, 3.25}},
		{[]float64{5, 1, 3, 2, 4}, spread{2, 3, 4}},
		{[]float64{0, 10, 20, 30}, spread{7.5, 15, 22.5}},
	} {
		before := slices.Clone(c.values)
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
		if !slices.Equal(before, c.values) {
			t.Errorf("%v became %v", before, c.values)
		}
	}
	if got := (spread{0.5, 1, 1.25}).String(); got != "1.00 [0.50, 1.25]" {
		t.Errorf("written as %q", got)
	}
}

func TestRatiosAreByRound(t *testing.T) {
	// The second round is ten times slower for both sides; the median of the ratios does not see it.
	if got := ratios([]float64{2, 20, 4}, []float64{1, 10, 2}); !slices.Equal(got, []float64{2, 2, 2}) {
		t.Errorf("ratios %v, want 2", got)
	}
}

func TestRatioOfMeans(t *testing.T) {
	for _, c := range []struct {
		name       string
		ours, peer []float64
		want       string
	}{
		// r = 6/9; residuals -1/3, 2/3, -1/3; the root of (6/9)/6 over 3.
		{"three rounds", []float64{1, 2, 3}, []float64{2, 2, 5}, "0.667 ± 0.1"},
		{"the same share throughout", []float64{1, 2, 4}, []float64{2, 4, 8}, "0.5 ± 0"},
		{"one exact draw", []float64{1e-16, 1, 1, 1}, []float64{0, 1, 1, 1}, "1 ± 4e-17"},              // the root of 1e-32/12 over 3/4
		{"one draw exact to rounding", []float64{1, 1, 1, 1}, []float64{1e-15, 1, 1, 1}, "1.33 ± 0.4"}, // the root of (4/3)/12 over 3/4
		{"exact throughout", []float64{1, 2}, []float64{0, 0}, "–"},
	} {
		if got := ratioText(c.ours, c.peer); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		line, want, err string
	}{
		{"ok\n", "", ""},
		{"ok 0.25\n", "0.25", ""},
		{"ok {\"numpy\": \"1 2\"}\n", `{"numpy": "1 2"}`, ""},
		{"error ValueError: no such size\n", "", "ValueError: no such size"},
		{"0.25\n", "", "want ok or error"},
		{"", "", "want ok or error"},
	} {
		got, err := parseAnswer(c.line)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v", c.line, got, err)
		}
	}
}

func TestParseSeconds(t *testing.T) {
	if s, err := parseSeconds("1.5e-3"); s != 0.0015 || err != nil {
		t.Errorf("1.5e-3 is %g, %v", s, err)
	}
	for _, text := range []string{"", "0", "-1", "nan", "1 s"} {
		if s, err := parseSeconds(text); err == nil {
			t.Errorf("%q is %g", text, s)
		}
	}
}

func TestThreadState(t *testing.T) {
	for stat, want := range map[string]string{
		"12 (python3) S 1 2 3":   "S",
		"12 (a) R b) (c) R 1 2":  "R",
		"12 (cut":                "12",
		"12 (python3)":           "",
		"":                       "",
		"7 (name with S) D 1 2 ": "D",
	} {
		if got := threadState(stat); got != want {
			t.Errorf("%q: state %q, want %q", stat, got, want)
		}
	}
}

func TestParsePeak(t *testing.T) {
	got, err := parsePeak("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n")
	if got != 2 || err != nil {
		t.Errorf("%g MB, %v, want 2", got, err)
	}
	if _, err := parsePeak("VmPeak:\t 9 kB\n"); err == nil {
		t.Error("no VmHWM is no error")
	}
}

func TestPeerEnvironment(t *testing.T) {
	got := peerEnvironment([]string{"PATH=/bin", "OPENBLAS_L2_SIZE=1", "OMP_NUM_THREADS=9", "OPENBLAS_NUM_THREADS=9"}, 2)
	if want := []string{"PATH=/bin", "OPENBLAS_NUM_THREADS=2", "OMP_NUM_THREADS=2"}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
}

// TestCoreOfOldRoutinesIsReplaced: only routines without AVX, on a processor that has it, are not left as they are.
func TestCoreOfOldRoutinesIsReplaced(t *testing.T) {
	for _, c := range []struct {
		taken string
		level asm.Level
		want  string
	}{
		{"Prescott", asm.AVX512, "SkylakeX"}, {"Nehalem", asm.AVX2, "Haswell"}, {"Prescott", asm.Portable, ""},
		{"Haswell", asm.AVX512, ""}, {"Zen", asm.AVX2, ""}, {"Cooperlake", asm.AVX512, ""}, {"?", asm.AVX512, ""},
	} {
		if got := betterCore(c.taken, c.level); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.taken, c.level, got, c.want)
		}
	}
}

// TestChooseCoreForgetsAnInheritedOne: what the caller's environment says of OpenBLAS does not reach the peers.
func TestChooseCoreForgetsAnInheritedOne(t *testing.T) {
	t.Setenv(coreVariable, "Prescott")
	if err := chooseCore(t.Context(), peers(t), io.Discard); err != nil {
		t.Fatal(err)
	}
	if core := os.Getenv(coreVariable); core == "Prescott" {
		t.Error("the peers run the routines that the environment names")
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args string
		want options
	}{
		{"", options{micro: true, jobs: true, rows: 100_000, rounds: 9, repeats: 3}},
		{"--micro --rounds 3", options{micro: true, rows: 100_000, rounds: 3, repeats: 3}},
		{"--only exp", options{micro: true, only: "exp", rows: 100_000, rounds: 9, repeats: 3}},
		{"--jobs --n 2000", options{jobs: true, rows: 2000, rounds: 9, repeats: 3}},
		{"--maps", options{maps: true, rows: 100_000, rounds: 9, repeats: 3}},
		{"--quick", options{quick: true, micro: true, jobs: true, rows: 5000, rounds: 3, repeats: 1}},
	} {
		if got, err := parse(strings.Fields(c.args), new(bytes.Buffer)); got != c.want || err != nil {
			t.Errorf("%q: %+v, %v", c.args, got, err)
		}
	}
	for _, args := range []string{"--n 10", "--rounds 0", "--repeats 0", "more", "--unknown"} {
		if _, err := parse(strings.Fields(args), new(bytes.Buffer)); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// Our side of the operations computes what its line says, in small.
func TestTasks(t *testing.T) {
	const n = 8 // a power of two, for Hadamard
	for _, op := range operations {
		task := op.ours(n)
		for range 2 {
			if s := task.seconds(1); s < 0 {
				t.Errorf("%s took %g s", op.name, s)
			}
		}
		if w := op.work(n); !(w > 0) {
			t.Errorf("%s is %g work", op.name, w)
		}
	}
	u := triangle(n)
	if c := blas64.Nrm2(blas64.Vector{N: n * n, Data: u.Data, Inc: 1}); math.Abs(c-math.Sqrt(n)) > 3 {
		t.Errorf("the triangle has norm %g, want about that of the identity", c)
	}
	seen := 0
	inPlace(2500, func(y []float64) {
		seen += len(y)
		for _, v := range y {
			if !(v >= -10 && v <= 10) {
				t.Errorf("argument %g, want -10 to 10", v)
			}
		}
	}).run()
	if seen != 2500 {
		t.Errorf("%d arguments seen, want 2500", seen)
	}
}

// python is found once: to look takes a second or two.
var python = sync.OnceValue(func() string {
	path, _ := pythonWithPeers(context.Background())
	return path
})

// peers skips a test where there are none.
func peers(t *testing.T) string {
	if python() == "" {
		t.Skip("no python3 with numpy, scipy, scikit-learn and OpenBLAS")
	}
	return python()
}

func TestWorkerKnowsEveryRoutine(t *testing.T) {
	w, err := startWorker(t.Context(), peers(t), workerScript, 1, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := w.versions(); err != nil || v.Numpy == "" || !strings.HasPrefix(v.BLAS, "openblas") {
		t.Errorf("versions %+v, %v", v, err)
	}
	for _, op := range operations {
		if op.peer == "" {
			continue
		}
		if err := w.prepare(op.peer, 8); err != nil {
			t.Error(err)
		}
		if _, err := w.run(2); err != nil {
			t.Error(err)
		}
	}
	if err := w.prepare("alchemy", 8); err == nil || !strings.Contains(err.Error(), "alchemy") {
		t.Errorf("an unknown routine gives %v", err)
	}
	if _, err := w.ask("sing"); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("an unknown command gives %v", err)
	}
	if err := w.close(); err != nil {
		t.Errorf("the worker ends with %v", err)
	}
	if _, err := w.ask("versions"); err == nil {
		t.Error("a worker that has ended answers")
	}
}

func TestMicroTable(t *testing.T) {
	w, err := startWorker(t.Context(), peers(t), workerScript, 1, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	m := &micro{workers: []*worker{w}, rounds: 1, tries: 2, limit: 0, peak: 1}
	var out bytes.Buffer
	if err := m.table(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"exp", "cos", "sin and cos"} {
		if !strings.Contains(out.String(), "| "+name+" | 16384 | 1 |") {
			t.Errorf("no line of %s in\n%s", name, out.String())
		}
	}
	if m.again != 0 || m.kept != 0 {
		t.Errorf("%d turns repeated, %d kept, though a peak of 1 GFLOPS is easily reached", m.again, m.kept)
	}
}

// A turn on a machine that never comes near its peak is tried so often and then counted.
func TestDisturbedTurns(t *testing.T) {
	m := &micro{tries: 3, peak: math.Inf(1)}
	runs := 0
	if _, err := m.turns(t.Context(), operation{}, task{run: func() { runs++ }}, &worker{threads: 1}, 1); err != nil {
		t.Fatal(err)
	}
	if m.again != 2 || m.kept != 1 || runs != 6 {
		t.Errorf("%d repeated, %d kept, %d runs; want 2, 1 and 6: a warm one and a timed one in each of 3", m.again, m.kept, runs)
	}
}

// Both sides do the same jobs: with the same rows, features and penalty their errors agree but for the
// draw of the features.
func TestJobs(t *testing.T) {
	dir := t.TempDir()
	j := &jobs{python: peers(t), rows: 2000, stderr: os.Stderr}
	const dim = 3
	if err := j.write(t.Context(), dir, dim); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]settings{
		"fit": {Dim: dim, Features: 100, Bandwidth: 2, Lambda: 1e-4},
		"cv":  {Dim: dim, Features: 100, Bandwidth: 2, Folds: 3, Grid: 5},

		"mixed":    {Dim: dim, Features: 100, Bandwidth: 2, Lambda: 1e-4},
		"assessed": {Dim: dim, Features: 100, Bandwidth: 2, Lambda: 1e-4},
		"search":   {Dim: dim, Features: 100, Bandwidth: 2, Folds: 3, Grid: 5},
	} {
		ours, err := doJob(t.Context(), name, dir, s)
		if err != nil {
			t.Fatal(err)
		}
		text := `{"dim": 3, "features": 100, "bandwidth": 2, "lambda": 1e-4, "folds": 3, "grid": 5}`
		peer, err := j.run(t.Context(), j.python, "-c", jobScript, name, dir, text)
		if err != nil {
			t.Fatal(err)
		}
		// The best possible MSE is 0.26, that of a constant about 0.4.
		for side, o := range map[string]outcome{"ours": ours, "scikit-learn": peer} {
			if !(o.MSE > 0.2 && o.MSE < 0.32) || !(o.Fit > 0 && o.Read > 0 && o.Predict > 0) {
				t.Errorf("%s, %s: %+v", name, side, o)
			}
		}
	}
	if _, err := doJob(context.Background(), "sing", dir, settings{Features: 2}); err == nil {
		t.Error("an unknown job is done")
	}
}

// TestMaps: a small comparison has a line for each pair and size.
func TestMaps(t *testing.T) {
	m := &maps{python: peers(t), columns: []int{3}, sizes: []int{16, 32}, seeds: 2, train: 200, stderr: os.Stderr}
	var out bytes.Buffer
	if err := m.tables(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, p := range mapPairs {
		for _, size := range []string{"16", "32"} {
			if line := "| " + p.name() + " | " + p.peer + " | " + size + " | "; !strings.Contains(out.String(), line) {
				t.Errorf("no line %q in\n%s", line, out.String())
			}
		}
	}
}

// TestMapsAgreeOnKernels: both sides of each pair approximate the kernel that they are measured against.
func TestMapsAgreeOnKernels(t *testing.T) {
	w, err := startWorker(t.Context(), peers(t), mapsScript, 1, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	dir := t.TempDir()
	trial := experiments.Synthetic{D: 3, Noise: .1}.MapTrial(300, 1)
	if err := give(w, dir, trial); err != nil {
		t.Fatal(err)
	}
	for _, p := range mapPairs {
		both, err := p.run(t.Context(), w, dir, trial, 1.5, 256, 1)
		if err != nil {
			t.Fatal(err)
		}
		// 256 features of 3 columns: a wrong bandwidth, degree or constant is off by more than a half.
		for side, r := range both {
			if !(r.Kernel < .4) || !(r.MSE < .5) || !(r.Map > 0) || r.Size > 256 {
				t.Errorf("%s, side %d: %+v", p.name(), side, r)
			}
		}
	}
	if _, err := w.ask("map Sieve\t2\t1\t1\tx"); err == nil || !strings.Contains(err.Error(), "Sieve") {
		t.Errorf("an unknown map gives %v", err)
	}
	if _, err := w.ask("sing"); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("an unknown command gives %v", err)
	}
}

func TestReadFeaturesRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "features")
	if _, err := readFeatures(file, 2); err == nil {
		t.Error("a file that is not there is read")
	}
	for _, size := range []int{0, 8, 20} {
		if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readFeatures(file, 2); err == nil || !strings.Contains(err.Error(), "2 rows") {
			t.Errorf("%d bytes for 2 rows: error %v", size, err)
		}
	}
}

func TestPassingIsTimed(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors")
	}
	if ns := passing(); !(ns > 1) { // on a busy machine there is no limit
		t.Errorf("a line of memory passes in %g ns", ns)
	}
}

func TestLinesOfMoreThreadsSayHowFastALinePasses(t *testing.T) {
	m := &micro{workers: []*worker{{threads: 1}, {threads: 2}}, peak: 50}
	op := operation{name: "product", peer: "gemm", unit: flops, work: cube}
	one := cell{ours: []float64{2}, peer: []float64{2}, passing: []float64{0}}
	two := cell{ours: []float64{1}, peer: []float64{2}, passing: []float64{31}}
	if got := m.line(op, 100, 0, 1, one, one); !strings.HasSuffix(got, "|  |  |") {
		t.Errorf("one thread: %s", got)
	}
	if got := m.line(op, 100, 1, 1, two, one); !strings.HasSuffix(got, "| 2.00 [2.00, 2.00] | 2.00 × | 31 ns |") {
		t.Errorf("two threads: %s", got)
	}
}
