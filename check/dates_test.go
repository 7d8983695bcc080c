package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediant/check"
	"mediant/tables"
	"mediant/tables/csv"
)

// datesOf are the findings on dates of two tables whose first column is a date in some layout, "" for days of a spreadsheet.
func datesOf(t *testing.T, layoutXU, layoutUY string, dates ...string) []check.Finding {
	t.Helper()
	var sources []tables.Source
	for k, layout := range []string{layoutXU, layoutUY} {
		var b strings.Builder
		b.WriteString([]string{"visit,u,x\n", "visit,u,y\n"}[k])
		for i := range 60 {
			day := time.Date(2020, time.Month(1+i%12), 1+i*i%11, 0, 0, 0, 0, time.UTC)
			cell := day.Format(layout)
			if layout == "" {
				cell = fmt.Sprint(day.Unix()/86400 + 25569)
			}
			fmt.Fprintf(&b, "%s,%d,%d\n", cell, i*7%13, i*5%11)
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := csv.Open(context.Background(), path, csv.Options{Dates: dates, Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		table, err := tables.Load(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, table)
	}
	report, err := check.Tables(context.Background(), sources[0], sources[1], check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(report.Findings, func(f check.Finding) bool {
		return !slices.Contains([]check.Code{check.DateColumn, check.MixedCells, check.KindsDiffer, check.FarValue}, f.Code)
	})
}

// TestDatesAreSettled: what is said of a column of dates leads to tables that are read.
func TestDatesAreSettled(t *testing.T) {
	const dmy, mdy, iso, serial, compact, compactDMY = "02/01/2006", "01/02/2006", "2006-01-02", "", "20060102", "02012006"
	for _, c := range []struct {
		name   string
		xu, uy string
		dates  []string
		want   []string // of the one finding; none if empty
		table  check.Table
	}{
		{"left out", iso, iso, nil, []string{"is left out", `--dates "visit" takes`}, check.Both},
		{"days in one table", serial, iso, nil, []string{"is left out", `--dates "visit=excel" takes`}, check.Both},
		{"days in the other", iso, serial, nil, []string{"is left out", `--dates "visit=excel" takes`}, check.Both},
		{"days, not said", serial, iso, []string{"visit"}, []string{"cannot be read", `--dates "visit=excel"`}, check.XU},
		{"days, said", serial, iso, []string{"visit=excel"}, nil, ""},
		{"open in both", dmy, mdy, []string{"visit=dmy"}, []string{"either table", "read as day/month", "another thing in the other"}, check.Both},
		{"open in one", iso, mdy, []string{"visit=mdy"}, []string{"second table", "read as month/day"}, check.UY},
		{"open in the first", dmy, iso, []string{"visit=dmy"}, []string{"first table", "read as day/month"}, check.XU},
		{"compact in both", compact, compact, nil, []string{`numbers of "visit" are dates (such as 20200101)`, `--dates "visit" takes`}, check.Both},
		{"compact in one", iso, compact, nil, []string{"is left out", `--dates "visit" takes`}, check.Both},
		{"compact, said", compact, iso, []string{"visit"}, nil, ""},
		{"compact in two orders", compact, compactDMY, nil, []string{"in the first table are dates", "those in the second table are", "cannot be compared"}, check.XU},
		{"compact in two orders, said", compact, compactDMY, []string{"visit=dmy"}, []string{"second table", "read as day/month"}, check.UY},
		{"closed", iso, iso, []string{"visit=mdy"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := datesOf(t, c.xu, c.uy, c.dates...)
			if c.want == nil {
				if len(got) > 0 {
					t.Errorf("%v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Table != c.table || got[0].Columns[0] != "visit" {
				t.Fatalf("%+v", got)
			}
			for _, want := range c.want {
				if text := got[0].What + "; " + got[0].Effect + "; " + got[0].Remedy; !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}
		})
	}
}

// TestWordAndNumberIsAnIdentifier: text that is alike but for a number behind it is one, and text of other words is none.
func TestWordAndNumberIsAnIdentifier(t *testing.T) {
	for form, want := range map[string]bool{"Patient %05d": true, "site 3 / nr. %d": true, "%d apples": false, "a long walk of %d miles": false} {
		cells, u, y := make([]string, 200), make([]float64, 200), make([]float64, 200)
		for i := range cells {
			cells[i], u[i], y[i] = fmt.Sprintf(form, i*37%1000), float64(i*7%13), float64(i*5%11)
		}
		xu, err := tables.FromColumns(tables.Strings("who", cells), tables.Numbers("u", u), tables.Numbers("x", y))
		if err != nil {
			t.Fatal(err)
		}
		uy, err := tables.FromColumns(tables.Strings("who", cells), tables.Numbers("u", u), tables.Numbers("y", y))
		if err != nil {
			t.Fatal(err)
		}
		report, err := check.Tables(context.Background(), xu, uy, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(report.LeftOut, "who") != want {
			t.Errorf("%q: left out are %q", form, report.LeftOut)
		}
	}
}
