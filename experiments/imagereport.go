package experiments

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"mediant/features"
	"mediant/report"
)

// Made reports whether r is a result of this run: of the same data, rows, plan, loss, methods and seed.
func (r ImageRun) Made(result *ImageResult) bool {
	return result.Set == r.Data.Set && result.Loss == r.Loss && result.Data == r.Data.SHA256 && result.Rows == r.Rows && result.Seed == r.Seed && slices.Equal(result.methods(), r.methods()) && reflect.DeepEqual(result.Plan, r.Plan)
}

// An ImageScore is what the paper prints for a set: means over its repetitions with their standard errors, rounded as they are
// printed.
type ImageScore struct{ Accuracy, AccuracySE, MSE, MSESE float64 }

// PaperBest has the best accuracy and the best MSE of any method of [Yamane21, section 6.2, table 1]: for each set both are of
// Joint-RR with w = 1/2, by residual networks.
var PaperBest = map[ImageSet]ImageScore{
	Digits: {.9634, .0028, .056, .003}, Fashion: {.8693, .0014, .194, .002}, CIFAR10: {.6910, .0011, .424, .001}, CIFAR100: {.2805, .0008, .846, 0},
}

// PaperRepetitions is the number of repetitions behind PaperBest.
const PaperRepetitions = 50

// An ImageSummary is the means over repetitions.
type ImageSummary struct {
	Paper   ImageScore
	Loss    ImageLoss
	Methods []ImageMean
	Seconds Mean // of a whole repetition, both methods; of those whose times are known
}

// An ImageMean has the means of one method over repetitions.
type ImageMean struct {
	Name                  string
	Accuracy, MSE, RawMSE Mean
	LogLoss               Mean // 0 for models of another loss
}

// SummariseImages takes the means of results of one set.
func SummariseImages(results []*ImageResult) *ImageSummary {
	s := &ImageSummary{Paper: PaperBest[results[0].Set], Loss: results[0].Loss}
	for _, name := range results[0].methods() {
		of := func(value func(ImageMethod) float64) Mean { return meanOf(valuesOf(results, name, value)) }
		s.Methods = append(s.Methods, ImageMean{name, of(accuracyOf), of(mseOf), of(func(m ImageMethod) float64 { return m.RawMSE }), of(func(m ImageMethod) float64 { return m.LogLoss })})
		if name == ImageMethods[0] && results[0].Methods[name].SquareMSE > 0 {
			s.Methods = append(s.Methods, ImageMean{name + ", squares", of(func(m ImageMethod) float64 { return m.SquareAccuracy }), of(func(m ImageMethod) float64 { return m.SquareMSE }), s.Methods[0].RawMSE, Mean{}})
		}
	}
	var seconds []float64
	for _, r := range results {
		if r.Seconds.Total > 0 {
			seconds = append(seconds, r.Seconds.Total)
		}
	}
	s.Seconds = meanOf(seconds)
	return s
}

// Ratios are the errors and the MSE of a method by the paper's, with standard errors to first order: the repetitions of both are
// independent.
func (s *ImageSummary) Ratios(m ImageMean) (errors, mse Mean) {
	ratio := func(a, aSE, b, bSE float64) Mean {
		return Mean{Value: a / b, SE: a / b * math.Hypot(aSE/a, bSE/b)}
	}
	return ratio(1-m.Accuracy.Value, m.Accuracy.SE, 1-s.Paper.Accuracy, s.Paper.AccuracySE), ratio(m.MSE.Value, m.MSE.SE, s.Paper.MSE, s.Paper.MSESE)
}

func accuracyOf(m ImageMethod) float64 { return m.Accuracy }

func mseOf(m ImageMethod) float64 { return m.MSE }

// valuesOf are a method's values by repetition.
func valuesOf(results []*ImageResult, name string, value func(ImageMethod) float64) []float64 {
	var out []float64
	for _, r := range results {
		out = append(out, value(r.Methods[name]))
	}
	return out
}

// enoughForTest is the number of repetitions from which methods are compared by Wilcoxon's test: with 8
// pairs the least two-sided p is 2/2^8 = 0.008.
const enoughForTest = 8

