package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"mediant/internal/input"
	"mediant/tables/internal/columnar"
)

const magic = "PAR1"

// readFooter refuses other files, and a footer that claims to be longer than the file.
func readFooter(in columnar.Input) ([]byte, error) {
	var begin [4]byte
	var end [8]byte // the length of the footer, and the magic word
	in.ReadAt(begin[:], 0)
	if !Begins(string(begin[:])) {
		return nil, errors.New("is no Parquet file (which has its own compression)")
	}
	if _, err := io.ReadFull(io.NewSectionReader(in, in.Size-int64(len(end)), int64(len(end))), end[:]); err != nil || string(end[4:]) != magic {
		return nil, errors.New("the file is cut")
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if n > in.Size-int64(len(end)) {
		return nil, fmt.Errorf("its footer claims %d bytes, the file has %d", n, in.Size)
	}
	footer := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(in, in.Size-int64(len(end))-n, n), footer)
	return footer, err
}

// take takes room of the pass: a page of one value is a few bytes, whatever it stands for, and a damaged one claims any size.
func (u *unpacked) take(n int) error {
	if err := u.room.Take(n); err != nil {
		return fmt.Errorf("a page %w; write it with smaller pages, or not compressed", err)
	}
	u.taken += n
	return nil
}

// release gives back what was taken.
func (u *unpacked) release() {
	u.room.Give(u.taken)
	u.taken = 0
}

// grow returns a slice of n bytes, in the memory of buf if that is enough.
func (u *unpacked) grow(buf []byte, n int) ([]byte, error) {
	if n <= cap(buf) {
		return buf[:n], nil
	}
	if err := u.take(n - cap(buf)); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// takeDecoded takes the room for what the library makes of a page: of a dictionary as long as there are pages, of others for the largest one.
func (u *unpacked) takeDecoded(h *format.PageHeader, page []byte) error {
	n, err := decodedBytes(h, page, u.levels)
	switch {
	case err != nil:
		return err
	case h.DictionaryPageHeader.Valid:
		return u.take(n)
	case n > u.decoded:
		n, u.decoded = n-u.decoded, n
		return u.take(n)
	}
	return nil
}

// unpacked has the pages of a chunk, one after another and not compressed, for the library to read.
type unpacked struct {
	chunk
	in      io.ReaderAt
	levels  levels
	room    *input.Room
	taken   int    // of it
	decoded int    // bytes of the largest page, as decoded
	at      int64  // in the file
	given   int64  // bytes that were read of the pages
	left    []byte // of the current page
	packed  []byte // it as it is in the file
	page    []byte
}

func (c chunk) pages(in io.ReaderAt, l levels, r *input.Room) *unpacked {
	return &unpacked{chunk: c, in: in, levels: l, room: r, at: c.start}
}

// ReadAt goes on where the last call has ended, which is where the library reads.
func (u *unpacked) ReadAt(p []byte, off int64) (int, error) {
	if off != u.given {
		return 0, errors.New("a page has no dictionary")
	}
	for len(u.left) == 0 {
		if u.at == u.start+u.size {
			return 0, io.EOF
		}
		if err := u.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, u.left)
	u.left = u.left[n:]
	u.given += int64(n)
	return n, nil
}

// next unpacks the next page.
func (u *unpacked) next() error {
	h, err := u.header()
	if err != nil {
		return err
	}
	levels := 0 // in front of the values of a page, which alone are compressed
	codec := u.codec
	if v2 := h.DataPageHeaderV2; v2.Valid {
		levels = int(v2.V.RepetitionLevelsByteLength) + int(v2.V.DefinitionLevelsByteLength)
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	}
	size, packed := int(h.UncompressedPageSize), int(h.CompressedPageSize)
	if codec == format.Uncompressed {
		size = packed
	}
	if levels < 0 || levels > min(size, packed) || int64(packed) > u.start+u.size-u.at {
		return errUnpacked
	}
	if u.packed, err = u.grow(u.packed, packed); err != nil {
		return err
	}
	if _, err := io.ReadFull(io.NewSectionReader(u.in, u.at, int64(packed)), u.packed); err != nil {
		return err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(u.packed) {
		return errors.New("a page has not its checksum")
	}
	u.at += int64(packed)
	h.UncompressedPageSize, h.CompressedPageSize, h.CRC = int32(size), int32(size), 0
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return err
	}
	if u.page, err = u.grow(u.page, len(head)+size); err != nil {
		return err
	}
	u.left = u.page
	copy(u.page, head)
	copy(u.page[len(head):], u.packed[:levels])
	if size > levels { // there are values
		if err := unpack(codec, u.page[len(head)+levels:], u.packed[levels:]); err != nil {
			return err
		}
	}
	return u.takeDecoded(h, u.page[len(head):])
}

// header reads the header of the next page, without its statistics, and goes to its end.
func (u *unpacked) header() (*format.PageHeader, error) {
	left := u.start + u.size - u.at
	for size := int64(512); ; size *= 8 { // most are shorter, but for statistics of long text
		window := make([]byte, min(size, left))
		if _, err := io.ReadFull(io.NewSectionReader(u.in, u.at, int64(len(window))), window); err != nil {
			return nil, err
		}
		var protocol thrift.CompactProtocol
		r, h := protocol.NewReaderFromBytes(window), new(format.PageHeader)
		err := verify(window)
		if err == nil {
			err = thrift.NewDecoder(r).Decode(h)
		}
		if err != nil && int64(len(window)) < left {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the header of a page: %w", err)
		}
		u.at += int64(r.BytesRead())
		h.DataPageHeader.V.Statistics, h.DataPageHeaderV2.V.Statistics = format.Statistics{}, format.Statistics{}
		return h, checkValues(h)
	}
}

// checkValues refuses a page that claims more values than its bytes can stand for.
func checkValues(h *format.PageHeader) error {
	const (
		perByte = 8       // truth values, as many bits
		runs    = 4 << 20 // of one value, which take no bytes
	)
	counts := []int32{h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues} // 0 but for the one of its type
	n := slices.Max(counts)
	if min(h.UncompressedPageSize, h.CompressedPageSize, slices.Min(counts)) < 0 || int64(n) > runs+perByte*int64(h.UncompressedPageSize) {
		return fmt.Errorf("a page claims %d values in %d bytes", n, h.UncompressedPageSize)
	}
	return nil
}
