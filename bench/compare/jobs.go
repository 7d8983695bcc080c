package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"

	"mediant"
	"mediant/diagnose"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/garbage"
	"mediant/internal/outfile"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
	"mediant/tables/csv"
)

//go:embed job.py
var jobScript string

// Settings are those of a whole job, the same for both sides.
type settings struct {
	Dim       int     `json:"dim"` // columns of X and of U
	Features  int     `json:"features"`
	Bandwidth float64 `json:"bandwidth"`
	Lambda    float64 `json:"lambda"` // of fit, per sample
	Folds     int     `json:"folds"`  // of cv
	Grid      int     `json:"grid"`   // penalties that the peer's cv tries; ours are search.Search's
}

// An outcome is what a process that has done a whole job says of it.
type outcome struct {
	Read    float64 `json:"read"` // seconds, of the two tables
	Fit     float64 `json:"fit"`
	Predict float64 `json:"predict"`
	MSE     float64 `json:"mse"`
	FitMB   float64 `json:"fit_mb"` // largest resident memory by the end of the fit
	PeakMB  float64 `json:"peak_mb"`
	Maps    int     `json:"maps"` // that a search compared
}

// columns is the number of columns of X, and of U.
const columns = 50

// testRows is the number of coupled rows on which both sides predict.
const testRows = 100_000

// jobs runs whole jobs, each in a process of its own, ours and the peer's in turn.
type jobs struct {
	python  string
	rows    int // of each of the two tables
	repeats int
	list    []job
	stderr  io.Writer
}

// A job is one that both sides know by name, with its settings.
type job struct {
	name string
	settings
}

// write makes the tables of a distribution as CSV files.
func (j *jobs) write(ctx context.Context, dir string, dim int) error {
	distribution := experiments.Synthetic{D: dim, Noise: 0.1}
	for _, t := range []struct {
		name string
		draw func(n int, seed uint64) (tables.Source, error)
		rows int
	}{{"xu", distribution.XU, j.rows}, {"uy", distribution.UY, j.rows}, {"xy", distribution.XY, min(testRows, j.rows)}} {
		src, err := t.draw(t.rows, 1)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return csv.Write(ctx, w, src) }
		if err := outfile.Write(filepath.Join(dir, t.name+".csv"), write); err != nil {
			return err
		}
	}
	return nil
}

// tables runs all jobs and writes a table for each.
func (j *jobs) tables(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "mediant-compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := j.write(ctx, dir, columns); err != nil {
		return err
	}
	for _, what := range j.list {
		ours, peer, err := j.measure(ctx, dir, what)
		if err != nil {
			return fmt.Errorf("compare: %s: %w", what.name, err)
		}
		fmt.Fprintf(out, "\n%s: n = m = %d, %d columns each of X and U, %d features a side, %d threads. Medians of %d runs; ratio above 1: ours is better.\n\n",
			what.name, j.rows, what.Dim, what.Features, runtime.NumCPU(), j.repeats)
		writeOutcomes(out, ours, peer, min(testRows, j.rows))
	}
	return nil
}

// measure takes turns.
func (j *jobs) measure(ctx context.Context, dir string, what job) (ours, peer []outcome, err error) {
	text, err := json.Marshal(what.settings)
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	for range j.repeats {
		mine, err := j.run(ctx, self, ourJob, what.name, dir, string(text))
		if err != nil {
			return nil, nil, err
		}
		theirs, err := j.run(ctx, j.python, "-c", jobScript, what.name, dir, string(text))
		if err != nil {
			return nil, nil, err
		}
		ours, peer = append(ours, mine), append(peer, theirs)
	}
	return ours, peer, nil
}

// run is one process.
func (j *jobs) run(ctx context.Context, program string, args ...string) (o outcome, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = peerEnvironment(os.Environ(), runtime.NumCPU())
	cmd.Stderr = j.stderr
	out, err := cmd.Output()
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(out, &o)
}

// writeOutcomes writes a table of what matters of a job.
func writeOutcomes(out io.Writer, ours, peer []outcome, predicted int) {
	fmt.Fprintln(out, "| | ours | scikit-learn | ratio |")
	fmt.Fprintln(out, "|---|---|---|---|")
	for _, line := range []struct {
		name   string
		of     func(o outcome) float64
		format string
		less   bool // is better
	}{
		{"fit, s", func(o outcome) float64 { return o.Fit }, "%.2f", true},
		{"reading and fit, s", func(o outcome) float64 { return o.Read + o.Fit }, "%.2f", true},
		{"prediction, rows/s", func(o outcome) float64 { return float64(predicted) / o.Predict }, "%.0f", false},
		{"peak memory of reading and fit, MB", func(o outcome) float64 { return o.FitMB }, "%.0f", true},
		{"peak memory of all, MB", func(o outcome) float64 { return o.PeakMB }, "%.0f", true},
		{"test MSE", func(o outcome) float64 { return o.MSE }, "%.4f", true},
	} {
		a, b := each(ours, line.of), each(peer, line.of)
		better := ratios(a, b)
		if line.less {
			better = ratios(b, a)
		}
		fmt.Fprintf(out, "| %s | "+line.format+" | "+line.format+" | %s |\n", line.name, spreadOf(a).median, spreadOf(b).median, spreadOf(better))
	}
	if maps := ours[0].Maps; maps > 0 { // of which the peer was given one of each side
		fit := func(o outcome) float64 { return o.Fit }
		a, b := each(ours, fit), each(peer, fit)
		floats.Scale(float64(maps)/2, b)
		fmt.Fprintf(out, "| the peer's fit times the %d maps that were compared, two at a time, s | %.2f | %.2f | %s |\n", maps, spreadOf(a).median, spreadOf(b).median, spreadOf(ratios(b, a)))
	}
}

