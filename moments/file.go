package moments

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/frame"
)

// The layout of a saved CoMoments, all numbers little-endian:
//
//	magic                      8 bytes, which say in what arithmetic rows were summed
//	left, right identity       32 bytes each
//	rows, p, q                 uint64 each
//	W, means, Saa, Sab, Sbb    float64; symmetric matrices by rows of their upper triangle
//	SHA-256 of all the above   32 bytes
const (
	magic      = "MDTPAIR1"
	magicMixed = "MDTPAIRM"
)

// magicOf returns the one of sums in float64 or the one of mixed sums.
func magicOf(mixed bool, double, single string) []byte {
	if mixed {
		return []byte(single)
	}
	return []byte(double)
}

// maxWidth bounds p and q of a file, so that a damaged header is refused before its sizes are
// multiplied; 2^20 features a side would be 8 TiB of sums.
const maxWidth = 1 << 20

// WriteTo writes the CoMoments so that Read gives back the same bits.
func (m *CoMoments) WriteTo(w io.Writer) (int64, error) {
	out := frame.NewWriter(w)
	p, q := m.Dims()
	out.Bytes(magicOf(m.mixed, magic, magicMixed))
	out.Bytes(m.left[:])
	out.Bytes(m.right[:])
	for _, v := range []int{m.rows, p, q} {
		out.Number(uint64(v))
	}
	out.Floats([]float64{m.weight})
	out.Floats(m.meanA)
	out.Floats(m.meanB)
	if m.aa != nil {
		eachUpper(m.aa, out.Floats)
		for i := range p {
			out.Floats(m.ab.RawRowView(i))
		}
		eachUpper(m.bb, out.Floats)
	}
	return out.End()
}

func eachUpper(s *mat.SymDense, do func([]float64)) {
	r := s.RawSymmetric()
	for i := range r.N {
		do(r.Data[i*r.Stride+i : i*r.Stride+r.N])
	}
}

// Read reads one CoMoments that WriteTo wrote. A file that is truncated, damaged, of another kind, or has impossible values is an error. Memory
// grows only with the bytes read.
func Read(r io.Reader) (*CoMoments, error) {
	in := frame.NewReader(r)
	head := string(in.Bytes(len(magic)))
	if in.Err() == nil && head != magic && head != magicMixed {
		return nil, errUnknown
	}
	return readCoMoments(in, head == magicMixed)
}

// errUnknown reports a file of another kind.
var errUnknown = errors.New("moments: not a file of moments, or of an unknown version")

// readCoMoments reads what follows magic.
func readCoMoments(in *frame.Reader, mixed bool) (*CoMoments, error) {
	m := CoMoments{mixed: mixed}
	copy(m.left[:], in.Bytes(len(m.left)))
	copy(m.right[:], in.Bytes(len(m.right)))
	rows, p, q := in.Number(), in.Number(), in.Number()
	if in.Err() == nil && (rows > math.MaxInt64 || p > maxWidth || q > maxWidth || (p == 0) != (q == 0)) {
		return nil, fmt.Errorf("moments: damaged file: %d rows of %d and %d columns", rows, p, q)
	}
	m.rows = int(rows)
	if w := in.Floats(1); in.Err() == nil {
		m.weight = w[0]
	}
	meanA, meanB := in.Floats(int(p)), in.Floats(int(q))
	aa, ab, bb := in.Floats(int(p*(p+1)/2)), in.Floats(int(p*q)), in.Floats(int(q*(q+1)/2))
	if err := in.End(); err != nil {
		return nil, fmt.Errorf("moments: damaged file: %w", err)
	}
	if !(m.weight >= 0) || math.IsInf(m.weight, 1) || (p == 0 && (m.rows != 0 || m.weight != 0)) {
		return nil, fmt.Errorf("moments: damaged file: total weight %g of %d rows", m.weight, m.rows)
	}
	if p > 0 {
		m.shape(int(p), int(q))
		copy(m.meanA, meanA)
		copy(m.meanB, meanB)
		setUpper(m.aa, aa)
		copy(m.ab.RawMatrix().Data, ab)
		setUpper(m.bb, bb)
	}
	return &m, nil
}

func setUpper(s *mat.SymDense, v []float64) {
	eachUpper(s, func(row []float64) { v = v[copy(row, v):] })
}
