package lines

import "testing"

// TestMost: no more runs are kept than Most, and rows behind them are named by their number, also where two indices are put together.
func TestMost(t *testing.T) {
	whole := &Index{File: "f"}
	kept, first, second := &Index{File: "f", Most: 3}, &Index{File: "f", Most: 3}, &Index{File: "f", Most: 3}
	for row, line := range []int{2, 3, 5, 6, 9, 12, 13} {
		whole.Add(line)
		kept.Add(line)
		if row < 3 {
			first.Add(line)
		} else {
			second.Add(line)
		}
	}
	if n := len(second.rows); n != 3 {
		t.Fatalf("%d runs", n)
	}
	first.Append(second)
	for row, want := range []string{"f:2", "f:3", "f:5", "f:6", "f:9", "f:12", "f:13"} {
		if got := whole.Place(row); got != want {
			t.Errorf("row %d is at %s, want %s", row, got, want)
		}
		if row > 4 { // of the fourth run
			want = map[int]string{5: "f: row 6", 6: "f: row 7"}[row]
		}
		if got := kept.Place(row); got != want {
			t.Errorf("row %d is at %s, want %s", row, got, want)
		}
		if got := first.Place(row); got != want {
			t.Errorf("row %d of both is at %s, want %s", row, got, want)
		}
	}
	if kept.Rows != 7 || first.Rows != 7 {
		t.Errorf("%d and %d rows", kept.Rows, first.Rows)
	}
}
