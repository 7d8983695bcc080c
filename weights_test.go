package mediant

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/diagnose"
	"mediant/effect"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/risktest"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
	"mediant/tables/copies"
)

// A counted is two tables with whole weights "a" and "b", some 0, as they are and with their rows written out; the
// first has a treatment t besides X. A row and its copies share a fold.
type counted struct {
	xu, uy [2]tables.Source // weighed, written
	folds  [2][2][]int      // of the rows of weight above 0, by form and table
	roles  [2]tables.RoleOptions
	query  *mat.Dense
	folded int
}

// drawCounted draws them. Y is numbers "y" and "z", or labels.
func drawCounted(r *rapid.T, t testing.TB, labels bool) counted {
	const folds = 3
	rnd := rand.New(rand.NewPCG(rapid.Uint64Range(1, 1e6).Draw(r, "seed"), 1))
	n, m := rapid.IntRange(40, 70).Draw(r, "n"), rapid.IntRange(40, 70).Draw(r, "m")
	c := counted{folded: folds, query: uniformRows(rnd, 5, 2)}
	draw := func(table, rows int, columns func(i int) []float64, names ...string) (weighed, written tables.Source) {
		var data [2][][]float64
		for i := range rows {
			w := rnd.IntN(4)
			row := append(columns(i), float64(w))
			if w == 0 {
				floats.Scale(1e6, row) // would be seen
			} else {
				c.folds[0][table] = append(c.folds[0][table], i%folds)
			}
			data[0] = append(data[0], row)
			for range w {
				data[1] = append(data[1], row)
				c.folds[1][table] = append(c.folds[1][table], i%folds)
			}
		}
		var out [2]tables.Source
		for form, all := range data {
			var cols []tables.ColumnData
			for j, name := range append(names, []string{"a", "b"}[table]) {
				values, cells := make([]float64, len(all)), make([]string, len(all))
				for i, row := range all {
					values[i], cells[i] = row[j], fmt.Sprint("c", int(math.Abs(row[j]))%3)
				}
				if labels && name == "y" {
					cols = append(cols, tables.Strings(name, cells))
				} else if !labels || name != "z" {
					cols = append(cols, tables.Numbers(name, values))
				}
			}
			src, err := tables.FromColumns(cols...)
			if err != nil {
				t.Fatal(err)
			}
			out[form] = src
		}
		return out[0], out[1]
	}
	c.xu[0], c.xu[1] = draw(problem.TableXU, n, func(i int) []float64 {
		x, x2 := rnd.NormFloat64(), rnd.NormFloat64()
		return []float64{x, x2, float64(i % 2), x + .3*rnd.NormFloat64(), x2 + .5*rnd.NormFloat64()}
	}, "x", "x2", "t", "u", "u2")
	c.uy[0], c.uy[1] = draw(problem.TableUY, m, func(i int) []float64 {
		u, u2 := rnd.NormFloat64(), rnd.NormFloat64()
		y := u + u2*u2 + .2*rnd.NormFloat64()
		if i%9 == 4 && !labels {
			y = math.NaN()
		}
		return []float64{u, u2, y, 100 * (u2 + rnd.NormFloat64())}
	}, "u", "u2", "y", "z")
	plain := tables.RoleOptions{X: []string{"x", "x2"}, U: []string{"u", "u2"}, Y: []string{"y"}}
	if !labels {
		plain.Y = append(plain.Y, "z")
	}
	c.roles = [2]tables.RoleOptions{plain, plain}
	c.roles[0].WeightsXU, c.roles[0].WeightsUY = "a", "b"
	return c
}

func uniformRows(rnd *rand.Rand, rows, columns int) *mat.Dense {
	x := mat.NewDense(rows, columns, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = 2*rnd.Float64() - 1
	}
	return x
}

// setup is that of one form: 0 with weights, 1 with rows written out.
func (c counted) setup(form int, s problem.Setup) problem.Setup {
	s.Folds, s.Seed, s.Roles, s.Copies = c.folded, 7, c.roles[form], copies.Keep
	s.AllRows = true // folds are by the numbers of all rows
	s.Fold = func(table, row int) int { return c.folds[form][table][row] }
	return s
}

// Weighed and written sums differ by rounding, of some 1e-16; penalties are 1e-8 of the variance or more, so that
// coefficients differ by 1e-8 of their size or less, and values of size 100 by 1e-6.
const countedTol = 1e-6

// same compares what both forms give by name.
func same(r *rapid.T, got, want map[string]float64) {
	for name, v := range want {
		sameTo(r, name, got[name], v, countedTol)
	}
}

