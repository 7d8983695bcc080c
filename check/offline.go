package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/tables"
)

const (
	// endsNear is how near the sum of both ends is known, as a share of their distance, and sumsApart, in standard deviations, how far sums are that are tried: half of it
	// is the error of each value, whose square is 0.0025 of the variance, and reflectedRest is 0.15.
	endsNear, sumsApart = .1, .1
	// Off the line are offRows rows or more, offLeast of all, and offMost at most, offHalf of a scale that is reversed; offAlike of them are where one conversion
	// has them, which chance explains with a logarithm of odds of offChance at most.
	offRows, offLeast, offMost, offHalf, offAlike, offChance = 20, .02, .45, .6, .85, -30.
	// Of exchanged digits, which are no list of factors, digitsAlike and digitsChance are enough: where two are nearly equal rows are hardly off.
	digitsAlike, digitsChance = .7, -16.
)

// offTheLine finds a column of X or Y part of which is not what U says of it, but is so by one conversion: another unit, or taken from a number; or is
// one value throughout.
func (c *checker) offTheLine(table Table, look *columnLook, p *Profile, t *tableLook) {
	if look.column.Kind != tables.Numeric || p.Distinct < 2*leastOfUnit {
		return
	}
	x, values := c.functionsOfU(t, look, c.lineRows(), lineFunctions, true)
	if x == nil {
		return
	}
	line := fitLine(x, values)
	if line.splits(offMost) && c.offLine(table, p, line) {
		return
	}
	if l, of := reflected(x, values); l != nil {
		c.add(of.finding(table, p, l))
	} else if !c.scattered(table, p, x, line) && table == UY {
		c.influential(p, line)
	}
}

// offLine says what the rows off a line have, and reports whether it is something known.
func (c *checker) offLine(table Table, p *Profile, l *uLine) bool {
	if v, rows := l.constant(); rows > 0 {
		f := Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: l.ofAll(rows, p), Of: p.Rows, gravity: 1}
		f.What = fmt.Sprintf("%q is %g in about %d of %d rows of %s whose U goes with other values of it", p.Name, v, f.Rows, p.Rows, table.words())
		f.Effect = "if that marks missing values, it is learned from as a number"
		if !l.narrow() {
			f.Severity = Note // rows without a wage, or a dose, have 0 too
		}
		f.Remedy = fmt.Sprintf("%s takes it as missing, or --accept %s:%q if it was measured", naFlag(p.Name, v), MissingMarker, p.Name)
		c.add(f)
		return true
	}
	of := l.conversion()
	if of.rows > 0 {
		c.add(of.finding(table, p, l))
	}
	return of.rows > 0
}

// An offConversion is what rows off a line are to it.
type offConversion struct {
	what, cause string // "times 10", "a decimal point that was lost"
	rows        int    // that are so, of those that were fitted; 0: none
	surely      bool
}

func (of offConversion) finding(table Table, p *Profile, l *uLine) Finding {
	f := Finding{Code: MixedUnits, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: l.ofAll(of.rows, p), Of: p.Rows, gravity: 1}
	if !of.surely {
		f.Severity = Note
	}
	f.What = fmt.Sprintf("about %d of the %d values of %q in %s are like those of other rows of the same U %s (%s?)", f.Rows, p.Rows-p.Missing, p.Name, table.words(), of.what, of.cause)
	f.Effect = "if they are on another scale, they hide all that the others say"
	f.Remedy = fmt.Sprintf("write all on one scale, or --accept %s:%q if they are two kinds of rows", MixedUnits, p.Name)
	return f
}

// reflected finds a line from which about half of the values are reflected at the middle of their scale, at their mean, or at 0; nil if there is none. Which half is
// right, nobody can see. Sums that are next to one before are left out.
func reflected(x *mat.Dense, values []float64) (*uLine, offConversion) {
	mean, sd := stat.PopMeanStdDev(values, nil)
	signed := newSignedDesign(x)
	sums := []float64{slices.Min(values) + slices.Max(values), 2 * mean, 0}
	for i, sum := range sums {
		if slices.ContainsFunc(sums[:i], func(before float64) bool { return math.Abs(sum-before) < sumsApart*sd }) {
			continue
		}
		if l := fitReflected(x, signed, values, sum); l != nil && l.splits(offHalf) {
			if of := l.taken(); of.rows > 0 {
				return l, of
			}
		}
	}
	return nil, offConversion{}
}

