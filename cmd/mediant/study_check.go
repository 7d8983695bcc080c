package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
)

// newCheckStudy is the study of how often check is wrong.
func newCheckStudy() *cobra.Command {
	return newSection("check", "How often clean tables get a warning, and how often faults are found, as Markdown", 1000, studyCheck)
}

// The sizes of clean tables, and the rows and draws of tables with a fault.
var (
	cleanRows, cleanColumns = []int{100, 1000, 10000}, []int{3, 10, 30, 100}
	faultRows               = 1000
)

func studyCheck(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, checkHead, draws)
	clean, err := experiments.FalseAlarms(ctx, draws, cleanRows, cleanColumns, 1, show)
	if err != nil {
		return err
	}
	describeClean(w, clean, draws)
	faults := max(2, draws/10)
	fmt.Fprintf(w, faultsHead, faultRows, faults)
	for _, f := range experiments.Faults {
		d, err := f.Detect(ctx, faultRows, faults, 1)
		if err != nil {
			return err
		}
		var codes []string
		for _, code := range slices.Sorted(maps.Keys(d.Codes)) {
			codes = append(codes, fmt.Sprintf("%s %d", code, d.Codes[code]))
		}
		of := func(n int) float64 { return 100 * float64(n) / float64(d.Draws) }
		fmt.Fprintf(w, "| %s | %.1f %% | %.1f %% | %.1f %% | %s |\n", d.Fault, of(d.Found), of(d.Named), of(d.Errors), strings.Join(codes, ", "))
	}
	return nil
}

// describeClean writes what was found in clean pairs of tables, as Markdown.
func describeClean(w io.Writer, clean *experiments.CleanFindings, draws int) {
	fmt.Fprintf(w, "\n%d of %d pairs (%.2g %%) got a warning or an error.\n", clean.Alarmed, draws, 100*float64(clean.Alarmed)/float64(draws))
	for _, a := range clean.Alarms {
		fmt.Fprintf(w, "\n- %s, %d rows, %d columns: %s %s: %s", a.Kind, a.Rows, a.U, a.Finding.Severity, a.Finding.Code, a.Finding.What)
	}
	fmt.Fprintf(w, notesHead, strings.Join(cleanKindNames(), " | "), strings.Repeat("---|", len(experiments.CleanKinds)))
	for _, code := range slices.Sorted(maps.Keys(clean.Notes)) {
		all := 0
		for _, n := range clean.Notes[code] {
			all += n
		}
		p := float64(all) / float64(draws)
		fmt.Fprintf(w, "| %s | %.0f | %.0f |", code, 1000*p, 1000*math.Sqrt(p*(1-p)/float64(draws)))
		for _, kind := range experiments.CleanKinds {
			fmt.Fprintf(w, " %.0f |", 1000*float64(clean.Notes[code][kind])/float64(max(1, clean.Pairs[kind])))
		}
		fmt.Fprintln(w)
	}
}

func cleanKindNames() (names []string) {
	for _, kind := range experiments.CleanKinds {
		names = append(names, string(kind))
	}
	return names
}

const notesHead = `

Of 1,000 pairs so many got a note of a code, and of 1,000 of each kind:

| note | pairs | standard error | %s |
|---|---|---|%s
`

const checkHead = `## How often is it wrong?

Made by ` + "`mediant study check --draws %d`" + `. Pairs of clean tables: U of one distribution in both, columns that depend on each other by two
common factors; normal, skew, of heavy tails, discrete, levels, and mixed with missing values, two columns of X and one of Y
of the same kind, of 100, 1,000 and 10,000 rows and with 3, 10, 30 and 100 columns of U in turn.
`

const faultsHead = `

Tables of ten columns of U, nine normal and one of levels, n = m = %d, with one fault in one table, the first and the second one in turn,
%d draws for each. "Named" is the share in which the first column that the first line names is the one with the fault (one of the two,
for a dependence):

| fault | found | named first | ends the run | codes |
|---|---|---|---|---|
`
