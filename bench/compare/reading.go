package main

import (
	"bufio"
	"context"
	_ "embed"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/outfile"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/parquet"
)

//go:embed reading.py
var readingScript string

// readingColumns are those of each table.
const readingColumns = 20

// reading compares how fast files of numbers are read into memory. Sides take turns; what counts is the shortest time of each, since a machine that does other things
// too makes times longer and never shorter.
type reading struct {
	python       string
	rows, rounds int
	stderr       io.Writer
}

// A cost is what reading a file takes: seconds, and those of processors. It is zero for a reader that is not there.
type cost struct{ wall, busy float64 }

// least returns the smaller of each.
func (c cost) least(o cost) cost {
	if c == (cost{}) {
		return o
	}
	return cost{min(c.wall, o.wall), min(c.busy, o.busy)}
}

// A reader reads a file into memory.
type reader struct {
	name string
	read func(ctx context.Context, file string) (cost, error)
}

// tables measures all readers of all files and writes a table.
func (r *reading) tables(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "mediant-reading")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := startWorker(ctx, r.python, readingScript, runtime.NumCPU(), r.stderr)
	if err != nil {
		return err
	}
	found, err := w.ask("versions")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d processors, %s. Go %s, Python with %s. %s.\n\n", processor(), runtime.NumCPU(), runtime.GOOS, runtime.Version(), found, time.Now().Format(time.DateOnly))
	fmt.Fprintf(out, "%d rows of %d columns of numbers, read into memory. Shortest times of %d rounds; ratio above 1: ours is faster.\n\n", r.rows, readingColumns, r.rounds)
	fmt.Fprintln(out, "| file | reader | rows a second | ratio | rows a second of a processor | ratio |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	peer := func(name string) reader {
		return reader{name, func(_ context.Context, file string) (c cost, err error) {
			answer, err := w.ask("read " + name + "\t" + file)
			if err != nil || answer == "none" {
				return c, err
			}
			_, err = fmt.Sscan(answer, &c.wall, &c.busy)
			return c, err
		}}
	}
	csvReaders := []reader{{"csv.Open, tables.Load", timed(readCSV)}, {"encoding/csv, strconv", timed(readPlainly)}, peer("pandas.read_csv"), peer("pandas.read_csv round_trip"), peer("pyarrow.csv")}
	for _, file := range []struct {
		name    string
		digits  int
		write   func(ctx context.Context, file string, src tables.Source) error
		readers []reader
	}{
		{"CSV, 6 decimals", 6, writeCSV, csvReaders},
		{"CSV, all digits", 17, writeCSV, csvReaders},
		{"Parquet", 17, writeParquet, []reader{{"parquet.Open, tables.Load", timed(readParquet)}, peer("pandas.read_parquet"), peer("pyarrow.parquet")}},
	} {
		path := filepath.Join(dir, "table")
		if err := file.write(ctx, path, drawn(r.rows, file.digits)); err != nil {
			return err
		}
		costs, err := r.measure(ctx, path, file.readers)
		if err != nil {
			return fmt.Errorf("compare: %s: %w", file.name, err)
		}
		for i, c := range costs {
			if c == (cost{}) {
				fmt.Fprintf(out, "| %s | %s | not installed | | | |\n", file.name, file.readers[i].name)
				continue
			}
			rows := float64(r.rows)
			fmt.Fprintf(out, "| %s | %s | %.0f | %.2f | %.0f | %.2f |\n", file.name, file.readers[i].name, rows/c.wall, c.wall/costs[0].wall, rows/c.busy, c.busy/costs[0].busy)
		}
	}
	return w.close()
}

// measure takes turns, and returns the least that each reader took.
func (r *reading) measure(ctx context.Context, file string, readers []reader) ([]cost, error) {
	costs := make([]cost, len(readers))
	for range r.rounds {
		for i, reader := range readers {
			runtime.GC() // of what the one before has left
			c, err := reader.read(ctx, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", reader.name, err)
			}
			costs[i] = costs[i].least(c)
		}
	}
	return costs, nil
}

func timed(read func(ctx context.Context, file string) error) func(context.Context, string) (cost, error) {
	return func(ctx context.Context, file string) (cost, error) {
		start, busy := time.Now(), processorTime()
		err := read(ctx, file)
		return cost{time.Since(start).Seconds(), (processorTime() - busy).Seconds()}, err
	}
}

// drawn is a table of standard normal numbers with so many decimals, 17 being all that they have.
func drawn(rows, decimals int) tables.Source {
	x := mat.NewDense(rows, readingColumns, nil)
	draw := rand.New(rand.NewPCG(1, 0))
	for i := range rows {
		for j := range readingColumns {
			v := draw.NormFloat64()
			if scale := math.Pow10(decimals); decimals < 17 {
				v = math.Round(v*scale) / scale
			}
			x.Set(i, j, v)
		}
	}
	names := make([]string, readingColumns)
	for j := range names {
		names[j] = fmt.Sprintf("c%d", j)
	}
	src, err := tables.FromMatrix(names, x)
	if err != nil {
		panic(err)
	}
	return src
}

func writeCSV(ctx context.Context, file string, src tables.Source) error {
	return outfile.Write(file, func(w io.Writer) error { return csv.Write(ctx, w, src) })
}

func writeParquet(ctx context.Context, file string, src tables.Source) error {
	return outfile.Write(file, func(w io.Writer) error {
		to, err := parquet.NewWriter(w, src.Columns())
		if err != nil {
			return err
		}
		for b, err := range src.Batches(ctx) {
			if err == nil {
				err = to.Write(b)
			}
			if err != nil {
				return err
			}
		}
		return to.Close()
	})
}

func readCSV(ctx context.Context, file string) error {
	src, err := csv.Open(ctx, file, csv.Options{})
	if err != nil {
		return err
	}
	return loaded(ctx, src)
}

func readParquet(ctx context.Context, file string) error {
	src, err := parquet.Open(ctx, file, tables.ReadOptions{})
	if err != nil {
		return err
	}
	return loaded(ctx, src)
}

func loaded(ctx context.Context, src tables.File) error {
	_, err := tables.Load(ctx, src)
	return errors.Join(err, src.Close())
}

// readPlainly is what a program would do with the standard library.
func readPlainly(_ context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = plainNumbers(f)
	return err
}

func plainNumbers(in io.Reader) (numbers []float64, err error) {
	rows := stdcsv.NewReader(bufio.NewReader(in))
	rows.ReuseRecord = true
	if _, err := rows.Read(); err != nil {
		return nil, err
	}
	for {
		record, err := rows.Read()
		if err == io.EOF {
			return numbers, nil
		}
		if err != nil {
			return nil, err
		}
		for _, cell := range record {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, v)
		}
	}
}
