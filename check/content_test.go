package check

import "testing"

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
