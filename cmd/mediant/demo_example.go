package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/stat"

	"mediant"
	"mediant/baselines"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/report"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/csv"
)

// Sizes of the example: large enough that 2Step-RR beats the naive chain clearly.
const (
	exampleRows = 2000
	exampleTest = 1000
)

// exampleBins are the groups of test rows in the picture, which have some 80 rows each.
const exampleBins = 12

// exampleDistribution has Y = u1² + u2² + u3² + noise and U that X leaves open.
var exampleDistribution = experiments.Synthetic{D: 3, Noise: .1}

// An example is two small tables and coupled test rows, and the number of features that both methods use, 0 for what fit uses.
type example struct {
	rows, test, features int
	seed                 uint64
}

// An exampleResult is the result of two methods on an example.
type exampleResult struct {
	Rows    int           `json:"rows"` // of each table
	Test    int           `json:"test_rows"`
	TwoStep exampleMethod `json:"2step"`
	Naive   exampleMethod `json:"naive"`
	known   report.Series // Y of the test rows in the picture
}

// An exampleMethod has a method's risk by the two tables alone, and its error on the test rows.
type exampleMethod struct {
	Risk  float64       `json:"risk"`
	Lo    float64       `json:"lo"`
	Hi    float64       `json:"hi"`
	MSE   float64       `json:"mse"`
	SE    float64       `json:"se"`
	means report.Series // its predictions of the test rows in the picture
}

func (e example) run(ctx context.Context) (*exampleResult, error) {
	xu, uy, test, err := e.draw()
	if err != nil {
		return nil, err
	}
	r := &exampleResult{Rows: e.rows, Test: e.test}
	x, y, err := exampleColumns(ctx, test)
	if err != nil {
		return nil, err
	}
	r.known = binned("Y", report.Points, x, y)
	for _, m := range []struct {
		to     *exampleMethod
		name   string
		method rr.Method // nil: chosen
	}{{&r.TwoStep, "2Step-RR", nil}, {&r.Naive, "naive chain", baselines.Naive{}}} {
		spec := features.Spec{Size: e.features}
		model, err := mediant.Fit(ctx, xu, uy, mediant.Options{Setup: problem.Setup{Phi: spec, Psi: spec, Seed: e.seed}, Method: m.method})
		if err != nil {
			return nil, err
		}
		score, err := model.Evaluate(ctx, test)
		if err != nil {
			return nil, err
		}
		risk := model.Assessment.Risk
		*m.to = exampleMethod{Risk: risk.MSE, Lo: risk.Lo, Hi: risk.Hi, MSE: score.MSE, SE: *score.SE}
		var f []float64
		for block, err := range model.Predict(ctx, test) {
			if err != nil {
				return nil, err
			}
			f = append(f, block.Values.RawMatrix().Data...) // one output, so the rows lie together
		}
		m.to.means = binned(m.name, report.Line, x, f)
	}
	return r, nil
}

func (e example) draw() (xu, uy, xy tables.Source, err error) {
	if xu, err = exampleDistribution.XU(e.rows, e.seed); err != nil {
		return nil, nil, nil, err
	}
	if uy, err = exampleDistribution.UY(e.rows, e.seed); err != nil {
		return nil, nil, nil, err
	}
	xy, err = exampleDistribution.XY(e.test, e.seed)
	return xu, uy, xy, err
}

// exampleColumns returns the first column of X and Y, the last column, of a table of numbers.
func exampleColumns(ctx context.Context, xy tables.Source) (x, y []float64, err error) {
	for batch, err := range tables.NewGuard("", xy).Batches(ctx) {
		if err != nil {
			return nil, nil, err
		}
		_, last := batch.Num.Dims()
		for i := range batch.Rows {
			x, y = append(x, batch.Num.At(i, 0)), append(y, batch.Num.At(i, last-1))
		}
	}
	return x, y, nil
}

