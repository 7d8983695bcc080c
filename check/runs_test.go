package check

import "testing"

// TestRunsOfRows: rows of a large table are kept in runs that are spread evenly, half of the most that may be kept or more.
func TestRunsOfRows(t *testing.T) {
	for _, n := range []int{1, 255, 256, 8192, 8193, 20000, 100000} {
		runs := newRowRuns(1)
		for b, err := range table(t, numbers("i", n, func(i int) float64 { return float64(i) })).Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			runs.add(b)
		}
		rows := runs.all()
		if len(rows) > mostRuns*runRows || len(rows) < min(n, mostRuns/2*runRows) {
			t.Errorf("%d rows are kept of %d", len(rows), n)
		}
		for k, row := range rows {
			if want := k/runRows*runs.every*runRows + k%runRows; row.number != want || row.num[0] != float64(want) {
				t.Fatalf("of %d rows the %dth kept is %d, want %d", n, k, row.number, want)
			}
		}
	}
}
