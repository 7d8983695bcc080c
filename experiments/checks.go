package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mediant/check"
	"mediant/internal/draw"
	"mediant/tables"
)

// A CleanKind is a kind of clean columns of tables that are checked.
type CleanKind string

const (
	NormalColumns   CleanKind = "normal"
	SkewColumns     CleanKind = "skew"
	HeavyColumns    CleanKind = "heavy tails"
	DiscreteColumns CleanKind = "discrete"
	LevelColumns    CleanKind = "levels"
	MixedColumns    CleanKind = "mixed, with missing values"
)

// CleanKinds lists all kinds of clean columns.
var CleanKinds = []CleanKind{NormalColumns, SkewColumns, HeavyColumns, DiscreteColumns, LevelColumns, MixedColumns}

// CleanTables are pairs of tables in which nothing is wrong: U is of one distribution in both.
type CleanTables struct {
	Kind CleanKind
	Rows int // of each table
	U    int // columns of U
}

// Draw returns a table of two columns of X and of U, and one of U and Y, by a stream of random numbers.
func (c CleanTables) Draw(rnd *rand.Rand) (xu, uy *tables.Table, err error) {
	x, y := drawColumns(c.Kind, "x", 2, c.Rows, rnd.Uint64(), rnd), drawColumns(c.Kind, "y", 1, c.Rows, rnd.Uint64(), rnd)
	seed := rnd.Uint64() // of what is the same for U of both tables
	if xu, err = drawnTable(x, drawColumns(c.Kind, "u", c.U, c.Rows, seed, rnd)); err != nil {
		return nil, nil, err
	}
	uy, err = drawnTable(drawColumns(c.Kind, "u", c.U, c.Rows, seed, rnd), y)
	return xu, uy, err
}

// A drawnColumn is one of numbers or, if it has cells, of text.
type drawnColumn struct {
	name    string
	numbers []float64
	cells   []string
}

func drawnTable(parts ...[]drawnColumn) (*tables.Table, error) {
	var all []tables.ColumnData
	for _, c := range slices.Concat(parts...) {
		if c.cells != nil {
			all = append(all, tables.Strings(c.name, c.cells))
		} else {
			all = append(all, tables.Numbers(c.name, c.numbers))
		}
	}
	return tables.FromColumns(all...)
}

// drawColumns draws columns that depend on each other by two common factors. What the columns are is a matter of the seed alone.
func drawColumns(kind CleanKind, name string, columns, rows int, seed uint64, rnd *rand.Rand) []drawnColumn {
	factors := make([][2]float64, rows)
	for i := range factors {
		factors[i] = [2]float64{rnd.NormFloat64(), rnd.NormFloat64()}
	}
	var all []drawnColumn
	for j := range columns {
		own := draw.Rand(seed, "clean column", j)
		a, b, of := own.Float64(), own.Float64()-.5, kind
		missing := 0.
		if kind == MixedColumns {
			of = CleanKinds[own.IntN(len(CleanKinds)-1)]
			missing = []float64{0, 0, .02, .2}[own.IntN(4)]
		}
		form := newColumnForm(of, own)
		c := drawnColumn{name: fmt.Sprint(name, j+1)}
		for _, f := range factors {
			z := (a*f[0] + b*f[1] + rnd.NormFloat64()) / math.Sqrt(1+a*a+b*b)
			lacks := rnd.Float64() < missing*2*phi(f[0])
			switch {
			case of == LevelColumns && lacks:
				c.cells = append(c.cells, "")
			case of == LevelColumns:
				c.cells = append(c.cells, form.level(z))
			case lacks:
				c.numbers = append(c.numbers, math.NaN())
			default:
				c.numbers = append(c.numbers, form.number(z, rnd))
			}
		}
		all = append(all, c)
	}
	return all
}

// phi is the distribution function of a standard normal variable.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// A columnForm makes values of a column of standard normal ones.
type columnForm struct {
	kind   CleanKind
	centre float64
	scale  float64
	form   int
	cuts   []float64 // of levels and discrete values: shares of those up to each
}

func newColumnForm(kind CleanKind, own *rand.Rand) columnForm {
	f := columnForm{kind: kind, centre: 5 * own.NormFloat64(), scale: math.Exp(2 * own.NormFloat64()), form: own.IntN(3)}
	values := []int{2, 5, 30, 200}[own.IntN(4)]
	sum := 0.
	for k := range values {
		sum += math.Pow(float64(k+1), -1.2) * (.5 + own.Float64())
		f.cuts = append(f.cuts, sum)
	}
	for k := range f.cuts {
		f.cuts[k] /= sum
	}
	return f
}

