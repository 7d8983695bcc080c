package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mediant/baselines"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/report"
	"mediant/rr"
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
	data, write, out  string
	seed              uint64
	json, quiet       bool
}

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the method on two small tables, then on images of digits",
		Long: `First the demo fits two small tables, (X, U) and (U, Y), in which Y is nonlinear in U and X determines U
only in part. It compares 2Step-RR with the naive chain, which predicts U from X and then Y from that U:
the risk of each, estimated from the two tables alone, and the error on coupled test rows. This takes
seconds. With -o DIR it writes a report with a figure: report.html, report.md, report.json, example.svg
and example.png.

Then the low-quality-image task of the paper on MNIST: X is a 14x14 average-pooled image, U
the 28x28 image, Y its digit. 10,000 images come as (X, U), 10,000 others as (U, Y), and
the 10,000 coupled test images show how well each method does. The oracle is supervised
ridge regression, which sees the labels of the first 10,000 images too. The mean embedding with
the ridge of 2Step-RR is 2Step-RR; here it chooses its own. It takes minutes, and --splits 0
leaves it out. MNIST comes from a Go module by way of the go command, or from --data DIR.

With --write DIR nothing is fitted: the small tables and the coupled test table are written,
to try fit, predict and evaluate on.`,
		Example: `  mediant demo
  mediant demo --splits 0 -o report
  mediant demo --write example`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.splits < 0 {
				return usagef("--splits is %d, must be at least 0", f.splits)
			}
			if f.landmarks < 1 {
				return usagef("--landmarks is %d, must be at least 1", f.landmarks)
			}
			if f.write != "" {
				for _, flag := range []string{"splits", "landmarks", "data", "output", "json", "quiet"} {
					if cmd.Flags().Changed(flag) {
						return usagef("--%s has no meaning with --write, which fits nothing", flag)
					}
				}
				return f.writeExample(cmd.Context(), cmd.OutOrStdout())
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.splits, "splits", 3, "number of random splits of the training images; 0 leaves the images out")
	flags.IntVar(&f.landmarks, "landmarks", demoLandmarks, "Nyström landmarks a side")
	flags.StringVar(&f.data, "data", "", "folder with the four MNIST .gz files")
	flags.StringVarP(&f.out, "output", "o", "", "folder for a report on the small tables, with a picture (default: none)")
	flags.StringVar(&f.write, "write", "", "write the small tables into this folder instead")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// demoResult is what demo --json prints: the example, and means over splits of the images.
type demoResult struct {
	Example       *exampleResult         `json:"example"`
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

func (f *demoFlags) run(ctx context.Context, stdout io.Writer) error {
	if err := tryStdout(stdout); err != nil {
		return err
	}
	if f.out != "" {
		if err := report.TryFiles(f.out); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	var mnist *experiments.MNIST
	if f.data != "" && f.splits > 0 { // so that a wrong folder is found before anything is computed
		var err error
		if mnist, err = experiments.ReadMNIST(ctx, f.data); err != nil {
			return err
		}
	}
	result := demoResult{Splits: f.splits, Methods: make(map[string]*demoMethod)}
	var err error
	if result.Example, err = (example{rows: exampleRows, test: exampleTest, seed: f.seed}).run(progress.Step(ctx, "fitting two small tables", 0, 0)); err != nil {
		return err
	}
	if !f.json {
		if err := result.Example.print(stdout); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := writeReport(result.Example.document(), f.out); err != nil {
			return err
		}
	}
	var order []string
	if f.splits > 0 {
		if order, err = f.images(ctx, &result, mnist); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(stdout, result)
	}
	if f.splits == 0 {
		return nil
	}
	fmt.Fprintln(stdout)
	return result.print(stdout, order)
}

// images adds the methods' scores on MNIST, which is fetched if it is nil, and returns their order.
func (f *demoFlags) images(ctx context.Context, total *demoResult, mnist *experiments.MNIST) ([]string, error) {
	if mnist == nil {
		var err error
		if mnist, err = experiments.ReadMNIST(progress.Step(ctx, "reading MNIST", 0, 0), f.data); err != nil {
			return nil, err
		}
	}
	var order []string
	for split := range f.splits {
		task, err := experiments.LowQuality(mnist, demoRows, f.seed+uint64(split))
		if err != nil {
			return nil, err
		}
		splitting := progress.Step(ctx, fmt.Sprintf("images, split %d of %d", split+1, f.splits), 0, 0)
		clock := time.Now()
		problem, err := problem.Prepare(splitting, f.setup(split), task.XU, task.UY)
		if err != nil {
			return nil, err
		}
		total.SharedSeconds += lap(&clock) / float64(f.splits)
		order = order[:0]
		for _, solver := range demoSolvers(task) {
			model, err := solver.Fit(splitting, problem)
			if err != nil {
				return nil, err
			}
			score, err := model.Evaluate(splitting, task.Test)
			if err != nil {
				return nil, err
			}
			order = append(order, model.Method)
			total.add(model.Method, score, lap(&clock))
		}
	}
	return order, nil
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
