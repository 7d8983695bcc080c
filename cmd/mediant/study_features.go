package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"mediant/experiments"
	"mediant/features"
)

// newFeatures is the study of docs/features.md.
func newFeatures() *cobra.Command {
	return newSection("features", "Errors and times of all feature maps on the same rows, as Markdown", 10, studyFeatures)
}

// A studiedMap is a line of the table, at every size, or at the one it has.
type studiedMap struct {
	name string
	spec features.Spec
	own  bool // has a size of its own
}

// studiedMaps are all maps that a Spec makes.
func studiedMaps() []studiedMap {
	all := []studiedMap{
		{"linear", features.Spec{Kind: features.LinearFeatures}, true},
		{"countsketch", features.Spec{Kind: features.CountSketchFeatures}, false},
		{"gaussian, independent", features.Spec{Kernel: "gaussian", Independent: true}, false},
		{"gaussian, orthogonal", features.Spec{Kernel: "gaussian", Orthogonal: true}, false},
		{"gaussian", features.Spec{Kernel: "gaussian"}, false},
		{"quasi:gaussian", features.Spec{Kernel: "gaussian", Quasi: true}, false},
	}
	for _, kernel := range []string{"laplacian", "matern12", "matern32", "matern52"} {
		all = append(all, studiedMap{kernel, features.Spec{Kernel: kernel}, false})
	}
	all = append(all,
		studiedMap{"quasi:matern32", features.Spec{Kernel: "matern32", Quasi: true}, false},
		studiedMap{"additive:gaussian", features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian"}, false})
	for name, rule := range []features.Landmarks{features.RandomlyPivoted, features.Uniform, features.KMeansPlusPlus, features.RidgeLeverage} {
		spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Landmarks: rule}
		all = append(all, studiedMap{"nystrom:gaussian, " + []string{"pivoted", "uniform", "kmeans++", "leverage"}[name], spec, false})
	}
	return append(all,
		studiedMap{"nystrom:matern32", features.Spec{Kind: features.NystromFeatures, Kernel: "matern32"}, false},
		studiedMap{"nystrom:polynomial:2", features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 2}, false},
		studiedMap{"nystrom:polynomial:3", features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 3}, false},
		studiedMap{"polynomial:2", features.Spec{Kind: features.PolynomialFeatures, Degree: 2}, true},
		studiedMap{"polynomial:3", features.Spec{Kind: features.PolynomialFeatures, Degree: 3}, true},
		studiedMap{"tensorsketch:2", features.Spec{Kind: features.TensorSketchFeatures, Degree: 2}, false},
		studiedMap{"tensorsketch:3", features.Spec{Kind: features.TensorSketchFeatures, Degree: 3}, false})
}

// studiedSizes are the numbers of features; a map of its own size is left out above twice the largest.
var studiedSizes = []int{64, 256, 1024}

// studiedRows is the number of rows that are fitted.
const studiedRows = 2000

func studyFeatures(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, featuresHead, draws, studiedRows)
	for _, columns := range []int{5, 20, 200} {
		fmt.Fprintf(w, featuresTable, columns)
		lines, err := studyColumns(ctx, columns, draws, show)
		if err != nil {
			return err
		}
		for i, l := range lines {
			if i > 0 && l.name == lines[i-1].name && l.mean(size) == lines[i-1].mean(size) {
				continue // more landmarks than the kernel has dimensions
			}
			fmt.Fprintf(w, "| %s | %.0f | %s | %s | %.1f | %.1f |\n", l.name, l.mean(size),
				l.text(func(r experiments.MapResult) float64 { return r.Kernel }), l.text(func(r experiments.MapResult) float64 { return r.MSE }),
				1000*l.mean(func(r experiments.MapResult) float64 { return r.Fit }), 1000*l.mean(func(r experiments.MapResult) float64 { return r.Map }))
		}
	}
	_, err := fmt.Fprint(w, featuresFoot)
	return err
}

// A studiedLine is what the draws gave for one map at one size.
type studiedLine struct {
	name    string
	spec    features.Spec
	results []experiments.MapResult
}

// studiedLines are the lines of a table of so many columns.
func studiedLines(columns int) (lines []studiedLine) {
	for _, m := range studiedMaps() {
		switch {
		case m.own && m.spec.Estimate(columns) > 2*studiedSizes[len(studiedSizes)-1], m.spec.Quasi && columns > features.MaxQuasiColumns:
			continue
		case m.own:
			lines = append(lines, studiedLine{name: m.name, spec: m.spec})
			continue
		}
		for _, size := range studiedSizes {
			if m.spec.Kind == features.AdditiveFeatures && size < m.spec.AdditiveSize(columns) {
				continue
			}
			m.spec.Size = size
			lines = append(lines, studiedLine{name: m.name, spec: m.spec})
		}
	}
	return lines
}

