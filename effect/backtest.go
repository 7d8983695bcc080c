package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/internal/weighted"
	"mediant/risk"
	"mediant/tables"
)

// A Truth is the known effect in an experiment, in units of Y.
type Truth struct {
	Experiment string
	Arm        string // "" of a treatment of two levels
	Output     string
	Effect     float64
	SE         float64 // its standard error; 0 if it is exact
}

// A Backtest compares estimates of one output with known effects. Its standard errors take experiments as independent.
type Backtest struct {
	Output   string `json:"y"`
	Compared int    `json:"compared"` // effects with a known truth
	// Unknown are effects without a truth, Unmatched the experiments of truths without an estimate.
	Unknown   int      `json:"unknown"`
	Unmatched []string `json:"unmatched"`
	Raw       Score    `json:"raw"`
	Shrunken  *Score   `json:"shrunken,omitempty"`
}

// A Score says how estimates and known effects agree. Where a truth has a standard error s, its estimate with standard error se has the interval of
// sqrt(se² + s²), and the squares of errors are less s².
type Score struct {
	// Coverage is the share of intervals of 95 % that contain the truth.
	Coverage Measured `json:"coverage"`
	// Signs is the share of estimates with the sign of the truth, among truths that are not 0.
	Signs Measured `json:"sign_agreement"`
	// Significant counts the estimates whose interval lacks 0, and FalsePositives is the share of these whose truth is 0 (within 1.96 s) or of the other sign.
	Significant    int      `json:"significant"`
	FalsePositives Measured `json:"false_positives"`
	// MeanError and RMSE are of estimate - truth.
	MeanError   Measured `json:"mean_error"`
	RMSE        Measured `json:"rmse"`
	Correlation Measured `json:"correlation"`
}

// A Measured is a number with its standard error; nil where there is none, as of no or equal values.
type Measured struct {
	Value *float64 `json:"value"`
	SE    *float64 `json:"se"`
}

// Backtest compares the portfolio with known effects, and keeps the result in p.Backtests. The error says that an effect has two truths, that a truth is not finite or that no experiment
// has one.
func (p *Portfolio) Backtest(truths []Truth) error {
	type key struct{ experiment, arm, output string }
	of := func(experiment, arm, output string) key {
		return key{literal.LabelKey(experiment), literal.LabelKey(arm), output}
	}
	known, used := make(map[key]Truth), make(map[key]bool)
	for _, t := range truths {
		k := of(t.Experiment, t.Arm, t.Output)
		if _, twice := known[k]; twice {
			return fmt.Errorf("effect: experiment %.40q has two known effects%s on %q", t.Experiment, ofArm(t.Arm), t.Output)
		}
		if math.IsNaN(t.Effect) || math.IsInf(t.Effect, 0) || !(t.SE >= 0) || math.IsInf(t.SE, 0) {
			return fmt.Errorf("effect: experiment %.40q has the known effect %g with standard error %g, must be finite and the error not below 0", t.Experiment, t.Effect, t.SE)
		}
		known[k] = t
	}
	var tests []Backtest
	compared := 0
	for _, output := range p.outputs() {
		b := Backtest{Output: output, Unmatched: []string{}}
		var raw, shrunken []risk.Interval
		var truth []Truth
		for _, e := range p.Effects {
			if e.Output != output {
				continue
			}
			k := of(e.Group, e.Arm, output)
			t, found := known[k]
			if !found {
				b.Unknown++
				continue
			}
			used[k] = true
			raw, truth = append(raw, e.Interval), append(truth, t)
			if e.Shrunken != nil {
				shrunken = append(shrunken, *e.Shrunken)
			}
		}
		for _, t := range truths {
			if t.Output == output && !used[of(t.Experiment, t.Arm, output)] {
				b.Unmatched = append(b.Unmatched, t.Experiment+ofArm(t.Arm))
			}
		}
		b.Compared, b.Raw = len(raw), score(raw, truth)
		compared += b.Compared
		if len(shrunken) == len(raw) && len(raw) > 0 {
			s := score(shrunken, truth)
			b.Shrunken = &s
		}
		tests = append(tests, b)
	}
	if compared == 0 {
		return fmt.Errorf("effect: none of the %d known effects is of an experiment, arm and output that are estimated", len(truths))
	}
	p.Backtests = tests
	return nil
}

func ofArm(arm string) string {
	if arm == "" {
		return ""
	}
	return fmt.Sprintf(" (arm %s)", arm)
}

func (p *Portfolio) outputs() (outputs []string) {
	for _, e := range p.Effects {
		if !slices.Contains(outputs, e.Output) {
			outputs = append(outputs, e.Output)
		}
	}
	return outputs
}