// constant is the value that nearly all rows off the line have and hardly any other row, and how many have it. Values that were cut at it are none: U says
// of those rows what no other has.
func (l *uLine) constant() (v float64, rows int) {
	off := make([]float64, len(l.off))
	for i, r := range l.off {
		off[i] = l.values[r]
	}
	slices.Sort(off)
	most := tally(off)[0]
	all := 0
	for _, v := range l.values {
		if v == most.value {
			all++
		}
	}
	if float64(most.rows) < .9*float64(len(off)) || float64(all) > 3*float64(most.rows) {
		return 0, 0
	}
	least, greatest := math.Inf(1), math.Inf(-1) // of rows that have another value
	for _, v := range l.values {
		if v != most.value {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	beyond := 0
	for _, r := range l.off {
		if l.fits[r] < least || l.fits[r] > greatest {
			beyond++
		}
	}
	if float64(beyond) > .1*float64(len(off)) {
		return 0, 0
	}
	return most.value, all
}

// taken finds a number that the rows off the line are taken from. It surely is one if it is the sum of the ends of a scale, or 0.
func (l *uLine) taken() offConversion {
	var sums []float64
	for _, r := range l.off {
		sums = append(sums, l.values[r]+l.fits[r])
	}
	slices.Sort(sums)
	from := quantile(sums, .5)
	k := l.alike(func(v, _ float64) float64 { return from - v }, offAlike, offChance)
	low, high := slices.Min(l.values), slices.Max(l.values)
	return offConversion{fmt.Sprintf("taken from %.4g", from), "the scale is reversed in part", k, k > 0 && min(math.Abs(from), math.Abs(from-low-high)) <= endsNear*(high-low)}
}

// conversion finds what the rows off the line are to it.
func (l *uLine) conversion() offConversion {
	if of := l.taken(); of.rows > 0 {
		return of
	}
	if of := l.multiple(); of.rows > 0 {
		return of
	}
	if k := l.alike(swappedDigits, digitsAlike, digitsChance); k > 0 {
		return offConversion{"with two digits exchanged", "63 for 36", k, true}
	}
	return offConversion{}
}

// multiple finds a known factor between the rows off the line and the line.
func (l *uLine) multiple() offConversion {
	var ratios []float64
	for _, r := range l.off {
		if q := l.values[r] / l.fits[r]; q > 0 {
			ratios = append(ratios, math.Log(q))
		}
	}
	if len(ratios) < offRows {
		return offConversion{}
	}
	slices.Sort(ratios)
	core := ratios[len(ratios)/10 : len(ratios)-len(ratios)/10]
	apart, se := quantile(ratios, .5), 1.2533*stat.PopStdDev(core, nil)*1.5/math.Sqrt(float64(len(core))) // the middle 80 % have 1 / 1.5 of the deviation of a normal variable
	if se > closeSurely {
		return offConversion{}
	}
	for _, f := range factors {
		for _, sign := range []float64{1, -1} {
			if f.factor < leastFactor || math.Abs(apart-sign*math.Log(f.factor)) > min(closeFactor, closeErrors*se+closeAlways) {
				continue
			}
			by := math.Pow(f.factor, sign)
			if k := l.alike(func(v, _ float64) float64 { return v / by }, offAlike, offChance); k > 0 {
				word := "times"
				if sign < 0 {
					word = "divided by"
				}
				return offConversion{fmt.Sprintf("%s %.5g", word, f.factor), f.cause, k, true}
			}
		}
	}
	return offConversion{}
}

// swappedDigits is a number with two neighbouring digits exchanged, those that bring it nearest to another number.
func swappedDigits(v, to float64) float64 {
	digits := []byte(strconv.FormatFloat(v, 'f', -1, 64))
	best := v
	for i, c := range digits {
		for j := i + 1; j < min(i+3, len(digits)); j++ { // a point may stand between
			if j == i+2 && digits[i+1] != '.' || c == '.' || c == '-' || digits[j] == '.' {
				continue
			}
			digits[i], digits[j] = digits[j], digits[i]
			if w, err := strconv.ParseFloat(string(digits), 64); err == nil && math.Abs(w-to) < math.Abs(best-to) {
				best = w
			}
			digits[i], digits[j] = digits[j], digits[i]
		}
	}
	return best
}

// alike is how many of the rows off the line are on it once converted, by what may depend on the line there, 0 if these are no such share, or if chance explains it: rows of other U, too, are then
// on the line of a row.
func (l *uLine) alike(of func(v, fit float64) float64, share, chance float64) int {
	on := func(i, j int) bool { return math.Abs(of(l.values[i], l.fits[j])-l.fits[j]) <= lineNear*l.sd }
	m := len(l.off)
	k, others, tried := 0, 0, 0
	for _, i := range l.off {
		if on(i, i) {
			k++
		}
	}
	if float64(k) < share*float64(m) {
		return 0
	}
	for a, i := range l.off {
		for b := 1; b < m; b += 1 + m/64 {
			tried++
			if on(i, l.off[(a+b)%m]) {
				others++
			}
		}
	}
	if chernoff(k, m-k, float64(others+1)/float64(tried+1)) > chance {
		return 0
	}
	return k
}
