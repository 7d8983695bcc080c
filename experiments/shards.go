package experiments

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/bounds"
	"mediant/internal/draw"
	"mediant/tables"
)

// Shards are two large tables in parts, which are drawn while they are read and never held: X is uniform on [-1, 1]^20, U_j the sum of x³/2 over the four columns of X from 4j on, and uniform noise
// on [-1/2, 1/2], for 5 columns, and Y = |U|² + N(0, 0.1), so that conditional mean independence holds.
type Shards struct {
	Rows, Parts int // of each table; a part has Rows/Parts rows, rounded
	Seed        uint64
}

const (
	shardX     = 20
	shardU     = 5
	shardNoise = .31622776601683794 // standard deviation of Y given U
)

// Validate returns an error that names the first field out of range.
func (s Shards) Validate() error {
	return bounds.First(atLeast("the number of rows", s.Rows, 1), atLeast("the number of parts", s.Parts, 1), atLeast("the number of rows", s.Rows, s.Parts))
}

// XU returns part number part, from 0, of the table of (X, U).
func (s Shards) XU(part int) tables.Source {
	return s.part("xu", part, shardColumns("x", shardX, "u", shardU), func(row []float64, rnd *rand.Rand) {
		shardRow(row[:shardX], row[shardX:], rnd)
	})
}

// UY returns a part of the table of (U, Y) likewise.
func (s Shards) UY(part int) tables.Source {
	var x [shardX]float64
	return s.part("uy", part, shardColumns("u", shardU, "y", 1), func(row []float64, rnd *rand.Rand) {
		u := row[:shardU]
		shardRow(x[:], u, rnd)
		y := shardNoise * rnd.NormFloat64()
		for _, v := range u {
			y += v * v
		}
		row[shardU] = y
	})
}

// shardRow draws X and U of a row.
func shardRow(x, u []float64, rnd *rand.Rand) {
	for j := range x {
		x[j] = 2*rnd.Float64() - 1
	}
	for j := range u {
		u[j] = rnd.Float64() - .5
		for _, v := range x[j*len(x)/len(u) : (j+1)*len(x)/len(u)] {
			u[j] += v * v * v / 2
		}
	}
}

func shardColumns(a string, widthA int, b string, widthB int) []tables.Column {
	var columns []tables.Column
	for j := range widthA {
		columns = append(columns, tables.Column{Name: columnName(a, j)})
	}
	for j := range widthB {
		columns = append(columns, tables.Column{Name: columnName(b, j)})
	}
	return columns
}

func (s Shards) part(table string, part int, columns []tables.Column, fill func(row []float64, rnd *rand.Rand)) tables.Source {
	lo, hi := s.Rows*part/s.Parts, s.Rows*(part+1)/s.Parts
	return shard{columns, hi - lo, draw.Source(s.Seed, fmt.Sprintf("experiments/shards/%s", table), part), fill}
}

// A shard is a Source that draws its rows anew in each pass.
type shard struct {
	columns []tables.Column
	rows    int
	source  *rand.PCG // where a pass begins
	fill    func(row []float64, rnd *rand.Rand)
}

// Columns implements tables.Source.
func (s shard) Columns() []tables.Column { return s.columns }

// Facts are the number of rows.
func (s shard) Facts() tables.Facts { return tables.Facts{Rows: s.rows} }

// Batches implements tables.Source.
func (s shard) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		own := *s.source
		rnd := rand.New(&own)
		num := mat.NewDense(tables.BlockRows, len(s.columns), nil)
		for start := 0; start < s.rows; start += tables.BlockRows {
			if err := ctx.Err(); err != nil {
				yield(tables.Batch{}, err)
				return
			}
			b := tables.Batch{Start: start, Rows: min(tables.BlockRows, s.rows-start)}
			b.Num = num.Slice(0, b.Rows, 0, len(s.columns)).(*mat.Dense)
			for i := range b.Rows {
				s.fill(b.Num.RawRowView(i), rnd)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
