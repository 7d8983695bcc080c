package moments_test

import (
	"slices"
	"testing"

	"mediant/moments"
)

func TestWithout(t *testing.T) {
	a, b, c := new(moments.CoMoments), new(moments.CoMoments), new(moments.CoMoments)
	all := []*moments.CoMoments{a, b, c}
	for i, want := range [][]*moments.CoMoments{{b, c}, {a, c}, {a, b}} {
		if got := moments.Without(all, i); !slices.Equal(got, want) {
			t.Errorf("without %d: %v, want %v", i, got, want)
		}
	}
	if !slices.Equal(all, []*moments.CoMoments{a, b, c}) {
		t.Error("the list has changed")
	}
}