// score compares estimates with truths.
func score(estimates []risk.Interval, truths []Truth) (s Score) {
	covered, right, signs, wrong := 0, 0, 0, 0
	var errors, squares, known, values []float64
	for i, e := range estimates {
		t := truths[i]
		half := (e.Hi - e.Lo) / 2
		if e.SE > 0 {
			half *= math.Hypot(e.SE, t.SE) / e.SE
		} else {
			half = weighted.Normal95 * t.SE
		}
		miss := e.Value - t.Effect
		if math.Abs(miss) <= half {
			covered++
		}
		if t.Effect != 0 {
			signs++
			if e.Value*t.Effect > 0 {
				right++
			}
		}
		if e.Lo > 0 || e.Hi < 0 {
			s.Significant++
			if math.Abs(t.Effect) <= weighted.Normal95*t.SE || t.Effect == 0 || e.Value*t.Effect < 0 {
				wrong++
			}
		}
		errors, squares = append(errors, miss), append(squares, miss*miss-t.SE*t.SE)
		known, values = append(known, t.Effect), append(values, e.Value)
	}
	n := float64(len(estimates))
	s.Coverage, s.Signs, s.FalsePositives = shareOf(covered, len(estimates)), shareOf(right, signs), shareOf(wrong, s.Significant)
	s.MeanError = Measured{finite(stat.Mean(errors, nil)), finite(stat.StdDev(errors, nil) / math.Sqrt(n))}
	if len(squares) > 0 {
		rmse := math.Sqrt(max(stat.Mean(squares, nil), 0))
		s.RMSE = Measured{&rmse, finite(stat.StdDev(squares, nil) / math.Sqrt(n) / (2 * rmse))}
	}
	if len(estimates) > 3 {
		if r := finite(stat.Correlation(values, known, nil)); r != nil {
			s.Correlation = Measured{r, finite((1 - *r**r) / math.Sqrt(n-3))}
		}
	}
	return s
}

// shareOf is a share with the standard error of Agresti and Coull (American Statistician 52, 1998), which is not 0 for shares of 0 and 1.
func shareOf(count, of int) Measured {
	if of == 0 {
		return Measured{}
	}
	share, n := float64(count)/float64(of), float64(of)+4
	middle := (float64(count) + 2) / n
	return Measured{&share, finite(math.Sqrt(middle * (1 - middle) / n))}
}

// ReadTruths reads known effects from a table with a column of the experiments, named as in the first table, one of arms named as the treatment if p has several arms, and for
// each output the effect in a column of its name, or of one output in "effect", with its standard error, if it has one, in "NAME se", "NAME_se" or of one
// output "se". Rows without an effect are passed over. The error names the column that is missing or is text, or the line.
func (p *Portfolio) ReadTruths(ctx context.Context, src tables.Source) ([]Truth, error) {
	columns := src.Columns()
	all := tables.ColumnNames(columns)
	labels := []string{p.Experiment}
	if slices.ContainsFunc(p.Effects, func(e ExperimentEffect) bool { return e.Arm != "" }) {
		labels = append(labels, p.Treatment)
	}
	var chosen []tables.Column
	for _, name := range labels {
		at := names.Index(all, name)
		if at < 0 {
			return nil, fmt.Errorf("effect: known effects: %w", names.Missing(all, name))
		}
		if columns[at].Kind == tables.Vector {
			return nil, fmt.Errorf("effect: known effects: column %q holds sparse rows", name)
		}
		chosen = append(chosen, columns[at])
	}
	outputs := p.outputs()
	places := make([][2]int, len(outputs)) // of effect and standard error among the chosen, -1 for none
	for i, output := range outputs {
		for j, candidates := range [][]string{{output, "effect"}, {output + " se", output + "_se", "se"}} {
			if len(outputs) > 1 {
				candidates = candidates[:len(candidates)-1]
			}
			places[i][j] = -1
			for _, name := range candidates {
				if at := names.Index(all, name); at >= 0 && places[i][j] < 0 {
					if columns[at].Kind != tables.Numeric {
						return nil, fmt.Errorf("effect: known effects: column %q is text, must be numbers", columns[at].Name)
					}
					places[i][j] = len(chosen)
					chosen = append(chosen, columns[at])
				}
			}
			if j == 0 && places[i][j] < 0 {
				return nil, fmt.Errorf("effect: known effects: %w", names.Missing(all, candidates[len(candidates)-1]))
			}
		}
	}
	sel, err := tables.Select(columns, chosen)
	if err != nil {
		return nil, err
	}
	var truths []Truth
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			var label [2]string
			for l := range labels {
				kind, place := sel.Place(l)
				label[l] = cellOf(b, kind, place, i)
			}
			for o, output := range outputs {
				t := Truth{Experiment: label[0], Arm: label[1], Output: output}
				_, place := sel.Place(places[o][0])
				if t.Effect = b.Num.At(i, place); math.IsNaN(t.Effect) {
					continue
				}
				if t.Experiment == "" {
					return nil, fmt.Errorf("effect: known effects: %s: %q is missing", tables.FactsOf(src).Where(b.Number(i)), p.Experiment)
				}
				if places[o][1] >= 0 {
					_, place := sel.Place(places[o][1])
					if t.SE = b.Num.At(i, place); !(t.SE >= 0) {
						return nil, fmt.Errorf("effect: known effects: %s: the standard error of experiment %.40q is %g, must be a number that is not below 0", tables.FactsOf(src).Where(b.Number(i)), t.Experiment, t.SE)
					}
				}
				truths = append(truths, t)
			}
		}
	}
	return truths, nil
}
