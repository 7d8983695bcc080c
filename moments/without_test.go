package moments_test

import (
	"slices"
	"testing"

	"mediant/moments"
)

func TestWithout(t *testing.T) {
	a, b, c := new(moments.Pair), new(moments.Pair), new(moments.Pair)
	all := []*moments.Pair{a, b, c}
	for i, want := range [][]*moments.Pair{{b, c}, {a, c}, {a, b}} {
		if got := moments.Without(all, i); !slices.Equal(got, want) {
			t.Errorf("without %d: %v, want %v", i, got, want)
		}
	}
	if !slices.Equal(all, []*moments.Pair{a, b, c}) {
		t.Error("the list has changed")
	}
}