func each(outcomes []outcome, of func(outcome) float64) []float64 {
	out := make([]float64, len(outcomes))
	for i, o := range outcomes {
		out[i] = of(o)
	}
	return out
}

// ourJob is the first argument of a process of this program that does one of our jobs.
const ourJob = "-job"

// runOurJob does the job NAME on the tables in DIR and prints its outcome, as job.py does.
func runOurJob(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("compare: %s: %d arguments, want name, directory and settings", ourJob, len(args))
	}
	var s settings
	if err := json.Unmarshal([]byte(args[2]), &s); err != nil {
		return err
	}
	o, err := doJob(ctx, args[0], args[1], s)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(o)
}

func doJob(ctx context.Context, name, dir string, s settings) (o outcome, err error) {
	start := time.Now()
	xu, err := load(ctx, dir, "xu")
	if err != nil {
		return o, err
	}
	uy, err := load(ctx, dir, "uy")
	if err != nil {
		return o, err
	}
	o.Read = lap(&start)
	model, maps, err := fit(ctx, name, s, xu, uy)
	if err != nil {
		return o, err
	}
	o.Fit, o.Maps = lap(&start), maps
	if o.FitMB, err = peakMemory(); err != nil {
		return o, err
	}
	xy, err := load(ctx, dir, "xy")
	if err != nil {
		return o, err
	}
	lap(&start)
	values := make([]float64, 0, xy.Rows())
	for block, err := range model.Predict(ctx, xy) {
		if err != nil {
			return o, err
		}
		values = append(values, block.Values.RawMatrix().Data...)
	}
	o.Predict = lap(&start)
	o.MSE = meanSquaredError(ctx, values, xy)
	o.PeakMB, err = peakMemory()
	return o, err
}

// fit is the job that is timed, and the number of maps that it compared. Columns are left as they are, since the peer's are.
func fit(ctx context.Context, name string, s settings, xu, uy tables.Source) (*rr.Model, int, error) {
	spec := features.Spec{Kernel: "gaussian", Size: s.Features, Bandwidth: s.Bandwidth}
	setup := problem.Setup{Phi: spec, Psi: spec, NoStandardize: true, Seed: 1}
	switch name {
	case "fit", "mixed":
		setup.Arithmetic = moments.Float64
		if name == "mixed" {
			setup.Arithmetic = moments.Mixed
		}
		m, err := rr.Fit(ctx, setup, rr.TwoStep{LambdaF: rr.Value(s.Lambda), LambdaH: rr.Value(s.Lambda)}, xu, uy)
		return m, 0, err
	case "assessed":
		return assessed(ctx, mediant.Options{Setup: setup, Method: rr.TwoStep{LambdaF: rr.Value(s.Lambda), LambdaH: rr.Value(s.Lambda)}}, xu, uy)
	case "search":
		return assessed(ctx, mediant.Options{}, xu, uy)
	case "cv":
		setup.Folds = s.Folds
		c, err := search.Search{Setup: setup, W: rr.Value(1)}.Choose(ctx, xu, uy)
		if err != nil {
			return nil, 0, err
		}
		m, err := mediant.FitChoice(ctx, c)
		if err != nil {
			return nil, 0, err
		}
		return m.Model, 0, nil
	}
	return nil, 0, fmt.Errorf("compare: no job %q", name)
}

// assessed is a fit as the command makes it, which collects garbage as garbage.OfMatrices says: the tables are checked, and risk and diagnosis follow.
func assessed(ctx context.Context, o mediant.Options, xu, uy tables.Source) (*rr.Model, int, error) {
	defer garbage.OfMatrices()()
	m, err := mediant.Fit(ctx, xu, uy, o)
	if err != nil {
		return nil, 0, err
	}
	if _, err := diagnose.DiagnoseFit(ctx, m.Model, m.Assessment, xu, uy, o.Setup.Roles); err != nil {
		return nil, 0, err
	}
	maps := 0
	for _, t := range m.Search {
		if t.Stage == "psi" || t.Stage == "phi" {
			maps++
		}
	}
	return m.Model, maps, nil
}

// load reads a table into memory, as the command mediant does.
func load(ctx context.Context, dir, name string) (*tables.Table, error) {
	csv, err := csv.Open(context.Background(), filepath.Join(dir, name+".csv"), csv.Options{})
	if err != nil {
		return nil, err
	}
	table, err := tables.Load(ctx, csv)
	return table, errors.Join(err, csv.Close())
}

// lap returns the seconds since start, which becomes now.
func lap(start *time.Time) float64 {
	now := time.Now()
	seconds := now.Sub(*start).Seconds()
	*start = now
	return seconds
}

// meanSquaredError compares predictions with the last column.
func meanSquaredError(ctx context.Context, values []float64, xy *tables.Table) float64 {
	var sum float64
	for b := range xy.Batches(ctx) {
		_, cols := b.Num.Dims()
		for i := range b.Rows {
			d := values[b.Start+i] - b.Num.At(i, cols-1)
			sum += d * d
		}
	}
	return sum / float64(len(values))
}

// peakMemory is the largest resident memory of this process in MB, 0 where there is no /proc.
func peakMemory() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return parsePeak(string(status))
}

// parsePeak finds the line "VmHWM: 123 kB" of a status file.
func parsePeak(status string) (float64, error) {
	for line := range strings.Lines(status) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" && fields[2] == "kB" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("compare: no VmHWM in the status of the process")
}
