package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mediant/internal/input"
	"mediant/tables/internal/columnartest"
)

// packed is data as the library for Parquet compresses it.
func packed(t *testing.T, codec format.CompressionCodec, data []byte) []byte {
	t.Helper()
	got, err := parquet.LookupCompressionCodec(codec).Encode(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(got)
}

// hadoop is data as Hadoop writes LZ4: blocks of n bytes with their sizes in front.
func hadoop(t *testing.T, data []byte, n int) []byte {
	t.Helper()
	var all []byte
	for block := range slices.Chunk(data, n) {
		p := packed(t, format.Lz4Raw, block)
		all = binary.BigEndian.AppendUint32(all, uint32(len(block)))
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(p))), p...)
	}
	return all
}

// samples are bytes that shrink to nothing, by a quarter (which LZ4 of the library loses), and not at all.
func samples() map[string][]byte {
	random := make([]byte, 40000)
	r := rand.NewChaCha8([32]byte{})
	r.Read(random)
	quarter := slices.Clone(random)
	copy(quarter[30000:], quarter[:10000])
	return map[string][]byte{"zeros": make([]byte, 40000), "quarter": quarter, "random": random}
}

// Each codec gives the bytes back, and an error where they are not as many as the header says, are cut or others.
func TestUnpack(t *testing.T) {
	for name, data := range samples() {
		forms := map[string][]byte{"LZ4 of Hadoop": hadoop(t, data, 15000), "LZ4 of one block": packed(t, format.Lz4Raw, data)}
		of := map[string]format.CompressionCodec{"LZ4 of Hadoop": format.Lz4, "LZ4 of one block": format.Lz4}
		for _, codec := range codecs {
			if codec != format.Lz4 {
				forms[codec.String()], of[codec.String()] = packed(t, codec, data), codec
			}
		}
		for form, p := range forms {
			codec, dst := of[form], make([]byte, len(data))
			if err := unpack(codec, dst, p); err != nil || !bytes.Equal(dst, data) {
				t.Errorf("%s, %s: error %v, or other bytes", name, form, err)
			}
			for _, size := range []int{0, len(data) - 1, len(data) + 1, 2 * len(data)} {
				if unpack(codec, make([]byte, size), p) == nil {
					t.Errorf("%s, %s: %d bytes are unpacked as %d", name, form, len(data), size)
				}
			}
			if unpack(codec, dst, p[:len(p)/2]) == nil {
				t.Errorf("%s, %s: half of it is unpacked", name, form)
			}
		}
	}
	if err := unpack(format.LZO, nil, nil); err == nil {
		t.Error("LZO is unpacked")
	}
}

// pageOf is a page as it is in a file.
func pageOf(t *testing.T, h format.PageHeader, data []byte) []byte {
	t.Helper()
	h.CompressedPageSize = int32(len(data))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(head, data)
}

func pagesOf(codec format.CompressionCodec, data []byte) *unpacked {
	return chunk{0, int64(len(data)), codec}.pages(bytes.NewReader(data), levels{}, input.NewRoom(int64(len(data))))
}

// Pages come one after another, their levels as they are and their values unpacked.
func TestPages(t *testing.T) {
	values := []byte(strings.Repeat("value", 100))
	p := packed(t, format.Gzip, values)
	v1 := format.PageHeader{Type: format.DataPage, UncompressedPageSize: 500, CRC: int32(crc32.ChecksumIEEE(p)), DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 3})}
	v1.DataPageHeader.V.Statistics.MaxValue = make([]byte, 5000)
	v2 := format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: 506, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{NumValues: 3, DefinitionLevelsByteLength: 4, RepetitionLevelsByteLength: 2})}
	plain := v2
	plain.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
	empty := format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: 6, DataPageHeaderV2: v2.DataPageHeaderV2}
	file := slices.Concat(pageOf(t, v1, p), pageOf(t, v2, slices.Concat([]byte("levels"), p)), pageOf(t, plain, slices.Concat([]byte("levels"), values)), pageOf(t, empty, []byte("levels")))
	got, err := io.ReadAll(io.NewSectionReader(pagesOf(format.Gzip, file), 0, math.MaxInt64))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{string(values), "levels" + string(values), "levels" + string(values), "levels"} {
		var protocol thrift.CompactProtocol
		r, h := protocol.NewReaderFromBytes(got), new(format.PageHeader)
		if err := thrift.NewDecoder(r).Decode(h); err != nil {
			t.Fatal(err)
		}
		if got = got[r.BytesRead():]; int(h.CompressedPageSize) != len(want) || int(h.UncompressedPageSize) != len(want) || h.CRC != 0 || string(got[:len(want)]) != want {
			t.Fatalf("page %d is %+v", i, h)
		}
		got = got[len(want):]
	}
	if len(got) > 0 {
		t.Errorf("%d bytes behind the last page", len(got))
	}
	if _, err := pagesOf(format.Gzip, file).ReadAt(make([]byte, 9), 1); err == nil {
		t.Error("pages are read from their middle")
	}
}

