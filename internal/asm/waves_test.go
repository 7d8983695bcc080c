package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// wave returns arguments of Waves with phases up to limit.
func wave(rnd *rand.Rand, n int, limit float64) (x, shift, amplitude []float64) {
	x, shift, amplitude = normals(rnd, n), normals(rnd, n), normals(rnd, n)
	for i := range x {
		x[i], shift[i] = limit*(2*rnd.Float64()-1), 2*rnd.Float64()-1
	}
	return x, shift, amplitude
}

func TestWaves(t *testing.T) {
	x, shift, amplitude := make([]float64, WaveStep), make([]float64, WaveStep), make([]float64, WaveStep)
	amplitude[0], amplitude[1], amplitude[9] = 3, 5, 7
	shift[1] = 1                  // cos(pi) = -1
	x[9], shift[9] = math.Pi, 0.5 // cos(3/2 pi) = 0, to the rounding of pi
	if got := Waves(x, shift, amplitude); math.Abs(got-(3-5)) > 7*0x1p-51 {
		t.Errorf("3 - 5 + 7·0 is %g", got)
	}
	if got := Waves(nil, nil, nil); got != 0 {
		t.Errorf("the sum of no cosines is %g", got)
	}
}

// TestWavesAreCosines to the error that the comment of Waves says, in each position alone.
func TestWavesAreCosines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 1))
	for _, limit := range []float64{1, 30, 1e6, 1e15} {
		x, shift, _ := wave(rnd, 8*WaveStep, limit)
		for i := range x {
			amplitude := make([]float64, len(x))
			amplitude[i] = 1
			phase := newBig(shift[i])
			phase.Add(phase.Mul(phase, bigPi), newBig(x[i]))
			_, cos := bigSincos(phase)
			want, _ := cos.Float64()
			tolerance := 0x1p-52*(math.Abs(x[i])+math.Pi*math.Abs(shift[i])) + 0x1p-51 + 0x1p-54 // the last by want
			if got := Waves(x, shift, amplitude); !(math.Abs(got-want) <= tolerance) {
				t.Errorf("cos(%v + %v pi) is %v, want %v: off by %g, tolerance %g", x[i], shift[i], got, want, got-want, tolerance)
			}
		}
	}
}

func TestWavesAreThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 2))
	for n := 0; n <= 1024; n += WaveStep {
		for _, limit := range []float64{10, 1e9, 0x1p53, 0x1p56, 1e32, 1e300} {
			x, shift, amplitude := wave(rnd, n+3, limit)
			x, shift, amplitude = x[1:n+1], shift[3:], amplitude[2:n+2]
			var want float64
			at(Portable, func() { want = Waves(x, shift, amplitude) })
			for _, l := range Levels()[1:] {
				at(l, func() {
					sameBits(t, fmt.Sprintf("%v: length %d, phases to %g", l, n, limit), []float64{Waves(x, shift, amplitude)}, []float64{want})
				})
			}
		}
	}
}

// TestWavesAreBounded however large phases are, as cosines are, and NaN without a phase.
func TestWavesAreBounded(t *testing.T) {
	one := make([]float64, WaveStep)
	one[5] = 1
	rnd := rand.New(rand.NewPCG(15, 3))
	for _, l := range Levels() {
		at(l, func() {
			x, shift := make([]float64, WaveStep), make([]float64, WaveStep)
			for range 3000 {
				x[5] = math.Ldexp(2*rnd.Float64()-1, 40+rnd.IntN(984))
				if got := Waves(x, shift, one); !(math.Abs(got) <= 1) {
					t.Fatalf("%v: cos(%g) is %g", l, x[5], got)
				}
			}
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				x[5] = v
				if got := Waves(x, shift, one); !math.IsNaN(got) {
					t.Errorf("%v: cos(%g) is %g", l, v, got)
				}
			}
		})
	}
}

// TestChunksOfWavesDoNotShow: a sum of more than a chunk is that of all elements in their order.
func TestChunksOfWavesDoNotShow(t *testing.T) {
	x, shift, amplitude := wave(rand.New(rand.NewPCG(15, 4)), 2*chunk+5*WaveStep, 100)
	var want float64
	at(Portable, func() { want = Waves(x, shift, amplitude) })
	sameBits(t, "a long sum", []float64{Waves(x, shift, amplitude)}, []float64{want})
}

func TestWavesRefuse(t *testing.T) {
	x := func(n int) []float64 { return make([]float64, n) }
	for name, call := range map[string]func(){
		"shift":      func() { Waves(x(32), x(64), x(32)) },
		"amplitude":  func() { Waves(x(32), x(32), x(0)) },
		"no step":    func() { Waves(x(33), x(33), x(33)) },
		"half steps": func() { Waves(x(48), x(48), x(48)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkWaves(b *testing.B) {
	x, shift, amplitude := wave(rand.New(rand.NewPCG(1, 2)), 1024, 30)
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			at(l, func() {
				for b.Loop() {
					Waves(x, shift, amplitude)
				}
			})
			b.ReportMetric(float64(len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "G/s")
		})
	}
}
