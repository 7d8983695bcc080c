package instrument_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/instrument"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// table is a table of rows of numbers.
func table(t testing.TB, names string, n int, row func(i int) []float64) *tables.Matrix {
	t.Helper()
	columns := strings.Fields(names)
	x := mat.NewDense(n, len(columns), nil)
	for i := range n {
		x.SetRow(i, row(i))
	}
	src, err := tables.FromMatrix(columns, x)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// golden are two tables of 40 and 50 rows with two instruments, one of them weaker, and a control.
func golden(t testing.TB) (xz, zy *tables.Matrix) {
	f := func(i int) float64 { return float64(i) }
	return table(t, "z1 z2 w x", 40, func(i int) []float64 {
			a, b, c := f(7*i%11), f(5*i%13), f(3*i%7)
			return []float64{a, b, c, 1.5*a - b + .5*c + f(11*i*i%17)}
		}), table(t, "z1 z2 w y", 50, func(i int) []float64 {
			a, b, c := f(4*i%11), f(9*i%13), f(2*i%7)
			return []float64{a, b, c, 2*a - 1.5*b + c + f(13*i*i%19)}
		})
}

func estimate(t testing.TB, e instrument.TS2SLS, xz, zy tables.Source) *instrument.Result {
	t.Helper()
	r, err := e.Estimate(context.Background(), xz, zy)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// controlled has w as a control, where it is a column.
func controlled() instrument.TS2SLS {
	return instrument.TS2SLS{Setup: problem.Setup{Roles: tables.RoleOptions{Controls: []string{"w"}}}}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// TestGolden compares with the same formulas in numpy 1.24.2 (normal equations with numpy.linalg.solve, no seed), whose sums of small whole numbers are exact.
func TestGolden(t *testing.T) {
	xz, zy := golden(t)
	r := estimate(t, controlled(), xz, zy)
	const tolerance = 1e-11 // condition numbers below 1e3 on both sides
	for i, want := range []struct {
		column    string
		value, se float64
	}{{"x", 1.265190827690325, 0.231933293962631}, {"w", 0.062381378028368, 0.572993155107861}} {
		c := r.Coefficients[i]
		near(t, c.Column, c.Value, want.value, tolerance)
		near(t, "its standard error", c.SE, want.se, tolerance)
		if c.Column != want.column || c.Control != (i == 1) || c.Output != "y" {
			t.Errorf("coefficient %+v, want of %s", c, want.column)
		}
	}
	near(t, "F", *r.FirstStage[0].F, 30.735025975134125, tolerance)
	near(t, "J", r.Overidentification[0].J, 0.22886352946921726, tolerance)
	if s, o := r.FirstStage[0], r.Overidentification[0]; len(r.FirstStage) != 1 || s.Instruments != 2 || s.Freedom != 36 || o.Freedom != 1 || !(o.P > .6 && o.P < .7) {
		t.Errorf("first stage %+v, over-identification %+v", s, o)
	}
	if r.Rows.XU != 40 || r.Rows.UY != 50 || len(r.Warnings) != 0 || len(r.Instruments) != 2 || r.Controls[0] != "w" || len(r.X) != 1 {
		t.Errorf("%+v", r)
	}
	// f(x, w) = a + b x + c w, with the intercept of numpy.
	var f mat.Dense
	if err := r.Model.PredictTo(&f, mat.NewDense(1, 2, []float64{3, 2})); err != nil {
		t.Fatal(err)
	}
	near(t, "f(3, 2)", f.At(0, 0), -0.077808724340224+3*1.265190827690325+2*0.062381378028368, tolerance)
}

// weightedRows are rows with weights as matrices, each weight a sampling weight.
type weightedRows struct {
	z, x *mat.Dense // with a column of ones in front
	w    []float64
}

// normal returns R'diag(w)R / sum w.
func (r weightedRows) normal(a, b *mat.Dense, power float64) *mat.Dense {
	total := 0.0
	for _, w := range r.w {
		total += w
	}
	_, p := a.Dims()
	_, q := b.Dims()
	out := mat.NewDense(p, q, nil)
	for i, w := range r.w {
		for j := range p {
			for k := range q {
				out.Set(j, k, out.At(j, k)+math.Pow(w/total, power)*a.At(i, j)*b.At(i, k))
			}
		}
	}
	return out
}

// TestDirect compares two endogenous columns, a control, two outputs and sampling weights with the formulas of robust variances, in plain matrices with inverses and a column of ones.
func TestDirect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 7))
	const n, m = 150, 120
	type data struct {
		weightedRows
		table *tables.Matrix
	}
	draw := func(n int, second bool) data {
		d := data{weightedRows: weightedRows{z: mat.NewDense(n, 5, nil), x: mat.NewDense(n, 4, nil), w: make([]float64, n)}}
		names := "z1 z2 z3 w x1 x2 s"
		if second {
			names = "z1 z2 z3 w y1 y2 s"
			d.x = mat.NewDense(n, 2, nil)
		}
		d.table = table(t, names, n, func(i int) []float64 {
			z := []float64{rnd.NormFloat64(), 100 + rnd.NormFloat64(), 1000 * rnd.NormFloat64(), rnd.Float64()}
			d.w[i] = .5 + rnd.Float64()
			d.z.SetRow(i, append([]float64{1}, z...))
			u, e, g := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
			x1, x2 := z[0]+.5*z[1]+u, z[0]-.001*z[2]+z[3]+e*(1+z[3])
			row := append(z, x1, x2)
			if second {
				row = append(z, x1-x2+2*u+g, 3*x2+z[3]+g)
				d.x.SetRow(i, row[4:])
			} else {
				d.x.SetRow(i, []float64{1, x1, x2, z[3]})
			}
			return append(row, d.w[i])
		})
		return d
	}
	xz, zy := draw(n, false), draw(m, true)
	e := controlled()
	e.Roles.WeightsXU, e.Roles.WeightsUY = "s", "s"
	got := estimate(t, e, xz.table, zy.table)

	mul := func(a ...mat.Matrix) *mat.Dense {
		out := mat.DenseCopyOf(a[0])
		for _, b := range a[1:] {
			var product mat.Dense
			product.Mul(out, b)
			out = &product
		}
		return out
	}
	inverse := func(a *mat.Dense) *mat.Dense {
		var out mat.Dense
		if err := out.Inverse(a); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				t.Fatal(err)
			}
		}
		return &out
	}
	q1, q2 := inverse(xz.normal(xz.z, xz.z, 1)), zy.normal(zy.z, zy.z, 1)
	stage := mul(q1, xz.normal(xz.z, xz.x, 1))
	reduced := mul(inverse(q2), zy.normal(zy.z, zy.x, 1))
	project := mul(inverse(mul(stage.T(), q2, stage)), stage.T(), q2)
	coef := mul(project, reduced)
	// robust is the covariance of the coefficients of residual e on z.
	robust := func(r weightedRows, inv *mat.Dense, e func(i int) float64) *mat.Dense {
		rows, q := r.z.Dims()
		s := mat.NewDense(rows, q, nil)
		for i := range rows {
			for j := range q {
				s.Set(i, j, r.z.At(i, j)*e(i))
			}
		}
		v := mul(inv, r.normal(s, s, 2), inv)
		v.Scale(float64(rows)/float64(rows-q), v)
		return v
	}
	fitted1, fitted2 := mul(xz.z, stage), mul(zy.z, reduced)
	left := func(b mat.Vector) func(i int) float64 {
		return func(i int) float64 {
			v := 0.0
			for j := range b.Len() {
				v += b.AtVec(j) * (xz.x.At(i, j) - fitted1.At(i, j))
			}
			return v
		}
	}
	const tolerance = 1e-7 // the inverses of matrices with columns of size 1 and 1000 lose 9 digits
	at := 0
	for j := range 2 {
		v := robust(zy.weightedRows, inverse(q2), func(i int) float64 { return zy.x.At(i, j) - fitted2.At(i, j) })
		v.Add(v, robust(xz.weightedRows, q1, left(coef.ColView(j))))
		cov := mul(project, v, project.T())
		for i := 1; i < 4; i++ {
			near(t, "coefficient", got.Coefficients[at].Value, coef.At(i, j), tolerance)
			near(t, "standard error", got.Coefficients[at].SE, math.Sqrt(cov.At(i, i)), tolerance)
			at++
		}
		// J without the intercept, whose equation holds exactly.
		slope := mat.DenseCopyOf(v.Slice(1, 5, 1, 5))
		p, d := mat.DenseCopyOf(stage.Slice(1, 5, 1, 4)), mat.DenseCopyOf(reduced.Slice(1, 5, j, j+1))
		b := mul(inverse(mul(p.T(), inverse(slope), p)), p.T(), inverse(slope), d)
		d.Sub(d, mul(p, b))
		near(t, "J", got.Overidentification[j].J, mul(d.T(), inverse(slope), d).At(0, 0), tolerance)
	}
	if at != len(got.Coefficients) {
		t.Errorf("%d coefficients, want %d", len(got.Coefficients), at)
	}
	// F of each endogenous column: what two-stage least squares on the others leaves of it.
	w := xz.normal(xz.z, xz.z, 1)
	for j, others := range [][]int{{0, 2, 3}, {0, 1, 3}} {
		p := mat.NewDense(5, 3, nil)
		for k, o := range others {
			p.SetCol(k, mat.Col(nil, o, stage))
		}
		own := stage.ColView(j + 1)
		d := mul(inverse(mul(p.T(), w, p)), p.T(), w, own)
		b := mat.NewVecDense(4, nil)
		b.SetVec(j+1, 1)
		for k, o := range others {
			b.SetVec(o, -d.At(k, 0))
		}
		pi := mul(stage, b)
		g := mul(w, p, inverse(mul(p.T(), w, p)), p.T(), w)
		g.Sub(w, g)
		f := mul(pi.T(), w, pi).At(0, 0) / mat.Trace(mul(robust(xz.weightedRows, q1, left(b)), g))
		near(t, "F", *got.FirstStage[j].F, f, 1e-6)
		if got.FirstStage[j].Instruments != 2 {
			t.Errorf("%+v, want 2 instruments less other columns", got.FirstStage[j])
		}
	}
}