func sameTo(r *rapid.T, name string, got, want, tol float64) {
	if d := math.Abs(got - want); !(d <= tol*max(1, math.Abs(want))) && !(math.IsNaN(want) && math.IsNaN(got)) {
		r.Fatalf("%s is %.12g with weights, %.12g with the rows written out", name, got, want)
	}
}

// addModel adds predictions of f, their errors and the numbers of rows.
func (c counted) addModel(r *rapid.T, m *rr.Model, se *inference.Errors, to map[string]float64) {
	var f mat.Dense
	if err := m.PredictTo(&f, c.query); err != nil {
		r.Fatal(err)
	}
	for i, v := range f.RawMatrix().Data {
		to[fmt.Sprint("prediction ", i)] = v
	}
	if se != nil {
		x, err := tables.FromMatrix(m.Roles.X, c.query)
		if err != nil {
			r.Fatal(err)
		}
		for b, err := range m.PredictWith(context.Background(), x, se) {
			if err != nil {
				r.Fatal(err)
			}
			for i, v := range b.Errors.RawMatrix().Data {
				to[fmt.Sprint("standard error ", i)] = v
			}
		}
	}
	to["rows xu"], to["rows uy"], to["dropped"] = float64(m.Rows.XU), float64(m.Rows.UY), float64(m.Rows.Dropped)
}

// TestFitsCountWeights: with the same folds, a row of weight k is k rows and one of weight 0 none, for predictions,
// standard errors of all kinds, risks of both forms, brackets and accuracies.
func TestFitsCountWeights(t *testing.T) {
	small := features.Spec{Size: 12}
	rapid.Check(t, func(r *rapid.T) {
		labels := rapid.Bool().Draw(r, "labels")
		c := drawCounted(r, t, labels)
		s := problem.Setup{Phi: small, Psi: small}
		kind := rapid.SampledFrom([]inference.Covariance{inference.Corrected, inference.Jackknife, inference.Sandwich}).Draw(r, "errors")
		s.Shift = rapid.Bool().Draw(r, "shift")
		precision := rapid.Bool().Draw(r, "precision")
		var method rr.Method = rr.Joint{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}
		switch rapid.IntRange(0, 2).Draw(r, "method") {
		case 0:
			method = rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}
		case 1:
			s.Phi, s.Psi = features.Spec{Kind: features.AdditiveFeatures, Size: 16}, features.Spec{Kind: features.AdditiveFeatures, Size: 16}
			method = rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3), Components: true}
		}
		opt := risk.AssessOptions{Form: risk.Form(rapid.IntRange(1, 2).Draw(r, "form"))}
		var found [2]map[string]float64
		for form := range found {
			p, err := problem.Prepare(context.Background(), c.setup(form, s), c.xu[form], c.uy[form])
			if err != nil {
				r.Fatal(err)
			}
			if precision {
				if p, err = search.WeighByPrecision(context.Background(), p); err != nil {
					r.Fatal(err)
				}
			}
			m, err := method.Fit(context.Background(), p)
			if err != nil {
				r.Fatal(err)
			}
			a, err := risk.Assess(context.Background(), p, risk.Fitted(method), opt)
			if err != nil {
				r.Fatal(err)
			}
			se, err := inference.Estimate(context.Background(), p, m, kind)
			if err != nil {
				r.Fatal(err)
			}
			found[form] = risktest.Numbers(a)
			c.addModel(r, m, se, found[form])
		}
		same(r, found[0], found[1])
	})
}

// TestSearchCountsWeights: with the same folds, a search chooses the same, and its model predicts and errs alike.
func TestSearchCountsWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	candidates := []features.Spec{{Kind: features.LinearFeatures}, {Size: 16, Multiple: 1}, {Kind: features.AdditiveFeatures, Size: 16}}
	rapid.Check(t, func(r *rapid.T) {
		c := drawCounted(r, t, rapid.Bool().Draw(r, "labels"))
		var found [2]map[string]float64
		var chosen [2]string
		var trials [2][]search.Trial
		for form := range found {
			// Squared error, whose fits are exact: those of other losses end at a gradient near 0.
			choice, err := search.Search{Setup: c.setup(form, problem.Setup{}), Loss: losses.Squared{}, PhiCandidates: candidates, PsiCandidates: candidates}.Choose(context.Background(), c.xu[form], c.uy[form])
			if err != nil {
				r.Fatal(err)
			}
			m, err := choice.Fit(context.Background())
			if err != nil {
				r.Fatal(err)
			}
			a, err := choice.Assessment(context.Background())
			if err != nil {
				r.Fatal(err)
			}
			found[form] = risktest.Numbers(a)
			trials[form] = choice.Trials
			for _, trial := range choice.Trials {
				if trial.Chosen {
					chosen[form] += trial.Stage + " " + trial.Name + "; "
				}
			}
			c.addModel(r, m, nil, found[form])
		}
		if chosen[0] != chosen[1] {
			r.Fatalf("chosen with weights: %s\nwith the rows written out: %s", chosen[0], chosen[1])
		}
		same(r, found[0], found[1])
		for i, trial := range trials[1] {
			if trial.Risk == nil {
				continue
			}
			tol := countedTol
			if trial.LambdaF > 0 {
				// Errors eps of the sums move alpha by eps tr(A)/lambda of its size, and |alpha| is up to sd/(2 sqrt(lambda)): predictions of features of size 1 by eps/(2 lambda^1.5) sd, 3e-6 sd at 1e-7.
				tol = max(tol, 1e-12/trial.LambdaF)
			}
			sameTo(r, fmt.Sprintf("risk of trial %d, %s", i, trial.Name), *trials[0][i].Risk, *trial.Risk, tol)
		}
	})
}

