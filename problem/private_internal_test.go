package problem

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/privacy"
	"mediant/tables"
)

// privateTables are (x, u) and (u, y), where every tenth y is missing and y is 2 u² about 3.
func privateTables(t testing.TB, n int) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(5, 1))
	var x, u, v, y []float64
	for i := range n {
		x = append(x, rnd.NormFloat64())
		u = append(u, x[i]+.5*rnd.NormFloat64())
		v = append(v, 1.2*rnd.NormFloat64())
		y = append(y, 3+2*v[i]*v[i])
		if i%10 == 9 {
			y[i] = math.NaN()
		}
	}
	return fixture.Columns(t, tables.Numbers("x", x), tables.Numbers("u", u)), fixture.Columns(t, tables.Numbers("u", v), tables.Numbers("y", y))
}

func privatePlan(t testing.TB, xu, uy tables.Source) Plan {
	phi, psi := features.Spec{Size: 6, Bandwidth: 2}, features.Spec{Kind: features.AdditiveFeatures, Size: 4}
	e, err := Encode(t.Context(), Setup{Phi: phi, Psi: psi, Folds: 3, Seed: 3}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Map(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Blocks = 2
	return p
}

var wide = Privacy{Epsilon: 1, Delta: 1e-6, Clip: []Range{{-10, 90}}}

func mechanismOf(t testing.TB, p Plan, table int, how Privacy) *mechanism {
	if table == TableXU {
		how.Clip = nil
	}
	m, err := p.mechanism(table, how)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func exactOf(t testing.TB, m *mechanism, src tables.Source) []exactSums {
	blocks, err := m.sum(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// gap is the largest difference between the means of products of two co-moments.
func gap(a, b *moments.CoMoments) float64 {
	d := math.Abs(a.Weight() - b.Weight())
	ra, rb := a.LeftWithBias(), b.LeftWithBias()
	for i := range ra.SymmetricDim() {
		for j := range ra.SymmetricDim() {
			d = max(d, math.Abs(ra.At(i, j)-rb.At(i, j)))
		}
	}
	ra, rb = a.RightWithBias(), b.RightWithBias()
	for i := range ra.SymmetricDim() {
		for j := range ra.SymmetricDim() {
			d = max(d, math.Abs(ra.At(i, j)-rb.At(i, j)))
		}
	}
	return d
}

// TestNoiseIsWhatTheRunSays: the differences between releases of the same exact sums have the recorded standard deviations, by group of sums.
func TestNoiseIsWhatTheRunSays(t *testing.T) {
	xu, uy := privateTables(t, 600)
	p := privatePlan(t, xu, uy)
	for table, src := range []tables.Source{xu, uy} {
		m := mechanismOf(t, p, table, wide)
		exact := exactOf(t, m, src)[0]
		sampler := privacy.NewSampler(rand.NewChaCha8([32]byte{byte(table), 7}))
		width := m.leftBits.width
		squares, counts := map[string]float64{}, map[string]float64{}
		const draws = 400
		for range draws {
			with := exactSums{order: exact.order, upper: slices.Clone(exact.upper)}
			if err := with.addNoise(sampler, m.run.Noise, width); err != nil {
				t.Fatal(err)
			}
			at := 0
			for i := range exact.order {
				for j := i; j < exact.order; j++ {
					name := string(rune('0'+side(i, width))) + string(rune('0'+side(j, width)))
					if i != j && side(i, width) == side(j, width) {
						name += " off"
					}
					d := float64(with.upper[at]-exact.upper[at]) / (1 << (2 * latticeBits))
					squares[name] += d * d
					counts[name]++
					at++
				}
			}
		}
		n := m.run.Noise
		for name, want := range map[string]float64{"00": n.Weight, "01": n.A, "02": n.B, "11": n.AA, "11 off": n.AA / math.Sqrt2, "12": n.AB, "22": n.BB, "22 off": n.BB / math.Sqrt2} {
			if counts[name] == 0 {
				continue // y is one column
			}
			// A mean of N squares has the relative standard error sqrt(2/N); 7 groups of 2 tables, at 4 of it, fail in 1 of 1000 seeds.
			if got := squares[name] / counts[name]; math.Abs(got-want*want) > 4*want*want*math.Sqrt(2/counts[name]) {
				t.Errorf("table %d, sums %s: standard deviation %g, want %g", table, name, math.Sqrt(got), want)
			}
		}
	}
}

// TestPrivateRefusals: what cannot be private is refused by name.
func TestPrivateRefusals(t *testing.T) {
	xu, uy := privateTables(t, 600)
	p := privatePlan(t, xu, uy)
	linear := p
	linear.Phi, linear.Grids[TableXU] = features.NewLinear(1), nil
	weighed := fixture.Weigh(t, fixture.Columns(t, tables.Numbers("u", []float64{1, 2}), tables.Numbers("y", []float64{1, 2}), tables.Numbers("w", []float64{1, 2})), "w")
	half := p
	half.X, half.Phi, half.Grids[TableXU] = nil, nil, nil
	for name, c := range map[string]struct {
		p     Plan
		table int
		src   tables.Source
		how   Privacy
		want  string
	}{
		"epsilon":      {p, TableUY, uy, Privacy{Epsilon: 0, Delta: 1e-6, Clip: wide.Clip}, "epsilon is 0"},
		"delta":        {p, TableUY, uy, Privacy{Epsilon: 1, Delta: 0, Clip: wide.Clip}, "delta is 0"},
		"no range":     {p, TableUY, uy, Privacy{Epsilon: 1, Delta: 1e-6}, "Privacy.Clip has 0 ranges for 1 columns of Y"},
		"empty range":  {p, TableUY, uy, Privacy{Epsilon: 1, Delta: 1e-6, Clip: []Range{{1, 1}}}, `Privacy.Clip of "y" is 1 to 1`},
		"infinite":     {p, TableUY, uy, Privacy{Epsilon: 1, Delta: 1e-6, Clip: []Range{{1, math.Inf(1)}}}, `Privacy.Clip of "y" is 1 to +Inf`},
		"range of S_X": {p, TableXU, xu, wide, "S_X has no Y"},
		"map":          {linear, TableXU, xu, Privacy{Epsilon: 1, Delta: 1e-6}, "features of bounded norm"},
		"no X":         {half, TableXU, xu, Privacy{Epsilon: 1, Delta: 1e-6}, "lacks the encoder of X"},
		"weights":      {p, TableUY, weighed, wide, "without weights"},
		"few rows":     {p, TableUY, fixture.Columns(t, tables.Numbers("u", []float64{1, 2}), tables.Numbers("y", []float64{1, 2})), Privacy{Epsilon: 50, Delta: 1e-6, Clip: wide.Clip}, "too few rows of U and Y"},
	} {
		if _, err := c.p.SumPrivately(t.Context(), c.table, c.src, c.how); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	if _, err := p.sumPrivately(t.Context(), TableUY, uy, wide, iotest.ErrReader(errors.New("dry"))); err == nil || !strings.Contains(err.Error(), "dry") {
		t.Errorf("a source of random numbers that fails: %v", err)
	}
}

// TestPrivateSumsDiffer: what is released depends on the random numbers alone beside the rows, all of it, and crypto/rand is the default.
func TestPrivateSumsDiffer(t *testing.T) {
	xu, uy := privateTables(t, 600)
	p := privatePlan(t, xu, uy)
	bytesOf := func(seed byte) []byte {
		var file bytes.Buffer
		var s *Sums
		var err error
		if seed == 0 {
			s, err = p.SumPrivately(t.Context(), TableUY, uy, wide)
		} else {
			s, err = p.sumPrivately(t.Context(), TableUY, uy, wide, rand.NewChaCha8([32]byte{seed}))
		}
		if err == nil {
			_, err = s.WriteTo(&file)
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Dropped != 0 || s.Runs[0].Rows != 600 {
			t.Errorf("%d rows of %d dropped", s.Dropped, s.Runs[0].Rows)
		}
		for _, fold := range s.UY {
			for _, b := range fold {
				if b.Rows() != 100 {
					t.Errorf("a block of %d rows, want 100: which rows have Y is not public", b.Rows())
				}
			}
		}
		return file.Bytes()
	}
	if !bytes.Equal(bytesOf(1), bytesOf(1)) || bytes.Equal(bytesOf(1), bytesOf(2)) || bytes.Equal(bytesOf(0), bytesOf(0)) {
		t.Error("the bytes are not a function of the random numbers")
	}
}
