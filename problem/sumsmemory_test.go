package problem_test

import (
	"bytes"
	"testing"

	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/tables"
)

// TestSizeOfSums: the beginning of a file says what its sums take, which is about their bytes in the file: those of one run twice, since the file has triangles.
func TestSizeOfSums(t *testing.T) {
	xu, uy, xus, _ := halves(t, 300)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	whole := merged(t, plan, []tables.Source{xu}, []tables.Source{uy})
	halved := merged(t, plan, xus[:], []tables.Source{uy})
	of := func(s *problem.Sums) (problem.SumsSize, float64) {
		raw := written(t, s)
		z, err := problem.SizeOfSums(bytes.NewReader(raw[:len(raw)/2]))
		if err != nil {
			t.Fatal(err)
		}
		return z, float64(len(raw))
	}
	one, file := of(whole)
	if x, y := plan.SizeOfSums(problem.TableXU), plan.SizeOfSums(problem.TableUY); one.Merged != [2]float64{x.Merged[0], y.Merged[1]} || one.Block < max(x.Block, y.Block) {
		t.Errorf("a file takes %+v, its tables %+v and %+v", one, x, y)
	}
	if one.Bytes() < file/2 || one.Bytes() > 2*file {
		t.Errorf("sums of one run take %g bytes, their file has %g", one.Bytes(), file)
	}
	two, file := of(halved)
	if two.Held != [2]float64{two.Merged[0], one.Held[1]} || two.Bytes() > 2*file {
		t.Errorf("sums of two runs take %+v, their file has %g bytes", two, file)
	}
	// Merging holds both and, in integers, what both have.
	sum, peak := one.Plus(plan.SizeOfSums(problem.TableXU))
	if sum.Held != [2]float64{one.Merged[0], one.Held[1]} || peak < one.Bytes()+one.Held[0]+one.Merged[0] {
		t.Errorf("merged they take %+v, and %g bytes at a time", sum, peak)
	}
	if _, err := problem.SizeOfSums(bytes.NewReader([]byte("MDTSUMS1"))); err == nil {
		t.Error("a file that was cut has a size")
	}
}

// TestPassBytes: a pass takes more for more features, and takes a plan without what it does not sum.
func TestPassBytes(t *testing.T) {
	xu, uy, _, _ := halves(t, 300)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	x, y := plan.PassBytes(problem.TableXU), plan.PassBytes(problem.TableUY)
	if y <= problem.ProgramBytes || x <= y {
		t.Errorf("passes take %g and %g bytes", x, y)
	}
	plan.X, plan.Phi = nil, nil
	if got := plan.PassBytes(problem.TableUY); got != y {
		t.Errorf("without X a pass over U and Y takes %g bytes, want %g", got, y)
	}
}