// TestEffectCountsWeights: with the same folds, an effect, its error and its numbers of rows are the same.
func TestEffectCountsWeights(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawCounted(r, t, false)
		var probability rr.Setting
		if rapid.Bool().Draw(r, "known") {
			probability = rr.Value(.5)
		}
		var found [2]map[string]float64
		for form := range found {
			s := c.setup(form, problem.Setup{Psi: features.Spec{Size: 12}})
			s.Roles.X = nil
			got, err := effect.Estimator{Setup: s, Treatment: "t", Probability: probability}.Estimate(context.Background(), c.xu[form], c.uy[form])
			if err != nil {
				r.Fatal(err)
			}
			found[form] = map[string]float64{
				"treated": float64(got.Treated), "control": float64(got.Control), "rows": float64(got.Rows.UY), "dropped": float64(got.Rows.Dropped), "p": got.Probability, "mu": got.Mu,
			}
			for j, e := range got.Effects {
				found[form][fmt.Sprint("effect ", j)], found[form][fmt.Sprint("its error ", j)] = e.Value, e.SE
			}
		}
		same(r, found[0], found[1])
	})
}

// TestRowsOfNoWeightAreAbsent: whatever rows of weight 0 hold, everything that a default search and a diagnosis find is, to
// the byte, what it is without them.
func TestRowsOfNoWeightAreAbsent(t *testing.T) {
	build := func(table int, zeros bool) tables.Source {
		rnd := rand.New(rand.NewPCG(uint64(table), 9))
		names := [][]string{{"x", "u", "w"}, {"u", "y", "w"}}[table]
		data := make([][]float64, 3)
		for range 1500 {
			u := rnd.NormFloat64()
			v := u + .3*rnd.NormFloat64()
			row := [][]float64{{v, u, 1}, {u, v * v, 1}}[table]
			if rnd.IntN(3) == 0 {
				if zeros {
					for j, far := range []float64{1e9, -1e9, 0} {
						data[j] = append(data[j], far)
					}
				}
				continue
			}
			for j, v := range row {
				data[j] = append(data[j], v)
			}
		}
		src, err := tables.FromColumns(tables.Numbers(names[0], data[0]), tables.Numbers(names[1], data[1]), tables.Numbers(names[2], data[2]))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	roles := tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}
	var files [2]bytes.Buffer
	var said [2]string
	for i, zeros := range []bool{false, true} {
		xu, uy := build(problem.TableXU, zeros), build(problem.TableUY, zeros)
		candidates := []features.Spec{{Kind: features.LinearFeatures}, {Size: 32, Kernel: "gaussian", Multiple: 1}, {Size: 32, Kind: features.NystromFeatures}}
		choice, err := search.Search{Setup: problem.Setup{Roles: roles}, PhiCandidates: candidates, PsiCandidates: candidates}.Choose(context.Background(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := choice.Fit(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		se, err := inference.Estimate(context.Background(), choice.Problem, fitted, inference.Corrected)
		if err != nil {
			t.Fatal(err)
		}
		m := Model{Model: fitted}
		m.SetErrors(se)
		if m.Assessment, err = choice.Assessment(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(&files[i]); err != nil {
			t.Fatal(err)
		}
		d, err := diagnose.Diagnose(context.Background(), m.Model, xu, uy, roles)
		if err != nil {
			t.Fatal(err)
		}
		said[i] = fmt.Sprint(d.Sentences())
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("another model")
	}
	if said[0] != said[1] {
		t.Errorf("without them: %s\nwith them: %s", said[0], said[1])
	}
}
