//go:build unix && !race

package bench

import (
	"math"
	"runtime"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/blas"

	"mediant/internal/asm"
	fast "mediant/internal/blas"
	"mediant/internal/slow"
)

// least is how many times as long as assembly the portable twin must take. It is 13 times with AVX-512 and
// half of that with AVX2, so that below 3 there is a mistake, not a busy machine. NEON has not been timed.
var least = map[asm.Level]float64{asm.AVX512: 3, asm.AVX2: 3, asm.NEON: 1}

// cpuTime returns the seconds of processor time this process has had: what other processes take is not
// in it.
func cpuTime(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	seconds := func(v syscall.Timeval) float64 { return float64(v.Nano()) / 1e9 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// Assembly that is never called, or blocks that miss the caches, would pass every other test.
func TestAssemblyHasNotCollapsed(t *testing.T) {
	slow.Only(t)
	highest := asm.Current()
	if highest == asm.Portable {
		t.Skip("there is no assembly to compare with Go")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer asm.SetLevel(highest)
	const n = 400
	a, b, c, s := random(n, n), random(n, n), random(n, n), definite(n)
	work, x := clone(s), random(1, n*n).Data
	for _, r := range []struct {
		name string
		do   func()
	}{
		{"product", func() { fast.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }},
		{"symmetric product", func() { fast.Syrk(1, a, c) }},
		{"Cholesky", func() {
			copy(work.Data, s.Data)
			fast.Cholesky(work)
		}},
		{"exp", func() { asm.Exp(x, 0) }},
		{"cos", func() { asm.Cos(x, 1) }},
	} {
		took := map[asm.Level]float64{asm.Portable: math.Inf(1), highest: math.Inf(1)}
		for range 5 { // in turn, so that a slow spell of the processor meets both
			for l := range took {
				asm.SetLevel(l)
				before := cpuTime(t)
				for range 4 {
					r.do()
				}
				took[l] = min(took[l], cpuTime(t)-before)
			}
		}
		ratio := took[asm.Portable] / took[highest]
		t.Logf("%s: portable Go takes %.1f times as long as %v", r.name, ratio, highest)
		if ratio < least[highest] {
			t.Errorf("%s: portable Go takes %.2f times as long as %v, want at least %g", r.name, ratio, highest, least[highest])
		}
	}
}
