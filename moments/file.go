package moments

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The layout of a saved CoMoments, all numbers little-endian:
//
//	magic                      8 bytes
//	left, right identity       32 bytes each
//	rows, p, q                 uint64 each
//	W, means, Saa, Sab, Sbb    float64; symmetric matrices by rows of their upper triangle
//	SHA-256 of all the above   32 bytes
const magic = "MDTPAIR1"

// maxWidth bounds p and q of a file, so that a damaged header is refused before its sizes are
// multiplied; 2^20 features a side would be 8 TiB of sums.
const maxWidth = 1 << 20

// WriteTo writes the CoMoments so that Read gives back the same bits.
func (m *CoMoments) WriteTo(w io.Writer) (int64, error) {
	buf := bufio.NewWriter(w)
	sum := sha256.New()
	out := &counter{w: io.MultiWriter(buf, sum)}
	p, q := m.Dims()
	out.bytes([]byte(magic))
	out.bytes(m.left[:])
	out.bytes(m.right[:])
	for _, v := range []int{m.rows, p, q} {
		out.number(uint64(v))
	}
	out.floats([]float64{m.weight})
	out.floats(m.meanA)
	out.floats(m.meanB)
	if m.aa != nil {
		eachUpper(m.aa, out.floats)
		for i := range p {
			out.floats(m.ab.RawRowView(i))
		}
		eachUpper(m.bb, out.floats)
	}
	out.w = buf
	out.bytes(sum.Sum(nil))
	if out.err == nil {
		out.err = buf.Flush()
	}
	return out.n, out.err
}

func eachUpper(s *mat.SymDense, do func([]float64)) {
	r := s.RawSymmetric()
	for i := range r.N {
		do(r.Data[i*r.Stride+i : i*r.Stride+r.N])
	}
}

type counter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counter) bytes(b []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(b)
		c.n += int64(n)
	}
}

func (c *counter) number(v uint64) { c.bytes(binary.LittleEndian.AppendUint64(nil, v)) }

func (c *counter) floats(v []float64) {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	c.bytes(raw)
}

// Read reads one CoMoments that WriteTo wrote. A file that is truncated, damaged, of another kind, or has impossible values is an error. Memory
// grows only with the bytes read.
func Read(r io.Reader) (*CoMoments, error) {
	in := &reader{r: r, sum: sha256.New()}
	if head := in.bytes(len(magic)); in.err == nil && string(head) != magic {
		return nil, errors.New("moments: not a file of moments, or of an unknown version")
	}
	var m CoMoments
	copy(m.left[:], in.bytes(len(m.left)))
	copy(m.right[:], in.bytes(len(m.right)))
	rows, p, q := in.number(), in.number(), in.number()
	if in.err == nil && (rows > math.MaxInt64 || p > maxWidth || q > maxWidth || (p == 0) != (q == 0)) {
		return nil, fmt.Errorf("moments: damaged file: %d rows of %d and %d columns", rows, p, q)
	}
	m.rows = int(rows)
	if w := in.floats(1); in.err == nil {
		m.weight = w[0]
	}
	meanA, meanB := in.floats(int(p)), in.floats(int(q))
	aa, ab, bb := in.floats(int(p*(p+1)/2)), in.floats(int(p*q)), in.floats(int(q*(q+1)/2))
	want := in.sum.Sum(nil)
	if got := in.bytes(sha256.Size); in.err == nil && !bytes.Equal(got, want) {
		return nil, errors.New("moments: damaged file: wrong checksum")
	}
	if in.err != nil {
		return nil, fmt.Errorf("moments: damaged file: %w", in.err)
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

type reader struct {
	r   io.Reader
	sum hash.Hash
	err error
}

// bytes reads n bytes, a chunk at a time; after an error it returns zeros.
func (r *reader) bytes(n int) []byte {
	const chunk = 1 << 20
	var all []byte
	for len(all) < n && r.err == nil {
		lo := len(all)
		all = append(all, make([]byte, min(n-lo, chunk))...)
		if _, err := io.ReadFull(r.r, all[lo:]); err != nil {
			r.err = io.ErrUnexpectedEOF
		}
	}
	if r.err != nil {
		return nil
	}
	r.sum.Write(all)
	return all
}

func (r *reader) number() uint64 {
	b := r.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (r *reader) floats(n int) []float64 {
	raw := r.bytes(8 * n)
	if raw == nil {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		if (math.IsNaN(v[i]) || math.IsInf(v[i], 0)) && r.err == nil {
			r.err = errors.New("a sum is not a finite number")
		}
	}
	return v
}
