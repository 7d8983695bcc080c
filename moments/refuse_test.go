package moments

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// weightless is co-moments of n rows that count for nothing.
func weightless(n int) *CoMoments {
	m := NewCoMoments(ID{1}, ID{2})
	m.Add(mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil), make([]float64, n))
	return m
}

func TestMergeOfRowsWithoutWeight(t *testing.T) {
	m := weightless(3)
	if err := m.Merge(weightless(4)); err != nil {
		t.Fatal(err)
	}
	if m.Rows() != 7 || m.Weight() != 0 {
		t.Errorf("%d rows of weight %g, want 7 of weight 0", m.Rows(), m.Weight())
	}
	for _, v := range [][]float64{m.MeanA(), m.MeanB(), m.aa.RawSymmetric().Data, m.ab.RawMatrix().Data, m.bb.RawSymmetric().Data} {
		for _, x := range v {
			if x != 0 {
				t.Errorf("sums and means %v, want 0", v)
				break
			}
		}
	}
	// Rows that count, added to such co-moments, are those rows.
	rows := NewCoMoments(ID{1}, ID{2})
	rows.Add(mat.NewDense(2, 2, []float64{1, 2, 3, 5}), mat.NewDense(2, 1, []float64{4, 8}), nil)
	if err := m.Merge(rows); err != nil {
		t.Fatal(err)
	}
	var got, want mat.Dense
	m.CrossTo(&got, true)
	rows.CrossTo(&want, true)
	if !mat.Equal(&got, &want) || m.MeanA()[1] != 3.5 || m.Rows() != 9 {
		t.Errorf("moments %v, want %v; mean %g of %d rows", got.RawMatrix().Data, want.RawMatrix().Data, m.MeanA()[1], m.Rows())
	}
}

func TestRiskIsNotNegative(t *testing.T) {
	// a and b are the same column, so that a - b is 0; b's sum is off by rounding, and so is the
	// quadratic form of (1, 1): 1 + (1-2^-50) - 2 < 0.
	m := NewCoMoments(ID{}, ID{})
	col := mat.NewDense(2, 1, []float64{-1, 1})
	m.Add(col, col, nil)
	m.bb.SetSym(0, 0, m.bb.At(0, 0)*(1-0x1p-50))
	one := mat.NewDense(1, 1, []float64{1})
	if risk := m.Risk(one, one, nil)[0]; risk != 0 {
		t.Errorf("risk %g, want 0", risk)
	}
	// Only the variance is clamped, the offset still counts.
	if risk := m.Risk(one, one, []float64{2})[0]; risk != 4 {
		t.Errorf("risk %g, want 4", risk)
	}
}

func TestRiskPanicsWhereOutputsDiffer(t *testing.T) {
	m := NewCoMoments(ID{}, ID{})
	m.Add(mat.NewDense(2, 1, []float64{0, 1}), mat.NewDense(2, 1, []float64{1, 0}), nil)
	one, two := mat.NewDense(1, 1, nil), mat.NewDense(1, 2, nil)
	for name, c := range map[string]struct {
		wa, wb mat.Matrix
		offset []float64
	}{
		"wa and wb":     {one, two, nil},
		"wa and offset": {one, nil, []float64{0, 0}},
		"wb and offset": {nil, two, []float64{0}},
	} {
		func() {
			defer func() {
				if r := recover(); r != mat.ErrShape {
					t.Errorf("%s: panic %v, want %v", name, r, mat.ErrShape)
				}
			}()
			m.Risk(c.wa, c.wb, c.offset)
		}()
	}
}

// Offsets of the numbers in a file, after the magic and two identities.
const (
	rowsAt = len(magic) + 2*len(ID{})
	pAt    = rowsAt + 8
	qAt    = pAt + 8
	massAt = qAt + 8
)

// mended returns the file with the number at an offset replaced and the checksum made right.
func mended(raw []byte, at int, v uint64) []byte {
	body := bytes.Clone(raw[:len(raw)-sha256.Size])
	binary.LittleEndian.PutUint64(body[at:], v)
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

func TestReadRefusesNumbersThatNoPairHas(t *testing.T) {
	full, empty := saved(t), encode(t, NewCoMoments(ID{1}, ID{2}))
	for name, c := range map[string]struct {
		raw  []byte
		says string
	}{
		"rows":              {mended(full, rowsAt, math.MaxInt64+1), "9223372036854775808 rows"},
		"p":                 {mended(full, pAt, maxWidth+1), "columns"},
		"q":                 {mended(full, qAt, maxWidth+1), "columns"},
		"p without q":       {mended(empty, pAt, 1), "1 and 0 columns"},
		"q without p":       {mended(empty, qAt, 1), "0 and 1 columns"},
		"rows without p":    {mended(empty, rowsAt, 1), "of 1 rows"},
		"weight without p":  {mended(empty, massAt, math.Float64bits(1)), "weight 1"},
		"a negative weight": {mended(full, massAt, math.Float64bits(-1)), "weight -1"},
		"a weight of NaN":   {mended(full, massAt, math.Float64bits(math.NaN())), "not a finite number"},
	} {
		if _, err := Read(bytes.NewReader(c.raw)); err == nil || !strings.Contains(err.Error(), "damaged file: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
	if _, err := Read(bytes.NewReader(mended(full, rowsAt, math.MaxInt64))); err != nil {
		t.Errorf("the most rows there can be: %v", err)
	}
}
