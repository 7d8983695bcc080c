package tables_test

import (
	"context"
	"strings"
	"testing"

	"mediant/tables"
	"mediant/tables/libsvm"
)

func TestBeside(t *testing.T) {
	a, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2, 3}), tables.Strings("s", []string{"x", "y", "z"}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := tables.FromColumns(tables.Numbers("b", []float64{4, 5, 6}))
	if err != nil {
		t.Fatal(err)
	}
	u, err := libsvm.Read("u", strings.NewReader("+1 1:0.5 3:-2\n-1\n1 2:1e2\n"), libsvm.Options{Features: "u"})
	if err != nil {
		t.Fatal(err)
	}
	both, err := tables.HStack(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if both, err = tables.HStack(both, u); err != nil {
		t.Fatal(err)
	}
	for batch, err := range both.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if batch.Rows != 3 || batch.Num.At(2, 0) != 3 || batch.Num.At(2, 1) != 6 || batch.Text[0][1] != "y" || len(batch.Sparse) != 1 {
			t.Errorf("got %+v", batch)
		}
	}
	if _, err := tables.HStack(a, a); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a name twice: error %v", err)
	}
	long, err := tables.FromColumns(tables.Numbers("long", make([]float64, tables.BlockRows+1)))
	if err != nil {
		t.Fatal(err)
	}
	full, err := tables.FromColumns(tables.Numbers("full", make([]float64, tables.BlockRows)))
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]tables.Source{{a, long}, {long, a}, {full, long}, {long, full}} {
		src, err := tables.HStack(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range src.Batches(context.Background()) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), "rows") {
			t.Errorf("unequal tables: error %v", last)
		}
	}
}
