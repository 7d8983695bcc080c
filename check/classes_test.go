package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestClassSpelling: classes of Y that seem to be one are reported, and those that only look alike are not.
func TestClassSpelling(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		classes []string
		shares  []int // of 20
		want    bool
	}{
		{[]string{"red soil", "grey soil", "Red soil"}, []int{8, 8, 4}, true},
		{[]string{"red soil", "grey soil", "red  soil"}, []int{8, 8, 4}, true},
		{[]string{"very-good", "good", "very good"}, []int{8, 8, 4}, true},
		{[]string{"Genève", "Basel", "Gene\u0300ve"}, []int{9, 9, 2}, true},
		{[]string{"yes", "no", "Yes"}, []int{9, 9, 2}, true},
		{[]string{"1 time", "never", "1  time"}, []int{9, 9, 2}, true},
		{[]string{"cotton crop", "red soil", "cototn crop"}, []int{9, 10, 1}, true},
		{[]string{"business", "world", "busines"}, []int{9, 10, 1}, true},
		{[]string{"business", "world", "bussiness"}, []int{9, 10, 1}, true},
		{[]string{"low", "high", "l\u043ew"}, []int{9, 8, 3}, true},
		{[]string{"A", "B", "\u0410"}, []int{9, 8, 3}, true},
		{[]string{"a", "b", "α"}, []int{9, 8, 3}, false},
		{[]string{"Iran", "Iraq", "Oman"}, []int{8, 8, 4}, false},
		{[]string{"male", "female"}, []int{10, 10}, false},
		{[]string{"grade I", "grade II", "grade III"}, []int{16, 3, 1}, false},
		{[]string{"type A", "type B"}, []int{17, 3}, false},
		{[]string{"arm1", "arm2", "arm3"}, []int{16, 3, 1}, false},
		{[]string{"18-24", "25-34", "35+"}, []int{8, 8, 4}, false},
		{[]string{"red", "rod", "rid"}, []int{16, 3, 1}, false},
		{[]string{"hypertension", "hypotension"}, []int{17, 3}, false},
		{[]string{"yes", "no", "Y", "N"}, []int{7, 7, 3, 3}, true},
		{[]string{"TRUE", "FALSE", "1"}, []int{9, 9, 2}, true},
		{[]string{"n", "y", "e"}, []int{9, 9, 2}, false},
		{[]string{"no", "o"}, []int{10, 10}, false},
		{[]string{"red soil", "grey soil", "8: red soil"}, []int{9, 9, 2}, true},
		{[]string{"1. red soil", "(2) grey soil", "grey soil"}, []int{9, 9, 2}, true},
		{[]string{"red soil", "grey soil", "2 - Grey soil"}, []int{9, 9, 2}, true},
		{[]string{"1: low", "2: low", "high"}, []int{9, 9, 2}, false},
		{[]string{"1-bed", "2-bed", "bed"}, []int{9, 9, 2}, false},
	} {
		rnd := rand.New(rand.NewPCG(1, 2))
		class := func(int) string {
			k, at := rnd.IntN(20), 0
			for k >= c.shares[at] {
				k -= c.shares[at]
				at++
			}
			return c.classes[at]
		}
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal))
		uy := table(t, numbers("u", n, normal), text("y", n, class))
		all := found(t, xu, uy, Options{})
		if got := slices.Contains(all, "warning class-spelling y"); got != c.want || len(all) > 1 {
			t.Errorf("%q: %q", c.classes, all)
		}
	}
}

// TestTwinTruth: the rarer name of a truth value is reported beside the more frequent one.
func TestTwinTruth(t *testing.T) {
	if rare, frequent := twinTruth(map[string]int{"yes": 9, "Y": 3, "no": 5, "0": 7}); rare != "no" || frequent != "0" {
		t.Errorf("%q beside %q, want no beside 0", rare, frequent)
	}
}

// TestMissingClass: a class that is named as missing values are is reported, beside two others.
func TestMissingClass(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		classes []string
		want    bool
	}{
		{[]string{"low", "high", "NA"}, true}, {[]string{"low", "high", "n/a"}, true}, {[]string{"low", "high", "?"}, true}, {[]string{"low", "high", "Unknown"}, true},
		{[]string{"known", "unknown"}, false}, {[]string{"none", "mild", "severe"}, false}, {[]string{"+", "-", "0"}, false}, {[]string{"NA", "EU", "AS"}, true},
	} {
		rnd := rand.New(rand.NewPCG(1, 2))
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal))
		uy := table(t, numbers("u", n, normal), text("y", n, func(int) string { return c.classes[rnd.IntN(len(c.classes))] }))
		all := found(t, xu, uy, Options{})
		if got := slices.Contains(all, "warning missing-marker y"); got != c.want || len(all) > 1 {
			t.Errorf("%q: %q", c.classes, all)
		}
	}
}

// BenchmarkTwinClass: many classes take no time that grows with their square.
func BenchmarkTwinClass(b *testing.B) {
	levels := map[string]int{}
	for i := range 10_000 {
		levels[fmt.Sprintf("word%c%c%c%c", 'a'+i%26, 'k'+i/26%16, 'a'+i/416%26, 'z'-i%7)] = i
	}
	for b.Loop() {
		twinClass(levels)
	}
}
