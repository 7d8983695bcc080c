package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
)

const (
	// nearLag is how many rows above or below are looked at in any order of rows, with a level of their own.
	nearLag = 64
	// lagTransforms bounds the Fourier transforms over all functions of X or Y and of U, and otherProducts the products for orders beside shifts.
	lagTransforms, otherProducts = 2048, 1 << 28
)

// A pairing puts rows of X or Y beside those of U that they may belong to: row from[i] beside row i+lag.
type pairing struct {
	from  []int // nil: i
	lag   int
	words string // where that row is: "of the row above"
}

// of are the values in the order of from.
func (p pairing) of(values []float64) []float64 {
	if p.from == nil {
		return values
	}
	moved := make([]float64, len(values))
	for i, j := range p.from {
		moved[i] = values[j]
	}
	return moved
}

// rowsAway says where the row is that is a lag below.
func rowsAway(lag int) string {
	switch {
	case lag == 1:
		return "of the row below"
	case lag == -1:
		return "of the row above"
	case lag > 0:
		return fmt.Sprintf("%d rows below", lag)
	}
	return fmt.Sprintf("%d rows above", -lag)
}

// backwards are n rows from the last to the first.
func backwards(n int) pairing {
	from := make([]int, n)
	for i := range from {
		from[i] = n - 1 - i
	}
	return pairing{from: from, words: "in the reversed order of rows"}
}

// textOrders are those of row numbers from 0 or 1 that are sorted as text, "1", "10", "100", "11", and what brings them back.
func textOrders(n int) []pairing {
	var all []pairing
	for first := range 2 {
		order, back := make([]int, n), make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(strconv.Itoa(first+i), strconv.Itoa(first+j)) })
		for i, j := range order {
			back[j] = i
		}
		words := fmt.Sprintf("of rows whose numbers from %d are sorted as text (1, 10, 11, 2)", first)
		all = append(all, pairing{from: order, words: words}, pairing{from: back, words: words})
	}
	return all
}

// transpositions are orders of n rows in which every k-th row comes first, then the rows behind those, and so on, as where a table was written by rows
// and is read by columns.
func transpositions(n int) []pairing {
	var all []pairing
	for k := 2; k <= n/2; k++ {
		if n%k > 0 {
			continue
		}
		from := make([]int, n)
		for i := range from {
			from[i] = i%(n/k)*k + i/(n/k)
		}
		all = append(all, pairing{from: from, words: fmt.Sprintf("of rows of which every %dth comes first, then those behind them", k)})
	}
	return all
}

// A mover looks for the rows whose U columns of X or Y go with.
type mover struct {
	n       int // rows
	u       []series
	b       basis
	nearby  *nearSpectra
	spectra *spectra // nil where only near rows are looked at
	tests   float64
	lags    int // near ones, above and below
	tried   int // of them may be where the rows belong; the others tell what chance does
	every   bool
	others  []pairing // beside shifts and reversals
	ordered bool      // the rows are in some order: what is far is a note
}

// newMover looks at functions of U, of which b is a basis. Rows farther away than nearLag, and other orders, mean something where no row is left out.
func (o *rowOrder) newMover(u []series, b basis, ordered bool) *mover {
	n := o.n()
	m := &mover{n: n, u: u, b: b, tests: o.tests(), lags: min(nearLag, (n-1)/2), ordered: ordered}
	m.tried = m.lags
	if most := int(lagTransforms / m.tests); len(b) > most {
		m.b = newBasis(u, most)
	}
	if m.every = o.rows[n-1].number-o.rows[0].number == n-1; !m.every {
		m.nearby = m.b.nearSpectra(n, m.lags)
	} else {
		m.spectra = m.b.spectra(n)
		m.others = slices.Concat(textOrders(n), transpositions(n))
		m.others = m.others[:min(len(m.others), int(otherProducts/(float64(n*len(m.b))*m.tests)))]
	}
	return m
}

// newIndexMovers look by what U says of Y alone: at the rows above and below, where most that is moved belongs, at one level, and at all near ones at another.
func (o *rowOrder) newIndexMovers(u []series) []*mover {
	n := o.n()
	lags := min(nearLag, (n-1)/2)
	var all []*mover
	for _, tried := range []int{1, lags} {
		for _, s := range o.index {
			b := basis{s.values}
			all = append(all, &mover{n: n, u: u, b: b, nearby: b.nearSpectra(n, lags), tests: o.tests() * float64(len(o.index)), lags: lags, tried: tried})
		}
	}
	return all
}

// A bestPairing is the pairing of a function that is by chance least likely.
type bestPairing struct {
	pairing
	chance float64
	share  float64 // that U explains there
}

// take keeps a pairing if it is by chance less likely.
func (g *bestPairing) take(p float64, share float64, at pairing) {
	if p < g.chance {
		*g = bestPairing{at, p, share}
	}
}

