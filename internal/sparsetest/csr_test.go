package sparsetest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// methods are those of *CSR of github.com/james-bowman/sparse as its repository has them, with this package's name in
// the place of its own.
var methods = strings.Split(strings.TrimSpace(`
Add(mat.Matrix, mat.Matrix)
At(int, int) float64
Clone(mat.Matrix)
Dims() (int, int)
DoNonZero(func(int, int, float64))
DoRowNonZero(int, func(int, int, float64))
IsZero() bool
MarshalBinary() ([]uint8, error)
MarshalBinaryTo(io.Writer) (int, error)
Mul(mat.Matrix, mat.Matrix)
MulVecTo([]float64, bool, []float64)
NNZ() int
RawMatrix() *sparsetest.SparseMatrix
Reset()
RowNNZ(int) int
RowView(int) mat.Vector
ScatterRow(int, []float64) []float64
Set(int, int, float64)
Sub(mat.Matrix, mat.Matrix)
T() mat.Matrix
ToCOO() *sparsetest.COO
ToCSC() *sparsetest.CSC
ToCSR() *sparsetest.CSR
ToDOK() *sparsetest.DOK
ToDense() *mat.Dense
ToType(sparsetest.MatrixType) mat.Matrix
Trace() float64
UnmarshalBinary([]uint8) error
UnmarshalBinaryFrom(io.Reader) (int, error)`), "\n")

func TestMethodsAreThoseOfTheOtherModule(t *testing.T) {
	var got []string
	c := reflect.TypeFor[*CSR]()
	for i := range c.NumMethod() {
		m := c.Method(i)
		text := strings.TrimPrefix(m.Type.String(), "func(*sparsetest.CSR")
		got = append(got, m.Name+"("+strings.TrimPrefix(text, ", "))
	}
	if !slices.Equal(got, methods) {
		t.Errorf("methods\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(methods, "\n"))
	}
	if _, dense := any(new(CSR)).(mat.RawMatrixer); dense {
		t.Error("it passes for a matrix with dense storage")
	}
}

func TestRowsComeInNoOrderAndWithZeros(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{0, 3, 0, 5, 1, 2, 0, 0})
	for _, c := range []*CSR{Of(x), New(4, []map[int]float64{{3: 5, 1: 3, 0: 0}, {0: 1, 2: 0, 1: 2}})} {
		var got []element
		for i := range 2 {
			c.DoRowNonZero(i, func(at, j int, v float64) {
				if at != i || x.At(i, j) != v {
					t.Errorf("row %d: element (%d, %d) is %g", i, at, j, v)
				}
				got = append(got, element{j, v})
			})
		}
		if want := []element{{3, 5}, {1, 3}, {0, 0}, {2, 0}, {1, 2}, {0, 1}}; !slices.Equal(got, want) {
			t.Errorf("elements %v, want %v", got, want)
		}
		if c.NNZ() != 6 || c.RowNNZ(1) != 3 {
			t.Errorf("%d elements, %d in row 1", c.NNZ(), c.RowNNZ(1))
		}
		for _, m := range []mat.Matrix{c, c.T()} {
			func() {
				defer func() {
					if recover() != byElement {
						t.Errorf("At of a %T does not panic", m)
					}
				}()
				m.At(0, 0)
			}()
		}
	}
}
