package experiments

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/tables"
)

// A Scenario, made by Scenarios, is a named distribution of X, U and Y with E[Y|U, X] = E[Y|U], of which E[Y|X] is known. Y is drawn from U alone.
type Scenario struct {
	Name string
	// Definition is a sentence of Markdown.
	Definition string
	// RowsXU and RowsUY are the sizes of the two tables on which methods are compared.
	RowsXU, RowsUY int

	population
}

// A population draws rows of one distribution: X, then U from X, then Y from U.
type population struct {
	x, u   int  // columns of numbers
	levels bool // X and U have a column of levels, too
	drawX  func(rnd *rand.Rand, r *drawnRow)
	drawU  func(rnd *rand.Rand, r *drawnRow)
	// h is E[Y|U], noise draws Y - h(U), and variance is its variance given U.
	h        func(r *drawnRow) float64
	noise    func(rnd *rand.Rand, r *drawnRow, h float64) float64
	variance func(r *drawnRow, h float64) float64
	// mean is E[Y|X].
	mean func(r *drawnRow) float64
}

// A drawnRow is a row of X and U: numbers, and the levels of populations that have them.
type drawnRow struct {
	x, u           []float64
	levelX, levelU int
}

// ScenarioNamed returns the scenario of a name; the error lists the names.
func ScenarioNamed(name string) (Scenario, error) {
	all := Scenarios()
	if i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Scenario{}, fmt.Errorf("experiments: there is no scenario %q, only %s", name, strings.Join(ScenarioNames(), ", "))
}

// ScenarioNames are the names of Scenarios.
func ScenarioNames() (names []string) {
	for _, s := range Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

// XU draws n rows of (X, U).
func (s Scenario) XU(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "xu", true, true, nil)
}

// UY draws n rows of (U, Y).
func (s Scenario) UY(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "uy", false, true, s.drawY)
}

// XY draws n coupled rows of (X, Y).
func (s Scenario) XY(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "xy", true, false, s.drawY)
}

// Truth draws n rows of X and of E[Y|X] in place of Y, so that the mean squared error of a model on them is its excess, that above the best prediction,
// and 1 - R2 its share of the variance of E[Y|X].
func (s Scenario) Truth(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "truth", true, false, func(_ *rand.Rand, r *drawnRow) float64 { return s.mean(r) })
}

// Variances splits the variance of Y over n draws: E[(Y - E[Y|X])²] is the risk of the best prediction, as a mean of (h(U) - E[Y|X])² + Var(Y|U), which has no
// noise of Y in it, and the rest is the variance of E[Y|X].
func (s Scenario) Variances(n int, seed uint64) (irreducible, explained float64) {
	rnd, r := draw.Rand(seed, "experiments/scenario/irreducible", 0), s.newRow()
	means := make([]float64, n)
	for i := range means {
		s.drawX(rnd, r)
		s.drawU(rnd, r)
		h := s.h(r)
		means[i] = s.mean(r)
		gap := h - means[i]
		irreducible += gap*gap + s.variance(r, h)
	}
	return irreducible / float64(n), stat.PopVariance(means, nil)
}

func (s Scenario) drawY(rnd *rand.Rand, r *drawnRow) float64 {
	h := s.h(r)
	return h + s.noise(rnd, r, h)
}

func (s Scenario) newRow() *drawnRow {
	return &drawnRow{x: make([]float64, s.x), u: make([]float64, s.u)}
}

// table draws rows and keeps the sides that are wanted, Y if it is made.
func (s Scenario) table(n int, seed uint64, name string, x, u bool, y func(*rand.Rand, *drawnRow) float64) (tables.Source, error) {
	if err := bounds.First(atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	rnd, r := draw.Rand(seed, "experiments/scenario/"+name, 0), s.newRow()
	xs, us, ys := emptyColumns(s.x, n), emptyColumns(s.u, n), emptyColumns(1, n)
	levels := [2][]string{make([]string, n), make([]string, n)}
	for i := range n {
		s.drawX(rnd, r)
		s.drawU(rnd, r)
		for j, v := range r.x {
			xs[j][i] = v
		}
		for j, v := range r.u {
			us[j][i] = v
		}
		levels[0][i], levels[1][i] = levelName(r.levelX), levelName(r.levelU)
		if y != nil {
			ys[0][i] = y(rnd, r)
		}
	}
	src, err := sides(map[string][][]float64{"x": keep(x, xs), "u": keep(u, us), "y": keep(y != nil, ys)})
	if err != nil || !s.levels {
		return src, err
	}
	return withLevels(src, levels, x, u)
}

// withLevels adds the columns of levels of the sides that are wanted.
func withLevels(src tables.Source, levels [2][]string, x, u bool) (tables.Source, error) {
	var columns []tables.ColumnData
	if x {
		columns = append(columns, tables.Strings("x_level", levels[0]))
	}
	if u {
		columns = append(columns, tables.Strings("u_level", levels[1]))
	}
	beside, err := tables.FromColumns(columns...)
	if err != nil {
		return nil, err
	}
	return tables.HStack(src, beside)
}

func levelName(level int) string { return fmt.Sprintf("level %d", level+1) }

func emptyColumns(columns, rows int) [][]float64 {
	all := make([][]float64, columns)
	for j := range all {
		all[j] = make([]float64, rows)
	}
	return all
}
