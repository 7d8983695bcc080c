package csv

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediant/internal/input"
	"mediant/tables"
	"mediant/tables/libsvm"
)

// TestWhere: a row is where it stands in the file, behind blank lines, comments and cells of many lines, in the file and in memory.
func TestWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text, sparse strings.Builder
		text.WriteString("a,b\n")
		line, sparseLine := 2, 1
		var lines, sparseLines []int
		for range rapid.IntRange(1, 9).Draw(t, "rows") {
			blank, within := rapid.IntRange(0, 2).Draw(t, "blank"), rapid.IntRange(0, 2).Draw(t, "within")
			text.WriteString(strings.Repeat("\n", blank))
			fmt.Fprintf(&text, "1,\"x%s\"\n", strings.Repeat("\n", within))
			lines = append(lines, line+blank)
			line += blank + within + 1
			sparse.WriteString(strings.Repeat("# comment\n", blank) + "1 2:3\n")
			sparseLines = append(sparseLines, sparseLine+blank)
			sparseLine += blank + 1
		}
		csv, err := newFile(context.Background(), input.File{Name: "f.csv", File: strings.NewReader(text.String()), Size: int64(text.Len())}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := tables.Load(context.Background(), csv)
		if err != nil {
			t.Fatal(err)
		}
		svm, err := libsvm.Read("f.svm", bytes.NewReader([]byte(sparse.String())), libsvm.Options{Features: "x", Label: "y"})
		if err != nil {
			t.Fatal(err)
		}
		both, err := tables.HStack(svm, loaded)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			wantCSV, wantSVM := fmt.Sprintf("f.csv:%d", lines[i]), fmt.Sprintf("f.svm:%d", sparseLines[i])
			for _, c := range []struct {
				src  tables.Source
				want string
			}{{csv, wantCSV}, {loaded, wantCSV}, {svm, wantSVM}, {both, wantSVM}} {
				if got := tables.FactsOf(c.src).Where(i); got != c.want {
					t.Fatalf("row %d of %T is at %s, want %s, in %q and %q", i, c.src, got, c.want, text.String(), sparse.String())
				}
			}
		}
	})
	memory, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	if got := tables.FactsOf(memory).Where(2); got != "row 3" {
		t.Errorf("a row in memory is %q", got)
	}
}
