package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mediant/baselines"
	"mediant/experiments"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// Constants of the demo, found on training tables: Gaussian kernels on pixels in [0, 1] whose
// bandwidths are near half the median distance, and next to no ridge.
const (
	demoRows       = 10000
	demoLandmarks  = 3000
	demoBandwidthX = 3.5
	demoBandwidthU = 7
	demoLambda     = 1e-6
)

type demoFlags struct {
	splits, landmarks int
	data, write       string
	seed              uint64
	json, quiet       bool
}

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Learn to read low-quality digits that were never seen with a label",
		Long: `The low-quality-image task of the paper on MNIST: X is a 14x14 average-pooled image, U
the 28x28 image, Y its digit. 10,000 images come as (X, U), 10,000 others as (U, Y), and
the 10,000 coupled test images say how well each method does. The oracle is supervised
ridge regression, which sees the labels of the first 10,000 images too.

The mean embedding with the ridge of 2Step-RR is 2Step-RR; here it chooses its own.

MNIST comes from a Go module by way of the go command, or from --data DIR.

With --write DIR nothing is learned: a small synthetic pair of tables and a coupled test
table are written, to try fit, predict and evaluate on.`,
		Example: `  mediant demo
  mediant demo --splits 1 --json
  mediant demo --write example`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.splits < 1 {
				return usagef("--splits is %d, must be at least 1", f.splits)
			}
			if f.landmarks < 1 {
				return usagef("--landmarks is %d, must be at least 1", f.landmarks)
			}
			if f.write != "" {
				for _, flag := range []string{"splits", "landmarks", "data", "json", "quiet"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s has no meaning with --write, which learns nothing", flag)
					}
				}
				return f.writeExample(cmd.Context(), cmd.OutOrStdout())
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.splits, "splits", 3, "number of random splits of the training images")
	flags.IntVar(&f.landmarks, "landmarks", demoLandmarks, "Nyström landmarks a side")
	flags.StringVar(&f.data, "data", "", "folder with the four MNIST .gz files")
	flags.StringVar(&f.write, "write", "", "write a small synthetic example into this folder instead")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// demoResult is what demo --json prints: means over splits.
type demoResult struct {
	Splits        int                    `json:"splits"`
	SharedSeconds float64                `json:"shared_seconds"` // features and moments, once for all methods
	Methods       map[string]*demoMethod `json:"methods"`
}

type demoMethod struct {
	Accuracy float64 `json:"accuracy"`
	MSE      float64 `json:"mse"`
	Seconds  float64 `json:"seconds"` // solving and predicting
}

// paperRow has the results printed in [Yamane21, table 1] for MNIST.
var paperRow = map[string][2]float64{"naive": {.8806, .184}, "2step": {.9619, .059}, "joint": {.9634, .056}}

func (f *demoFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := tryStdout(stdout); err != nil {
		return err
	}
	progress := newProgress(stderr, f.quiet)
	defer progress.clear()
	progress.show("reading MNIST")
	mnist, err := experiments.ReadMNIST(ctx, f.data)
	if err != nil {
		return err
	}
	total := demoResult{Splits: f.splits, Methods: make(map[string]*demoMethod)}
	var order []string
	for split := range f.splits {
		task, err := experiments.LowQuality(mnist, demoRows, f.seed+uint64(split))
		if err != nil {
			return err
		}
		progress.show("split %d of %d: features and moments", split+1, f.splits)
		clock := time.Now()
		problem, err := problem.Prepare(ctx, f.setup(split), task.XU, task.UY)
		if err != nil {
			return err
		}
		total.SharedSeconds += lap(&clock) / float64(f.splits)
		order = order[:0]
		for _, solver := range demoSolvers(task) {
			model, err := solver.Fit(ctx, problem)
			if err != nil {
				return err
			}
			progress.show("split %d of %d: %s", split+1, f.splits, model.Method)
			score, err := model.Evaluate(ctx, task.Test)
			if err != nil {
				return err
			}
			order = append(order, model.Method)
			total.add(model.Method, score, lap(&clock))
		}
	}
	progress.clear()
	if f.json {
		return writeJSON(stdout, total)
	}
	return total.print(stdout, order)
}

