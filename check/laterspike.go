package check

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

const (
	// A value that fills later rows is in spikeRows of them or more, in a tenth, and in spikeGrowth times the share that any value had in training.
	spikeRows   = 10
	spikeLeast  = .1
	spikeGrowth = 3.
)

// spike finds a value that a far larger share of later rows has than any value had in training. values are a sample, ascending.
func (c *laterColumn) spike(values []float64, rows int) (Finding, bool) {
	was := c.was.Numbers
	if len(values) == 0 || was.ModeShare == 0 || c.was.Distinct <= spikeDistinct { // a model file of before has no shares
		return Finding{}, false
	}
	most, m := tally(values)[0], float64(len(values))
	share, n := float64(most.rows)/m, float64(min(c.was.Rows-c.was.Missing, learnedSample))
	mode := was.ModeShare / c.within(values, most.value) // of rows of a part of the range, as of young persons, each value has a larger share
	before := mode + 3*math.Sqrt(mode/n)
	if most.rows < spikeRows || share < max(spikeLeast, spikeGrowth*before) || chernoff(most.rows, len(values)-most.rows, before) > math.Log(laterChance/1000) {
		return Finding{}, false
	}
	found := int(math.Round(share * float64(rows-c.missing)))
	f := Finding{Code: LaterSpike, Severity: Warning, Columns: []string{c.was.Name}, Rows: found, Of: rows, gravity: share,
		What:   fmt.Sprintf("column %q: %g in %d of %d rows, and no value in more than %.2g %% of those of training", c.was.Name, most.value, found, rows, 100*was.ModeShare),
		Effect: "if it stands for missing values or for ones that were cut off, predictions there are of other rows than meant"}
	if c.target {
		f.Effect = "if it stands for missing values or for ones that were cut off, errors are not those of what was measured"
	}
	return f, true
}

// within is the share of training, by its quantiles, that is in the range of later values less all that are one of them, and from it on; 1 if there is no other.
func (c *laterColumn) within(values []float64, but float64) float64 {
	lo, hi := but, but
	others := false
	for _, v := range values {
		if v != but {
			lo, hi, others = min(lo, v), max(hi, v), true
		}
	}
	was := c.was.Numbers
	if !others || lo > was.Max || hi < was.Min {
		return 1
	}
	at, of := slices.Concat([]float64{was.Min}, was.Quantiles[:], []float64{was.Max}), slices.Concat([]float64{0}, quantilesAt[:], []float64{1})
	share := func(v float64) float64 {
		i := sort.SearchFloat64s(at, v)
		switch {
		case i == 0:
			return 0
		case i == len(at):
			return 1
		}
		return of[i-1] + (of[i]-of[i-1])*(v-at[i-1])/(at[i]-at[i-1])
	}
	return max(share(math.Nextafter(hi, math.Inf(1)))-share(lo), was.ModeShare)
}
