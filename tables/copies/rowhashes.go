package copies

import (
	"math"
	"math/bits"
	"slices"

	"mediant/internal/parallel"
	"mediant/tables"
)

// A columnAt is where a batch has a column: among those of its kind.
type columnAt struct {
	kind  tables.Kind
	index int
}

// rowHashes are hashes of the cells of a batch, and their sums over the columns and the weights.
type rowHashes struct {
	cells [][]uint64
	rows  []uint64
}

func (h *rowHashes) read(b tables.Batch, places []columnAt) {
	h.rows = slices.Grow(h.rows[:0], b.Rows)[:b.Rows]
	clear(h.rows)
	weights := b.Frequencies()
	if weights == nil {
		weights = b.Factors()
	}
	for i, v := range weights {
		h.rows[i] = hashed(hashed(0, 1), math.Float64bits(v))
	}
	for len(h.cells) < len(places) {
		h.cells = append(h.cells, nil)
	}
	for j := range places {
		h.cells[j] = slices.Grow(h.cells[j][:0], b.Rows)[:b.Rows]
	}
	const rows = 512 // at a time
	parallel.Blocks(b.Rows, rows, func(lo, hi int) {
		for j, p := range places {
			cells := h.cells[j]
			for i := lo; i < hi; i++ {
				cells[i] = hashCell(hashed(uint64(j), 2), b, p, i)
				h.rows[i] += cells[i]
			}
		}
	})
}

// hashCell is the hash of a cell; -0 is 0, and all missing numbers are equal.
func hashCell(seed uint64, b tables.Batch, p columnAt, i int) uint64 {
	switch p.kind {
	case tables.Numeric:
		v := b.Num.At(i, p.index)
		if math.IsNaN(v) {
			return hashed(seed, math.MaxUint64)
		}
		return hashed(seed, math.Float64bits(v+0))
	case tables.Text:
		return hashText(seed, b.Text[p.index][i])
	}
	places, values := b.Sparse[p.index].Row(i)
	for t, at := range places {
		seed = hashed(hashed(seed, uint64(at)), math.Float64bits(values[t]+0))
	}
	return hashed(seed, uint64(len(places)))
}

// hashed adds a word to a hash, by the folded product of wyhash (github.com/wangyi-fudan/wyhash).
func hashed(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word^0xa0761d6478bd642f, bits.RotateLeft64(word, 29)^h^0xe7037ed1a0b428db)
	return hi ^ lo ^ h
}

func hashText(h uint64, s string) uint64 {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		h = hashed(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return hashed(hashed(h, last), uint64(n))
}
