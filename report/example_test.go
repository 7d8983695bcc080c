package report_test

import (
	"fmt"
	"os"

	"mediant/report"
)

func Example() {
	d := report.Document{
		Title:   "Two checks",
		Summary: []string{"Both sides of a claim, computed in two ways."},
		Sections: []report.Section{{
			Title: "Theorem 1",
			Tables: []report.Table{{
				Columns: []string{"distribution", "left", "right", "verdict"},
				Rows: [][]report.Cell{
					{report.TextCell("finite"), report.Number(1.0 / 3), report.Number(1.0 / 3), report.Verdict(true, "holds")},
					{report.TextCell("Gaussian"), report.Number(1.5), report.Number(1.25), report.Verdict(false, "fails")},
				},
			}},
			Charts: []report.Chart{{
				Name: "error", Title: "Error by rows", XLabel: "rows", YLabel: "error", LogX: true, LogY: true,
				Series: []report.Series{{
					Name: "joint", Kind: report.LinePoints,
					X: []float64{100, 1000, 10000}, Y: []float64{0.1, 0.03, 0.01}, Err: []float64{0.02, 0.005, 0.002},
				}},
			}},
		}},
	}
	if err := d.Sections[0].Tables[0].WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := d.WriteFiles(dir); err != nil {
		fmt.Println(err)
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// distribution    left   right  verdict
	// ------------  ------  ------  -------
	// finite        0.3333  0.3333  holds
	// Gaussian         1.5    1.25  fails
	// error.png
	// error.svg
	// report.html
	// report.json
	// report.md
}