// ImageReport is the report of results of one set and one loss.
func ImageReport(results []*ImageResult) *report.Document {
	s := SummariseImages(results)
	first := results[0]
	d := &report.Document{
		Title: "Low-quality images: " + first.Set.Title(),
		Summary: []string{
			fmt.Sprintf("X is an image averaged over 2×2 pixels, U the image, Y its class: %d training images as (X, U) and %d others as (U, Y), drawn anew in each of %d repetitions; the error is that on all test images. MSE is summed over classes.", first.Rows, first.Rows, len(results)),
			first.Loss.text(),
			fmt.Sprintf("The paper's are residual networks with square-softmax outputs trained for 200 epochs; its best accuracy and its best MSE of any method are shown, means over %d repetitions with the standard errors that it prints, which those of the ratios count.%s", PaperRepetitions, besideText(first)),
			plansText(first.Plan),
		},
	}
	d.Sections = append(d.Sections,
		report.Section{Title: "Beside the paper", Tables: []report.Table{s.table()}, Text: imageComparison(results)})
	if len(s.Methods) > 1 {
		d.Sections = append(d.Sections, report.Section{Title: "Scatter plots", Charts: scatters(results)})
	}
	d.Sections = append(d.Sections, report.Section{Title: "Repetitions", Tables: []report.Table{repetitions(results)}})
	return d
}

// besideText says what of the paper's other choices is beside ours.
func besideText(r *ImageResult) string {
	text := ""
	if r.Loss == SquaredError {
		text = " Squares are a_k²/Σ a_j², the form of its outputs, of what our ridge regression a gives."
	}
	if _, ok := r.Methods[naive]; !ok {
		return text + " Its naive chain and its fixed w = 1/2 are not repeated here."
	}
	return text + " Half is Joint-RR with its w = 1/2; naive is h of the U that ridge regression predicts from X, pixels from pixels."
}

// text says what the models are.
func (l ImageLoss) text() string {
	if l == LogLoss {
		return "Ours are softmax regressions on features of image patches and a Gaussian kernel, h by the log loss of the classes and f by that of h's probabilities; penalties and the exponent of the probabilities are chosen on the training tables, by the log loss of held-out rows of (U, Y) and by uncoupled log loss."
	}
	return "Ours are closed-form ridge regressions on features of image patches and a Gaussian kernel; penalties, w and the scale of the outputs are chosen on the training tables by uncoupled risk."
}

func plansText(p ImagePlan) string {
	mirror := ""
	if p.Mirror {
		mirror = " Features are means over an image and its mirror image."
	}
	return fmt.Sprintf("X: %s. U: %s. A Gaussian kernel of what is pooled, by %d Nyström landmarks a side.%s", patchesText(p.X), patchesText(p.U), p.Landmarks, mirror)
}

// patchesText is about 4×4 pixels, 300 filters, pooled over 3×3 cells.
func patchesText(specs []features.PatchSpec) string {
	var sides []string
	for _, s := range specs {
		sides = append(sides, fmt.Sprintf("patches of %d×%d pixels, %d filters, pooled over %d×%d cells", s.Side, s.Side, s.Filters, s.Grid, s.Grid))
	}
	return strings.Join(sides, "; ")
}

// table has the paper's row and ours.
func (s *ImageSummary) table() report.Table {
	t := report.Table{Columns: []string{"method", "accuracy, %", "se", "ratio of errors to the paper's", "its se", "MSE", "se", "ratio of MSE", "its se", "MSE, not calibrated", "seconds a repetition"}}
	logLoss := s.Loss == LogLoss
	if logLoss {
		t.Columns = append(t.Columns, "log loss", "se")
	}
	t.Rows = append(t.Rows, []report.Cell{
		report.TextCell("paper, best"), report.Number(100 * s.Paper.Accuracy), report.Number(100 * s.Paper.AccuracySE), report.Number(1), report.TextCell("–"),
		report.Number(s.Paper.MSE), report.Number(s.Paper.MSESE), report.Number(1), report.TextCell("–"), report.TextCell("–"), report.TextCell("–"),
	})
	for _, m := range s.Methods {
		errors, mse := s.Ratios(m)
		t.Rows = append(t.Rows, []report.Cell{
			report.TextCell(m.Name), report.Number(100 * m.Accuracy.Value), cellOrDash(100 * m.Accuracy.SE), better(errors.Value), cellOrDash(errors.SE),
			report.Number(m.MSE.Value), cellOrDash(m.MSE.SE), better(mse.Value), cellOrDash(mse.SE), report.Number(m.RawMSE.Value), cellOrDash(s.Seconds.Value),
		})
	}
	for i, row := range t.Rows {
		switch {
		case logLoss && i == 0:
			t.Rows[i] = append(row, report.TextCell("–"), report.TextCell("–"))
		case logLoss:
			of := s.Methods[i-1].LogLoss
			t.Rows[i] = append(row, report.Number(of.Value), cellOrDash(of.SE))
		}
	}
	return t
}

