package parquet

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mediant/tables"
	"mediant/tables/internal/columnar"
	"mediant/tables/internal/columnartest"
)

// TestNullsOverPages: a column with a dictionary and nulls in many pages stays beside the others, in every version of pages, compression and size of row groups
// (aloneguid/parquet-dotnet#57, parquet-go/parquet-go#21). The sums over rows that are whole show a shift of any page.
func TestNullsOverPages(t *testing.T) {
	type row struct {
		ID string   `parquet:"id,dict"`
		X  *float64 `parquet:"x,optional,dict"`
		U  int64    `parquet:"u,delta"`
	}
	rows, x, xu := make([]row, 3000), 0., 0.
	for i := range rows {
		rows[i] = row{ID: string(rune('a' + i%7)), U: int64(i % 11)}
		if i%5 != 3 {
			v := float64(i*i%13) / 2
			rows[i].X = &v
			x, xu = x+v, xu+v*float64(rows[i].U)
		}
	}
	const sumX, sumXU = 7193, 35909.5
	*rows[1].X += sumXU - xu              // where u is 1
	*rows[0].X += sumX - (x + sumXU - xu) // where u is 0
	for name, options := range map[string][]parquet.WriterOption{
		"one page":   nil,
		"many pages": {parquet.PageBufferSize(300)},
		"version 1":  {parquet.PageBufferSize(300), parquet.DataPageVersion(1), parquet.Compression(&parquet.Snappy)},
		"row groups": {parquet.PageBufferSize(500), parquet.MaxRowsPerRowGroup(700), parquet.Compression(&parquet.Lz4Raw)},
	} {
		f := open(t, written(t, rows, options...))
		gotX, gotXU, nulls, seen := 0., 0., 0, 0
		for b, err := range f.Blocks(context.Background(), []columnar.Want{{Field: 1}, {Field: 2}, {Field: 0, As: tables.Text}}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for k, v := range b.Values[0].Numbers {
				if id := b.Values[2].Cells[k]; id != rows[seen].ID {
					t.Fatalf("%s: row %d is %q", name, seen, id)
				}
				if seen++; math.IsNaN(v) {
					nulls++
					continue
				}
				gotX, gotXU = gotX+v, gotXU+v*b.Values[1].Numbers[k]
			}
		}
		if seen != 3000 || nulls != 600 || gotX != sumX || gotXU != sumXU {
			t.Errorf("%s: %d rows, %d nulls, sums %g and %g", name, seen, nulls, gotX, gotXU)
		}
	}
}

// A footer that claims rows beyond any file of its size is refused before one is read.
func TestRowsBeyondTheFile(t *testing.T) {
	type row struct {
		X *float64 `parquet:"x,optional"`
	}
	data := written(t, make([]row, 3))
	footer, err := readFooter(columnartest.Input("f.parquet", data))
	if err != nil {
		t.Fatal(err)
	}
	var protocol thrift.CompactProtocol
	var meta format.FileMetaData
	if err := thrift.Unmarshal(&protocol, footer, &meta); err != nil {
		t.Fatal(err)
	}
	meta.NumRows, meta.RowGroups[0].NumRows = 1<<40, 1<<40
	other, err := thrift.Marshal(&protocol, meta)
	if err != nil {
		t.Fatal(err)
	}
	claims := slices.Concat(data[:len(data)-8-len(footer)], other, binary.LittleEndian.AppendUint32(nil, uint32(len(other))), []byte(magic))
	if _, err := newFile(t.Context(), columnartest.Input("f.parquet", claims)); err == nil || !strings.Contains(err.Error(), "f.parquet: the file claims more rows than its") {
		t.Errorf("the error is %v", err)
	}
}
