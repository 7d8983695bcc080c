package check

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	// scatteredShifts are by how many rows values are joined to others, to see what is off the line there.
	scatteredShifts = 8
	// scatteredErrors is by how many standard errors a correlation may differ from that of values of other rows, and unlikeErrors by how many the correlation
	// of the line with what it leaves has to be below 0, which it is for errors.
	scatteredErrors, unlikeErrors = 2.5, 4.
	// placeErrors is by how many standard errors the means of U, of a function or its square, may differ in rows off the line from those of exchanged values off it.
	placeErrors = 4.
)

// scattered notes that rows off a narrow line have the values of other rows: as far from it as all values would be if they were exchanged at random, and
// in the same directions. Errors of a long tail go with the line too, and rows that a line cannot fit are not anywhere in U.
func (c *checker) scattered(table Table, p *Profile, x *mat.Dense, l *uLine) bool {
	if !l.splits(offMost) || !l.narrow() {
		return false
	}
	var own, others pairs
	for _, i := range l.off {
		own.add(i, l.values[i], l.fits[i])
	}
	n := len(l.values)
	for k := 1; k <= scatteredShifts; k++ {
		shift := k * n / (scatteredShifts + 1)
		for i, fit := range l.fits {
			if v := l.values[(i+shift)%n]; math.Abs(v-fit) > lineFar*l.sd {
				others.add(i, v, fit)
			}
		}
	}
	se := 1 / math.Sqrt(float64(len(l.off)))
	if correlation(own.apart, own.fits) > -unlikeErrors*se || math.Abs(correlation(own.values, own.fits)-correlation(others.values, others.fits)) > scatteredErrors*se {
		return false
	}
	if placesApart(x, own.rows, others.rows) > placeErrors {
		return false
	}
	slices.Sort(own.apart)
	slices.Sort(others.apart)
	if !closelyAlike(distance(own.apart, others.apart), len(own.apart), len(others.apart)) {
		return false
	}
	rows := l.ofAll(len(l.off), p)
	c.add(Finding{Code: MisalignedRows, Severity: Note, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows,
		What:   fmt.Sprintf("%q of about %d of %d rows of %s has nothing to do with U, which nearly determines it in the others, and is distributed as in all", p.Name, rows, p.Rows, table.words()),
		Effect: "if it, or a column of U, was put in there from other rows, X and U, or U and Y, seem to be less related than they are",
		Remedy: fmt.Sprintf("the values of these rows, empty cells where nothing was measured, or --accept %s:%q if there are two kinds of rows", MisalignedRows, p.Name)})
	return true
}

// pairs are rows, their values, what U says of them, and how far they are apart.
type pairs struct {
	rows                []int
	values, fits, apart []float64
}

func (p *pairs) add(row int, v, fit float64) {
	p.rows, p.values, p.fits, p.apart = append(p.rows, row), append(p.values, v), append(p.fits, fit), append(p.apart, v-fit)
}

// placesApart is the largest difference of means between some rows and others, of a column of x or of its square, in standard errors of the mean of the former.
func placesApart(x *mat.Dense, rows, others []int) float64 {
	_, width := x.Dims()
	worst := 0.
	of := func(rows []int, column, power int) []float64 {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = math.Pow(x.At(row, column), float64(power))
		}
		return values
	}
	for j := range width {
		for power := 1; power <= 2; power++ {
			here, there := of(rows, j, power), of(others, j, power)
			mean, sd := stat.MeanStdDev(there, nil)
			if apart := math.Abs(stat.Mean(here, nil) - mean); sd > 0 {
				worst = max(worst, apart/(sd/math.Sqrt(float64(len(rows)))))
			}
		}
	}
	return worst
}
