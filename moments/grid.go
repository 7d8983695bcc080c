package moments

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Grid is where the sums of parts are written down so that adding them is exact (Total): for each column a centre, about which products
// are formed, and the exponent of a unit, 2^Unit, in 2^-64 of whose products they are rounded. It should be near the mean and the standard deviation of the column, and is
// agreed on before rows are summed. A centre that is k standard deviations off costs 2 log10(k) of the 16 digits of a variance; sums above 2^63 units are refused.
type Grid struct {
	CentreA, CentreB []float64
	UnitA, UnitB     []int
}

// maxUnit bounds exponents of units: squares of such numbers are finite, and not 0.
const maxUnit = 450

// NewGrid returns the grid of the means and standard deviations of rows of both sides, in which columns that do not vary have the unit 1.
func NewGrid(a, b *mat.Dense) Grid {
	var g Grid
	g.CentreA, g.UnitA = centresOf(a)
	g.CentreB, g.UnitB = centresOf(b)
	return g
}

func centresOf(x *mat.Dense) (centres []float64, units []int) {
	n, p := x.Dims()
	column := make([]float64, n)
	for j := range p {
		mean, spread := stat.MeanStdDev(mat.Col(column, j, x), nil)
		unit := 0
		if spread > 0 && !math.IsInf(spread, 0) {
			_, unit = math.Frexp(spread)
		}
		centres, units = append(centres, mean), append(units, max(-maxUnit, min(unit, maxUnit)))
	}
	return centres, units
}

// Validate returns an error unless the grid has a finite centre and a unit in range for each of its columns.
func (g Grid) Validate() error {
	for _, side := range []struct {
		name   string
		centre []float64
		unit   []int
	}{{"left", g.CentreA, g.UnitA}, {"right", g.CentreB, g.UnitB}} {
		if len(side.centre) == 0 || len(side.centre) > maxWidth || len(side.unit) != len(side.centre) {
			return fmt.Errorf("moments: Grid has %d centres and %d units of the %s columns", len(side.centre), len(side.unit), side.name)
		}
		for j, c := range side.centre {
			if math.IsNaN(c) || math.IsInf(c, 0) || side.unit[j] < -maxUnit || side.unit[j] > maxUnit {
				return fmt.Errorf("moments: Grid of %s column %d is centre %g, unit 2^%d", side.name, j+1, c, side.unit[j])
			}
		}
	}
	return nil
}

// ID identifies the grid.
func (g Grid) ID() ID {
	var raw []byte
	for _, centre := range [][]float64{g.CentreA, g.CentreB} {
		for _, c := range centre {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(c))
		}
	}
	for _, unit := range [][]int{g.UnitA, g.UnitB} {
		for _, u := range unit {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(u))
		}
	}
	return NewID([]byte("grid"), raw)
}
