package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/tables"
)

const (
	// leastBlocks of rows of one arm are looked at, with blockRows each in the mean at least; U differs among them with a probability by chance of blockAlarm, over all its columns.
	leastBlocks, blockRows, blockAlarm = 10, 4, 1e-4
	// blockNext is the largest correlation of the means of blocks with those of the next, taken in pairs, that clusters have: two arms of one site are alike.
	blockNext = .6
)

// armsInBlocks finds a treatment that rows have in blocks which differ in U by more than their arms: villages, or classes, that were drawn as a whole and that no column
// names.
func (c *checker) armsInBlocks() {
	grouped := slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == GroupedRows && f.Table == XU })
	if c.opt.Treatment == "" || c.opt.Roles.ClusterXU != "" || grouped { // which the rows of a person explain
		return
	}
	look := c.xu.of(c.opt.Treatment)
	var rows []sampledRow
	var block, arm []int // of each row
	var arms []string
	previous := ""
	all := c.xu.runs.all()
	for i, row := range all {
		a := cellOf(look, row)
		if a == "" || i > 0 && row.copies(all[i-1]) { // copies count as one row
			continue
		}
		if a != previous {
			arms = append(arms, a)
		}
		previous = a
		rows, block = append(rows, row), append(block, len(arms)-1)
		arm = append(arm, 0)
		if a != arms[0] {
			arm[len(arm)-1] = 1
		}
	}
	if len(arms) < leastBlocks || len(rows) < blockRows*len(arms) || !inBlocks(arm) {
		return
	}
	best, name, columns := 1., "", 0
	for _, of := range c.roles.U {
		if u := c.xu.of(of); u.column.Kind == tables.Numeric {
			columns++
			if p, next := blocksDiffer(rows, u.place, block, arm, len(arms)); p < best && next < blockNext {
				best, name = p, of
			}
		}
	}
	if best *= float64(columns); best < blockAlarm {
		c.add(Finding{Code: GroupedRows, Severity: Warning, Table: XU, Columns: []string{c.opt.Treatment, name}, Rows: len(rows), Of: c.xu.rows, gravity: causeFirst + 1,
			What: fmt.Sprintf("the rows of %s have the arms of %q in %d blocks of rows that follow each other, among which %q differs more than the arms explain (%s): the treatment seems to have been drawn by block and not by row",
				XU.words(), c.opt.Treatment, len(arms), name, chanceOf(best)),
			Effect: c.groupsEffect(float64(len(rows)) / float64(len(arms))),
			Remedy: fmt.Sprintf("--cluster COLUMN, with a column that names the blocks, or --accept %s:%q if the rows were drawn one by one", GroupedRows, c.opt.Treatment)})
	}
}

// copies reports whether all numbers and text of a row are those of another.
func (r sampledRow) copies(other sampledRow) bool {
	return slices.Equal(r.text, other.text) && slices.EqualFunc(r.num, other.num, func(v, w float64) bool { return v == w || math.IsNaN(v) && math.IsNaN(w) })
}

// blocksDiffer is the probability by chance of means of blocks that differ so, where they have those of their arms alone, and the larger correlation of pairs of blocks
// that follow each other, from the first or from the second on.
func blocksDiffer(rows []sampledRow, place int, block, arm []int, blocks int) (p, next float64) {
	var values []float64
	var of, in []int
	for i, row := range rows {
		if v := row.num[place]; !math.IsNaN(v) {
			values, of, in = append(values, v), append(of, block[i]), append(in, arm[i])
		}
	}
	if len(values) < orderRows {
		return 1, 0
	}
	scores := normalScores(values)
	var sum, n [2]float64
	for i, s := range scores {
		sum[in[i]] += s
		n[in[i]]++
	}
	means, size := make([]float64, blocks), make([]float64, blocks)
	within := 0.
	for i := range scores {
		scores[i] -= sum[in[i]] / n[in[i]]
		within += scores[i] * scores[i]
		means[of[i]] += scores[i]
		size[of[i]]++
	}
	between := 0.
	for b, m := range means {
		if size[b] > 0 {
			means[b] /= size[b]
			between += m * m / size[b]
		}
	}
	free := float64(blocks - 2)
	rest := float64(len(scores) - blocks)
	f := between / free / ((within - between) / rest)
	next = -1
	for first := range 2 {
		var a, b []float64
		for k := first; k+1 < blocks; k += 2 {
			a, b = append(a, means[k]), append(b, means[k+1])
		}
		next = max(next, stat.Correlation(a, b, nil))
	}
	return distuv.F{D1: free, D2: rest}.Survival(f), next
}