// binned has the means of values over bins of x, which lies between -1 and 1.
func binned(name string, kind report.SeriesKind, x, values []float64) report.Series {
	s := report.Series{Name: name, Kind: kind}
	const width = 2. / exampleBins
	for b := range exampleBins {
		var in []float64
		for i, v := range values {
			if min(int((x[i]+1)/width), exampleBins-1) == b {
				in = append(in, v)
			}
		}
		mean, deviation := stat.MeanStdDev(in, nil)
		s.X, s.Y = append(s.X, -1+(float64(b)+.5)*width), append(s.Y, mean)
		if kind == report.Points {
			s.Err = append(s.Err, stat.StdErr(deviation, float64(len(in))))
		}
	}
	return s
}

func (r *exampleResult) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, `Two tables of %d rows, (X, U) and (U, Y); X determines U only in part, and Y = |U|² + noise

method   MSE by the two tables (95 %% interval)   MSE on %d coupled rows (standard error)
2step    %s
naive    %s

naive: U from X, then Y from that U. It estimates h(E[U|X]), which is below E[h(U)|X] where h is convex (Jensen's inequality).
`, r.Rows, r.Test, r.TwoStep, r.Naive)
	return err
}

func (m exampleMethod) String() string {
	return fmt.Sprintf("%.3f (%.3f to %.3f)                  %.3f (%.3f)", m.Risk, m.Lo, m.Hi, m.MSE, m.SE)
}

// document has what print says, and the picture.
func (r *exampleResult) document() *report.Document {
	row := func(name string, m exampleMethod) []report.Cell {
		return []report.Cell{report.TextCell(name), report.Number(m.Risk), report.Number(m.Lo), report.Number(m.Hi), report.Number(m.MSE), report.Number(m.SE)}
	}
	return &report.Document{
		Title: "Y from X without coupled (X, Y) rows",
		Summary: []string{fmt.Sprintf("Two tables of %d rows, (X, U) and (U, Y). X has three columns, uniform on [-1, 1]; U_j = X_j³ + uniform[-1/2, 1/2]; Y = |U|² + noise of variance 0.1. "+
			"The naive chain predicts U from X, and Y from that U.", r.Rows)},
		Sections: []report.Section{{
			Title: "Two methods",
			Tables: []report.Table{{
				Columns: []string{"method", "MSE by the two tables", "95 % from", "to", fmt.Sprintf("MSE on %d coupled rows", r.Test), "standard error"},
				Rows:    [][]report.Cell{row("2Step-RR", r.TwoStep), row("naive chain", r.Naive)},
			}},
			Charts: []report.Chart{{
				Name:   "example",
				Title:  fmt.Sprintf("Means of Y and of its predictions by X₁, %d coupled rows", r.Test),
				XLabel: "X₁", YLabel: "mean of Y",
				Series: []report.Series{r.known, r.TwoStep.means, r.Naive.means},
			}},
		}},
	}
}

func (f *demoFlags) writeExample(ctx context.Context, stdout io.Writer) error {
	names := []string{"xu.csv", "uy.csv", "xy.csv"}
	if err := outfile.TryFolder(f.write, names...); err != nil {
		return fmt.Errorf("--write: %w", err)
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	if err := os.MkdirAll(f.write, 0o777); err != nil {
		return err
	}
	xu, uy, xy, err := example{rows: exampleRows, test: exampleTest, seed: f.seed}.draw()
	if err != nil {
		return err
	}
	for i, src := range []tables.Source{xu, uy, xy} {
		write := func(w io.Writer) error { return csv.Write(ctx, w, src) }
		if err := outfile.Write(filepath.Join(f.write, names[i]), write); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, `wrote xu.csv, uy.csv (%d rows each) and xy.csv (%d coupled test rows) to %[3]s; try

  mediant fit --xu %[4]s --uy %[5]s -o model.mediant
  mediant predict model.mediant %[6]s -o out.csv
  mediant evaluate model.mediant --xy %[6]s
`, exampleRows, exampleTest, f.write, filepath.Join(f.write, "xu.csv"), filepath.Join(f.write, "uy.csv"), filepath.Join(f.write, "xy.csv"))
	return err
}
