package frame

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestReadsWhatWasWritten, and refuses a file that lacks its last byte or has another one anywhere.
func TestReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		number := rapid.Uint64().Draw(t, "number")
		floats := make([]float64, rapid.SampledFrom([]int{0, 1, 3, 1 << 13, 1<<13 + 1}).Draw(t, "floats"))
		for i := range floats {
			floats[i] = 1 / float64(i+3)
		}
		var file bytes.Buffer
		w := NewWriter(&file)
		w.Bytes(raw)
		w.Number(number)
		w.Floats(floats)
		if n, err := w.End(); err != nil || n != int64(file.Len()) {
			t.Fatalf("%d bytes of %d (%v)", n, file.Len(), err)
		}
		read := func(file []byte) error {
			r := NewReader(bytes.NewReader(file))
			gotRaw, gotNumber, gotFloats := r.Bytes(len(raw)), r.Number(), r.Floats(len(floats))
			err := r.End()
			if err == nil && (!bytes.Equal(gotRaw, raw) || gotNumber != number || !slices.Equal(gotFloats, floats)) {
				t.Fatalf("read %x, %d and %d floats", gotRaw, gotNumber, len(gotFloats))
			}
			return err
		}
		if err := read(file.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := read(file.Bytes()[:file.Len()-1]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut: %v", err)
		}
		changed := bytes.Clone(file.Bytes())
		changed[rapid.IntRange(0, len(changed)-1).Draw(t, "at")] ^= 1
		if err := read(changed); err == nil {
			t.Fatal("a changed bit is not seen")
		}
	})
}

// TestClaims: a length that a file does not have takes no memory, and floats that are not finite are refused.
func TestClaims(t *testing.T) {
	r := NewReader(bytes.NewReader(make([]byte, 100)))
	if b := r.Bytes(1 << 50); b != nil || !errors.Is(r.Err(), io.ErrUnexpectedEOF) || r.Number() != 0 || r.Floats(1) != nil {
		t.Errorf("%d bytes of 100 (%v)", len(b), r.Err())
	}
	var file bytes.Buffer
	w := NewWriter(&file)
	w.Floats([]float64{1, math.NaN()})
	if _, err := w.End(); err != nil {
		t.Fatal(err)
	}
	if r = NewReader(&file); r.Floats(2) == nil || r.End() == nil {
		t.Error("NaN is read in silence")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// TestWriteErrors come from End.
func TestWriteErrors(t *testing.T) {
	w := NewWriter(full{})
	w.Floats(make([]float64, 10000))
	if _, err := w.End(); err == nil || err.Error() != "no space" {
		t.Errorf("error %v", err)
	}
}
