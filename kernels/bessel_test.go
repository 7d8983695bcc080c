package kernels

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// besselTable was made by mpmath 1.3.0, besselk of the float64 arguments at 40 digits.
var besselTable = []struct{ nu, x, want float64 }{
	{0.1, 1e-06, 19.043892581433071644},
	{0.1, 0.01, 4.9346660097555970871},
	{0.1, 0.5, 0.93008652913147853528},
	{0.1, 1, 0.42256594495516928686},
	{0.1, 2, 0.11413020353680899304},
	{0.1, 10, 0.000017788551507869295617},
	{0.1, 50, 3.4105054446047280688e-23},
	{0.1, 150, 7.3366151465334896574e-67},
	{0.1, 650, 2.5125221968401241190e-284},
	{0.3, 1e-06, 116.16463060626911901},
	{0.3, 0.01, 6.8901026382927695432},
	{0.3, 0.5, 0.97647412438178791708},
	{0.3, 1, 0.43507602420880202329},
	{0.3, 2, 0.11603697434811925836},
	{0.3, 10, 0.000017856607016823022447},
	{0.3, 50, 3.4132081995368530186e-23},
	{0.3, 150, 7.3385653608486752349e-67},
	{0.3, 650, 2.5126766995996683537e-284},
	{0.75, 1e-06, 32585.643058426381567},
	{0.75, 0.01, 32.543452785357032752},
	{0.75, 0.5, 1.2917498162179126759},
	{0.75, 1, 0.51577530069591862858},
	{0.75, 2, 0.12790297862917902633},
	{0.75, 10, 0.000018263751436705312794},
	{0.75, 50, 3.4292148046935574424e-23},
	{0.75, 150, 7.3500943683958310227e-67},
	{0.75, 650, 2.5135894252136853883e-284},
	{1, 1e-06, 999999.99999278432422},
	{1, 0.01, 99.973894118296245561},
	{1, 0.5, 1.6564411200033008937},
	{1, 1, 0.60190723019723457474},
	{1, 2, 0.13986588181652242728},
	{1, 10, 0.000018648773453825584597},
	{1, 50, 3.4441022267175556126e-23},
	{1, 150, 7.3607854887680710000e-67},
	{1, 650, 2.5144348369863201201e-284},
	{2, 1e-06, 1999999999999.5001810},
	{2, 0.01, 19999.500068389409791},
	{2, 0.5, 7.5501835512408694366},
	{2, 1, 1.6248388986351774828},
	{2, 2, 0.25375975456605586294},
	{2, 10, 0.000021509817006932768731},
	{2, 50, 3.5479318388581977384e-23},
	{2, 150, 7.4345152126245533110e-67},
	{2, 650, 2.5202396072381817003e-284},
	{3.3, 1e-06, 8.3379724439984783666e+20},
	{3.3, 0.01, 52608477.684152409853},
	{3.3, 0.5, 126.69904258432459949},
	{3.3, 1, 11.898213399340910989},
	{3.3, 2, 0.90857425180874930607},
	{3.3, 10, 0.000029791076863726914466},
	{3.3, 50, 3.7983171184797157528e-23},
	{3.3, 150, 7.6066494393218790423e-67},
	{3.3, 650, 2.5336219850534617611e-284},
	{10, 1e-06, 1.8579455999999492312e+68},
	{10, 0.01, 1.8579404390480636036e+28},
	{10, 0.5, 188937569319.90025964},
	{10, 1, 180713289.90102945469},
	{10, 2, 162482.40397955914872},
	{10, 10, 0.0016142553003906700235},
	{10, 50, 9.1509882099879961115e-23},
	{10, 150, 1.0226206053991583838e-66},
	{10, 650, 2.7132357194524661246e-284},
	{49.7, 0.01, 2.1690884340797428535e+176},
	{49.7, 0.5, 7.8869831706439333099e+91},
	{49.7, 1, 8.5910879232145277920e+76},
	{49.7, 2, 9.2506204900156743542e+61},
	{49.7, 10, 1.0339895240577530419e+27},
	{49.7, 50, 3.0817935731189753861e-13},
	{49.7, 150, 2.5025453427532596214e-63},
	{49.7, 650, 1.6759573356286892559e-283},
	{100, 0.5, 7.4937399313527486864e+215},
	{100, 1, 5.9003331836386158571e+185},
	{100, 2, 4.6194159776012747217e+155},
	{100, 10, 4.5966740842695282400e+85},
	{100, 50, 16394035276269.252223},
	{100, 150, 6.7003642144000247351e-53},
	{100, 650, 5.3920602952846848281e-281},
	{150.25, 2, 6.6162758907052624406e+260},
	{150.25, 10, 5.3774344549909639151e+155},
	{150.25, 50, 9.7531358532160317246e+48},
	{150.25, 150, 2.0838759787266838066e-36},
	{150.25, 650, 8.0005629740741097406e-277},
	{200, 10, 2.7943800184867711550e+232},
	{200, 50, 2.2564791080070832356e+91},
	{200, 150, 5.6199769599260317740e-15},
	{200, 650, 4.4735709676572419088e-271},
}