// studyColumns fits all lines to the same rows, draw by draw.
func studyColumns(ctx context.Context, columns, draws int, show func(int)) ([]studiedLine, error) {
	lines := studiedLines(columns)
	for d := range draws {
		show(d)
		trial := experiments.Synthetic{D: columns, Noise: .1}.MapTrial(studiedRows, uint64(d))
		for i := range lines {
			r, err := trial.Fit(ctx, lines[i].spec, uint64(d))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", lines[i].name, err)
			}
			lines[i].results = append(lines[i].results, r)
		}
	}
	return lines, nil
}

func size(r experiments.MapResult) float64 { return float64(r.Size) }

func (l studiedLine) values(of func(experiments.MapResult) float64) []float64 {
	values := make([]float64, len(l.results))
	for i, r := range l.results {
		values[i] = of(r)
	}
	return values
}

func (l studiedLine) mean(of func(experiments.MapResult) float64) float64 {
	return stat.Mean(l.values(of), nil)
}

// text is the mean with its standard error.
func (l studiedLine) text(of func(experiments.MapResult) float64) string {
	mean, std := stat.MeanStdDev(l.values(of), nil)
	return fmt.Sprintf("%.3g ± %.1g", mean, std/math.Sqrt(float64(len(l.results))))
}

const featuresHead = `# Which feature map?

Made by ` + "`mediant study features --draws %d`" + `. The paper's synthetic distribution (docs/coverage.md) with noise variance 0.1; in each
draw all maps see the same rows, and bandwidths follow the median rule. "Kernel error" is |Phi Phi' - K|/|K| (Frobenius
norms) on 500 test rows, against the map's own kernel. "Test MSE" is that of ridge regression of Y on the features of X,
fitted on %d rows, its penalty chosen on 1,000 others, on 1,000 test rows. Means over draws ± standard errors. "Fit" and "map" are
milliseconds of making the map and of mapping the 4,000 rows of a draw; the machine was not kept quiet, so they are
approximate. "gaussian" is what the program takes by default: orthogonal frequencies, or structured ones in more than 128
columns (and quasi-Monte-Carlo ones in at most 3, of which there is no table here). Additive features have two a column at least, quasi-Monte-Carlo ones 64 columns at most, and exact polynomials are
left out above 2,048 features.
`

const featuresTable = `
## %d columns

| map | features | kernel error | test MSE | fit, ms | map, ms |
|---|---|---|---|---|---|
`

const featuresFoot = `
## What to take

- Few columns, up to ten or so: ` + "`quasi:KERNEL`" + `, which is the default in at most 3. At 1,024 features in 5 columns its kernel error is a quarter of that of the
  default. In 20 columns it is level with orthogonal frequencies at 1,024 features and worse below; beyond, take the default.
- Nyström features are the nearest of all maps of the same kernel at every size and number of columns here, by far where
  columns are few and the kernel is smooth, and had the least error of Y in 200 columns. They cost a kernel of each landmark and a triangular solve a row, which a
  saved model folds away. With all rows as landmarks they are exact kernel ridge regression for penalties of 1e-6 and more
  (docs/theory.md, section 7, has the bound). How landmarks are picked hardly matters for rows as even as these: pivoted, k-means++ and
  leverage are for rows with outliers and clusters, and leverage costs most.
- Y that is a sum over columns: ` + "`additive:KERNEL`" + `, better than anything else in 5 and 20 columns, where this distribution is one.
- Polynomials: ` + "`polynomial:DEGREE`" + ` is exact and fast while it is below a few thousand features. A sketch of as many
  features is far from the kernel, and its errors of Y were no better than those of fewer exact features: ` + "`tensorsketch`" + ` is
  for sparse rows of many columns, where neither exact features nor landmarks are feasible. Its time is that of
  Fourier transforms.
- ` + "`countsketch`" + ` is exact while it has as many features as there are columns, and for wide sparse rows beyond.

A small kernel error is not the aim: in 20 and 200 columns 64 landmarks predicted better than 1,024. Most of "fit" of
Gaussian, Laplacian and Matérn maps is the median rule.
`
