package risk

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/collect"
	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/problem"
)

// An Interval is an estimate with its standard error and its 95 % interval, estimate ± t se. t is Student's, 1.96 unless
// rows are few.
type Interval struct {
	Value float64 `json:"estimate"`
	SE    float64 `json:"se"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// NewInterval returns the 95 % interval of an estimate, from its variance and the degrees of freedom of the variance.
func NewInterval(value, variance, freedom float64) Interval {
	se := math.Sqrt(variance)
	margin := weighted.Student95(freedom) * se
	return Interval{Value: value, SE: se, Lo: value - margin, Hi: value + margin}
}

// An Estimate is an estimated mean squared error with its 95 % interval, MSE ± t SE, cut at 0.
type Estimate struct {
	// MSE is below 0 where the tables have too few rows or too little overlap to estimate it; Hi still bounds it.
	MSE float64 `json:"-"`
	// Known is MSE, nil where it is below 0.
	Known *float64 `json:"mse"`
	SE    float64  `json:"se"`
	Lo    float64  `json:"lo"`
	Hi    float64  `json:"hi"`
	// Freedom is the number of degrees of freedom of SE, and so of t (docs/theory.md, section 15); 0 in files of earlier
	// versions, where t was 1.96.
	Freedom float64 `json:"degrees_of_freedom,omitempty"`
}

func newEstimate(mse, se, freedom float64) Estimate {
	margin := weighted.Student95(freedom) * se
	r := Estimate{MSE: mse, SE: se, Lo: max(mse-margin, 0), Hi: max(mse+margin, 0), Freedom: freedom}
	if mse >= 0 {
		r.Known = &mse
	}
	return r
}

// restore sets the fields that are not in model files.
func (r *Estimate) restore() {
	r.MSE = math.NaN()
	if r.Known != nil {
		r.MSE = *r.Known
	}
}

// UnmarshalJSON reads an assessment of a model file.
func (a *Assessment) UnmarshalJSON(text []byte) error {
	type plain Assessment
	if err := json.Unmarshal(text, (*plain)(a)); err != nil {
		return err
	}
	a.Risk.Estimate.restore()
	for j := range a.Risk.Outputs {
		a.Risk.Outputs[j].restore()
	}
	return nil
}

// A Form says to which population the uncoupled risk refers, and which assumptions it makes.
type Form int

const (
	// SameDistribution is form 1: U has the same distribution in both tables. The zero value means it too.
	SameDistribution Form = 1
	// CovariateShift is form 2: the distribution of U may differ if the support of S_Y covers that of S_X and E[Y|U] and
	// E[Y²|U] are the same in both. The risk is that in the population of S_X. Its interval covers where no U is more than 2.7
	// times as frequent in the one table as in the other, and is not valid under larger shifts (docs/theory.md, section 15):
	// form 1 with problem.Setup.Shift is better.
	CovariateShift Form = 2
)

// A Bracket contains the MSE whether or not E[Y|U] = E[Y|U,X]; it requires the same distribution of U in both tables. Lo and
// Hi are estimates of its ends, Lower and Upper the same moved outwards by t standard errors (delta method).
type Bracket struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// An Assessment is an estimate of a method's error from two tables without coupled (X, Y) rows: the average over the K models of
// the folds, each evaluated on its held-out rows, less what search.Choice knows of the model of all rows (Risk.LearningCurve). All of it is conditional on the encoders and feature maps, which are
// fitted on X and U of all rows.
type Assessment struct {
	// Risk is the mean squared error, summed over outputs. It is right under conditional mean
	// independence, E[Y|U] = E[Y|U,X], which two tables cannot test.
	Risk struct {
		Estimate
		Form Form `json:"form"`
		// Outputs are the risks of the single outputs, in the order of Y, if there are several.
		Outputs []Estimate `json:"outputs,omitempty"`
		Folds   int        `json:"folds"`
		// FewRows reports that there are so few rows that the interval may cover less often than in 95 % of cases
		// (docs/theory.md, section 15).
		FewRows bool `json:"few_rows,omitempty"`
		// Optimism is what was added to MSE and its interval because the method is the best of several by this risk, or has
		// metrics that were learned from all rows; Outputs have their own, the brackets none.
		Optimism float64 `json:"optimism,omitempty"`
		// LearningCurve is what was taken off MSE and its interval because the models of folds are fitted to fewer rows than that of all
		// (search.Choice.Assessment); Outputs have their own.
		LearningCurve float64 `json:"learning_curve,omitempty"`
		// VarianceXU and VarianceUY are the parts of SE², without Optimism, that S_X and S_Y make (docs/theory.md, section 24): the terms of their rows, and in that of
		// S_Y what thin overlap adds. Rows are those of both tables, rows without overlap included. All are zeros in files of earlier versions.
		VarianceXU float64      `json:"variance_xu,omitempty"`
		VarianceUY float64      `json:"variance_uy,omitempty"`
		Rows       collect.Rows `json:"rows,omitzero"`
		// FreedomF and FreedomH are the degrees of freedom of f and of h for each row that the models of the folds are fitted to, below 1; 0 where they are not ridge
		// regressions, or f is not fitted to these tables.
		FreedomF float64 `json:"freedom_f,omitempty"`
		FreedomH float64 `json:"freedom_h,omitempty"`
		// Penalties that were chosen or set: of h, of v (form 2), both of the first output, and by output where Y is
		// several columns; and of the Riesz weights of f by output, then those of classes, then that of omega (form 2).
		LambdaH  float64   `json:"lambda_h"`
		LambdasH []float64 `json:"lambda_h_outputs,omitempty"`
		LambdaV  *float64  `json:"lambda_v,omitempty"`
		LambdasV []float64 `json:"lambda_v_outputs,omitempty"`
		Mu       []float64 `json:"mu"`
	} `json:"risk"`
	// Bracket is (a-b)² to (a+b)², a = RMS_SX |f-h| and b = RMS_SY |h-y|. Tight is the risk of form 1,
	// plus or minus 2 RMS_SX |f-r| b. Both are nil where the distributions of U may differ.
	Bracket *Bracket `json:"bracket"`
	Tight   *Bracket `json:"tight_bracket,omitempty"`
	// Loss is the risk in another loss, if AssessOptions.Loss asks for it.
	Loss *LossRisk `json:"loss,omitempty"`
	// Calibration is that of probabilities of up to 50 classes, where Loss is losses.Log.
	Calibration *losses.Calibration `json:"calibration,omitempty"`
	// Accuracy is the share of rows whose class is that of the largest output, nil for regression. Its interval is
	// cut at 0 and 1.
	Accuracy *Interval `json:"accuracy,omitempty"`
	// Overlap is set if some rows of S_X have no overlap. Risk and accuracy then refer to the other rows, and the brackets to all.
	Overlap *OverlapRisk `json:"overlap,omitempty"`
	// Clusters counts those of the rows that were scored; nil if the rows of both tables are independent.
	Clusters *problem.Clusters `json:"clusters,omitempty"`
	// Notes are the decisions that AssessModel made on the way; those of a fit are the model's.
	Notes []string `json:"assessment_notes,omitempty"`

	units   crossfit.Units
	spreads *Spreads
	byUnit  [][]float64 // the risk by fold and unit, to compare methods by
}

// Spreads returns what Assess has for problems with rows, nil for other assessments, also those of files.
func (a *Assessment) Spreads() *Spreads { return a.spreads }

// Plus returns the estimate with a correction added, such as an optimism. The correction is itself an estimate, whose standard error is taken to be
// as large as it is.
func (r Estimate) Plus(optimism float64) Estimate {
	return newEstimate(r.MSE+optimism, math.Hypot(r.SE, optimism), r.Freedom)
}

// Variance returns the parts of the variance of the risk. What the choice of the best of several candidates adds is divided as the rest is: it comes from the
// same rows.
func (a *Assessment) Variance() collect.Variance {
	r := a.Risk
	v := collect.Variance{XU: .5, UY: .5}
	if r.VarianceXU+r.VarianceUY > 0 {
		v = collect.Variance{XU: r.VarianceXU, UY: r.VarianceUY}.Shares()
	}
	return collect.Variance{XU: v.XU * r.SE * r.SE, UY: v.UY * r.SE * r.SE, FreedomF: r.FreedomF, FreedomH: r.FreedomH}
}

// RiskByFold returns the risk in total, by fold and by unit, as a search compares candidates.
func (a *Assessment) RiskByFold() *crossfit.RiskByFold {
	byFold := a.units.Totals(a.byUnit)
	risk := a.Risk.MSE
	if a.units.Scale != nil {
		outputs := make([]float64, len(a.Risk.Outputs))
		for j, o := range a.Risk.Outputs {
			outputs[j] = o.MSE
		}
		risk = a.units.Total(outputs)
	}
	return &crossfit.RiskByFold{Risk: risk, ByFold: byFold, ByUnit: a.byUnit}
}

// assessment turns the sums of a scorer into estimates. Sums that are not finite are an error.
func (s *scorer) assessment() (*Assessment, error) {
	var a Assessment
	x, y := s.x, s.y
	a.Risk.Form = SameDistribution
	overlap := sumBiases(s.overlapBiases, s.classes)
	a.Risk.Estimate = s.riskOf(x, y, overlap)
	a.Risk.VarianceXU, a.Risk.VarianceUY = x.Variance(Unit(xTerms, riskTerm)...), y.Variance(Unit(yTerms, riskTerm)...)+overlap.variance
	a.Risk.FewRows = a.Risk.Freedom < fewFreedom && !s.blocks
	if len(s.outX) > 1 {
		for j, ox := range s.outX {
			var own overlapBias
			if s.overlapBiases != nil {
				own = s.overlapBiases[j]
			}
			a.Risk.Outputs = append(a.Risk.Outputs, s.riskOf(ox, s.outY[j], own))
		}
	}
	a.units = s.units
	for k, x := range s.foldX {
		a.byUnit = append(a.byUnit, floats.AddTo(make([]float64, len(x.Mean)), x.Mean, s.foldY[k].Mean))
	}
	if s.shifted {
		a.Risk.Form = CovariateShift
	} else if min(x.Mean[gapTerm], y.Mean[gapTerm], x.Mean[rieszTerm]) >= 0 { // noise for privacy may be larger than these means of squares
		a.Bracket, a.Tight = s.bracket(overlap), s.tight(overlap)
	}
	if s.classes && !s.blocks {
		v := weighted.SumVariance(weighted.Term{Of: x, Gradient: Unit(xTerms, hitTerm)}, weighted.Term{Of: y, Gradient: Unit(yTerms, hitTerm)})
		e := NewInterval(x.Mean[hitTerm]+y.Mean[hitTerm], v.Variance+s.accuracyBias.variance, v.Freedom)
		e.Lo, e.Hi = max(e.Lo, 0), min(e.Hi, 1)
		a.Accuracy = &e
	}
	if s.blocks && (x.Count < 2 || y.Count < 2) {
		return nil, fmt.Errorf("%w: %g blocks of sums of X and U and %g of U and Y carry weight, at least 2 of each are needed", ErrNoRisk, x.Count, y.Count)
	}
	if x.Count < 2 || y.Count < 2 {
		return nil, fmt.Errorf("%w: %g rows of X and U and %g of U and Y carry weight, at least 2 of each are needed", ErrNoRisk, x.Count, y.Count)
	}
	if v := a.Risk.Hi + x.Mean[rieszTerm]; math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%w: squared errors overflow: the predictions or Y are too large to be compared", ErrNoRisk)
	}
	return &a, nil
}

// riskOf is the sum of the means of the risk's terms over both tables, corrected for the bias from thin overlap.
func (s *scorer) riskOf(x, y *weighted.Means, overlap overlapBias) Estimate {
	v := s.errorVariance(x, y, Unit(len(x.Mean), riskTerm), Unit(len(y.Mean), riskTerm))
	return newEstimate(x.Mean[riskTerm]+y.Mean[riskTerm]+overlap.bias, math.Sqrt(v.Variance+overlap.variance), v.Freedom)
}

// Unit returns the unit vector of the given length with a 1 at term.
func Unit(terms, term int) []float64 {
	g := make([]float64, terms)
	g[term] = 1
	return g
}

// margin is the half-width of a 95 % interval of gx'(means of S_X) + gy'(means of S_Y), with a further variance added; the
// tables are independent, but for clusters that both have.
func (s *scorer) margin(gx [xTerms]float64, gy [yTerms]float64, own float64) float64 {
	v := s.errorVariance(s.x, s.y, gx[:], gy[:])
	return weighted.Student95(v.Freedom) * math.Sqrt(v.Variance+own)
}

// bracket is (a-b)² to (a+b)². Its ends are moved by a margin of a ± b, whose variance is
// var(a²)/(4a²) + var(b²)/(4b²), before they are squared. The bias from thin overlap is added to b², which is to be the mean over S_X.
func (s *scorer) bracket(overlap overlapBias) *Bracket {
	a, b := math.Sqrt(s.x.Mean[gapTerm]), math.Sqrt(s.y.Mean[gapTerm]+max(overlap.bias, 0))
	margin := s.margin([xTerms]float64{gapTerm: over(1, 2*a)}, [yTerms]float64{gapTerm: over(1, 2*b)}, overlap.variance*over(1, 4*b*b))
	lower, upper := max(math.Abs(a-b)-margin, 0), a+b+margin
	return &Bracket{Lo: (a - b) * (a - b), Hi: (a + b) * (a + b), Lower: lower * lower, Upper: upper * upper}
}

// tight is R ± 2cb, c = RMS_SX |f-r|; its ends have the derivatives 1, ±b/c by c² and ±c/b by b².
func (s *scorer) tight(overlap overlapBias) *Bracket {
	risk := s.x.Mean[riskTerm] + s.y.Mean[riskTerm] + overlap.bias
	c, b := math.Sqrt(s.x.Mean[rieszTerm]), math.Sqrt(s.y.Mean[gapTerm]+max(overlap.bias, 0))
	end := func(sign float64) (value, moved float64) {
		value = risk + sign*2*c*b
		margin := s.margin([xTerms]float64{riskTerm: 1, rieszTerm: sign * over(b, c)}, [yTerms]float64{riskTerm: 1, gapTerm: sign * over(c, b)}, overlap.variance)
		return max(value, 0), max(value+sign*margin, 0)
	}
	var t Bracket
	t.Lo, t.Lower = end(-1)
	t.Hi, t.Upper = end(1)
	return &t
}

// over is a/b, and 0 for b = 0: the root of a mean square that is 0 has no sampling error, since all
// its terms are 0.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// fewFreedom is the number of degrees of freedom below which intervals of the risk may cover less often than 95 %
// (docs/theory.md, section 15).
const fewFreedom = 25
