package check

import (
	"strings"
	"testing"
)

// TestIsDate: dates and times in the usual forms, those that package tables does not read among them, and what looks like some.
func TestIsDate(t *testing.T) {
	for _, cell := range []string{
		"2024-03-01", "2024-03-01T12:30:00Z", "2024-03-01T12:30:00+02:00", "2024-03-01 12:30:15", "2024-03-01 12:30", "2024/03/01", "2024/3/1",
		"01.03.2024", "1.3.2024", "31/12/2024", "3/1/2024", "12/31/2024", "01-03-2024", "01.03.24", "31/12/24", "12/31/24", "Mar 1, 2024", "March 1, 2024",
		"1 Mar 2024", "1 March 2024", "01-Mar-2024", "01-Mar-24", "Mar 2024", "March 2024", "2024-03", "01.03.2024 12:30", "03/01/2024 12:30", "12:30", "12:30:15",
	} {
		if !isDate(cell) {
			t.Errorf("%q is no date", cell)
		}
	}
	for _, cell := range []string{"", "2024", "20240301", "1.5", "32.01.2024", "31/31/2024", "2024-13-01", "1-2", "25:00", "Mayo 1", "may"} {
		if isDate(cell) {
			t.Errorf("%q is a date", cell)
		}
	}
}

// TestUnitsBehindNumbers: units are those of package tables, in any case, and letters that are none make no number of a level.
func TestUnitsBehindNumbers(t *testing.T) {
	for _, unit := range strings.Fields(`% ‰ ° °C °F k $ € £ ¥ ₹ USD eur GBP CHF JPY kg Kg KG g mg µg ug lb lbs LBS oz t km m cm mm mi ft in yd s sec ms min mins h hr hrs hour Hours d day days
		week weeks month months yr yrs year years y l dl ml mmHg bpm mg/dl mmol/l kcal kJ kWh MWh w kW MW v a Hz kHz MHz GHz b kb MB GB TB pct percent mph kmh km/h m/s m² m³ cm² Pa kPa hPa bar psi Mio Mrd bn mn`) {
		if mark, ok := markOf("12 " + unit); !ok || mark != unit {
			t.Errorf("12 %s is no number with a unit: %q, %v", unit, mark, ok)
		}
	}
	for _, cell := range []string{"1a", "2b", "3d", "12 x", "7th", "4 of", "A4"} {
		if mark, ok := markOf(cell); ok {
			t.Errorf("%q is a number with the mark %q", cell, mark)
		}
	}
}
