package formats

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

// TestHeads: the names of columns come from the beginnings of files in each format, and from files that are damaged further behind too.
func TestHeads(t *testing.T) {
	columns := []tables.Column{{Name: "a", Kind: tables.Numeric}, {Name: "b c", Kind: tables.Numeric}}
	contents := map[string]string{
		"t.csv": "a,b c\n1,2\nx,y,z\n", "t.csv.gz": tabletest.Gzipped(t, "a;b c\n1;2\n"), "t.svm": "1 1:2\n0 2:1\n", "u.svm": "1 1:2\n", "t.jsonl": "{\"a\":1,\"b c\":2}\n{\"a\":" + strings.Repeat(" ", 2*headLines) + "!",
		"part-1.csv": "a,b c\n1,2\n", "part-2.csv": "a,b c\n1,2\n", "empty.csv": "", "xlsx.csv": "PK\x03\x04",
	}
	for _, name := range []string{"t.parquet", "t.arrow", "t.npy"} {
		var b bytes.Buffer
		w, err := NewWriter(name, &b, columns)
		if err == nil {
			err = w.Write(tables.Batch{Rows: 1, Num: mat.NewDense(1, 2, []float64{1, 2})})
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = b.String()
	}
	put(t, contents)
	for path, want := range map[string]string{
		"t.csv": "z|b c", "t.csv.gz": "z|b c", "t.jsonl": "z|b c", "t.parquet": "z|b c", "t.arrow": "z|b c", "t.npy": "t[0]|t[1]", "t.svm": "t|t label", "t.svm,u.svm": "t|t label|u|u label",
		"part-*.csv": "z|b c", "none.csv": "", "none*.csv": "", "empty.csv": "", "xlsx.csv": "", ".": "", ",": "",
	} {
		got := Heads(t.Context(), path, Options{Options: csv.Options{Rename: map[string]string{"a": "z"}}})
		if strings.Join(got, "|") != want {
			t.Errorf("%s has columns %q, want %q", path, got, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := Heads(ended, "t.jsonl", Options{}); got != nil {
		t.Errorf("%q after the end", got)
	}
}
