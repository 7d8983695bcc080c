package tables_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

func ExampleFromColumns() {
	table, err := tables.FromColumns(
		tables.Numbers("age", []float64{31, 58}),
		tables.Strings("town", []string{"Bonn", "Kyoto"}),
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(table.Rows(), table.Columns())
	// Output: 2 [{age numeric} {town text}]
}

func ExampleAssignRoles() {
	imagesWithCaptions := []tables.Column{
		{Name: "pixel1"}, {Name: "pixel2"}, {Name: "caption", Kind: tables.Text},
	}
	captionsWithSentiment := []tables.Column{
		{Name: "caption", Kind: tables.Text}, {Name: "sentiment"},
	}
	roles, err := tables.AssignRoles(imagesWithCaptions, captionsWithSentiment, tables.RoleOptions{})
	fmt.Println(roles.X, roles.U, roles.Y, err)
	// Output: [pixel1 pixel2] [caption] [sentiment] <nil>
}

// A CSC has its elements column by column, as the type of that name of github.com/james-bowman/sparse: those of column j are from start[j] to
// start[j+1]-1. It has DoNonZero, and no DoRowNonZero.
type CSC struct {
	rows   int
	start  []int
	row    []int
	values []float64
}

func (c CSC) Dims() (rows, columns int) { return c.rows, len(c.start) - 1 }

func (c CSC) T() mat.Matrix { return mat.Transpose{Matrix: c} }

func (c CSC) At(i, j int) float64 {
	for t := c.start[j]; t < c.start[j+1]; t++ {
		if c.row[t] == i {
			return c.values[t]
		}
	}
	return 0
}

func (c CSC) DoNonZero(fn func(i, j int, v float64)) {
	for j := range len(c.start) - 1 {
		for t := c.start[j]; t < c.start[j+1]; t++ {
			fn(c.row[t], j, c.values[t])
		}
	}
}

// Matrices of other modules are taken as they are: CSR by its rows, CSC, COO and DOK by their elements in whatever order.
func ExampleFromSparse() {
	words := CSC{rows: 2, start: []int{0, 1, 1, 3}, row: []int{1, 0, 1}, values: []float64{4, 1, 2}} // [0 0 1; 4 0 2]
	table, err := tables.FromSparse("words", words)
	if err != nil {
		panic(err)
	}
	for batch := range table.Batches(context.Background()) {
		for i := range batch.Rows {
			places, values := batch.Sparse[0].Row(i)
			fmt.Println(places, values)
		}
	}
	// Output:
	// [2] [1]
	// [0 2] [4 2]
}
