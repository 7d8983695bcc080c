package rr_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"mediant"
	"mediant/internal/fittest"
	"mediant/rr"
)

// A frame is a model file taken apart: its header, and its weights as bytes after their number.
type frame struct {
	header  []byte
	count   uint64
	weights []byte
}

func unframe(raw []byte) frame {
	length := int(binary.LittleEndian.Uint32(raw[12:]))
	rest := raw[16+length : len(raw)-32]
	return frame{raw[16 : 16+length], binary.LittleEndian.Uint64(rest), rest[8:]}
}

// file puts the frame together, with a right checksum and a header said to be of the given length.
func (f frame) file(length int) []byte {
	raw := append([]byte("MEDIANT\n\x02\x00\x00\x00\x00\x00\x00\x00"), f.header...)
	raw = binary.LittleEndian.AppendUint64(raw, f.count)
	raw = append(append(raw, f.weights...), make([]byte, 32)...)
	return mend(raw, length)
}

// refused fails unless Load says that the frame is damaged, and how.
func refused(t *testing.T, name string, f frame, length int, says string) {
	t.Helper()
	_, err := mediant.Load(bytes.NewReader(f.file(length)))
	if err == nil || !strings.Contains(err.Error(), "damaged model file: ") || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: error %v, want one about %q", name, err, says)
	}
}

func TestLoadRefusesFramesThatDoNotFit(t *testing.T) {
	whole := unframe(saved(t, models(t)["nystrom"]))
	length := len(whole.header)
	if _, err := mediant.Load(bytes.NewReader(whole.file(length))); err != nil {
		t.Fatalf("put together again: %v", err)
	}
	change := func(do func(f *frame)) frame {
		f := frame{bytes.Clone(whole.header), whole.count, bytes.Clone(whole.weights)}
		do(&f)
		return f
	}
	refused(t, "header beyond the file", whole, length+len(whole.weights)+1, "a header of")
	refused(t, "header of 4 GiB", whole, 1<<32-1, "a header of 4294967295")
	refused(t, "odd number of bytes", change(func(f *frame) { f.weights = append(f.weights, 0, 0, 0) }), length, "bytes")
	refused(t, "a byte less", change(func(f *frame) { f.weights, f.count = f.weights[1:], f.count-1 }), length, "bytes")
	refused(t, "another count", change(func(f *frame) { f.count++ }), length, "bytes")
	refused(t, "a count of 2^61 more", change(func(f *frame) { f.count += 1 << 61 }), length, "bytes")
	refused(t, "weights too many", change(func(f *frame) { f.count += 2; f.weights = append(f.weights, make([]byte, 16)...) }), length, "2 weights too many")
	refused(t, "weights too few", change(func(f *frame) { f.count--; f.weights = f.weights[8:] }), length, "weights")
	refused(t, "a weight of NaN", change(func(f *frame) { copy(f.weights[8:], "\xff\xff\xff\xff\xff\xff\xff\xff") }), length, "weight 1 is not finite")
}

// sectionOf returns the header of package rr in that of a file.
func sectionOf(t *testing.T, file map[string]any) map[string]any {
	t.Helper()
	first := file["sections"].([]any)[0].(map[string]any)
	if first["package"] != "rr" {
		t.Fatalf("the first section is that of %v", first["package"])
	}
	return first["header"].(map[string]any)
}

// edited returns the frame with the header of package rr changed as JSON.
func edited(t *testing.T, f frame, edit func(header map[string]any)) frame {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(f.header, &file); err != nil {
		t.Fatal(err)
	}
	edit(sectionOf(t, file))
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	f.header = text
	return f
}

func TestLoadRefusesMapsOfAnotherWidth(t *testing.T) {
	// X is one column in the first model and two in the second, whose encoder the first is given.
	whole := unframe(saved(t, models(t)["fourier"]))
	xu, uy := tablesOf(t, 30, 30, 1)
	two := unframe(saved(t, fit(t, fittest.With(linear(), rr.TwoStep{}), xu, uy)))
	var other map[string]any
	if err := json.Unmarshal(two.header, &other); err != nil {
		t.Fatal(err)
	}
	other = sectionOf(t, other)
	for encoder, says := range map[string]string{"encoder_x": "f: predicts 2 outputs from", "encoder_u": "h: predicts 2 outputs from"} {
		f := edited(t, whole, func(header map[string]any) { header[encoder] = other[encoder] })
		refused(t, encoder, f, len(f.header), says)
	}
}

func TestLoadRefusesChainsTooDeep(t *testing.T) {
	// The naive model's f is a chain of two. Chains within chains are refused at the fourth level,
	// before their weights are missed.
	whole := unframe(saved(t, models(t)["chain"]))
	deep := func(levels int) frame {
		return edited(t, whole, func(header map[string]any) {
			part := header["f"]
			for range levels {
				part = map[string]any{"kind": "chain", "parts": []any{part, part}}
			}
			header["f"] = part
		})
	}
	f := deep(3)
	refused(t, "a chain of chains", f, len(f.header), "too many within each other")
	for _, parts := range [][]any{nil, {nil, nil}} {
		f := edited(t, whole, func(header map[string]any) { header["f"] = map[string]any{"kind": "chain", "parts": parts} })
		refused(t, "a chain without parts", f, len(f.header), "f: ")
	}
}
