package check

import (
	"fmt"
	"math"
	"slices"

	"mediant/tables"
)

// WeightsUnused is the code of a column that may be one of sampling weights, and is X or U.
const WeightsUnused Code = "weights-unused"

const (
	// Sampling weights have a mean within weightMean of 1, or a standard deviation of weightSpread of their mean or more. Weights of bodies have
	// a fifth in adults and half in persons of all ages.
	weightMean, weightSpread = .02, .6
)

// countNames are those of namesWeights that count rows, or something else of a row.
var countNames = weightNames[slices.Index(weightNames, "n"):]

// weightColumns notes columns of X and U that are named and distributed as sampling weights are, where no flag says what weighs rows.
func (c *checker) weightColumns() {
	if c.opt.Roles.WeightsXU != "" || c.opt.Roles.WeightsUY != "" {
		return
	}
	named := c.named()
	for _, side := range []struct {
		table Table
		names []string
	}{{XU, c.roles.X}, {Both, c.roles.U}} {
		for _, name := range side.names {
			look := c.xu.of(name)
			if slices.Contains(named, name) || !namesWeights(name) || slices.Contains(countNames, wordsOf(name)) || !look.weighs() {
				continue
			}
			f := Finding{Code: WeightsUnused, Severity: Note, Table: side.table, Columns: []string{name}, Rows: look.present(), Of: look.rows,
				What:   fmt.Sprintf("%q may weigh rows, and is used as a column of X", name),
				Effect: "the result is one for rows as they were sampled",
				Remedy: fmt.Sprintf("--weights-xu %q takes it as weights, --x %[1]q says that it is meant", name)}
			if side.table == Both {
				f.What = fmt.Sprintf("%q may weigh rows, and is used as a column of U", name)
				f.Remedy = fmt.Sprintf("--weights-xu %q --weights-uy %[1]q takes it as weights, --u %[1]q says that it is meant", name)
			}
			c.add(f)
		}
	}
}

// weighs reports whether numbers are distributed as sampling weights may be.
func (c *columnLook) weighs() bool {
	if c.column.Kind != tables.Numeric || c.present() < 2 || c.distinct.count() < 2 || c.numbers.low[0].value < 0 {
		return false
	}
	return math.Abs(c.mean-1) <= weightMean || math.Sqrt(c.m2/float64(c.present())) >= weightSpread*c.mean
}
