package experiments

import (
	"sync"

	"mediant/internal/parallel"
	"mediant/risk"
)

// A DrawLog is the path of a JSON Lines file with a line for each draw of a Coverage or ScenarioCoverage, of any settings. Draws that are there are not repeated,
// new ones are appended as soon as they are measured, so that a long study can be interrupted and continued. An empty path keeps nothing.
type DrawLog string

// A loggedDraw is a line of a DrawLog.
type loggedDraw struct {
	Study   string        `json:"study"` // its settings but the number of draws
	Seed    uint64        `json:"seed"`  // of this draw
	Truth   float64       `json:"truth"`
	Final   float64       `json:"final"`
	MSE     float64       `json:"mse"` // the estimate, also where it is below 0
	Risk    risk.Estimate `json:"risk"`
	Bracket *risk.Bracket `json:"bracket,omitempty"`
	Tight   *risk.Bracket `json:"tight_bracket,omitempty"`
}

// repetition is what summarise needs of the draw.
func (d loggedDraw) repetition() repetition {
	a := &risk.Assessment{Bracket: d.Bracket, Tight: d.Tight}
	a.Risk.Estimate = d.Risk
	a.Risk.MSE = d.MSE
	return repetition{a: a, truth: d.Truth, final: d.Final}
}

// run returns the draws of a study with the n seeds after a first one, as many at a time as there are processors, and the first error. Results do not depend on
// their number.
func (l DrawLog) run(study string, n int, seed uint64, draw func(seed uint64) repetition) ([]repetition, error) {
	known, err := l.read(study)
	if err != nil {
		return nil, err
	}
	all := make([]repetition, n)
	var writing sync.Mutex
	parallel.Blocks(n, 1, func(lo, _ int) {
		seed := seed + 1 + uint64(lo)
		if r, ok := known[seed]; ok {
			all[lo] = r
			return
		}
		r := draw(seed)
		if r.err == nil && l != "" {
			writing.Lock()
			r.err = appendLine(string(l), loggedDraw{study, seed, r.truth, r.final, r.a.Risk.MSE, r.a.Risk.Estimate, r.a.Bracket, r.a.Tight})
			writing.Unlock()
		}
		all[lo] = r
	})
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
	}
	return all, nil
}

// read returns the draws of a study by seed.
func (l DrawLog) read(study string) (map[uint64]repetition, error) {
	known := make(map[uint64]repetition)
	if l == "" {
		return known, nil
	}
	_, err := eachLine(string(l), func(line []byte) error {
		var d loggedDraw
		if err := strict(line, &d); err != nil {
			return err
		}
		if d.Study == study {
			known[d.Seed] = d.repetition()
		}
		return nil
	})
	return known, err
}