// Claims of a page are refused before memory is taken for them.
func TestPagesBeyondTheFile(t *testing.T) {
	data := format.PageHeader{Type: format.DataPage, UncompressedPageSize: 4, DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1})}
	for name, c := range map[string]struct {
		codec format.CompressionCodec
		edit  func(*format.PageHeader)
		want  string
	}{
		"whole":          {format.Uncompressed, func(h *format.PageHeader) {}, ""},
		"values":         {format.Uncompressed, func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = 1 << 30 }, "claims 1073741824 values"},
		"negative":       {format.Uncompressed, func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = -1 }, "values in 4 bytes"},
		"size":           {format.Zstd, func(h *format.PageHeader) { h.UncompressedPageSize = math.MaxInt32 }, "a page takes more memory at a time than its"},
		"checksum":       {format.Uncompressed, func(h *format.PageHeader) { h.CRC = 1 }, "has not its checksum"},
		"packed to less": {format.Zstd, func(h *format.PageHeader) {}, "magic number mismatch"},
		"levels": {format.Zstd, func(h *format.PageHeader) {
			h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{DefinitionLevelsByteLength: 5})
		}, errUnpacked.Error()},
	} {
		h := data
		c.edit(&h)
		_, err := io.ReadAll(io.NewSectionReader(pagesOf(c.codec, pageOf(t, h, []byte("data"))), 0, math.MaxInt64))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	whole := pageOf(t, data, []byte("data"))
	if _, err := io.ReadAll(io.NewSectionReader(pagesOf(format.Uncompressed, whole[:len(whole)-1]), 0, math.MaxInt64)); err != errUnpacked {
		t.Errorf("of a page that is cut the error is %v", err)
	}
}

// Chunks of one leaf may have several compressions; a leaf with one that is not known is refused.
func TestCompressionOfChunks(t *testing.T) {
	type row struct {
		X float64 `parquet:"x"`
		U float64 `parquet:"u"`
	}
	rows := make([]row, 500)
	for i := range rows {
		rows[i] = row{math.Sin(float64(i)), math.Cos(float64(i))}
	}
	one := written(t, rows, parquet.MaxRowsPerRowGroup(300), parquet.Compression(&parquet.Zstd))
	other := written(t, rows, parquet.MaxRowsPerRowGroup(300), parquet.Compression(&parquet.Lz4Raw))
	want := columnartest.Cells(t, open(t, one))
	f := open(t, one)
	f.in = columnartest.Input("f.parquet", slices.Concat(one, other))
	f.groups[1] = open(t, other).groups[1]
	for i := range f.groups[1].chunks {
		f.groups[1].chunks[i].start += int64(len(one))
	}
	if diff := cmp.Diff(want, columnartest.Cells(t, f)); diff != "" || want[0][3] != "0.8414709848078965" {
		t.Errorf("cell %s: %s", want[0][3], diff)
	}
	f.groups[1].chunks[0].codec = format.LZO
	if got := f.packed(0); got != "is compressed with LZO, want Zstandard, Snappy, gzip, Brotli, LZ4 or none" {
		t.Errorf("refused: %q", got)
	}
	if got := f.packed(1); got != "" {
		t.Errorf("refused: %q", got)
	}
}
