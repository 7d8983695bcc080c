package moments

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"mediant/internal/frame"
)

// The layout of a saved Total of several parts, all numbers little-endian; one of a single part is its CoMoments:
//
//	magic                                           8 bytes, which say in what arithmetic rows were summed
//	left, right identity, that of the grid          32 bytes each
//	rows                                            uint64
//	Σ w, the sums of a and b, the products aa ab bb int128 each; symmetric matrices by rows of their upper triangle
//	SHA-256 of all the above                        32 bytes
const (
	totalMagic      = "MDTTOTL1"
	totalMagicMixed = "MDTTOTLM"
)

// WriteTo writes the total so that ReadTotal gives back the same bits. Totals of the same parts, merged in any order, give the same bytes.
func (t *Total) WriteTo(w io.Writer) (int64, error) {
	if t.one != nil {
		return t.one.WriteTo(w)
	}
	out := frame.NewWriter(w)
	grid := t.grid.ID()
	for _, b := range [][]byte{magicOf(t.mixed, totalMagic, totalMagicMixed), t.left[:], t.right[:], grid[:]} {
		out.Bytes(b)
	}
	out.Number(uint64(t.rows))
	for _, v := range [][]int128{{t.weight}, t.a, t.b, t.aa, t.ab, t.bb} {
		writeIntegers(out, v)
	}
	return out.End()
}

// writeIntegers writes a chunk at a time, since sums may be large.
func writeIntegers(w *frame.Writer, v []int128) {
	const chunk = 1 << 12
	raw := make([]byte, 0, 16*min(chunk, len(v)))
	for lo := 0; lo < len(v); lo += chunk {
		raw = raw[:0]
		for _, n := range v[lo:min(lo+chunk, len(v))] {
			raw = binary.LittleEndian.AppendUint64(raw, n.lo)
			raw = binary.LittleEndian.AppendUint64(raw, uint64(n.hi))
		}
		w.Bytes(raw)
	}
}

// ReadTotal reads one Total on the grid that was agreed on. A file that is truncated, damaged, of another kind, on another grid, or has impossible values is
// an error. Memory grows only with the bytes read.
func ReadTotal(r io.Reader, grid *Grid) (*Total, error) {
	in := frame.NewReader(r)
	p, q := len(grid.CentreA), len(grid.CentreB)
	head := string(in.Bytes(len(magic)))
	switch {
	case in.Err() != nil:
		return nil, fmt.Errorf("moments: damaged file: %w", in.Err())
	case head == magic || head == magicMixed:
		m, err := readCoMoments(in, head == magicMixed)
		if err != nil {
			return nil, err
		}
		if a, b := m.Dims(); a > 0 && (a != p || b != q) {
			return nil, fmt.Errorf("moments: damaged file: %d and %d columns, want %d and %d", a, b, p, q)
		}
		return NewTotal(grid, m), nil
	case head != totalMagic && head != totalMagicMixed:
		return nil, errUnknown
	}
	t := &Total{grid: grid, mixed: head == totalMagicMixed}
	copy(t.left[:], in.Bytes(len(t.left)))
	copy(t.right[:], in.Bytes(len(t.right)))
	var of ID
	copy(of[:], in.Bytes(len(of)))
	if in.Err() == nil && of != grid.ID() {
		return nil, fmt.Errorf("moments: the grid of the file is %s, want %s", of, grid.ID())
	}
	rows := in.Number()
	t.rows = int(rows)
	if weight := readIntegers(in, 1); in.Err() == nil {
		t.weight = weight[0]
	}
	t.a, t.b = readIntegers(in, p), readIntegers(in, q)
	t.aa, t.ab, t.bb = readIntegers(in, p*(p+1)/2), readIntegers(in, p*q), readIntegers(in, q*(q+1)/2)
	if err := in.End(); err != nil {
		return nil, fmt.Errorf("moments: damaged file: %w", err)
	}
	if rows > math.MaxInt64 || t.weight.hi < 0 {
		return nil, fmt.Errorf("moments: damaged file: total weight %g of %d rows", t.weight.float(gridBits), rows)
	}
	return t, nil
}

func readIntegers(r *frame.Reader, n int) []int128 {
	raw := r.Bytes(16 * n)
	if raw == nil {
		return nil
	}
	v := make([]int128, n)
	for i := range v {
		v[i] = int128{lo: binary.LittleEndian.Uint64(raw[16*i:]), hi: int64(binary.LittleEndian.Uint64(raw[16*i+8:]))}
	}
	return v
}
