package encode_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/tables"
)

func encoderOf(t testing.TB, columns ...tables.ColumnData) *encode.Encoder {
	t.Helper()
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEncodeMatrix: rows of a matrix are encoded as those of a table are, whatever matrix they stand in, constant columns and missing values among them.
func TestEncodeMatrix(t *testing.T) {
	e := encoderOf(t, tables.Numbers("a", []float64{1, 2, math.NaN(), 4}), tables.Numbers("constant", []float64{7, 7, 7, 7}), tables.Numbers("b", []float64{0, 5, 1, 2}))
	values := []float64{3, 7, 1, math.NaN(), 8, -2}
	src, err := tables.FromMatrix([]string{"a", "constant", "b"}, mat.NewDense(2, 3, values))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := e.EncodeAll(t.Context(), src, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []mat.Matrix{mat.NewDense(2, 3, values), encode.CSROf(mat.NewDense(2, 3, values)), mat.DenseCopyOf(mat.NewDense(2, 3, values).T()).T()} {
		got, counts, err := e.EncodeMatrix(x)
		if err != nil || !mat.Equal(got, want) || len(e.Warnings(counts)) != 0 {
			t.Errorf("%T: %v, %v with warnings %q, want %v", x, err, got, e.Warnings(counts), want)
		}
	}
	if _, counts, err := e.EncodeMatrix(mat.NewDense(1, 3, []float64{1, 7, math.NaN()})); err != nil || len(e.Warnings(counts)) != 1 {
		t.Errorf("a first missing value gives %v and the warnings %q", err, e.Warnings(counts))
	}
}

func TestEncodeMatrixOfSparseRows(t *testing.T) {
	rows := mat.NewDense(3, 4, []float64{1, 0, 0, 2, 0, 3, 0, 0, 0, 0, 4, 0})
	src, err := tables.FromSparse("words", encode.CSROf(rows))
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	a, _, errA := e.EncodeMatrix(rows)
	b, _, errB := e.EncodeMatrix(encode.CSROf(rows))
	if errA != nil || errB != nil || !mat.Equal(a, b) {
		t.Errorf("dense and sparse rows differ: %v, %v", errA, errB)
	}
	if _, ok := a.(*encode.CSR); !ok {
		t.Errorf("encoded rows are a %T", a)
	}
}

func TestEncodeMatrixRefuses(t *testing.T) {
	e := encoderOf(t, tables.Strings("colour", []string{"red", "blue", "red"}))
	if _, _, err := e.EncodeMatrix(mat.NewDense(1, 1, nil)); err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("text from numbers: %v", err)
	}
	e = encoderOf(t, tables.Numbers("a", []float64{1, 2, 3}))
	if _, _, err := e.EncodeMatrix(mat.NewDense(1, 1, []float64{math.Inf(1)})); err == nil {
		t.Error("an infinite number is encoded")
	}
	defer func() {
		if recover() == nil {
			t.Error("two columns for one do not panic")
		}
	}()
	_, _, _ = e.EncodeMatrix(mat.NewDense(1, 2, nil))
}

// Numbers are standardised by the mean and the deviation of the rows that the encoder has seen.
func ExampleEncoder_EncodeMatrix() {
	src, err := tables.FromColumns(tables.Numbers("height", []float64{150, 160, 170, 180, 190}))
	if err != nil {
		panic(err)
	}
	e, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src)
	if err != nil {
		panic(err)
	}
	x, _, err := e.EncodeMatrix(mat.NewDense(2, 1, []float64{170, 190}))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(x))
	// Output:
	// ⎡0.00⎤
	// ⎣1.41⎦
}
