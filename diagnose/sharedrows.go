package diagnose

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// SharedRows counts rows whose U is in both tables, equal to the last bit. Independent tables share no more rows than ties
// explain. Cases that are in both tables invalidate intervals, which assume independent tables, and could be joined instead.
type SharedRows struct {
	Rows  int `json:"rows"`  // of the first table whose U is in the second
	Pairs int `json:"pairs"` // pairs of a row of either table with equal U, at most 2^62
	// Ties is the expected number of such pairs, from the ties within the tables.
	Ties float64 `json:"expected_pairs"`
	// PValue is the probability of at least as many pairs if rows are assigned to the tables at random.
	PValue float64 `json:"p_value"`
	// Share is the share of the distinct rows of U that were compared; Rows and Pairs are scaled up to all rows.
	Share float64 `json:"share_looked_at"`
	Text  string  `json:"text"`
}

// A rowKey identifies a row: half of its SHA-256, which no two rows of a table share by chance.
type rowKey [16]byte

// sharedKeys is the number of distinct rows of U that are counted at most, about 25 MB of them.
const sharedKeys = 1 << 18

// keyCounts count rows by the table they are in. Where there are more distinct ones than most, those
// are counted whose hash ends in level zeros, 1 in 2^level: equal rows stay together, and which ones
// stay depends on the rows alone, not on their order.
type keyCounts struct {
	of    map[rowKey]*[2]int
	most  int
	level uint
}

func newKeyCounts(most int) *keyCounts { return &keyCounts{of: make(map[rowKey]*[2]int), most: most} }

// keeps reports whether rows of this key are counted.
func (c *keyCounts) keeps(key rowKey) bool {
	return binary.LittleEndian.Uint64(key[:8])&(1<<c.level-1) == 0
}

// add counts a row of table t that stands for the given number of rows.
func (c *keyCounts) add(t int, row []float64, rows int) {
	key := keyOf(row)
	if !c.keeps(key) {
		return
	}
	n := c.of[key]
	if n == nil {
		n = new([2]int)
		c.of[key] = n
	}
	n[t] += rows
	for len(c.of) > c.most {
		c.level++
		maps.DeleteFunc(c.of, func(key rowKey, _ *[2]int) bool { return !c.keeps(key) })
	}
}

// rows returns the number of counted rows of each table.
func (c *keyCounts) rows() (n, m int) {
	for _, both := range c.of {
		n += both[0]
		m += both[1]
	}
	return n, m
}

func keyOf(row []float64) rowKey {
	raw := make([]byte, 0, 8*len(row))
	for _, v := range row {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v+0)) // -0 as 0
	}
	sum := sha256.Sum256(raw)
	return rowKey(sum[:16])
}

// sharedWork bounds the draws of all permutations together, which many ties would make endless.
const sharedWork = 20_000_000

// shared computes the result from the counts.
func shared(counts *keyCounts, rnd *rand.Rand) *SharedRows {
	n, m := counts.rows()
	s := &SharedRows{PValue: 1, Share: math.Ldexp(1, -int(counts.level))}
	var within, pairs float64 // of rows that may stand for so many that integers overflow
	var sizes []int           // of the sets of equal rows
	tied := 0
	for _, c := range counts.of {
		a, b := c[0], c[1]
		if b > 0 {
			s.Rows += a
		}
		pairs += float64(a) * float64(b)
		within += float64(a)*float64(a-1)/2 + float64(b)*float64(b-1)/2
		if a+b > 1 {
			sizes = append(sizes, a+b)
			tied += a + b
		}
	}
	if all := float64(n)*float64(n-1)/2 + float64(m)*float64(m-1)/2; all > 0 {
		s.Ties = within * float64(n) * float64(m) / all
	}
	if pairs > 0 {
		slices.Sort(sizes) // maps have no order, the draws must
		s.PValue = dealt(sizes, n, m, pairs, max(99, min(permutations, sharedWork/tied)), rnd)
	}
	s.Rows, s.Pairs, s.Ties = s.Rows<<counts.level, int(min(pairs/s.Share, 1<<62)), s.Ties/s.Share
	s.Text = s.sentence()
	return s
}

// sentence puts the counts into words.
func (s *SharedRows) sentence() string {
	about := ""
	if s.Share < 1 {
		about = "About "
	}
	switch {
	case s.Pairs == 0 && s.Share < 1:
		return fmt.Sprintf("No row of U is in both tables, among the %.3g %% of its values that were looked at.", 100*s.Share)
	case s.Pairs == 0:
		return "No row of U is in both tables."
	case s.PValue <= doubt:
		return fmt.Sprintf("%s%d rows of the first table have a U that is also in the second, in %d pairs where ties explain about %.0f (permutation p = %.2g): the tables seem to share cases, but intervals take them as independent.", about, s.Rows, s.Pairs, s.Ties, s.PValue)
	default:
		return fmt.Sprintf("%s%d rows of the first table have a U that is also in the second, no more than ties explain (permutation p = %.2g).", about, s.Rows, s.PValue)
	}
}

// dealt assigns n + m rows, among them sets of equal ones, to the tables at random many times, and returns the share of
// assignments, that of the data included, with at least as many pairs as the data have.
func dealt(sizes []int, n, m int, pairs float64, deals int, rnd *rand.Rand) float64 {
	at := 1
	for range deals {
		first, left, found := n, n+m, 0.
		for _, size := range sizes {
			a := dealtOf(size, first, left, rnd)
			first, left = first-a, left-size
			found += float64(a) * float64(size-a)
		}
		if found >= pairs {
			at++
		}
	}
	return float64(at) / float64(deals+1)
}

// dealtSingly is the size up to which the rows of a set are dealt out one by one.
const dealtSingly = 64

// dealtOf draws how many rows of a set the first table gets, if that has room for first of the left rows: a hypergeometric
// number. Those of large sets, which weights make as large as they like, are drawn by inversion from the likeliest number
// outwards, and as rounded normal ones where their deviation is above 1,000.
func dealtOf(size, first, left int, rnd *rand.Rand) int {
	if size <= dealtSingly {
		a := 0
		for range size {
			if rnd.IntN(left) < first {
				a++
				first--
			}
			left--
		}
		return a
	}
	least, most := max(0, size-(left-first)), min(size, first)
	n, k, all := float64(size), float64(first), float64(left)
	mean := n * (k / all)
	deviation := math.Sqrt(mean * (1 - k/all) * ((all - n) / max(all-1, 1)))
	if deviation > 1000 {
		return min(max(int(math.Round(mean+deviation*rnd.NormFloat64())), least), most)
	}
	// outwards calls visit with the numbers from the likeliest one outwards, and their probabilities over that one's, until it returns false.
	outwards := func(visit func(a int, p float64) bool) {
		up := min(max(int((n+1)*((k+1)/(all+2))), least), most)
		down, pUp, pDown := up, 1., 1.
		for visit(up, pUp) && pUp+pDown > 1e-18 {
			if down > least {
				a := float64(down)
				pDown *= a / (k - a + 1) * ((all - k - n + a) / (n - a + 1))
				if down--; !visit(down, pDown) {
					return
				}
			} else {
				pDown = 0
			}
			if up == most {
				pUp = 0 // seen already
				continue
			}
			a := float64(up)
			pUp *= (k - a) / (a + 1) * ((n - a) / (all - k - n + a + 1))
			up++
		}
	}
	total, found := 0., least
	outwards(func(_ int, p float64) bool { total += p; return true })
	u := rnd.Float64() * total
	outwards(func(a int, p float64) bool {
		found = a
		u -= p
		return u >= 0
	})
	return found
}
