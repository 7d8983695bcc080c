package literal

import (
	"strings"
)

// unitWords are units as they stand under a header or behind a number. Case counts, but for words.
var unitWords = Words(`
	% ‰ ° °C °F ℃ ℉ K C F € $ £ ¥ ₹ EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK TEUR kEUR k€ T€ ct cent
	kg g mg µg μg ug ng t lb lbs oz st
	m cm mm km µm μm nm in ft yd mi dm ha
	s ms µs μs ns sec min mins h hr hrs d wk mo yr yrs y mph kmh bpm
	Pa hPa kPa MPa bar mbar mmHg psi atm
	J kJ MJ kcal cal W kW MW GW Wh kWh MWh V mV kV A mA Hz kHz MHz GHz N dB
	l L ml mL dl dL cl mol mmol µmol nmol M mM U IU ppm ppb px pt pp bp bps
	B kB KB MB GB TB bit k pct mio Mio mrd Mrd bn mn Mn
`)

// longUnitWords are units in words, whatever their case.
var longUnitWords = Words(`
	percent percentage degrees celsius fahrenheit euro euros dollar dollars pound pounds
	gram grams kilogram kilograms meter meters metre metres inch inches foot feet mile miles liter liters litre litres
	second seconds minute minutes hour hours day days week weeks month months year years yrs
	sekunden minuten stunden tage wochen monate jahre jahren
	count counts points score units number
`)

func Words(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// IsUnit reports whether s is a unit, or a quotient, product or power of units: "kg", "km/h", "kg/m^2", "mg/dl", "m²".
func IsUnit(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/*·^ ", r) })
	if len(parts) == 0 {
		return false
	}
	units := 0
	for _, p := range parts {
		p = strings.TrimRight(p, "0123456789²³⁻¹-")
		switch {
		case p == "": // an exponent
		case unitWords[p] || longUnitWords[strings.ToLower(p)]:
			units++
		case strings.EqualFold(p, "per"):
		default:
			return false
		}
	}
	return units > 0
}

// LikeUnit reports whether a cell of a row of units looks like one: it is a unit, or stands in brackets, or says "in cm".
func LikeUnit(cell string) bool {
	for _, pair := range []string{"()", "[]", "{}", "<>"} {
		if len(cell) > 2 && cell[0] == pair[0] && cell[len(cell)-1] == pair[1] {
			return true
		}
	}
	if rest, ok := strings.CutPrefix(cell, "in "); ok {
		return IsUnit(Trim(rest))
	}
	return IsUnit(cell)
}