// place is the number of the discrete value.
func (f columnForm) place(z float64) int {
	p := phi(z)
	for k, c := range f.cuts {
		if p <= c {
			return k
		}
	}
	return len(f.cuts) - 1
}

func (f columnForm) level(z float64) string {
	k := f.place(z)
	return string([]byte{'a' + byte(k%26), 'a' + byte(k*7/26%26), 'a' + byte((k*11+3)%26), 'a' + byte(k*5%26), 'a' + byte(k/26)})
}

func (f columnForm) number(z float64, rnd *rand.Rand) float64 {
	switch f.kind {
	case SkewColumns:
		switch f.form {
		case 0:
			return f.scale * math.Exp(z)
		case 1:
			return f.scale * max(0, z) // many zeros
		}
		return f.scale * -math.Log(1-phi(z)+1e-12)
	case HeavyColumns:
		return f.centre + f.scale*z/math.Abs(rnd.NormFloat64()+1e-9) // Cauchy, if z is independent of all
	case DiscreteColumns:
		return float64(f.place(z) + f.form)
	}
	return f.centre + f.scale*z
}

// An Alarm is a warning or an error in a pair of clean tables.
type Alarm struct {
	Kind    CleanKind     `json:"kind"`
	Rows    int           `json:"rows"`
	U       int           `json:"u"`
	Finding check.Finding `json:"finding"`
}

// CleanFindings are what was found in pairs of clean tables.
type CleanFindings struct {
	Pairs   map[CleanKind]int `json:"pairs"`
	Alarms  []Alarm           `json:"alarms"`
	Alarmed int               `json:"alarmed"` // pairs with an alarm
	// Notes are the numbers of pairs of each kind with a note of a code.
	Notes map[check.Code]map[CleanKind]int `json:"notes"`
}

// FalseAlarms checks pairs of clean tables, rows and columns in turn. show is called with the number of pairs that are done.
func FalseAlarms(ctx context.Context, pairs int, rows, columns []int, seed uint64, show func(int)) (*CleanFindings, error) {
	found := &CleanFindings{Pairs: make(map[CleanKind]int), Notes: make(map[check.Code]map[CleanKind]int)}
	for k := range pairs {
		show(k)
		c := CleanTables{Kind: CleanKinds[k%len(CleanKinds)], Rows: rows[k/len(CleanKinds)%len(rows)], U: columns[k/len(CleanKinds)/len(rows)%len(columns)]}
		report, err := c.check(ctx, draw.Rand(seed, "clean tables", k), uint64(k))
		if err != nil {
			return nil, err
		}
		found.add(c, report.Findings)
	}
	return found, nil
}

// add counts the findings of a pair.
func (found *CleanFindings) add(c CleanTables, findings []check.Finding) {
	found.Pairs[c.Kind]++
	before := len(found.Alarms)
	noted := make(map[check.Code]bool)
	for _, f := range findings {
		if f.Severity > check.Note {
			found.Alarms = append(found.Alarms, Alarm{c.Kind, c.Rows, c.U, f})
		} else if !noted[f.Code] {
			noted[f.Code] = true
			if found.Notes[f.Code] == nil {
				found.Notes[f.Code] = make(map[CleanKind]int)
			}
			found.Notes[f.Code][c.Kind]++
		}
	}
	if len(found.Alarms) > before {
		found.Alarmed++
	}
}

func (c CleanTables) check(ctx context.Context, rnd *rand.Rand, seed uint64) (*check.Report, error) {
	xu, uy, err := c.Draw(rnd)
	if err != nil {
		return nil, err
	}
	return check.Tables(ctx, xu, uy, check.Options{Seed: seed})
}

// A Fault is one that is put into a clean pair of tables with ten columns of U.
type Fault struct {
	Name    string
	Columns []string // those that are to be named first, any of them
	Spoil   func(u []drawnColumn, rnd *rand.Rand)
}