// cellOrDash is a standard error, which one repetition does not have, or a time, which is not always known.
func cellOrDash(v float64) report.Cell {
	if v != v {
		return report.TextCell("–")
	}
	return report.Number(v)
}

// numberOrDash is a number that is never 0 where there is one: the naive chain has no risk, w or lambda_f.
func numberOrDash(v float64) report.Cell {
	if v == 0 {
		return report.TextCell("–")
	}
	return report.Number(v)
}

// better marks a ratio below 1.
func better(ratio float64) report.Cell {
	c := report.Number(ratio)
	if ratio < 1 {
		c.Mark = report.Good
	}
	return c
}

// imageComparison says how the two methods differ, if there are two.
func imageComparison(results []*ImageResult) []string {
	if len(results[0].Loss.Methods()) == 1 {
		return nil
	}
	if len(results) < enoughForTest {
		return []string{fmt.Sprintf("Fewer than %d repetitions are not enough to test whether methods differ.", enoughForTest)}
	}
	a, b := ImageMethods[0], ImageMethods[1]
	accuracy := SignedRank(valuesOf(results, a, accuracyOf), valuesOf(results, b, accuracyOf))
	mse := SignedRank(valuesOf(results, a, mseOf), valuesOf(results, b, mseOf))
	return []string{fmt.Sprintf("Wilcoxon's signed-rank test of %s and %s over %d repetitions: p = %.3g for accuracy, p = %.3g for MSE (two-sided, exact).", a, b, len(results), accuracy, mse)}
}

// scatters show the two methods against each other, a point a repetition; on the line they are equal.
func scatters(results []*ImageResult) []report.Chart {
	var out []report.Chart
	for _, c := range []struct {
		name, label string
		value       func(ImageMethod) float64
	}{
		{"accuracy", "test accuracy, %", func(m ImageMethod) float64 { return 100 * m.Accuracy }},
		{"mse", "test MSE", mseOf},
	} {
		x, y := valuesOf(results, ImageMethods[0], c.value), valuesOf(results, ImageMethods[1], c.value)
		ends := []float64{min(slices.Min(x), slices.Min(y)), max(slices.Max(x), slices.Max(y))}
		out = append(out, report.Chart{
			Name: "images-" + c.name, Title: "2Step-RR and Joint-RR: " + c.label, XLabel: ImageMethods[0], YLabel: ImageMethods[1],
			Series: []report.Series{
				{Name: "repetitions", Kind: report.Points, X: x, Y: y},
				{Name: "equal", Kind: report.Line, X: ends, Y: ends},
			},
		})
	}
	return out
}

// repetitions has a row for each method of each repetition.
func repetitions(results []*ImageResult) report.Table {
	t := report.Table{Columns: []string{"seed", "method", "accuracy, %", "MSE", "uncoupled risk", "its se", "w", "lambda_f", "lambda_h", "scale", "seconds"}}
	logLoss := results[0].Loss == LogLoss
	if logLoss {
		t.Columns = append(t.Columns, "log loss")
	}
	for _, r := range results {
		seconds := report.TextCell("–")
		if r.Seconds.Total > 0 {
			seconds = report.Number(r.Seconds.Total)
		}
		for _, name := range r.methods() {
			m := r.Methods[name]
			t.Rows = append(t.Rows, []report.Cell{
				report.Number(float64(r.Seed)), report.TextCell(name), report.Number(100 * m.Accuracy), report.Number(m.MSE),
				numberOrDash(m.Risk), numberOrDash(m.SE), numberOrDash(m.W), numberOrDash(m.LambdaF), report.Number(m.LambdaH),
				report.Number(m.Scale), seconds,
			})
			if last := len(t.Rows) - 1; logLoss {
				t.Rows[last] = append(t.Rows[last], report.Number(m.LogLoss))
			}
		}
	}
	return t
}
