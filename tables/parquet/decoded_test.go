package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// TestBehindDeltas: what follows numbers in deltas is found whatever their number is, and claims of more than there may be are refused.
func TestBehindDeltas(t *testing.T) {
	for _, n := range []int{1, 2, 32, 33, 128, 129, 500, 1000} {
		numbers := make([]int32, n)
		for i := range numbers {
			numbers[i] = int32(i * i % 1000 >> (i % 7))
		}
		packed, err := new(delta.BinaryPackedEncoding).EncodeInt32(nil, numbers)
		if err != nil {
			t.Fatal(err)
		}
		for _, behind := range []string{"", "what follows"} {
			if rest, err := behindDeltas(append(slices.Clone(packed), behind...), n); err != nil || string(rest) != behind {
				t.Errorf("%d numbers: %q follows, want %q, error %v", n, rest, behind, err)
			}
		}
		if _, err := behindDeltas(packed, n-1); !errors.Is(err, errDelta) {
			t.Errorf("%d numbers where there may be one fewer: %v", n, err)
		}
	}
	for _, head := range [][]uint64{{}, {128}, {128, 4}, {128, 4, 1}, {128, 0, 1, 0}, {1 << 40, 4, 1, 0}, {4, 128, 1, 0}, {128, 4, 9, 0}, {128, 4, 9, 0, 0, 0, 0}} {
		var src []byte
		for _, v := range head {
			src = binary.AppendUvarint(src, v)
		}
		if _, err := behindDeltas(src, 9); !errors.Is(err, errDelta) {
			t.Errorf("head %v: %v", head, err)
		}
	}
}

// TestDecodedBytes: text that shares prefixes is counted at its whole length, behind the levels of both versions of a page, and claims of more lengths are refused.
func TestDecodedBytes(t *testing.T) {
	var text []byte
	offsets := []uint32{0}
	for i := range 100 {
		text = append(append(text, bytes.Repeat([]byte("x"), 10_000)...), byte('a'+i%26))
		offsets = append(offsets, uint32(len(text)))
	}
	values, err := new(delta.ByteArrayEncoding).EncodeByteArray(nil, text, offsets)
	if err != nil {
		t.Fatal(err)
	}
	levelsV1 := append(binary.LittleEndian.AppendUint32(nil, 3), "lev"...)
	v1 := func(n int32) *format.PageHeader {
		return &format.PageHeader{DataPageHeader: thrift.New(format.DataPageHeader{NumValues: n, Encoding: format.DeltaByteArray})}
	}
	v2 := &format.PageHeader{DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 100, Encoding: format.DeltaByteArray, RepetitionLevelsByteLength: 2, DefinitionLevelsByteLength: 3})}
	for name, c := range map[string]struct {
		header *format.PageHeader
		page   []byte
		levels levels
	}{
		"required": {v1(100), values, levels{}},
		"optional": {v1(100), slices.Concat(levelsV1, values), levels{definition: true}},
		"repeated": {v1(100), slices.Concat(levelsV1, levelsV1, values), levels{true, true}},
		"second":   {v2, slices.Concat([]byte("level"), values), levels{true, true}},
	} {
		n, err := decodedBytes(c.header, c.page, c.levels)
		if err != nil || n < len(text) || n > len(text)+4*len(values)+40*100 {
			t.Errorf("%s: %d bytes, error %v", name, n, err)
		}
	}
	if _, err := decodedBytes(v1(99), values, levels{}); !errors.Is(err, errDelta) {
		t.Errorf("of 100 values of 99 the error is %v", err)
	}
	if _, err := decodedBytes(v1(100), nil, levels{true, true}); err == nil {
		t.Error("no page is read")
	}
}
