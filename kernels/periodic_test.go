package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func periodic(t testing.TB, period, length float64) kernels.Periodic {
	t.Helper()
	k, err := kernels.NewPeriodic(period, length)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPeriodicConforms(t *testing.T) {
	for _, dim := range []int{1, 3} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) { kerneltest.Run(t, periodic(t, 2.7, 1.2), dim) })
	}
}

// Against its formula, with sines of differences, over more rows than it works on at a time. Angles are off
// by some units of pi on either side, and sin² by twice that; the exponent magnifies it by 2/l².
func TestPeriodicIsItsFormula(t *testing.T) {
	const period, length = 3, 0.8
	x, y := drawn(1100, 2, 1), drawn(9, 2, 2)
	got := gram(periodic(t, period, length), x, y)
	for i := range 1100 {
		for j := range 9 {
			var sum float64
			for c := range 2 {
				sine := math.Sin(math.Pi * (x.At(i, c) - y.At(j, c)) / period)
				sum += sine * sine
			}
			if want := math.Exp(-2 * sum / (length * length)); math.Abs(got.At(i, j)-want) > 1e-13 {
				t.Fatalf("entry (%d, %d) is %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
}

// Whole periods apart, however many, rows are equal: remainders are exact.
func TestPeriodicRepeats(t *testing.T) {
	x := mat.NewDense(1, 1, []float64{0.375})
	y := mat.NewDense(3, 1, []float64{0.375 + 24, 0.375 - 24*1e6, 0.375 + 24*0x1p40})
	for j, v := range gram(periodic(t, 24, 0.1), x, y).RawRowView(0) {
		if v != 1 {
			t.Errorf("row %d, whole periods away, has the value %v, want exactly 1", j, v)
		}
	}
}

func TestPeriodicIsRefused(t *testing.T) {
	for _, bad := range []float64{0, -1, 1e160, math.NaN(), math.Inf(1)} {
		_, err := kernels.NewPeriodic(bad, 1)
		isError(t, err, fmt.Sprintf("kernels: periodic: period is %v, must be from 1e-150 to 1e+150", bad))
		_, err = kernels.NewPeriodic(1, bad)
		isError(t, err, fmt.Sprintf("kernels: periodic: length is %v, must be from 1e-06 to 1e+09", bad))
	}
	k := periodic(t, 3, 4)
	if k.Period() != 3 || k.Length() != 4 {
		t.Errorf("period %v and length %v, want 3 and 4", k.Period(), k.Length())
	}
}

func ExampleNewPeriodic() {
	k, err := kernels.NewPeriodic(24, 1) // hours of the day
	if err != nil {
		fmt.Println(err)
		return
	}
	hours := mat.NewDense(3, 1, []float64{23, 1, 11})
	var gram mat.Dense
	k.GramTo(&gram, hours, hours)
	fmt.Printf("%.4f\n", mat.Formatted(&gram))
	// Output:
	// ⎡1.0000  0.8746  0.1353⎤
	// ⎢0.8746  1.0000  0.1547⎥
	// ⎣0.1353  0.1547  1.0000⎦
}
