// Package draw gives every random choice of Mediant a stream of its own.
//
// A stream is named by the user's seed, by what it is drawn for, and by a block number, so that
// changing one choice (more landmarks, say) leaves all the others as they were, and blocks can be
// drawn in any order on any thread.
package draw

import (
	"hash/fnv"
	"math/rand/v2"
)

// Source returns the PCG stream of (seed, purpose, block).
func Source(seed uint64, purpose string, block int) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	var b [8]byte
	for i := range b {
		b[i] = byte(uint64(block) >> (8 * i))
	}
	h.Write(b[:])
	return rand.NewPCG(seed, h.Sum64())
}

// Rand is rand.New(Source(seed, purpose, block)).
func Rand(seed uint64, purpose string, block int) *rand.Rand {
	return rand.New(Source(seed, purpose, block))
}
