package experiments

import (
	"fmt"
	"math"

	"mediant/internal/bounds"
	"mediant/privacy"
)

// atLeast returns an error unless n is at least min.
func atLeast(field string, n, min int) error {
	if n < min {
		return fmt.Errorf("experiments: %s is %d, must be at least %d", field, n, min)
	}
	return nil
}

func finite(field string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("experiments: %s is %g, must be finite", field, v)
	}
	return nil
}

// Validate returns an error that names the first field out of range.
func (s Synthetic) Validate() error {
	return bounds.First(atLeast("Synthetic.D", s.D, 1), bounds.Penalty("experiments: Synthetic.Noise", s.Noise), finite("Synthetic.Shift", s.Shift))
}

// Validate returns an error that names the first field out of range.
func (c Curved) Validate() error {
	return bounds.First(atLeast("Curved.D", c.D, 1), finite("Curved.Curve", c.Curve), finite("Curved.Spread", c.Spread), bounds.Penalty("experiments: Curved.Noise", c.Noise))
}

// Validate returns an error that names the first field out of range.
func (s Surrogate) Validate() error {
	if !(s.Share > 0 && s.Share < 1) {
		return fmt.Errorf("experiments: Surrogate.Share is %g, must be above 0 and below 1", s.Share)
	}
	return finite("Surrogate.Level", s.Level)
}

// Validate returns an error that names the first field out of range.
func (c Coverage) Validate() error {
	if c.Choose == nil {
		return fmt.Errorf("experiments: Coverage.Choose is nil")
	}
	return bounds.First(
		c.Distribution.Validate(), atLeast("Coverage.Rows", c.Rows, 1), atLeast("Coverage.TestRows", c.TestRows, 1), atLeast("Coverage.Repetitions", c.Repetitions, 1),
		bounds.Enum("experiments: Coverage.Form", int(c.Form), "0, 1 or 2", 0, 1, 2),
	)
}

// Validate returns an error that names the first field out of range.
func (c ScenarioCoverage) Validate() error {
	if c.Scenario.mean == nil {
		return fmt.Errorf("experiments: ScenarioCoverage.Scenario is none of Scenarios")
	}
	return bounds.First(atLeast("ScenarioCoverage.Scenario.RowsXU", c.Scenario.RowsXU, 1), atLeast("ScenarioCoverage.Scenario.RowsUY", c.Scenario.RowsUY, 1),
		atLeast("ScenarioCoverage.TestRows", c.TestRows, 1), atLeast("ScenarioCoverage.Repetitions", c.Repetitions, 2))
}

// Validate returns an error that names the first field out of range.
func (c Collection) Validate() error {
	if c.Choose == nil {
		return fmt.Errorf("experiments: Collection.Choose is nil")
	}
	return bounds.First(
		bounds.Validated("experiments: Collection.Distribution", c.Distribution), atLeast("Collection.Rows", c.Rows, 2),
		atLeast("Collection.TestRows", c.TestRows, 1), atLeast("Collection.Repetitions", c.Repetitions, 2),
	)
}

// Validate returns an error that names the first field out of range; Epsilon, Delta and Clip are checked where sums are made.
func (s PrivateStudy) Validate() error {
	return bounds.First(
		bounds.Validated("experiments: PrivateStudy.Distribution", s.Distribution), atLeast("PrivateStudy.Rows", s.Rows, 2), atLeast("PrivateStudy.TestRows", s.TestRows, 1),
		atLeast("PrivateStudy.PublicRows", s.PublicRows, 2), atLeast("PrivateStudy.Repetitions", s.Repetitions, 2), atLeast("PrivateStudy.Features", s.Features, 2),
		bounds.Penalty("experiments: PrivateStudy.Multiple", s.Multiple), atLeast("PrivateStudy.Blocks", s.Blocks, 1),
	)
}

// Validate returns an error that names the first field out of range.
func (s TableStudy) Validate() error {
	return bounds.First(atLeast("TableStudy.Draws", s.Draws, 2), atLeast("TableStudy.TestRows", s.TestRows, 2))
}

// Validate returns an error that names the first field out of range.
func (a Audit) Validate() error {
	return bounds.First(privacy.Check(a.Epsilon, a.Delta), atLeast("Audit.Draws", a.Draws, 100))
}

// Validate returns an error that names the first field out of range.
func (s ErrorStudy) Validate() error {
	if !(s.Bandwidth >= 0) {
		return fmt.Errorf("experiments: ErrorStudy.Bandwidth is %g, must be at least 0", s.Bandwidth)
	}
	return bounds.First(
		s.Distribution.Validate(), atLeast("ErrorStudy.Rows", s.Rows, 1), atLeast("ErrorStudy.Features", s.Features, 0), finite("ErrorStudy.Bandwidth", s.Bandwidth),
		atLeast("ErrorStudy.Points", s.Points, 1), atLeast("ErrorStudy.Draws", s.Draws, 1),
	)
}

// Validate returns an error that names the first field out of range.
func (s EffectStudy) Validate() error {
	return bounds.First(
		s.Distribution.Validate(), atLeast("EffectStudy.RowsXU", s.RowsXU, 1), atLeast("EffectStudy.RowsUY", s.RowsUY, 1), atLeast("EffectStudy.Draws", s.Draws, 1),
		atLeast("EffectStudy.Boots", s.Boots, 0), atLeast("EffectStudy.Resamples", s.Resamples, 0), s.Method.Validate(),
	)
}

// Validate returns an error that names the first field out of range.
func (r Reproduction) Validate() error {
	if len(r.Dims) == 0 {
		return fmt.Errorf("experiments: Reproduction.Dims is empty, must have one")
	}
	for i, d := range r.Dims {
		if err := atLeast(fmt.Sprintf("Reproduction.Dims[%d]", i), d, 1); err != nil {
			return err
		}
	}
	return bounds.First(
		bounds.Penalty("experiments: Reproduction.Noise", r.Noise), atLeast("Reproduction.Rows", r.Rows, 10),
		atLeast("Reproduction.TestRows", r.TestRows, 1), atLeast("Reproduction.Repetitions", r.Repetitions, 2),
	)
}
