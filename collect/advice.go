package collect

import (
	"fmt"
	"math"
	"strings"

	"mediant/internal/bounds"
)

// Rows are numbers of rows of the two tables.
type Rows struct {
	XU float64 `json:"xu"`
	UY float64 `json:"uy"`
}

// Costs say what a row of either table costs, and the budget, in one currency. 0 means the default.
type Costs struct {
	XU     float64 `json:"xu"`     // a row of S_X; default 1
	UY     float64 `json:"uy"`     // a row of S_Y; default 1
	Budget float64 `json:"budget"` // default: what More rows of each table cost
}

// More is the number of additional rows whose effect an Advice predicts.
const More = 1000

// Validate returns an error that names the first field out of range.
func (c Costs) Validate() error {
	return bounds.First(price("collect: Costs.XU", c.XU), price("collect: Costs.UY", c.UY), price("collect: Costs.Budget", c.Budget))
}

// price checks a price; the limits keep products of prices and rows finite.
func price(field string, v float64) error {
	if v != 0 && !(v >= 1e-100 && v <= 1e100) {
		return fmt.Errorf("%s is %g, must be above 0 (from 1e-100 to 1e+100)", field, v)
	}
	return nil
}

// orDefault fills in the defaults.
func (c Costs) orDefault() Costs {
	if c.XU == 0 {
		c.XU = 1
	}
	if c.UY == 0 {
		c.UY = 1
	}
	if c.Budget == 0 {
		c.Budget = More * (c.XU + c.UY)
	}
	return c
}

// A Forecast predicts the standard error of one estimate, in its own units.
type Forecast struct {
	SE     float64  `json:"se"`
	Shares Variance `json:"shares"` // of the variance, which add up to 1
	// The standard error with More more rows of one table, and with twice the rows.
	MoreXU   float64 `json:"more_xu"`
	MoreUY   float64 `json:"more_uy"`
	DoubleXU float64 `json:"double_xu"`
	DoubleUY float64 `json:"double_uy"`
	// Best is the number of additional rows, rounded down, that the budget buys with the least variance, and BestSE the standard error with them.
	Best   Rows    `json:"best"`
	BestSE float64 `json:"best_se"`
}

// An Advice says what to collect next. Its forecasts are of the chance in the estimates: more rows take from the noise of f and h as their degrees of freedom say
// (docs/theory.md, section 24), and leave their bias. Less bias also lowers the risk itself.
type Advice struct {
	Rows  Rows      `json:"rows"` // of the tables
	Costs Costs     `json:"costs"`
	Risk  Forecast  `json:"risk"`        // of the mean squared error
	F     *Forecast `json:"f,omitempty"` // of f(x): the root mean square over the rows of S_X, outputs summed; nil if unknown
	// LeftOut says why F is nil, for a fit.
	LeftOut string `json:"left_out,omitempty"`
}

// Advise returns what to collect next, given the rows of the tables, the variance of the risk, and that of f, nil if it is unknown. The new rows are to be
// like the present ones, of which the same share can be used. The error is that of the costs, or says that a table has no rows.
func Advise(n Rows, risk Variance, f *Variance, c Costs) (*Advice, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if !(n.XU > 0 && n.UY > 0) {
		return nil, fmt.Errorf("collect: the tables have %g and %g rows, must be above 0", n.XU, n.UY)
	}
	a := &Advice{Rows: n, Costs: c.orDefault()}
	a.Risk = risk.forecast(n, a.Costs)
	if f != nil {
		of := f.forecast(n, a.Costs)
		a.F = &of
	}
	return a, nil
}

func (v Variance) forecast(n Rows, c Costs) Forecast {
	more := func(xu, uy float64) float64 { return v.With(1+xu/n.XU, 1+uy/n.UY).SE() }
	buy := v.best(n, c)
	// 1e-9 is far above the rounding of a whole number of rows that was divided.
	best := Rows{XU: math.Floor(buy.XU * (1 + 1e-9)), UY: math.Floor(buy.UY * (1 + 1e-9))}
	return Forecast{
		SE: v.SE(), Shares: v.Shares(),
		MoreXU: more(More, 0), MoreUY: more(0, More), DoubleXU: more(n.XU, 0), DoubleUY: more(0, n.UY),
		Best: best, BestSE: more(best.XU, best.UY),
	}
}

// Sentences returns the advice for people.
func (a *Advice) Sentences() []string {
	all := a.Risk.sentences("the risk", a.Costs)
	if a.F != nil {
		all = append(all, a.F.sentences("f(x), the mean over the rows of X and U,", a.Costs)...)
	}
	if a.LeftOut != "" {
		all = append(all, a.LeftOut)
	}
	return append(all, "all of this is at the present bias of f and h; more rows also lower that, and so the risk itself")
}

// sentences are those of one estimate.
func (f Forecast) sentences(of string, c Costs) []string {
	shares := []string{fmt.Sprintf("%.0f %% is from the rows of X and U", 100*f.Shares.XU), fmt.Sprintf("%.0f %% from those of U and Y", 100*f.Shares.UY)}
	if f.Shares.Both >= .005 { // which is 1 %
		shares = append(shares, fmt.Sprintf("%.0f %% from both together", 100*f.Shares.Both))
	}
	return []string{
		fmt.Sprintf("of the variance of %s %s", of, strings.Join(shares, ", ")),
		fmt.Sprintf("its standard error is %.3g; with %d more rows of X and U %.3g, of U and Y %.3g; with twice the rows %.3g and %.3g", f.SE, More, f.MoreXU, f.MoreUY, f.DoubleXU, f.DoubleUY),
		fmt.Sprintf("a budget of %g at %g a row of X and U and %g a row of U and Y is best spent on %.0f and %.0f rows: standard error %.3g", c.Budget, c.XU, c.UY, f.Best.XU, f.Best.UY, f.BestSE),
	}
}

// String returns the sentences, a line each.
func (a *Advice) String() string { return strings.Join(a.Sentences(), "\n") }
