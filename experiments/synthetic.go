package experiments

import (
	"fmt"
	"math"

	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/tables"
)

// A Synthetic is the distribution of [Yamane21, section 6.1] in D dimensions: X uniform on [-1, 1]^D,
// U_j = X_j³ + uniform[-1/2, 1/2], and Y = |U|² + N(0, Noise), for which conditional mean independence
// holds. Noise is a variance. The best prediction from X is Σ (X_j⁶ + 1/12), its risk
// Noise + 0.053175 D.
type Synthetic struct {
	D     int
	Noise float64
	// Direct makes Y = |X|² + N(0, Noise) instead, for which conditional mean independence does not hold.
	Direct bool
	// Shift changes the distribution of U in UY, and nothing else: a row is kept with probability
	// 1/(1 + exp(-Shift U_1)), so that the ratio of the distributions of U, of XU to UY, is (1 + exp(-Shift U_1))/2
	// and lies between 1/2 and (1 + exp(1.5 Shift))/2.
	Shift float64
	// Uneven makes the standard deviation of the noise 1.4 times as large where X_1 > 0, and 0.2 times else: conditional mean independence holds, and Y is not independent of X given U.
	Uneven bool
	// Classes makes Y the class "high" if its number is above D (1/7 + 1/12), its mean, and else "low".
	Classes bool
}

// XU draws n rows of (X, U). The seed and the table name the random stream, so that rows of XU, UY
// and XY are independent.
func (s Synthetic) XU(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "xu", true, true, false)
}

// UY draws n rows of (U, Y).
func (s Synthetic) UY(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "uy", false, true, true)
}

// XY draws n coupled rows of (X, Y).
func (s Synthetic) XY(n int, seed uint64) (tables.Source, error) {
	return s.table(n, seed, "xy", true, false, true)
}

func (s Synthetic) table(n int, seed uint64, name string, x, u, y bool) (tables.Source, error) {
	if err := bounds.First(s.Validate(), atLeast("the number of rows", n, 1)); err != nil {
		return nil, err
	}
	rnd := draw.Rand(seed, "experiments/synthetic/"+name, 0)
	xs, us := make([][]float64, s.D), make([][]float64, s.D)
	ys := make([]float64, n)
	for j := range s.D {
		xs[j], us[j] = make([]float64, n), make([]float64, n)
	}
	for i := 0; i < n; i++ {
		ys[i] = 0
		for j := range s.D {
			v := 2*rnd.Float64() - 1
			xs[j][i], us[j][i] = v, v*v*v+rnd.Float64()-.5
			if s.Direct {
				ys[i] += v * v
			} else {
				ys[i] += us[j][i] * us[j][i]
			}
		}
		if s.Shift != 0 && name == "uy" && rnd.Float64()*(1+math.Exp(-s.Shift*us[0][i])) > 1 {
			i--
			continue
		}
		ys[i] += s.deviation(xs[0][i]) * rnd.NormFloat64()
	}
	if y && s.Classes {
		return withClasses(map[string][][]float64{"x": keep(x, xs), "u": keep(u, us)}, ys, float64(s.D)*(1./7+1./12))
	}
	return sides(map[string][][]float64{"x": keep(x, xs), "u": keep(u, us), "y": keep(y, [][]float64{ys})})
}

// deviation is the standard deviation of the noise at X_1 = x.
func (s Synthetic) deviation(x float64) float64 {
	d := math.Sqrt(s.Noise)
	switch {
	case s.Uneven && x > 0:
		d *= 1.4
	case s.Uneven:
		d *= .2
	}
	return d
}

// withClasses is sides with the classes of Y.
func withClasses(of map[string][][]float64, ys []float64, mean float64) (tables.Source, error) {
	src, err := sides(of)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(ys))
	for i, v := range ys {
		labels[i] = "low"
		if v > mean {
			labels[i] = "high"
		}
	}
	y, err := tables.FromColumns(tables.Strings("y", labels))
	if err != nil {
		return nil, err
	}
	return tables.HStack(src, y)
}

// keep is columns, or none.
func keep(wanted bool, columns [][]float64) [][]float64 {
	if wanted {
		return columns
	}
	return nil
}

// sides is a table of the columns of X, U and Y that there are.
func sides(of map[string][][]float64) (tables.Source, error) {
	var columns []tables.ColumnData
	for _, role := range []string{"x", "u", "y"} {
		for j, values := range of[role] {
			columns = append(columns, tables.Numbers(columnName(role, j), values))
		}
	}
	return tables.FromColumns(columns...)
}

func columnName(role string, j int) string {
	if role == "y" {
		return role
	}
	return fmt.Sprintf("%s%d", role, j+1)
}
