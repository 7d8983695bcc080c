package check

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestHashCountsAreAMap: whatever is added and dropped, the table has what a map would have, also where many hashes belong to one slot.
func TestHashCountsAreAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got hashCounts
		want := map[uint64]int{}
		hash := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 40), rapid.Uint64Range(1<<64-20, 1<<64-1))
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			if h := hash.Draw(t, "hash"); rapid.IntRange(0, 30).Draw(t, "drop") == 0 {
				level := uint(h % 4)
				got.keep(level)
				maps.DeleteFunc(want, func(other uint64, _ int) bool { return other&(1<<level-1) != 0 })
			} else {
				rows := rapid.IntRange(1, 3).Draw(t, "rows")
				got.add(h, rows)
				want[h] += rows
			}
			if h := hash.Draw(t, "other"); got.rows(h) != want[h] {
				t.Fatalf("hash %d has %d rows, want %d", h, got.rows(h), want[h])
			}
		}
		if all := maps.Collect(got.all()); got.n != len(want) || !maps.Equal(all, want) {
			t.Fatalf("%d hashes %v, want %v", got.n, all, want)
		}
	})
}