func (f *demoFlags) setup(split int) problem.Setup {
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: f.landmarks, Landmarks: features.Uniform}
	phi, psi := spec, spec
	phi.Bandwidth, psi.Bandwidth = demoBandwidthX, demoBandwidthU
	return problem.Setup{Phi: phi, Psi: psi, NoStandardize: true, Seed: f.seed + uint64(split), Folds: baselines.EmbeddingFolds}
}

func demoSolvers(task *experiments.ImageTask) []rr.Method {
	lambda := rr.Value(demoLambda)
	return []rr.Method{
		baselines.Naive{LambdaG: lambda, LambdaH: lambda},
		rr.TwoStep{LambdaF: lambda, LambdaH: lambda},
		rr.Joint{LambdaF: lambda, LambdaH: lambda},
		baselines.MeanEmbedding{LambdaH: lambda},
		baselines.Oracle{Pairs: task.XY, Lambda: lambda},
	}
}

// add adds a score to the means over splits.
func (r *demoResult) add(method string, score rr.Score, seconds float64) {
	m := r.Methods[method]
	if m == nil {
		m = new(demoMethod)
		r.Methods[method] = m
	}
	share := 1 / float64(r.Splits)
	m.Accuracy += share * *score.Accuracy
	m.MSE += share * score.MSE
	m.Seconds += share * seconds
}

func (r *demoResult) print(w io.Writer, order []string) error {
	means := "mean"
	if r.Splits > 1 {
		means = "means"
	}
	fmt.Fprintf(w, "MNIST, low-quality images; %s over %s\n\n", means, count(r.Splits, "split"))
	fmt.Fprintf(w, "%-8s %9s %8s %9s   %s\n", "method", "accuracy", "MSE", "seconds", "paper: accuracy, MSE")
	for _, name := range order {
		m := r.Methods[name]
		fmt.Fprintf(w, "%-8s %8.2f%% %8.4f %9.1f", name, 100*m.Accuracy, m.MSE, m.Seconds)
		if p, ok := paperRow[name]; ok {
			fmt.Fprintf(w, "   %16.2f%% %.3f", 100*p[0], p[1])
		}
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, `
cme: kernel conditional mean embedding, which is 2step but for the choice of its ridge
seconds: solving and predicting; features and moments, shared by all, took %.1f s a split
`, r.SharedSeconds)
	return err
}

// Sizes of the example that --write writes: large enough that 2Step-RR beats naive clearly.
const (
	exampleRows = 2000
	exampleTest = 1000
)

func (f *demoFlags) writeExample(ctx context.Context, stdout io.Writer) error {
	if err := tables.TryFolder(f.write, "xu.csv", "uy.csv", "xy.csv"); err != nil {
		return fmt.Errorf("--write: %w", err)
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	if err := os.MkdirAll(f.write, 0o777); err != nil {
		return err
	}
	law := experiments.Synthetic{D: 3, Noise: .1}
	for _, t := range []struct {
		name string
		draw func(int, uint64) (tables.Source, error)
		rows int
	}{{"xu.csv", law.XU, exampleRows}, {"uy.csv", law.UY, exampleRows}, {"xy.csv", law.XY, exampleTest}} {
		src, err := t.draw(t.rows, f.seed)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return tables.WriteCSV(ctx, w, src) }
		if err := tables.WriteFile(filepath.Join(f.write, t.name), write); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(stdout, `wrote xu.csv, uy.csv (%d rows each) and xy.csv (%d coupled test rows) to %[3]s; try

  mediant fit --xu %[4]s --uy %[5]s -o model.mediant
  mediant predict model.mediant %[6]s -o out.csv
  mediant evaluate model.mediant --xy %[6]s
`, exampleRows, exampleTest, f.write, filepath.Join(f.write, "xu.csv"), filepath.Join(f.write, "uy.csv"), filepath.Join(f.write, "xy.csv"))
	return err
}

// progress shows one changing line on a terminal, and nothing elsewhere.
type progress struct{ w io.Writer }

func newProgress(w io.Writer, quiet bool) progress {
	file, ok := w.(*os.File)
	if !ok || quiet {
		return progress{}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return progress{}
	}
	return progress{w}
}

func (p progress) show(format string, args ...any) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	}
}

func (p progress) clear() { p.show("") }
