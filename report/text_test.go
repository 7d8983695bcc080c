package report

import (
	"strings"
	"testing"
)

func TestWriteText(t *testing.T) {
	table := Table{
		Caption: "Checks\n",
		Columns: []string{"distribution", "n", "verdict"},
		Rows: [][]Cell{
			{TextCell("finite"), Number(100), Verdict(true, "holds")},
			{TextCell("日本\x1b[31m"), Number(0.25), Verdict(false, "fails")},
			{TextCell("e\u0301"), {}, {}}, // a combining accent takes no column
		},
	}
	want := strings.Join([]string{
		"Checks ",
		"distribution     n  verdict",
		"------------  ----  -------",
		"finite         100  holds",
		"日本 [31m     0.25  fails",
		"e\u0301",
		"",
	}, "\n")
	var b strings.Builder
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := (&Table{Caption: "c", Columns: []string{"a"}, Rows: [][]Cell{{}}}).WriteText(&b); err == nil ||
		err.Error() != `report: table "c": row 1 has 0 cells, want 1` {
		t.Errorf("a ragged table gave %v", err)
	}
}