// moved finds a function of X or Y that depends on U of other rows: at a pairing by which neither depends on itself.
func (m *mover) moved(o *rowOrder, column *uColumn, y []float64) (misplaced, bool) {
	n := o.n()
	own := m.b.coefficients(y, 0)
	raw := floats.Dot(own, own)
	related := m.b.chance(raw, n) < orderAlarm
	best := m.best(y, own, related)
	if !(best.chance < orderAlarm) || m.dependent(best.pairing, series{column.name, y}) {
		return misplaced{}, false
	}
	found := misplaced{column: column, chance: best.chance, where: best.words}
	if m.ordered && related {
		if best.share < raw { // what is near in time is alike
			return misplaced{}, false
		}
		found.ordered = true
	}
	found.ordered = found.ordered || m.ordered && (best.from != nil || max(best.lag, -best.lag) > nearLag)
	at := best.of(y)
	with := slices.MaxFunc(m.u, func(a, b series) int {
		return cmp.Compare(math.Abs(lagged(at, a.values, best.lag)), math.Abs(lagged(at, b.values, best.lag)))
	})
	found.with = with.column
	found.say = func(found misplaced, names string) (string, string) {
		what := fmt.Sprintf("%s of %s goes with U %s, %q the most, rather than of its own, where U explains %.0f %% of it, not %.0f %% (%s)",
			names, o.table.words(), found.where, with.column, 100*m.b.explained(best.share, n), 100*m.b.explained(raw, n), chanceOf(found.chance))
		if related {
			what = fmt.Sprintf("%s of %s goes in part with U %s, %q the most (%s)", names, o.table.words(), found.where, with.column, chanceOf(found.chance))
		}
		return what, fmt.Sprintf("if the rows were moved, what is learned of %s is of other rows than its U", o.role)
	}
	return found, true
}

// best is the least likely pairing of y: near shifts at one level, all others at another one.
func (m *mover) best(y, own []float64, related bool) bestPairing {
	n := len(y)
	best := bestPairing{chance: 1}
	near, nearDirected, shares, directed := m.scan(y, own)
	chance := m.chances(near, nearDirected, related, 2*float64(m.tried))
	for i, share := range near[:2*m.tried] {
		lag := 1 + i/2
		if i%2 == 1 {
			lag = -lag
		}
		best.take(chance(share, nearDirected[i]), share, pairing{lag: lag, words: rowsAway(lag)})
	}
	if !m.every {
		return best
	}
	number := float64(2*n + len(m.others))
	chance = m.chances(shares[1:], directed[1:], related, number)
	for k := m.lags + 1; k < n-m.lags; k++ {
		lag := k
		if 2*k > n {
			lag = k - n
		}
		best.take(chance(shares[k], directed[k]), shares[k], pairing{lag: lag, words: rowsAway(lag)})
	}
	for _, p := range m.others {
		c := m.b.coefficients(p.of(y), 0)
		share := floats.Dot(c, c)
		best.take(chance(share, floats.Dot(own, c)/floats.Norm(own, 2)*math.Sqrt(float64(n))), share, p)
	}
	r := backwards(n)
	shares, directed = m.spectra.scan(r.of(y), own)
	chance = m.chances(shares, directed, related, number)
	for k := range n {
		if r.lag = k; k > 0 {
			r.words = fmt.Sprintf("in the reversed order of rows from row %d on", k)
		}
		best.take(chance(shares[k], directed[k]), shares[k], r)
	}
	return best
}

// scan returns the shares and products of near lags, 1, -1, 2, -2 and so on, and those of all lags from 0 to n-1 where they are looked at.
func (m *mover) scan(y, own []float64) (near, nearDirected, shares, directed []float64) {
	if !m.every {
		near, nearDirected = m.nearby.scan(y, own)
		return near, nearDirected, nil, nil
	}
	shares, directed = m.spectra.scan(y, own)
	n := len(y)
	for k := 1; k <= m.lags; k++ {
		near, nearDirected = append(near, shares[k], shares[n-k]), append(nearDirected, directed[k], directed[n-k])
	}
	return near, nearDirected, shares, directed
}

// chances returns the probability of a share, or of a product with what U says of the own row, over so many pairings and all functions. Rows that are there twice,
// or are of one person, count as one: what all pairings have in the mean more than chance has is taken off.
func (m *mover) chances(shares, directed []float64, related bool, pairings float64) func(share, directed float64) float64 {
	wide, far := inflation(shares, float64(len(m.b))/float64(m.n)), math.Sqrt(inflation(squares(directed), 1))
	largest, farthest := -1., math.Inf(-1)
	return func(share, directed float64) float64 {
		if share <= largest && directed <= farthest { // a probability falls with both, and it takes long to compute
			return 1
		}
		largest, farthest = max(largest, share), max(farthest, directed)
		p := 2 * m.b.chance(share/wide, m.n)
		if related { // what U says of the own row, it says of others in a part of the table
			p = min(p, 2*above(directed/far))
		}
		return p * pairings * m.tests
	}
}

// dependent reports whether rows depend on those that they are paired with by themselves, as rows in time do.
func (m *mover) dependent(p pairing, y series) bool {
	paired := append(slices.Clone(m.u), y)
	moved := make([]series, len(paired))
	for i, s := range paired {
		moved[i] = series{s.column, p.of(s.values)}
	}
	_, periodic := serialTo(moved, paired, p.lag)
	return periodic || crossed(moved[:len(m.u)], m.u, p.lag)
}

// chanceOf tells a probability, but for no more digits than it has.
func chanceOf(p float64) string {
	if p < 1e-12 {
		return "p < 1e-12"
	}
	return fmt.Sprintf("p = %.1g", p)
}

// inflation is how many times as large values are in the mean as chance has them, without the largest, 1 at least.
func inflation(values []float64, chance float64) float64 {
	return max(1, (floats.Sum(values)-floats.Max(values))/float64(len(values)-1)/chance)
}

func squares(values []float64) []float64 {
	s := make([]float64, len(values))
	floats.MulTo(s, values, values)
	return s
}
