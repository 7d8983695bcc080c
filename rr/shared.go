package rr

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// SharedRows counts rows whose U stands, to the last bit, in both tables. Independent tables share no
// more rows than ties explain; cases that are in both tables make the intervals, which take the tables
// as independent, wrong, and could be joined.
type SharedRows struct {
	Rows  int `json:"rows"`  // of the first table whose U is in the second
	Pairs int `json:"pairs"` // pairs of a row of either table with equal U
	// Ties is the number of such pairs that the ties within the tables lead one to expect.
	Ties float64 `json:"expected_pairs"`
	// PValue is that of as many pairs or more when the rows are dealt out to the tables at random.
	PValue float64 `json:"p_value"`
	Text   string  `json:"text"`
}

// A rowKey stands for a row: half of its SHA-256, which no two rows of a table share by chance.
type rowKey [16]byte

// count counts a row of table t.
func count(counts map[rowKey]*[2]int, t int, row []float64) {
	raw := make([]byte, 0, 8*len(row))
	for _, v := range row {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v+0)) // -0 as 0
	}
	sum := sha256.Sum256(raw)
	key := rowKey(sum[:16])
	c := counts[key]
	if c == nil {
		c = new([2]int)
		counts[key] = c
	}
	c[t]++
}

// sharedWork bounds the draws of all permutations together, which many ties would make endless.
const sharedWork = 20_000_000

// shared judges the counts of n and m rows.
func shared(counts map[rowKey]*[2]int, n, m int, rnd *rand.Rand) *SharedRows {
	s := &SharedRows{PValue: 1}
	var within float64
	var sizes []int // of the sets of equal rows
	tied := 0
	for _, c := range counts {
		a, b := c[0], c[1]
		if b > 0 {
			s.Rows += a
		}
		s.Pairs += a * b
		within += float64(a)*float64(a-1)/2 + float64(b)*float64(b-1)/2
		if a+b > 1 {
			sizes = append(sizes, a+b)
			tied += a + b
		}
	}
	if all := float64(n)*float64(n-1)/2 + float64(m)*float64(m-1)/2; all > 0 {
		s.Ties = within * float64(n) * float64(m) / all
	}
	if s.Pairs > 0 {
		slices.Sort(sizes) // maps have no order, the draws must
		s.PValue = dealt(sizes, n, m, s.Pairs, max(99, min(permutations, sharedWork/tied)), rnd)
	}
	switch {
	case s.Pairs == 0:
		s.Text = "No row of U is in both tables."
	case s.PValue <= doubt:
		s.Text = fmt.Sprintf("%d rows of the first table have a U that is also in the second, in %d pairs where ties explain about %.0f (permutation p = %.2g): the tables seem to share cases, but intervals take them as independent.", s.Rows, s.Pairs, s.Ties, s.PValue)
	default:
		s.Text = fmt.Sprintf("%d rows of the first table have a U that is also in the second, no more than ties explain (permutation p = %.2g).", s.Rows, s.PValue)
	}
	return s
}

// dealt deals n + m rows, among them sets of equal ones, out to the tables again and again, and returns
// the share of deals, that of the data included, with at least as many pairs as the data have.
func dealt(sizes []int, n, m, pairs, deals int, rnd *rand.Rand) float64 {
	at := 1
	for range deals {
		first, left, found := n, n+m, 0
		for _, size := range sizes {
			a := 0
			for range size {
				if rnd.IntN(left) < first {
					a++
					first--
				}
				left--
			}
			found += a * (size - a)
		}
		if found >= pairs {
			at++
		}
	}
	return float64(at) / float64(deals+1)
}
