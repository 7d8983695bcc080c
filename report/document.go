package report

// A Document is everything a report says; HTML, Markdown and JSON are three ways to write it. Its
// JSON is a stable schema: keys may be added, none change their meaning.
type Document struct {
	Title string `json:"title"`
	// Summary are the paragraphs that stand first.
	Summary  []string  `json:"summary,omitempty"`
	Sections []Section `json:"sections,omitempty"`
}

// A Section is a heading with paragraphs, tables and charts, in that order. Formulas, in the part of TeX that formula.go has, stand after the
// first paragraph.
type Section struct {
	Title    string   `json:"title"`
	Text     []string `json:"text,omitempty"`
	Formulas []string `json:"formulas,omitempty"`
	Tables   []Table  `json:"tables,omitempty"`
	Charts   []Chart  `json:"charts,omitempty"`
}

// A Table has one Cell for each column in each row.
type Table struct {
	Caption string   `json:"caption,omitempty"`
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// A Cell is what a table shows: Text if it is not empty, else Value.
type Cell struct {
	Text  string   `json:"text,omitempty"`
	Value *float64 `json:"value,omitempty"` // sorts the column, and is shown in full on hover
	Mark  Mark     `json:"mark,omitempty"`
}

// A Mark colours a cell, never alone: its text says the same.
type Mark string

const (
	NoMark Mark = ""
	Good   Mark = "good"
	Bad    Mark = "bad"
)

// A Chart is a set of series on common axes.
type Chart struct {
	// Name is the stem of the chart's file names: lower-case letters, digits and hyphens.
	Name   string `json:"name"`
	Title  string `json:"title"`
	XLabel string `json:"x_label"`
	YLabel string `json:"y_label"`
	LogX   bool   `json:"log_x,omitempty"`
	LogY   bool   `json:"log_y,omitempty"`
	// XNames, if there are any, stand at x = 0, 1, ... in place of numbers.
	XNames []string `json:"x_names,omitempty"`
	// YNames likewise stand at y = 0, -1, -2, ..., from the top down, on a chart that is as high as they need and has a line at x = 0, as a forest plot has.
	YNames []string `json:"y_names,omitempty"`
	Series []Series `json:"series"`
	// ReachY are values that the y axis includes, so that charts side by side have one scale, or 0 is seen.
	ReachY []float64 `json:"reach_y,omitempty"`
	// Note is a sentence below the chart, such as how to read it.
	Note string `json:"note,omitempty"`
}

// A Series is points of equal-length X and Y; Err, if not nil, are half-lengths of error bars or, of a
// Band, half-widths: one standard error, unless the chart says otherwise.
type Series struct {
	Name string     `json:"name"`
	Kind SeriesKind `json:"kind"`
	X    []float64  `json:"x"`
	Y    []float64  `json:"y"`
	Err  []float64  `json:"err,omitempty"`
}

// A SeriesKind says how points are drawn.
type SeriesKind string

const (
	Points     SeriesKind = "points"
	Dots       SeriesKind = "dots"        // small points that are seen through, where there are hundreds
	Line       SeriesKind = "line"        // joined, unmarked
	LinePoints SeriesKind = "line+points" // joined and marked
	Bars       SeriesKind = "bars"
	Intervals  SeriesKind = "intervals" // points whose Err lies along x
	Band       SeriesKind = "band"      // a Line on a strip that reaches from Y - Err to Y + Err
)
