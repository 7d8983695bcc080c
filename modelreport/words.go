package modelreport

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"mediant/internal/plural"
	"mediant/report"
)

// short cuts a text to so many letters, and to twice as many bytes of HTML.
func short(s string, most int) string {
	letters, bytes := 0, 0
	end := len(s) // of what fits beside an ellipsis
	for at, r := range s {
		letters++
		bytes += len(html.EscapeString(string(r)))
		if letters < most && bytes < 2*most {
			_, size := utf8.DecodeRuneInString(s[at:])
			end = at + size
		}
		if letters > most || bytes > 2*most {
			return strings.TrimSpace(s[:end]) + "…"
		}
	}
	return s
}

// nameLetters are how much of a name of a column, level or candidate is shown.
const nameLetters = 60

func shortName(s string) string { return short(s, nameLetters) }

// listed lists at most a few names.
func listed(names []string, most int) string {
	var shown []string
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, short(n, 40))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// number writes a number for a sentence, rows a number of rows.
func number(v float64) string { return report.FormatNumber(v) }

func rows(n int) string { return plural.Of(n, "row") }

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// more says how many rows of a table there are beyond those shown; nil if none.
func more(shown, all int, thing string) []string {
	if all <= shown {
		return nil
	}
	return []string{fmt.Sprintf("%d of %s are shown.", shown, plural.Of(all, thing))}
}
