// Command compare measures Mediant beside OpenBLAS, numpy and scikit-learn: both sides take turns on
// the same work in one run, so that what slows the machine for a while slows both.
//
//	go run ./bench/compare > figures.md
//
// With --maps it compares the errors of feature maps instead (docs/features.md), with --reading how fast files are read.
//
// It prints Markdown tables of matrix routines and vector functions, on one thread and on all, and
// of whole jobs: a fit, a choice of penalties by cross-validation, predictions. The peers are Debian's
// python3-numpy and python3-sklearn, which it installs if they are missing and it may. docs/benchmarks.md
// says how to read the tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"mediant/rr"
)

func main() {
	rr.UseFastBLAS()
	rr.SetBusyWait(true)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick, micro, jobs    bool
	maps, reading         bool
	rows, rounds, repeats int
	only, job             string
}

// parse reads the command line. None of --micro, --jobs, --maps and --reading means the first two.
func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.micro, "micro", false, "only the matrix routines and vector functions")
	flags.BoolVar(&o.jobs, "jobs", false, "only the whole jobs")
	flags.BoolVar(&o.maps, "maps", false, "only feature maps: kernel error and test error at equal size")
	flags.BoolVar(&o.reading, "reading", false, "only files of numbers: how fast they are read")
	flags.BoolVar(&o.quick, "quick", false, "small sizes and few rounds, to see that all of it runs")
	flags.IntVar(&o.rows, "n", 100_000, "rows of each of the two tables of the whole jobs, and of the files")
	flags.IntVar(&o.rounds, "rounds", 9, "rounds of each routine")
	flags.IntVar(&o.repeats, "repeats", 3, "runs of each whole job")
	flags.StringVar(&o.only, "only", "", "only routines whose names begin with this, and no whole jobs unless --jobs")
	flags.StringVar(&o.job, "job", "", "with --jobs, only those whose names begin with this")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rows < 1000 || o.rounds < 1 || o.repeats < 1 {
		return o, fmt.Errorf("compare: want at least 1000 rows, 1 round and 1 repeat, and no other arguments")
	}
	if !o.micro && !o.jobs && !o.maps && !o.reading {
		o.micro, o.jobs = true, o.only == ""
	}
	o.micro = o.micro || o.only != ""
	if o.quick {
		o.rows, o.rounds, o.repeats = min(o.rows, 5000), min(o.rounds, 3), 1
	}
	return o, nil
}

// run is the whole command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == ourJob {
		return runOurJob(ctx, args[1:], stdout)
	}
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	python, err := findPython(ctx, stderr)
	if err != nil {
		return err
	}
	if err := chooseCore(ctx, python, stderr); err != nil {
		return err
	}
	if o.maps {
		if err := newMaps(python, o, stderr).tables(ctx, stdout); err != nil {
			return err
		}
	}
	if o.reading {
		r := reading{python: python, rows: o.rows, rounds: o.rounds, stderr: stderr}
		if err := r.tables(ctx, stdout); err != nil {
			return err
		}
	}
	if !o.micro && !o.jobs {
		return nil
	}
	workers, err := startWorkers(ctx, python, stderr)
	if err != nil {
		return err
	}
	if err := writeMachine(stdout, workers[0]); err != nil {
		return err
	}
	if o.micro {
		if err := newMicro(workers, o).table(ctx, stdout); err != nil {
			return err
		}
	}
	for _, w := range workers { // their memory is for the jobs
		if err := w.close(); err != nil {
			return err
		}
	}
	if !o.jobs {
		return nil
	}
	return newJobs(python, o, stderr).tables(ctx, stdout)
}

// startWorkers starts a worker of one thread and one of a thread for each processor, two at most: the
// routines are made for few.
func startWorkers(ctx context.Context, python string, stderr io.Writer) ([]*worker, error) {
	var workers []*worker
	for threads := range min(2, runtime.NumCPU()) {
		w, err := startWorker(ctx, python, workerScript, threads+1, stderr)
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}
	return workers, nil
}

func newMicro(workers []*worker, o options) *micro {
	m := &micro{workers: workers, rounds: o.rounds, tries: 50, stretch: 0.1, limit: 4096, only: o.only, peak: peakRate()}
	if o.quick {
		m.tries, m.stretch, m.limit = 1, 0.01, 1024
	}
	return m
}

func newJobs(python string, o options, stderr io.Writer) *jobs {
	fit := settings{Dim: columns, Features: 2048, Bandwidth: 4, Lambda: 1e-4}
	cv := settings{Dim: columns, Features: 512, Bandwidth: 4, Folds: 5, Grid: 10}
	searched := cv
	searched.Features = fit.Features // as many as ours ends with
	if o.quick {
		fit.Features, cv.Features, searched.Features = 256, 128, 128
	}
	all := []job{{"fit", fit}, {"mixed", fit}, {"assessed", fit}, {"cv", cv}, {"search", searched}}
	all = slices.DeleteFunc(all, func(j job) bool { return !strings.HasPrefix(j.name, o.job) })
	return &jobs{python: python, rows: o.rows, repeats: o.repeats, list: all, stderr: stderr}
}

func newMaps(python string, o options, stderr io.Writer) *maps {
	m := &maps{python: python, columns: []int{5, 20}, sizes: []int{128, 512}, seeds: 10, train: 2000, stderr: stderr}
	if o.quick {
		m.columns, m.sizes, m.seeds, m.train = []int{5}, []int{64}, 2, 500
	}
	return m
}

// writeMachine says what the figures belong to.
func writeMachine(out io.Writer, w *worker) error {
	v, err := w.versions()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s, %d processors, %s. Go %s. numpy %s, scipy %s, scikit-learn %s, BLAS of both: %s. %s.\n\n",
		processor(), runtime.NumCPU(), runtime.GOOS, strings.TrimPrefix(runtime.Version(), "go"), v.Numpy, v.Scipy, v.Sklearn, v.BLAS, time.Now().Format(time.DateOnly))
	return err
}

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.*)$`)

// processor is the processor's name, or the architecture where /proc does not have it.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if found := modelName.FindSubmatch(info); err == nil && found != nil {
		return string(found[1])
	}
	return runtime.GOARCH
}
