// Package frame writes and reads the parts of binary files: bytes, numbers and floats, little-endian, with a SHA-256 of all of them behind. A reader
// takes no more memory than the bytes that it has read, whatever a damaged file claims.
package frame

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"math"
)

// A Writer writes parts until an error, which End returns.
type Writer struct {
	buf *bufio.Writer
	sum hash.Hash
	n   int64
	err error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{buf: bufio.NewWriter(w), sum: sha256.New()} }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	w.Bytes(b)
	return len(b), w.err
}

// Bytes writes b as it is.
func (w *Writer) Bytes(b []byte) {
	w.sum.Write(b)
	w.raw(b)
}

func (w *Writer) raw(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.buf.Write(b)
		w.n += int64(n)
	}
}

// Number writes 8 bytes.
func (w *Writer) Number(v uint64) { w.Bytes(binary.LittleEndian.AppendUint64(nil, v)) }

// Floats writes 8 bytes each, a chunk at a time.
func (w *Writer) Floats(v []float64) {
	const chunk = 1 << 13
	raw := make([]byte, 0, 8*min(chunk, len(v)))
	for lo := 0; lo < len(v); lo += chunk {
		raw = raw[:0]
		for _, x := range v[lo:min(lo+chunk, len(v))] {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
		}
		w.Bytes(raw)
	}
}

// End writes the checksum and returns the number of bytes written, and the first error.
func (w *Writer) End() (int64, error) {
	w.raw(w.sum.Sum(nil))
	if w.err == nil {
		w.err = w.buf.Flush()
	}
	return w.n, w.err
}

// A Reader reads parts until an error, after which they are empty or 0.
type Reader struct {
	r   io.Reader
	sum hash.Hash
	err error
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, sum: sha256.New()} }

// Err returns the first error: io.ErrUnexpectedEOF, a float that is not finite, or a wrong checksum.
func (r *Reader) Err() error { return r.err }

// Read implements io.Reader, for parts that have a form of their own.
func (r *Reader) Read(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(b)
	r.sum.Write(b[:n])
	return n, err
}

// Bytes reads n bytes, a chunk at a time.
func (r *Reader) Bytes(n int) []byte {
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

// Number reads 8 bytes.
func (r *Reader) Number() uint64 {
	b := r.Bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Floats reads n finite numbers.
func (r *Reader) Floats(n int) []float64 {
	raw := r.Bytes(8 * n)
	if raw == nil {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		if (math.IsNaN(v[i]) || math.IsInf(v[i], 0)) && r.err == nil {
			r.err = errors.New("a value is not a finite number")
		}
	}
	return v
}

// End reads the checksum and returns the first error.
func (r *Reader) End() error {
	want := r.sum.Sum(nil)
	if got := r.Bytes(sha256.Size); r.err == nil && !bytes.Equal(got, want) {
		r.err = errors.New("wrong checksum")
	}
	return r.err
}
