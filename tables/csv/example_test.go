package csv_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"mediant/internal/outfile"
	"mediant/tables"
	"mediant/tables/csv"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "patients.csv")
	err = outfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, "dose,ward,heart rate\n1.5,A1,72\n2,B7,NA\n")
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	src, err := csv.Open(context.Background(), path, csv.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	sel, err := tables.Select(src.Columns(), []tables.Column{
		{Name: "heart rate", Kind: tables.Numeric},
		{Name: "ward", Kind: tables.Text},
	})
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range src.Batches(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		rate := make([]float64, batch.Rows)
		sel.NumericTo(rate, batch, 0)
		for i, ward := range sel.Text(batch, 1) {
			fmt.Println(ward, rate[i])
		}
	}
	// Output:
	// A1 72
	// B7 NaN
}

func ExampleWrite() {
	table, err := tables.FromColumns(
		tables.Strings("label", []string{"cat", "dog, small"}),
		tables.Numbers("score", []float64{0.1, 2}))
	if err != nil {
		log.Fatal(err)
	}
	if err := csv.Write(context.Background(), os.Stdout, table); err != nil {
		log.Fatal(err)
	}
	// Output:
	// label,score
	// cat,0.1
	// "dog, small",2
}
