package formats

import (
	"slices"
	"strings"
	"testing"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

func TestPaths(t *testing.T) {
	put(t, map[string]string{"part-2.csv": "", "part-10.csv": "", "a,b.csv": "", "c[1].csv": "", "z.csv": ""})
	for path, want := range map[string]string{
		"z.csv": "z.csv", "part-*.csv": "part-2.csv part-10.csv", "a,b.csv": "a,b.csv", "c[1].csv": "c[1].csv", "z.csv,part-*.csv": "z.csv part-2.csv part-10.csv",
		"none.csv": "none.csv", "-": "-", "z.csv,none.csv": "z.csv none.csv",
	} {
		if got, err := Paths(path); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %q (%v), want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"none-*.csv": `no file matches "none-*.csv"`, "[": "syntax error", "z.csv,": "nothing before or behind a comma"} {
		if _, err := Paths(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Parts in several formats, with columns in other orders and kinds that differ, are one table.
func TestOpenStack(t *testing.T) {
	put(t, map[string]string{"p1.csv": "x,id,d\n1,7,2024-01-02\n", "p2.jsonl": "{\"id\": \"b\", \"x\": 2, \"d\": \"2024-01-03\"}\n", "p10.csv": "id,x,d\n8,3,2024-01-04\n", "q.csv": "x,id\n1,2\n", "r.csv": "x,id,d,e\n1,2,2024-01-01,4\n"})
	opt := Options{Options: csv.Options{Dates: []string{"d"}}}
	file, err := Open(t.Context(), "p*", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var x []float64
	var id []string
	for b, err := range tables.NewGuard("", file.Source).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			x, id = append(x, b.Num.At(i, 0)), append(id, strings.Clone(b.Text[0][i]))
		}
	}
	if !slices.Equal(x, []float64{1, 2, 3}) || !slices.Equal(id, []string{"7", "b", "8"}) || !slices.Equal(file.Dates, []string{"d"}) {
		t.Errorf("x %v, id %q, dates %q", x, id, file.Dates)
	}
	if got := tables.FactsOf(file.Source).Where(2); got != "p10.csv:2" {
		t.Errorf("the last row is at %s", got)
	}
	for path, want := range map[string]string{
		"p1.csv,q.csv":    `q.csv has no column "d year", which p1.csv has`,
		"p1.csv,r.csv":    `r.csv has the column "e", which p1.csv has not`,
		"p1.csv,none.csv": "none.csv",
	} {
		if _, err := Open(t.Context(), path, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Names that only a later part has are renamed too, and known to be.
func TestRenamedInOnePart(t *testing.T) {
	put(t, map[string]string{"p1.csv": "x,u\n1,2\n", "p2.csv": "old,u\n3,4\n"})
	file, err := Open(t.Context(), "p1.csv,p2.csv", Options{Options: csv.Options{Rename: map[string]string{"old": "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !slices.Equal(file.Renamed, []string{"old"}) || file.Source.Columns()[0].Name != "x" {
		t.Errorf("renamed %q, columns %v", file.Renamed, file.Source.Columns())
	}
}

// Files with a header alone add no rows, which is noted, unless all are so; a file of no bytes is an error.
func TestEmptyParts(t *testing.T) {
	put(t, map[string]string{"p1.csv": "x,u\n", "p2.csv": "x,u\n1,2\n", "p3.csv.gz": tabletest.Gzipped(t, "u,x\n"), "p4.csv": "u,x\nb,3\n", "blank.csv": ""})
	file, err := Open(t.Context(), "p*", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	facts := tables.FactsOf(file.Source)
	var said []string
	for _, s := range facts.Skips {
		said = append(said, s.String())
	}
	want := []string{"p1.csv:1: a header without rows, so that the file adds none", "p3.csv.gz:1: a header without rows, so that the file adds none"}
	if facts.Rows != 2 || !slices.Equal(said, want) || facts.Where(1) != "p4.csv:2" {
		t.Errorf("%d rows, the second at %s, notes %q", facts.Rows, facts.Where(1), said)
	}
	for path, want := range map[string]string{"p1.csv,p3.csv.gz": "no rows", "p2.csv,blank.csv": "blank.csv: no rows", "p1.csv": "p1.csv: no rows"} {
		if _, err := Open(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}
