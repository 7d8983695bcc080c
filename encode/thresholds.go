package encode

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// Thresholds are outputs in the place of the values of one numeric column of Y: scale_j 1{Y <= t_j} for each threshold t_j. Their means given X are a distribution function.
// With scale_j² the width of the interval of Y that t_j stands for, the squared error of all of them is the continuous ranked probability score.
type Thresholds struct {
	At    []float64 `json:"at"`    // t, increasing
	Scale []float64 `json:"scale"` // above 0
}

// Validate returns an error for thresholds that do not increase, or scales that are not above 0.
func (t Thresholds) Validate() error {
	if len(t.At) == 0 || len(t.Scale) != len(t.At) {
		return fmt.Errorf("encode: %d thresholds with %d scales, want as many and at least one", len(t.At), len(t.Scale))
	}
	for j, v := range t.At {
		if math.IsNaN(v) || math.IsInf(v, 0) || j > 0 && !(v > t.At[j-1]) {
			return fmt.Errorf("encode: threshold %d is %g, must be finite and above the one before", j+1, v)
		}
		if s := t.Scale[j]; !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("encode: the scale of threshold %d is %g, must be above 0 and finite", j+1, s)
		}
	}
	return nil
}

// Below returns the outputs of thresholds of Y. It is an error unless Y is one column of numbers.
func (t *Targets) Below(at Thresholds) (*Targets, error) {
	if err := at.Validate(); err != nil {
		return nil, err
	}
	if len(t.columns) != 1 || t.columns[0].Kind != tables.Numeric {
		return nil, fmt.Errorf("encode: thresholds are for one column of numbers, Y is %s", t.kinds())
	}
	return &Targets{columns: t.columns, below: &Thresholds{slices.Clone(at.At), slices.Clone(at.Scale)}}, nil
}

// kinds says what Y is.
func (t *Targets) kinds() string {
	if t.classes != nil {
		return "classes"
	}
	return fmt.Sprintf("%d columns", len(t.columns))
}

// Together reports whether the outputs are parts of one quantity, whose errors are summed: classes of a label, or thresholds.
func (t *Targets) Together() bool { return t.classes != nil || t.below != nil }

// thresholdName names the output of a threshold.
func (t *Targets) thresholdName(j int) string {
	return t.columns[0].Name + " <= " + strconv.FormatFloat(t.below.At[j], 'g', -1, 64)
}

// encodeTo stores the outputs for values of Y in the rows of dst, and returns the rows with Y.
func (t *Thresholds) encodeTo(dst *mat.Dense, values []float64) (complete []int) {
	complete = make([]int, 0, len(values))
	for i, v := range values {
		row := dst.RawRowView(i)
		if math.IsNaN(v) {
			for j := range row {
				row[j] = v
			}
			continue
		}
		complete = append(complete, i)
		for j, at := range t.At {
			row[j] = 0
			if v <= at {
				row[j] = t.Scale[j]
			}
		}
	}
	return complete
}
