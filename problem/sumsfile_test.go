package problem_test

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"

	"gonum.org/v1/gonum/mat"
)

func written(t testing.TB, s *problem.Sums) []byte {
	t.Helper()
	var file bytes.Buffer
	if n, err := s.WriteTo(&file); err != nil || n != int64(file.Len()) {
		t.Fatalf("%d bytes of %d (%v)", n, file.Len(), err)
	}
	return file.Bytes()
}

func reread(t testing.TB, raw []byte) *problem.Sums {
	t.Helper()
	s, err := problem.ReadSums(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSumsTravel: parties that have a plan's file and send files of sums are fitted as the same tables at one place, to the bit, and
// shards give the same bytes in whatever order they are merged.
func TestSumsTravel(t *testing.T) {
	xu, uy, xus, uys := halves(t, 300)
	p := problemtest.Prepared(t, small(), xu, uy)
	plan := planOf(t, p)
	var file bytes.Buffer
	if _, err := plan.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	sent := bytes.Clone(file.Bytes())
	theirs, err := problem.ReadPlan(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.WriteTo(&file); err != nil || !bytes.Equal(file.Bytes(), sent) {
		t.Errorf("a plan that was read is written otherwise (%v)", err)
	}
	local := merged(t, plan, []tables.Source{xu}, []tables.Source{uy})
	x, err := theirs.SumXU(t.Context(), xu)
	if err != nil {
		t.Fatal(err)
	}
	y, err := theirs.SumUY(t.Context(), uy)
	if err != nil {
		t.Fatal(err)
	}
	both, err := problem.MergeSums(reread(t, written(t, y)), reread(t, written(t, x)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, both), written(t, local)) || both.Runs[0].Rows != 300 || len(both.Runs) != 2 {
		t.Errorf("sums of two parties are not those of one: runs %+v", both.Runs)
	}
	if !mat.Equal(coefficients(t, rr.TwoStep{}, ofSums(t, both)), coefficients(t, rr.TwoStep{}, ofSums(t, local))) {
		t.Error("their fits differ")
	}
	var shards []*problem.Sums
	for i := range 2 {
		for _, sum := range []func() (*problem.Sums, error){
			func() (*problem.Sums, error) { return plan.SumXU(t.Context(), xus[i]) }, func() (*problem.Sums, error) { return theirs.SumUY(t.Context(), uys[i]) },
		} {
			s, err := sum()
			if err != nil {
				t.Fatal(err)
			}
			shards = append(shards, reread(t, written(t, s)))
		}
	}
	all, err := problem.MergeSums(shards...)
	if err != nil {
		t.Fatal(err)
	}
	some, err := problem.MergeSums(shards[3], shards[1])
	if err != nil {
		t.Fatal(err)
	}
	again, err := problem.MergeSums(shards[2], reread(t, written(t, some)), shards[0])
	if err != nil || !bytes.Equal(written(t, again), written(t, all)) {
		t.Errorf("merged in another order the sums have other bytes (%v)", err)
	}
}

// TestSumsOfPartialPlans: a party that has only S_Y makes a plan without X, to which one that has only S_X adds its own.
func TestSumsOfPartialPlans(t *testing.T) {
	xu, uy, _, _ := halves(t, 120)
	whole := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	ofY, ofX := whole, whole
	ofY.X, ofY.Phi, ofY.Roles.X, ofY.Grids[problem.TableXU] = nil, nil, nil, nil
	ofX.Y, ofX.Roles.Y, ofX.Grids[problem.TableUY] = nil, nil, nil
	y, err := ofY.SumUY(t.Context(), uy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ofY.SumXU(t.Context(), xu); err == nil || !strings.Contains(err.Error(), "lacks the encoder of X") {
		t.Errorf("sums of X without X: %v", err)
	}
	if _, err := ofX.SumUY(t.Context(), uy); err == nil || !strings.Contains(err.Error(), "lacks the targets") {
		t.Errorf("sums of Y without Y: %v", err)
	}
	if _, err := reread(t, written(t, y)).Problem(); err == nil || !strings.Contains(err.Error(), "lacks the encoder of X") {
		t.Errorf("a problem without X: %v", err)
	}
	x, err := ofX.SumXU(t.Context(), xu)
	if err != nil {
		t.Fatal(err)
	}
	both, err := problem.MergeSums(reread(t, written(t, y)), reread(t, written(t, x)))
	if err != nil {
		t.Fatal(err)
	}
	if want := merged(t, whole, []tables.Source{xu}, []tables.Source{uy}); !bytes.Equal(written(t, both), written(t, want)) {
		t.Error("sums of two halves of a plan are not those of the whole")
	}
}

// TestRunsCountOnce: the same rows, summed twice, are refused, in a merged file too.
func TestRunsCountOnce(t *testing.T) {
	xu, uy, xus, _ := halves(t, 120)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	a, b := merged(t, plan, []tables.Source{xus[0]}, nil), merged(t, plan, []tables.Source{xus[0], xus[1]}, nil)
	_, err := problem.MergeSums(a, reread(t, written(t, b)))
	if err == nil || !strings.Contains(err.Error(), "sums 2 of 2: their run") || !strings.Contains(err.Error(), "twice") {
		t.Errorf("rows that count twice: %v", err)
	}
}

// TestHoldsRows: of plans with landmarks.
func TestPlanHoldsRows(t *testing.T) {
	xu, uy, _, _ := halves(t, 120)
	setup := small()
	if planOf(t, problemtest.Prepared(t, setup, xu, uy)).HoldsRows() {
		t.Error("a plan of Fourier features holds rows")
	}
	setup.Psi.Kind = features.NystromFeatures
	if !planOf(t, problemtest.Prepared(t, setup, xu, uy)).HoldsRows() {
		t.Error("a plan of landmarks holds no rows")
	}
}

// TestReadSumsRefuses: files that are cut, changed, longer, of another kind or another version.
func TestReadSumsRefuses(t *testing.T) {
	xu, uy, _, _ := halves(t, 60)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	raw := written(t, merged(t, plan, []tables.Source{xu}, []tables.Source{uy}))
	changed := func(at int, with byte) []byte {
		own := bytes.Clone(raw)
		own[at] = with
		return own
	}
	var planFile bytes.Buffer
	if _, err := plan.WriteTo(&planFile); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{
		"not a sums file": planFile.Bytes(), "of version \"9\"": changed(7, '9'), "checksum": changed(len(raw)-50, raw[len(raw)-50]^1), "cut": raw[:len(raw)/2], "behind its end": append(bytes.Clone(raw), 0),
	} {
		if _, err := problem.ReadSums(bytes.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
	if _, err := problem.ReadPlan(bytes.NewReader(raw)); err == nil || !strings.Contains(err.Error(), "not a plan file") {
		t.Errorf("sums as a plan: %v", err)
	}
	for at := 0; at < len(raw); at += 1 + len(raw)/150 { // no byte may be changed in silence
		if _, err := problem.ReadSums(bytes.NewReader(changed(at, raw[at]^4))); err == nil {
			t.Fatalf("byte %d was changed in silence", at)
		}
	}
	if !problem.IsSums(raw) || problem.IsSums(planFile.Bytes()) || problem.IsSums(nil) {
		t.Error("IsSums is wrong")
	}
}

// fuzzedPlan is a small plan and its sums of S_Y.
func fuzzedPlan(f *testing.F) (problem.Plan, *problem.Sums) {
	xu, uy, _, _ := halvesOf(f, 30)
	setup := small()
	setup.Phi.Size, setup.Psi.Size, setup.Folds = 2, 2, 1
	p, err := problem.Prepare(f.Context(), setup, xu, uy)
	if err != nil {
		f.Fatal(err)
	}
	plan, err := p.Plan(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	plan.Blocks = 1
	y, err := plan.SumUY(f.Context(), uy)
	if err != nil {
		f.Fatal(err)
	}
	return plan, y
}

// summed is a body with its checksum, so that damage behind it is looked at.
func summed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(bytes.Clone(body), sum[:]...)
}

// FuzzReadPlan: no file makes it panic, and what it takes can be written.
func FuzzReadPlan(f *testing.F) {
	plan, _ := fuzzedPlan(f)
	var file bytes.Buffer
	if _, err := plan.WriteTo(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes()[:file.Len()-sha256.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		plan, err := problem.ReadPlan(bytes.NewReader(summed(body)))
		if err != nil {
			return
		}
		if _, err := plan.WriteTo(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	})
}

// FuzzReadSums: no file makes it panic.
func FuzzReadSums(f *testing.F) {
	_, y := fuzzedPlan(f)
	raw := written(f, y)
	f.Add(raw[:len(raw)-sha256.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := problem.ReadSums(bytes.NewReader(summed(body)))
		if err != nil {
			return
		}
		if s.XU != nil && s.UY != nil {
			s.Problem()
		}
	})
}
