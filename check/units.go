package check

import (
	"fmt"
	"math"
	"slices"
)

// A conversion takes values of the first table to the scale of the second.
type conversion struct {
	what   string // what the values of the first table are taken to
	cause  string // what may have happened
	factor float64
	of     func(v float64) float64
	least  float64 // the distance from which on it hardly ever is the populations that differ so
}

// factors of units, and what may be measured in them.
var factors = []struct {
	factor float64
	cause  string
}{
	{100, "one is in per cent and the other a fraction, or they are centimetres and metres"},
	{1000, "one is in thousands, or in units of the prefix kilo or milli"},
	{1e6, "one is in millions"},
	{10, "the decimal point has moved, or they are millimetres and centimetres"},
	{60, "they are minutes and seconds, or hours and minutes"},
	{3600, "they are hours and seconds"},
	{24, "they are days and hours"},
	{7, "they are weeks and days"},
	{12, "they are years and months, or feet and inches"},
	{365.25, "they are years and days"},
	{2.54, "they are inches and centimetres"},
	{1 / .45359237, "they are kilograms and pounds"},
	{1.609344, "they are miles and kilometres"},
	{1 / .3048, "they are metres and feet"},
	{28.349523, "they are ounces and grams"},
	{4.184, "they are calories and joules"},
	{7.50062, "they are kPa and mmHg"},
	{18.0156, "they are mmol/l and mg/dl of glucose"},
	{38.67, "they are mmol/l and mg/dl of cholesterol"},
	{88.42, "they are mg/dl and µmol/l of creatinine"},
	{1e4, ""}, {1e5, ""}, {1e9, "one is in billions"},
}

// grossFactor is a ratio of spreads that two populations hardly ever have. One below may be of the populations, unless values are far
// from 0, so that their place tells as well.
const grossFactor = 5

// conversions of the values of one column, of sorted samples in both tables.
func conversions(x, y []float64) []conversion {
	var all []conversion
	add := func(what, cause string, factor, least float64, of func(float64) float64) {
		all = append(all, conversion{what, cause, factor, of, least})
	}
	multiples(x, y, add)
	offsets(add)
	low, high := math.Round(quantile(x, .5)+quantile(y, .5)), max(quantile(x, .5), quantile(y, .5))
	if low >= 1900 && low <= 2100 && high >= 1800 { // a year is age and year of birth together, or one less
		for year := low - 2; year <= low+2; year++ {
			add(fmt.Sprintf("taken from %g", year), "one is a year of birth and the other an age", 0, farApart, func(v float64) float64 { return year - v })
		}
	}
	ends := func(v []float64) (float64, float64) { return v[0], v[len(v)-1] }
	x0, x1 := ends(x)
	y0, y1 := ends(y)
	coded := wholeAndFew(x) && wholeAndFew(y) && x1-x0 >= 1
	if coded && (x0-y0 == 1 || y0-x0 == 1) && x1-x0 == y1-y0 {
		add(fmt.Sprintf("plus %g", y0-x0), "codes begin at 0 in one table and at 1 in the other", 0, 0, func(v float64) float64 { return v + y0 - x0 })
	}
	// After codes: those of two are each other's logarithms too.
	for _, l := range []struct {
		name     string
		to, from func(float64) float64
	}{{"the natural logarithm", math.Log, math.Exp}, {"the decimal logarithm", math.Log10, func(v float64) float64 { return math.Pow(10, v) }},
		{"the binary logarithm", math.Log2, math.Exp2}, {"the logarithm of one more", math.Log1p, math.Expm1}} {
		add("by "+l.name, "one table has logarithms", 0, farApart, l.to)
		add("by the inverse of "+l.name, "one table has logarithms", 0, farApart, l.from)
	}
	if coded && x1-x0 >= 2 && x0 == y0 && x1 == y1 {
		add(fmt.Sprintf("taken from %g", x0+x1), "the order of the codes is reversed in one table", 0, farApart, func(v float64) float64 { return x0 + x1 - v })
	}
	least := farApart
	if oneSign := x0 >= 0 && y1 <= 0 || x1 <= 0 && y0 >= 0; !oneSign && shifted(x, y) {
		least = math.Inf(1) // the populations may be two that lie on either side of 0
	}
	add("times -1", "the sign is reversed in one table", 0, least, func(v float64) float64 { return -v })
	return all
}

// An addConversion takes a conversion of the first table.
type addConversion func(what, cause string, factor, least float64, of func(float64) float64)

// multiples adds the factors of units. Small ones are no conversion of values near 0, whose spread may differ so.
func multiples(x, y []float64, add addConversion) {
	from0 := min(math.Abs(quantile(x, .5))/spread(x), math.Abs(quantile(y, .5))/spread(y))
	for _, f := range factors {
		least := 0.
		if f.factor < grossFactor {
			switch {
			case from0 < .5:
				continue
			case from0 < 2:
				least = math.Inf(1)
			default:
				least = farApart
			}
		}
		add(fmt.Sprintf("times %.5g", f.factor), f.cause, f.factor, least, func(v float64) float64 { return v * f.factor })
		add(fmt.Sprintf("divided by %.5g", f.factor), f.cause, 1/f.factor, least, func(v float64) float64 { return v / f.factor })
	}
}