// Faults are those whose detection is measured.
var Faults = []Fault{
	{"unit: twice the values", []string{"u4"}, onNumbers(3, func(v float64, _ *rand.Rand) float64 { return 2 * v })},
	{"mean shifted by half a standard deviation", []string{"u4"}, onNumbers(3, func(v float64, _ *rand.Rand) float64 { return v + .5 })},
	{"spread 1.5 times", []string{"u4"}, onNumbers(3, func(v float64, _ *rand.Rand) float64 { return 1.5 * v })},
	{"10 % missing", []string{"u4"}, onNumbers(3, func(v float64, rnd *rand.Rand) float64 {
		if rnd.Float64() < .1 {
			return math.NaN()
		}
		return v
	})},
	{"a level of 5 % misspelt, in case", []string{"u10"}, misspell("Blue")},
	{"a level of 5 % misspelt, by a letter", []string{"u10"}, misspell("bleu")},
	{"dependence of equal margins: the sign at random", []string{"u4", "u7"}, dependent(func(z float64, rnd *rand.Rand) float64 {
		if rnd.IntN(2) == 0 {
			return -z
		}
		return z
	})},
	{"dependence of equal margins: half of the rows equal, half opposite, by size", []string{"u4", "u7"}, dependent(func(z float64, _ *rand.Rand) float64 {
		if math.Abs(z) > .6745 {
			return -z
		}
		return z
	})},
	{"dependence of equal margins: a chessboard of 4 by 4", []string{"u4", "u7"}, func(u []drawnColumn, rnd *rand.Rand) {
		for i := range u[3].numbers {
			square := func() (z float64, k int) {
				z = rnd.NormFloat64()
				return z, int(4 * phi(z))
			}
			a, k := square()
			b, l := square()
			for (k+l)%2 != 0 {
				b, l = square()
			}
			u[3].numbers[i], u[6].numbers[i] = a, b
		}
	}},
}

// onNumbers changes the values of column j.
func onNumbers(j int, change func(v float64, rnd *rand.Rand) float64) func([]drawnColumn, *rand.Rand) {
	return func(u []drawnColumn, rnd *rand.Rand) {
		for i, v := range u[j].numbers {
			u[j].numbers[i] = change(v, rnd)
		}
	}
}

// dependent makes the seventh column a function of the fourth.
func dependent(of func(z float64, rnd *rand.Rand) float64) func([]drawnColumn, *rand.Rand) {
	return func(u []drawnColumn, rnd *rand.Rand) {
		for i, z := range u[3].numbers {
			u[6].numbers[i] = of(z, rnd)
		}
	}
}

// misspell writes one level, of 5 % of the rows, otherwise.
func misspell(as string) func([]drawnColumn, *rand.Rand) {
	return func(u []drawnColumn, _ *rand.Rand) {
		for i, cell := range u[9].cells {
			if cell == "blue" {
				u[9].cells[i] = as
			}
		}
	}
}

// A Detection counts how often a fault was found.
type Detection struct {
	Fault  string         `json:"fault"`
	Draws  int            `json:"draws"`
	Found  int            `json:"found"` // a warning or an error
	Named  int            `json:"named"` // whose first column is that of the fault
	Codes  map[string]int `json:"codes"` // of the first finding
	Errors int            `json:"errors"`
}

// Detect draws tables of ten columns of U, nine normal and one of levels, with a fault in one of them.
func (f Fault) Detect(ctx context.Context, rows, draws int, seed uint64) (*Detection, error) {
	d := &Detection{Fault: f.Name, Draws: draws, Codes: make(map[string]int)}
	for k := range draws {
		rnd := draw.Rand(seed, "fault "+f.Name, k)
		report, err := f.report(ctx, rows, k%2 == 0, rnd, uint64(k))
		if err != nil {
			return nil, err
		}
		for _, finding := range report.Findings {
			if finding.Severity == check.Note {
				continue
			}
			d.Found++
			d.Codes[string(finding.Code)]++
			if finding.Severity == check.Error {
				d.Errors++
			}
			if slices.Contains(f.Columns, finding.Columns[0]) {
				d.Named++
			}
			break
		}
	}
	return d, nil
}

func (f Fault) report(ctx context.Context, rows int, first bool, rnd *rand.Rand, seed uint64) (*check.Report, error) {
	var u [2][]drawnColumn
	for t := range u {
		for j := range 9 {
			c := drawnColumn{name: fmt.Sprint("u", j+1)}
			for range rows {
				c.numbers = append(c.numbers, rnd.NormFloat64())
			}
			u[t] = append(u[t], c)
		}
		c := drawnColumn{name: "u10"}
		for range rows {
			cell := []string{"red", "green", "black", "white"}[rnd.IntN(4)]
			if rnd.Float64() < .05 {
				cell = "blue"
			}
			c.cells = append(c.cells, cell)
		}
		u[t] = append(u[t], c)
	}
	spoilt := u[1]
	if first {
		spoilt = u[0]
	}
	f.Spoil(spoilt, rnd)
	xu, err := drawnTable(drawColumns(NormalColumns, "x", 2, rows, rnd.Uint64(), rnd), u[0])
	if err != nil {
		return nil, err
	}
	uy, err := drawnTable(u[1], drawColumns(NormalColumns, "y", 1, rows, rnd.Uint64(), rnd))
	if err != nil {
		return nil, err
	}
	return check.Tables(ctx, xu, uy, check.Options{Seed: seed})
}
