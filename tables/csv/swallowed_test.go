package csv

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"mediant/internal/input"
)

// TestSwallowedRows: rows between two quotes that were not meant to begin and end a cell are refused by the line of the first one.
func TestSwallowedRows(t *testing.T) {
	row := func(i int) string { return fmt.Sprintf("%d.5,%d,north,%d", i, i%3, 7*i) }
	words := func(i int) string { return fmt.Sprintf("a%d,north,b%d,c", i, i%3) }
	// quoted puts quotes before cell a of line i and behind cell b of line j.
	quoted := func(row func(int) string, i, a, j, b int) string {
		lines := []string{"x,k,g,u"}
		for r := 1; r < 12; r++ {
			cells := strings.Split(row(r), ",")
			if r == i {
				cells[a] = `"` + cells[a]
			}
			if r == j {
				cells[b] += `"`
			}
			lines = append(lines, strings.Join(cells, ","))
		}
		return strings.Join(lines, "\n") + "\n"
	}
	for _, c := range []struct {
		name, content string
		want          []string // nil: it is read
	}{
		{"last cell", quoted(row, 3, 3, 8, 3), []string{"f.csv:4:", `column "u"`, "on line 9"}},
		{"a cell between", quoted(row, 3, 2, 8, 2), []string{"f.csv:4:", `column "g"`, "on line 9"}},
		{"first cell", quoted(row, 3, 0, 8, 0), []string{"f.csv:4:", `column "x"`, "on line 9"}},
		{"next row", quoted(row, 3, 2, 4, 2), []string{"f.csv:4:", `column "g"`, "on line 5"}},
		{"words", quoted(words, 3, 2, 8, 2), []string{"f.csv:4:", `column "g"`, "on line 9"}},
		{"words of two lines", quoted(words, 3, 2, 4, 2), nil},
		{"CR LF", strings.ReplaceAll(quoted(row, 3, 3, 8, 3), "\n", "\r\n"), []string{"f.csv:4:", "on line 9"}},
		{"missing cells", strings.ReplaceAll(quoted(row, 3, 2, 8, 2), "5.5", "NA"), []string{"f.csv:4:", "on line 9"}},
		{"sentences", "x,k,g\n1,2,\"Dear all, we came, saw\nand, as they say, won\"\n2,3,\"one, two,\nthree, four, five\nsix\"\n", nil},
		{"sentences with as many delimiters", "x,g,u\n1,\"well, he\nsaid, no\",3\n2,\"so, we\ncame, in, time\nand, left\",4\n", nil},
		{"lists", "x,k,g\n1,2,\"Meds:\n1, aspirin, 2\n2, insulin, 3\"\n2,3,none\n", nil},
		{"two columns", "x,g\n1,\"Meds:\n1, aspirin\n2, insulin\"\n2,none\n", nil},
		{"lines in quotes", "x,k,g\n1,2,\"a\n\nb\"\n2,3,\"c\nd\"\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newFile(context.Background(), input.File{Name: "f.csv", File: bytes.NewReader([]byte(c.content)), Size: int64(len(c.content))}, Options{})
			if c.want != nil {
				wantError(t, err, c.want...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