// offsets adds temperatures and years.
func offsets(add addConversion) {
	add("taken from Celsius to Fahrenheit", "they are degrees Celsius and Fahrenheit", 0, farApart, func(v float64) float64 { return 1.8*v + 32 })
	add("taken from Fahrenheit to Celsius", "they are degrees Fahrenheit and Celsius", 0, farApart, func(v float64) float64 { return (v - 32) / 1.8 })
	for _, o := range []struct {
		offset float64
		cause  string
	}{{273.15, "they are degrees Celsius and kelvins"}, {1900, "years are written with two digits in one table"}, {2000, "years are written with two digits in one table"}} {
		add(fmt.Sprintf("plus %g", o.offset), o.cause, 0, farApart, func(v float64) float64 { return v + o.offset })
		add(fmt.Sprintf("less %g", o.offset), o.cause, 0, farApart, func(v float64) float64 { return v - o.offset })
	}
}

// shifted reports whether sorted values are alike once their medians are.
func shifted(x, y []float64) bool {
	to, by := make([]float64, len(x)), quantile(y, .5)-quantile(x, .5)
	for i, v := range x {
		to[i] = v + by
	}
	return alike(distance(to, y), len(x), len(y))
}

// wholeAndFew reports whether sorted values may be codes.
func wholeAndFew(v []float64) bool {
	distinct := 1
	for i, x := range v {
		if x != math.Trunc(x) {
			return false
		}
		if i > 0 && x != v[i-1] {
			distinct++
		}
	}
	return distinct <= wholeLevels
}

// converted are the values by a conversion, sorted; nil if some have no image.
func (c conversion) converted(x []float64) []float64 {
	to := make([]float64, len(x))
	for i, v := range x {
		if to[i] = c.of(v); math.IsNaN(to[i]) || math.IsInf(to[i], 0) {
			return nil
		}
	}
	slices.Sort(to)
	return to
}

const (
	// farApart is the distance of distribution functions (of Kolmogorov and Smirnov) at which populations are taken for ones in other units
	// where a conversion brings them together. Two normal samples of mean 0 have it if one has a hundred times the spread.
	farApart = .45
	// nearFactor is how near to a factor of units the ratio of spreads must be where the distributions differ besides.
	nearFactor = 1.25
	// unitChance is the probability of their distance from which on columns are taken for ones in other units: some conversion brings most of those together that
	// are farther apart by chance alone.
	unitChance = 1e-5
)

// units finds a conversion that makes a column agree in both tables, and reports whether it said something.
func (m *comparer) units(u *uColumn) bool {
	x, y := u.present(0), u.present(1)
	if min(len(x), len(y)) < fewestRows || x[0] == x[len(x)-1] || y[0] == y[len(y)-1] {
		return false
	}
	before, of := distance(x, y), rounded(y)
	byChance := kolmogorov(before, len(x), len(y)) > unitChance
	var best conversion
	after := math.Inf(1)
	for _, c := range conversions(x, y) {
		to := c.converted(x)
		if to == nil || byChance && (c.factor != 0 || c.least > 0) { // where codes begin at another number, their ends say it
			continue
		}
		d := distance(rounded(to), of)
		if !alike(d, len(x), len(y)) && !(c.factor != 0 && c.least == 0 && d <= .2 && near(spread(to)/spread(y))) {
			continue
		}
		if d < after-1e-9 {
			best, after = c, d
		}
	}
	if after > .6*before {
		return false
	}
	f := Finding{Code: UnitDiffers, Severity: Warning, Columns: []string{u.name}, gravity: before,
		Effect: "Y is learned from it on one scale and asked of it on another, and every result is wrong",
		Remedy: fmt.Sprintf("write both alike, or "+ignoreRemedy+"; --accept %s:%q if the populations differ so", u.name, UnitDiffers, u.name)}
	if before >= best.least {
		f.Severity = Error
	}
	cause := ""
	if best.cause != "" {
		cause = " (" + best.cause + "?)"
	}
	if best.factor != 0 {
		f.What = fmt.Sprintf("the spread of %q is %.3g in the first table and %.3g in the second, a ratio of %.3g; %s, the first is like the second%s",
			u.name, spread(x), spread(y), max(spread(x)/spread(y), spread(y)/spread(x)), best.what, cause)
	} else {
		f.What = fmt.Sprintf("%q has the median %.4g in the first table and %.4g in the second", u.name, quantile(x, .5), quantile(y, .5))
		if fmt.Sprintf("%.4g", quantile(x, .5)) == fmt.Sprintf("%.4g", quantile(y, .5)) { // as in a scale that is reversed about its median
			f.What = fmt.Sprintf("%q is %s", u.name, shareBelow(x, y))
		}
		f.What += fmt.Sprintf("; %s, the first is like the second%s", best.what, cause)
	}
	m.say(f)
	return true
}

func near(ratio float64) bool { return ratio < nearFactor && ratio > 1/nearFactor }

// rounded are values with nine digits, so that converted ones tie with others as they should.
func rounded(v []float64) []float64 {
	to := make([]float64, len(v))
	for i, x := range v {
		to[i] = x
		if x != 0 {
			step := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-8)
			to[i] = math.Round(x/step) * step
		}
	}
	return to
}
