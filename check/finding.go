package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mediant/internal/names"
	"mediant/tables"
)

// A Severity says what a finding is for a result.
type Severity int

const (
	// Note says what was decided or left out; the result is right.
	Note Severity = iota
	// Warning says that the result is doubtful.
	Warning
	// Error says that the result would be meaningless.
	Error
)

var severities = []string{"note", "warning", "error"}

func (s Severity) String() string { return severities[s] }

// MarshalText writes note, warning or error.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities, string(text))
	if i < 0 {
		return fmt.Errorf("check: severity %q, want note, warning or error", text)
	}
	*s = Severity(i)
	return nil
}

// A Code names a kind of finding. Codes are stable: programs may rely on them.
type Code string

// A Table says which table a finding is about.
type Table string

const (
	XU   Table = "xu"   // the table of X and U
	UY   Table = "uy"   // the table of U and Y
	Both Table = "both" // the two together
	// Later is a table of rows that come after a fit and that is neither of the two.
	Later Table = "later"
)

// words names a table in a sentence.
func (t Table) words() string {
	switch t {
	case XU:
		return "the first table"
	case UY:
		return "the second table"
	case Later:
		return "the table"
	}
	return "both tables"
}

// other is the other one of the two tables.
func (t Table) other() Table {
	if t == XU {
		return UY
	}
	return XU
}

// A Finding, made by Tables and by Learned.Later, is one thing that was found in the tables. The three sentences have no full stop.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Table    Table    `json:"table"`
	Columns  []string `json:"columns,omitempty"` // the first is the one that it is listed under
	Rows     int      `json:"rows,omitempty"`    // rows concerned, if counted
	Of       int      `json:"of,omitempty"`      // among so many
	What     string   `json:"what"`              // what it is
	Effect   string   `json:"effect"`            // what it does to the result
	Remedy   string   `json:"remedy"`            // the flag or the edit that settles it

	times   int     // that a copied row is there at most
	gravity float64 // orders findings of equal severity, the largest first
}

// String is the finding in one line, without its severity.
func (f Finding) String() string {
	parts := []string{f.What}
	if f.Effect != "" {
		parts = append(parts, f.Effect)
	}
	text := strings.Join(parts, ": ")
	if f.Remedy != "" {
		text += "; " + f.Remedy
	}
	return text
}

// column is the one that the finding is listed under.
func (f Finding) column() string {
	if len(f.Columns) == 0 {
		return ""
	}
	return f.Columns[0]
}

// byGravity sorts the gravest findings first, equal ones in the order in which they were found.
func byGravity(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.gravity, a.gravity))
	})
}

// listedFindings is how many findings Lines has.
const listedFindings = 10

// Lines puts findings into lines for people: at most one a column, the gravest, the gravest first, ten of them, and then how
// many more there are. Each begins with its severity.
func Lines(findings []Finding) []string { return lines(findings, ": mediant check --all lists them") }

// LaterLines are Lines of findings about later rows, which mediant check does not know of.
func LaterLines(findings []Finding) []string { return lines(findings, "") }

func lines(findings []Finding, hint string) []string {
	sorted := slices.Clone(findings)
	byGravity(sorted)
	seen := make(map[string]bool)
	var text []string
	more := 0
	for _, f := range sorted {
		if c := f.column(); c != "" {
			if seen[c] {
				continue
			}
			seen[c] = true
		}
		if len(text) == listedFindings {
			more++
			continue
		}
		text = append(text, f.Severity.String()+": "+f.String())
	}
	if more > 0 {
		text = append(text, "note: "+count(more, "more finding")+hint)
	}
	return text
}

// An Acceptance takes findings of a code as known: an Error or Warning becomes a Note.
type Acceptance struct {
	Code   Code
	Column string // "" for any
}

// ParseAcceptance reads CODE or CODE:COLUMN. An unknown code is an error.
func ParseAcceptance(text string) (Acceptance, error) {
	code, column, _ := strings.Cut(text, ":")
	if !slices.Contains(codes, Code(code)) {
		all := make([]string, len(codes))
		for i, c := range codes {
			all[i] = string(c)
		}
		return Acceptance{}, fmt.Errorf("check: there is no finding %q%s; there are %s", code, names.DidYouMean(all, code), strings.Join(all, ", "))
	}
	return Acceptance{Code(code), column}, nil
}

// Codes returns all codes of findings.
func Codes() []Code { return slices.Clone(codes) }

// accepts reports whether the finding is taken as known.
func (a Acceptance) accepts(f Finding) bool {
	return f.Code == a.Code && (a.Column == "" || slices.ContainsFunc(f.Columns, func(c string) bool { return tables.CanonicalName(c) == tables.CanonicalName(a.Column) }))
}

// A Refusal is the error of tables whose result would be meaningless.
type Refusal struct {
	Findings []Finding // those of severity Error, the gravest first; at least one
}

func (r *Refusal) Error() string {
	f := r.Findings[0]
	text := fmt.Sprintf("%s (%s)", f, f.Code)
	if n := len(r.Findings) - 1; n > 0 {
		var codes []string
		for _, other := range r.Findings[1:] {
			if !slices.Contains(codes, string(other.Code)) {
				codes = append(codes, string(other.Code))
			}
		}
		text += fmt.Sprintf("; and %d more (%s)", n, strings.Join(codes, ", "))
	}
	return text
}
