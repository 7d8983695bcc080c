package draw

import "testing"

func TestStreamsDiffer(t *testing.T) {
	seen := make(map[uint64]string)
	for _, s := range []struct {
		seed    uint64
		purpose string
		block   int
	}{{0, "phi", 0}, {1, "phi", 0}, {0, "psi", 0}, {0, "phi", 1}, {0, "phi", 256}, {0, "", 0}} {
		v := Source(s.seed, s.purpose, s.block).Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("%+v begins like %s", s, other)
		}
		seen[v] = s.purpose
	}
	// The first draw is part of what "same seed, same bytes" promises: it may not change unnoticed.
	if got := Rand(1, "phi", 2).Uint64(); got != Source(1, "phi", 2).Uint64() {
		t.Errorf("Rand and Source differ: %d", got)
	}
}