// world draws two independent tables with instruments z1 and z2 and a confounder of x and y, where x has the coefficient 2; strength scales the first stage.
func world(t testing.TB, seed uint64, n int, strength float64) (xz, zy *tables.Matrix) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	draw := func() (z1, z2, x, y float64) {
		z1, z2 = rnd.NormFloat64(), rnd.NormFloat64()
		confounder := rnd.NormFloat64()
		x = strength*(z1+.5*z2) + confounder + .5*rnd.NormFloat64()
		return z1, z2, x, 2*x + 3*confounder + rnd.NormFloat64()
	}
	return table(t, "z1 z2 x", n, func(int) []float64 { z1, z2, x, _ := draw(); return []float64{z1, z2, x} }),
		table(t, "z1 z2 y", n, func(int) []float64 { z1, z2, _, y := draw(); return []float64{z1, z2, y} })
}

// slope is that of 2Step-RR with linear maps.
func slope(t testing.TB, xu, uy tables.Source) float64 {
	linear := features.Spec{Kind: features.LinearFeatures}
	m, err := rr.Fit(t.Context(), problem.Setup{Phi: linear, Psi: linear}, rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	var f mat.Dense
	if err := m.PredictTo(&f, mat.NewDense(2, 1, []float64{0, 1})); err != nil {
		t.Fatal(err)
	}
	return f.At(1, 0) - f.At(0, 0)
}

// TestEachAssumption: under confounding the coefficient of x is within 3 standard errors of the truth and that of 2Step-RR is not, and where the shared column is a
// mediator it is the other way round. Of independent draws 3 in 1,000 would fail the first; the seeds are fixed.
func TestEachAssumption(t *testing.T) {
	xz, zy := world(t, 1, 2000, 1)
	c := estimate(t, instrument.TS2SLS{}, xz, zy).Coefficients[0]
	if math.Abs(c.Value-2) > 3*c.SE || c.SE > .2 {
		t.Errorf("an instrument: %+v, want 2", c)
	}
	// 2Step-RR estimates E[E[Y|Z]|X], of slope 2 var(z1+.5 z2)/var(x) = 2 * 1.25/2.5.
	if s := slope(t, xz, zy); math.Abs(s-1) > .15 {
		t.Errorf("2Step-RR: %g, want 1, which is not the effect of x", s)
	}
	// x -> u -> y with a slope of 1 and 2: f(x) = 2x, while the ratio of regressions on u is 2 var(u)/var(x) = 4.
	rnd := rand.New(rand.NewPCG(4, 4))
	xu := table(t, "x u", 2000, func(int) []float64 { x := rnd.NormFloat64(); return []float64{x, x + rnd.NormFloat64()} })
	uy := table(t, "u y", 2000, func(int) []float64 {
		u := rnd.NormFloat64() + rnd.NormFloat64()
		return []float64{u, 2*u + rnd.NormFloat64()}
	})
	if s := slope(t, xu, uy); math.Abs(s-2) > .15 {
		t.Errorf("a mediator: 2Step-RR %g, want 2", s)
	}
	if c := estimate(t, instrument.TS2SLS{}, xu, uy).Coefficients[0]; math.Abs(c.Value-4) > 3*c.SE || math.Abs(c.Value-2) < 3*c.SE {
		t.Errorf("a mediator: TS2SLS %+v, want 4, which is not f", c)
	}
}

// TestCoverage: of 200 draws the intervals of 95 % hold the truth in 178 to 199 (binomial, beyond which 1 in 2,000 series would be at either end), and J rejects true hypotheses in
// at most 23 at 5 % (likewise).
func TestCoverage(t *testing.T) {
	held, rejected := 0, 0
	for seed := range uint64(200) {
		r := estimate(t, instrument.TS2SLS{}, firstOf(world(t, 100+seed, 250, 1)), secondOf(world(t, 100+seed, 250, 1)))
		if c := r.Coefficients[0]; c.Lo <= 2 && 2 <= c.Hi {
			held++
		}
		if r.Overidentification[0].P < .05 {
			rejected++
		}
	}
	if held < 178 || held > 199 {
		t.Errorf("%d of 200 intervals hold the truth", held)
	}
	if rejected > 23 {
		t.Errorf("J rejects in %d of 200", rejected)
	}
	t.Logf("%d of 200 held, %d rejected", held, rejected)
}

func firstOf(a, _ *tables.Matrix) tables.Source  { return a }
func secondOf(_, b *tables.Matrix) tables.Source { return b }

// TestHomoscedastic: where errors do not depend on z the standard error is that of Inoue and Solon (2010), sqrt((s² + n_y/n_x b²v²) (P'D P)⁻¹/n_y), with the variances s² of y given z and v² of x given
// z, to the noise of a variance of 8,000 rows (a percent and a half).
func TestHomoscedastic(t *testing.T) {
	xz, zy := world(t, 9, 8000, 1)
	c := estimate(t, instrument.TS2SLS{}, xz, zy).Coefficients[0]
	// Var(x|z) = 1.25, Var(y|z) = Var(2(c + .5e) + 3c + g) = 25 + 1 + 1, P'D P = 1.25.
	near(t, "standard error", c.SE, math.Sqrt((27+4*1.25)/1.25/8000), .04)
}

// TestInvalidInstrument: J rejects where z2 affects y on its own, and the first stage is reported as weak where it is.
func TestInvalidInstrument(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	xz, _ := world(t, 5, 2000, 1)
	zy := table(t, "z1 z2 y", 2000, func(int) []float64 {
		z1, z2 := rnd.NormFloat64(), rnd.NormFloat64()
		return []float64{z1, z2, 2*(z1+.5*z2) + z2 + 4*rnd.NormFloat64()}
	})
	if o := estimate(t, instrument.TS2SLS{}, xz, zy).Overidentification[0]; o.P > 1e-6 {
		t.Errorf("%+v", o)
	}
	weak := estimate(t, instrument.TS2SLS{}, firstOf(world(t, 6, 300, .05)), secondOf(world(t, 6, 300, .05)))
	if !weak.FirstStage[0].Weak() || len(weak.Warnings) != 1 || !strings.Contains(weak.Warnings[0], `the first stage is weak: F is `) || len(weak.Model.Warnings) != 1 {
		t.Errorf("%+v, warnings %q", weak.FirstStage, weak.Warnings)
	}
}

// same compares coefficients, F and J.
func same(t *testing.T, what string, a, b *instrument.Result, tolerance float64) {
	t.Helper()
	if len(a.Coefficients) != len(b.Coefficients) {
		t.Fatalf("%s: %d and %d coefficients", what, len(a.Coefficients), len(b.Coefficients))
	}
	for i, c := range a.Coefficients {
		near(t, what+": "+c.Column, b.Coefficients[i].Value, c.Value, tolerance)
		near(t, what+": standard error of "+c.Column, b.Coefficients[i].SE, c.SE, tolerance)
	}
	near(t, what+": F", *b.FirstStage[0].F, *a.FirstStage[0].F, tolerance)
	near(t, what+": J", b.Overidentification[0].J, a.Overidentification[0].J, tolerance)
}

// TestRows: the order of rows and the units of columns do not matter, a whole weight is a number of rows, and a common factor of sampling weights is none.
func TestRows(t *testing.T) {
	xz, zy := golden(t)
	keep := controlled()
	keep.Copies = copies.Keep
	want := estimate(t, keep, xz, zy)
	turned := func(of *tables.Matrix, last string, unit float64) *tables.Matrix {
		n := of.Rows()
		rows := rowsOf(t, of)
		return table(t, "z1 z2 w "+last, n, func(i int) []float64 {
			r := rows.RawRowView(n - 1 - i)
			return []float64{r[0] * unit, r[1], r[2], r[3]}
		})
	}
	same(t, "other order and units", want, estimate(t, keep, turned(xz, "x", 1e6), turned(zy, "y", 1e6)), 1e-10)

	times := func(of *tables.Matrix, last string, weight func(i int) float64, repeat bool) *tables.Matrix {
		rows := rowsOf(t, of)
		var all []float64
		count := 0
		for i := range of.Rows() {
			k, w := 1, weight(i)
			if repeat {
				k, w = int(w), 1
			}
			for range k {
				all = append(append(all, rows.RawRowView(i)...), w)
				count++
			}
		}
		src, err := tables.FromMatrix(strings.Fields("z1 z2 w "+last+" s"), mat.NewDense(count, 5, all))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	weighted := keep
	weighted.Roles.WeightsXU, weighted.Roles.WeightsUY = "s", "s"
	by := func(i int) float64 { return float64(1 + i%3) }
	same(t, "frequencies", estimate(t, weighted, times(xz, "x", by, true), times(zy, "y", by, true)), estimate(t, weighted, times(xz, "x", by, false), times(zy, "y", by, false)), 1e-10)
	half := func(i int) float64 { return .3 * by(i) }
	double := func(i int) float64 { return .6 * by(i) }
	same(t, "sampling weights", estimate(t, weighted, times(xz, "x", half, false), times(zy, "y", half, false)), estimate(t, weighted, times(xz, "x", double, false), times(zy, "y", double, false)), 1e-10)
}

func rowsOf(t *testing.T, of *tables.Matrix) *mat.Dense {
	t.Helper()
	for b, err := range of.Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		return mat.DenseCopyOf(b.Num)
	}
	return nil
}

// TestLevels: x of text has a coefficient for each level but the first, z of text an instrument likewise, rows without x are left out and so are those without y.
func TestLevels(t *testing.T) {
	place, arm, effect := []string{"north", "south", "west"}, []string{"a", "b", "c"}, []float64{0, 2, 5}
	var z, x, z2 []string
	var y []float64
	for i := range 90 {
		level := i % 3
		if i%10 == 0 { // the arm is not a function of the place
			level = i / 10 % 3
		}
		z, x = append(z, place[i%3]), append(x, arm[level])
	}
	for i := range 99 {
		// y has the mean of the effects of x given z, exactly, so that the coefficients are the effects.
		shares := make([]float64, 3)
		for k := range z {
			if z[k] == place[i%3] {
				for l := range arm {
					if x[k] == arm[l] {
						shares[l] += 1. / 30
					}
				}
			}
		}
		noise := []float64{-1, 0, 1}[i/3%3]
		z2, y = append(z2, place[i%3]), append(y, 7+shares[1]*effect[1]+shares[2]*effect[2]+noise)
	}
	z, x = append(z, "west", "west"), append(x, "", "")
	z2, y = append(z2, "north"), append(y, math.NaN())
	xz, err := tables.FromColumns(tables.Strings("z", z), tables.Strings("x", x))
	if err != nil {
		t.Fatal(err)
	}
	zy, err := tables.FromColumns(tables.Strings("z", z2), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	r := estimate(t, instrument.TS2SLS{Setup: problem.Setup{Copies: copies.Keep}}, xz, zy)
	if len(r.Coefficients) != 2 || r.Coefficients[0].Column != "x=b" || len(r.FirstStage) != 2 || r.Overidentification != nil || r.DroppedXU != 2 || r.Rows.Dropped != 1 || r.Rows.XU != 90 {
		t.Fatalf("%+v", r)
	}
	for i, c := range r.Coefficients {
		near(t, c.Column, c.Value, effect[i+1], 1e-10)
	}
}

// TestRefuses: what cannot be estimated is an error of one line that says why.
func TestRefuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	noise := func(columns int) func(int) []float64 {
		return func(int) []float64 {
			row := make([]float64, columns)
			for j := range row {
				row[j] = rnd.NormFloat64()
			}
			return row
		}
	}
	one := func(names string, n int) *tables.Matrix {
		return table(t, names, n, noise(len(strings.Fields(names))))
	}
	collinear := func(names string) *tables.Matrix {
		return table(t, names, 50, func(int) []float64 {
			a, b := rnd.NormFloat64(), rnd.NormFloat64()
			return []float64{a, b, a - 3*b + 1e5, rnd.NormFloat64()}
		})
	}
	words, numbers := make([]string, 300), make([]float64, 300)
	for i := range words {
		words[i], numbers[i] = fmt.Sprintf("a word %d of %d", i, rnd.IntN(1e6)), rnd.NormFloat64()
	}
	text, err := tables.FromColumns(tables.Strings("z", slices.Clone(words)), tables.Numbers("x", numbers))
	if err != nil {
		t.Fatal(err)
	}
	for i := range words {
		words[i] += " more"
	}
	text2, err := tables.FromColumns(tables.Strings("z", words), tables.Numbers("y", numbers))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		e      instrument.TS2SLS
		xz, zy tables.Source
		says   string
	}{
		"too few instruments":        {xz: one("z x1 x2", 50), zy: one("z y", 50), says: `2 endogenous columns ("x1", "x2") need as many instruments, and there are 1 ("z")`},
		"a control is no instrument": {e: controlled(), xz: one("z w x1 x2", 50), zy: one("z w y", 50), says: `2 endogenous columns ("x1", "x2") need as many instruments, and there are 1 ("z")`},
		"controls alone":             {e: controlled(), xz: one("w x", 50), zy: one("w y", 50), says: "no instrument is left"},
		"unknown control":            {e: controlled(), xz: one("z x", 50), zy: one("z y", 50), says: `controls are columns of U: no column "w"`},
		"collinear instruments":      {xz: collinear("z1 z2 z3 x"), zy: one("z1 z2 z3 y", 50), says: `column "z3" is a linear combination of other columns in the first table`},
		"collinear in the second":    {xz: one("z1 z2 z3 x", 50), zy: collinear("z1 z2 z3 y"), says: `column "z3" is a linear combination of other columns in the second table`},
		"constant in one table":      {xz: table(t, "z1 z2 x", 50, func(int) []float64 { return []float64{rnd.NormFloat64(), 4, rnd.NormFloat64()} }), zy: one("z1 z2 y", 50), says: `column "z2" does not vary in the first table`},
		"collinear X": {xz: table(t, "z1 z2 x1 x2", 50, func(int) []float64 {
			x := rnd.NormFloat64()
			return []float64{x + rnd.NormFloat64(), rnd.NormFloat64(), x, 3 - x}
		}), zy: one("z1 z2 y", 50), says: `column "x2" is a linear combination`},
		"moved alike":                     {xz: alike(t), zy: one("z1 z2 y", 50), says: `the instruments do not move "x2" apart from the other columns of X`},
		"constant Y":                      {xz: one("z x", 50), zy: table(t, "z y", 50, func(int) []float64 { return []float64{rnd.NormFloat64(), 3} }), says: `"y" does not vary in the second table`},
		"constant X beside a control":     {e: controlled(), xz: table(t, "z w x", 50, func(int) []float64 { return []float64{rnd.NormFloat64(), rnd.NormFloat64(), 3} }), zy: one("z w y", 50), says: "no column of X varies in the first table"},
		"few rows":                        {xz: one("z1 z2 x", 3), zy: one("z1 z2 y", 50), says: "the first table has 3 rows to use, and 2 instruments and controls need at least 4"},
		"few rows of the second":          {xz: one("z1 z2 x", 50), zy: one("z1 z2 y", 3), says: "the second table has 3 rows to use"},
		"no X":                            {xz: table(t, "z x", 5, func(i int) []float64 { return []float64{float64(i), math.NaN()} }), zy: one("z y", 50), says: `X ("x") is complete in no row of the first table`},
		"free text":                       {xz: text, zy: text2, says: "free text or has sparse rows"},
		"without intercepts":              {e: instrument.TS2SLS{Setup: problem.Setup{NoIntercept: true}}, xz: one("z x", 50), zy: one("z y", 50), says: "TS2SLS.NoIntercept"},
		"density ratios":                  {e: instrument.TS2SLS{Setup: problem.Setup{Shift: true}}, xz: one("z x", 50), zy: one("z y", 50), says: "TS2SLS.Shift"},
		"a table is nil":                  {xz: one("z x", 50), says: "a table is nil"},
		"a limit of memory that is small": {e: instrument.TS2SLS{Setup: problem.Setup{Memory: 1}}, xz: one("z x", 50), zy: one("z y", 50), says: "raise the limit"},
	} {
		_, err := c.e.Estimate(t.Context(), c.xz, c.zy)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// alike is a table whose instrument z1 moves both columns of x, and whose z2 neither, exactly.
func alike(t *testing.T) *tables.Matrix {
	return table(t, "z1 z2 x1 x2", 64, func(i int) []float64 {
		bit := func(k int) float64 { return float64(2*(i>>k&1) - 1) }
		return []float64{bit(0), bit(1), bit(0) + bit(2), bit(0) + bit(3)}
	})
}

// TestExact: without residuals F and J are left out and the standard errors are nothing but rounding.
func TestExact(t *testing.T) {
	xz := table(t, "z1 z2 x", 30, func(i int) []float64 { a, b := float64(i%5), float64(i%7); return []float64{a, b, a + 2*b} })
	zy := table(t, "z1 z2 y", 40, func(i int) []float64 { a, b := float64(i%6), float64(i%11); return []float64{a, b, 3*(a+2*b) + 1} })
	r := estimate(t, instrument.TS2SLS{Setup: problem.Setup{Copies: copies.Keep}}, xz, zy)
	if c := r.Coefficients[0]; math.Abs(c.Value-3) > 1e-12 || !(c.SE < 1e-12) || r.FirstStage[0].F != nil || r.FirstStage[0].Weak() || r.Overidentification != nil {
		t.Errorf("%+v, %+v, %+v", c, r.FirstStage, r.Overidentification)
	}
}
