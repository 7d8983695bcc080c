package check

import (
	"fmt"
	"math"
)

// missing finds columns of U that miss values in one table more often than in the other: by Fisher's exact test in each column,
// each at the level over the number of columns that miss any.
func (m *comparer) missing() {
	type count struct {
		u *uColumn
		k [2]int
	}
	var counts []count
	for _, u := range m.columns {
		if m.settled[u.name] { // wholly missing in one table
			continue
		}
		c := count{u: u}
		for t := range 2 {
			for i := range u.rows(t) {
				if u.missing(t, i) {
					c.k[t]++
				}
			}
		}
		if c.k[0]+c.k[1] > 0 {
			counts = append(counts, c)
		}
	}
	for _, c := range counts {
		x, y := m.profiles(c.u.name)
		p := exactTest(c.k[0], c.u.rows(0), c.k[1], c.u.rows(1))
		f := Finding{Code: MissingDiffers, Severity: Warning, Columns: []string{c.u.name}, Rows: x.Missing, Of: x.Rows,
			What:    fmt.Sprintf("%q is missing in %s of the rows of the first table and in %s of the second", c.u.name, share(x.Missing, x.Rows), share(y.Missing, y.Rows)),
			Effect:  "what a missing value says of Y is learned from rows that miss it for other reasons",
			Remedy:  fmt.Sprintf("--na names values that mark missing ones in one table alone, --ignore %q leaves the column out", c.u.name),
			gravity: math.Abs(float64(x.Missing)/float64(x.Rows) - float64(y.Missing)/float64(y.Rows))}
		if y.Missing == 0 {
			f.Effect = "the second table cannot tell what Y is where it is missing, so that nothing is known of those rows of the first one"
			f.Remedy = fmt.Sprintf("--ignore %q leaves the column out and keeps the rows; --na names values that mark missing ones in the second table", c.u.name)
		}
		switch {
		case p <= alarm/float64(len(counts)):
			m.say(f)
		case y.Missing == 0:
			f.Severity = Note
			m.say(f)
		}
	}
}

// wholly finds a column of U that one table has no value of, and reports whether it is one.
func (c *checker) wholly(x, y *columnLook) bool {
	if (x.present() == 0) == (y.present() == 0) {
		return false
	}
	f := Finding{Code: MissingDiffers, Severity: Error, Table: XU, Columns: []string{x.column.Name}, Rows: x.rows, Of: x.rows, gravity: 1}
	if y.present() == 0 {
		f.Table, f.Rows, f.Of = UY, y.rows, y.rows
	}
	f.What = fmt.Sprintf("%q has no value in %s and has some in the other one", x.column.Name, f.Table.words())
	f.Effect = "it says nothing of Y, or of X, and as missing everywhere it is like no row of the other table"
	f.Remedy = fmt.Sprintf("--ignore %q leaves it out", x.column.Name)
	c.add(f)
	return true
}

// share writes a share of rows in per cent.
func share(k, n int) string {
	if k == 0 {
		return "none"
	}
	return fmt.Sprintf("%.3g %%", 100*float64(k)/float64(n))
}

// exactTest is the two-sided p-value of Fisher's exact test that k of n and l of m are of one probability.
func exactTest(k, n, l, m int) float64 {
	total := k + l
	lowest, highest := max(0, total-m), min(total, n)
	logs := make([]float64, highest-lowest+1)
	for i := range logs {
		j := lowest + i
		logs[i] = logChoose(n, j) + logChoose(m, total-j)
	}
	observed := logs[k-lowest]
	p, sum := 0., 0.
	for _, v := range logs {
		w := math.Exp(v - observed)
		sum += w
		if w <= 1+1e-7 { // as R does: equal up to rounding counts as equal
			p += w
		}
	}
	return p / sum
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
