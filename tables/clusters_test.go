package tables_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// clustersOf are the clusters of all rows of a source.
func clustersOf(t *testing.T, src tables.Source) []int32 {
	t.Helper()
	var all []int32
	for b, err := range tables.NewGuard("", src).Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Clusters()...)
	}
	return all
}

// streamed hides that a source is a Table.
type streamed struct{ tables.Source }

// TestClusters: equal values of numbers and text are one cluster, in both tables and whatever is done with the rows after.
func TestClusters(t *testing.T) {
	ctx := context.Background()
	first, err := tables.FromColumns(tables.Strings("g", []string{"b", "7", "b", "1.0", "7"}), tables.Numbers("w", []float64{1, 2, 0, 1, .5}))
	if err != nil {
		t.Fatal(err)
	}
	second, err := tables.FromColumns(tables.Numbers("h", []float64{1, 7, 9, 1e6, 7}))
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []tables.Source{first, streamed{first}} {
		var c tables.Clusters
		marked, err := c.Mark(ctx, src, "g")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := clustersOf(t, marked), []int32{0, 1, 0, 2, 1}; !slices.Equal(got, want) {
			t.Errorf("%T: clusters %v, want %v", src, got, want)
		}
		other, err := c.Mark(ctx, second, "h")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := clustersOf(t, other), []int32{2, 1, 3, 4, 1}; !slices.Equal(got, want) || c.Len() != 5 || c.Key(4) != "1000000" {
			t.Errorf("the other table has clusters %v of %d, want %v", got, c.Len(), want)
		}
		weighed, err := tables.Weigh(ctx, marked, "w")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := tables.Keep(ctx, weighed, 3, func(row int) bool { return row != 1 })
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := tables.Load(ctx, marked)
		if err != nil {
			t.Fatal(err)
		}
		picked, err := tables.Pick(ctx, marked, []int{1, 1, 4})
		if err != nil {
			t.Fatal(err)
		}
		pickedWeights, err := tables.Pick(ctx, weighed, []int{0, 2})
		if err != nil {
			t.Fatal(err)
		}
		renamed, err := tables.Rename(marked, map[string]string{"g": "school"})
		if err != nil {
			t.Fatal(err)
		}
		beside, err := tables.HStack(marked, second)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			src  tables.Source
			want []int32
		}{
			"weighed": {weighed, []int32{0, 1, 2, 1}}, "kept": {kept, []int32{0, 2, 1}}, "loaded": {loaded, []int32{0, 1, 0, 2, 1}}, "picked": {picked, []int32{1, 1, 1}},
			"renamed": {renamed, []int32{0, 1, 0, 2, 1}}, "beside": {beside, []int32{0, 1, 0, 2, 1}},
		} {
			if got := clustersOf(t, c.src); !slices.Equal(got, c.want) {
				t.Errorf("%T, %s: clusters %v, want %v", src, name, got, c.want)
			}
		}
		if got := clustersOf(t, pickedWeights); len(got) != pickedWeights.Rows() {
			t.Errorf("%T: %d rows were picked with %d clusters", src, pickedWeights.Rows(), len(got))
		}
	}
}

// TestClusterErrors: a column that is not there, and rows without a cluster.
func TestClusterErrors(t *testing.T) {
	src, err := tables.FromColumns(tables.Strings("g", []string{"a", ""}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"g": `row 2: cluster "g" is missing`, "h": `no column "h"`} {
		var c tables.Clusters
		if _, err := c.Mark(context.Background(), src, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("column %q: %v, want %q", name, err, want)
		}
	}
}