// relative is how far got is from want.
func relative(got, want float64) float64 { return math.Abs(got/want - 1) }

// besselTol is the promise. What is expected is 700 eps from the exponential and as much from the exponents,
// 3e-13.
const besselTol = 1e-10

func TestBesselTable(t *testing.T) {
	for _, c := range besselTable {
		if got := bessel(c.nu, c.x); !(relative(got, c.want) <= besselTol) {
			t.Errorf("K_%v(%v) is %v, want %v: off by %.2g", c.nu, c.x, got, c.want, relative(got, c.want))
		}
	}
}

// TestBesselHalfIntegers takes the closed forms of order 1/2 and 3/2 upwards by the recurrence K_(nu+1) =
// K_(nu-1) + 2 nu/x K_nu, whose terms are positive: it loses some units a step.
func TestBesselHalfIntegers(t *testing.T) {
	for _, x := range []float64{0.003, 0.1, 1, 3, 20, 100, 500} {
		below := math.Sqrt(math.Pi/(2*x)) * math.Exp(-x)
		here := below * (1 + 1/x)
		for nu := 1.5; nu <= 200 && here < 1e300; nu++ {
			if got := bessel(nu, x); !(relative(got, here) <= besselTol) {
				t.Fatalf("K_%v(%v) is %v, want %v", nu, x, got, here)
			}
			below, here = here, below+2*nu/x*here
		}
	}
}

// TestBesselRecurrence at any order and argument.
func TestBesselRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nu := rapid.Float64Range(1.1, 150).Draw(t, "nu")
		x := math.Exp(rapid.Float64Range(math.Log(0.9), math.Log(600)).Draw(t, "log x"))
		want := bessel(nu-1, x) + 2*nu/x*bessel(nu, x)
		if got := bessel(nu+1, x); got < 1e300 && !(relative(got, want) <= 3*besselTol) {
			t.Fatalf("K_%v(%v) is %v, by the recurrence %v", nu+1, x, got, want)
		}
	})
}

// TestBesselRuleAtZero: there the integral is the gamma function.
func TestBesselRuleAtZero(t *testing.T) {
	for _, nu := range []float64{0.1, 0.5, 1, 2.7, 12, 12.75, 13, 100, 170} {
		got := math.Exp(nu*math.Log(nu)-nu) * besselRule{nu}.sum(nu, 0)
		if want := math.Gamma(nu); !(relative(got, want) <= 1e-12) {
			t.Errorf("Gamma(%v) is %v, want %v", nu, got, want)
		}
	}
}

// TestMaternGeneralIsItsClosedForms, where there are any. The exponents, at most r = 60 here, and the sums
// are good to eps times their size, below 1e-13.
func TestMaternGeneralIsItsClosedForms(t *testing.T) {
	for _, order := range []float64{0.5, 1.5, 2.5} {
		closed, err := NewMatern(order, 1)
		if err != nil {
			t.Fatal(err)
		}
		general := Matern{order, 1, besselRule{order}.sum(order, 0)}
		for _, d := range []float64{0, 1e-300, 1e-9, 1e-3, 0.1, 1, 2.5, 10, 25} {
			want := []float64{d * d}
			closed.FromSqDist(want)
			got := general.general(math.Sqrt(2*order) * d)
			if got != want[0] && !(relative(got, want[0]) <= 1e-12) {
				t.Errorf("order %v at distance %v: got %v, want %v", order, d, got, want[0])
			}
		}
	}
}

// TestMaternIsOfBesselFunctions: the definition with the table's values, where its factors are finite.
func TestMaternIsOfBesselFunctions(t *testing.T) {
	for _, c := range besselTable {
		if c.nu > 150 {
			continue
		}
		k, err := NewMatern(c.nu, math.Sqrt(2*c.nu)) // so that r is the distance
		if err != nil {
			t.Fatal(err)
		}
		want := math.Pow(2, 1-c.nu) / math.Gamma(c.nu) * math.Pow(c.x, c.nu) * c.want
		got := []float64{c.x * c.x}
		k.FromSqDist(got)
		if !(relative(got[0], want) <= besselTol) {
			t.Errorf("order %v at r = %v: got %v, want %v", c.nu, c.x, got[0], want)
		}
	}
}
