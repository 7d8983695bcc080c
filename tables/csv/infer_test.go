package csv

import (
	"testing"

	"mediant/tables"
)

func TestKindOfBigIntegers(t *testing.T) {
	for _, tt := range []struct {
		cells string
		want  tables.Kind
	}{
		{"1\n9007199254740993\n", tables.Text},
		{"NA\n9007199254740993\n", tables.Text},
		{"1.5\n9007199254740993\n", tables.Numeric},
		{"1e3\n9007199254740993\n", tables.Numeric},
		{"1\n9007199254740992\n", tables.Numeric},
	} {
		if got := mustOpen(t, "id\n"+tt.cells, Options{}).Columns()[0].Kind; got != tt.want {
			t.Errorf("%q is %v, want %v", tt.cells, got, tt.want)
		}
	}
}
