package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A columnCase is a column of 400 values, and what is said of it in the place of Y, of U and of X: "warning", "note" or "".
type columnCase struct {
	value func(rnd *rand.Rand) float64
	want  string
}

// tryColumns puts each column in each role, and looks for findings of a code.
func tryColumns(t *testing.T, code Code, cases map[string]columnCase) {
	t.Helper()
	const n = 400
	for name, c := range cases {
		for _, role := range []string{"X", "U", "Y"} {
			rnd, column := rand.New(rand.NewPCG(6, 9)), strings.ToLower(role)
			normal := func(int) float64 { return rnd.NormFloat64() }
			spoilt := func(int) float64 { return c.value(rnd) }
			x, y, u := numbers("x", n, normal), numbers("y", n, normal), [2][]float64{}
			switch role {
			case "X":
				x = numbers("x", n, spoilt)
			case "Y":
				y = numbers("y", n, spoilt)
			}
			for k := range u {
				for i := range n {
					if role == "U" {
						u[k] = append(u[k], spoilt(i))
					} else {
						u[k] = append(u[k], normal(i))
					}
				}
			}
			of := func(k int) func(int) float64 { return func(i int) float64 { return u[k][i] } }
			all := found(t, table(t, x, numbers("u", n, of(0))), table(t, numbers("u", n, of(1)), y), Options{})
			got := ""
			for _, f := range all {
				if strings.HasSuffix(f, string(code)+" "+column) && got == "" {
					got, _, _ = strings.Cut(f, " ")
				}
			}
			want := c.want
			if role != "Y" && strings.HasSuffix(want, " of Y") {
				want = "note"
			}
			if role != "Y" && want == "note of Y alone" {
				want = ""
			}
			if want = strings.TrimSuffix(strings.TrimSuffix(want, " alone"), " of Y"); got != want {
				t.Errorf("%s as %s: %q, want %q of %s", name, role, all, want, code)
			}
		}
	}
}

// or is a value in a share of the rows.
func or(share, v float64, value func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(rnd *rand.Rand) float64 {
		other := value(rnd)
		if rnd.Float64() < share {
			return v
		}
		return other
	}
}

func rounding(digits int, value func(*rand.Rand) float64) func(*rand.Rand) float64 {
	scale := math.Pow(10, float64(digits))
	return func(rnd *rand.Rand) float64 { return math.Round(scale*value(rnd)) / scale }
}

func gaussian(centre, sd float64) func(*rand.Rand) float64 {
	return func(rnd *rand.Rand) float64 { return centre + sd*rnd.NormFloat64() }
}

func logNormal(scale, sd float64) func(*rand.Rand) float64 {
	return func(rnd *rand.Rand) float64 { return scale * math.Exp(sd*rnd.NormFloat64()) }
}
