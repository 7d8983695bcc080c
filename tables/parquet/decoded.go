package parquet

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// levels says which levels stand in front of the values of the pages of a leaf.
type levels struct{ repetition, definition bool }

var errDelta = errors.New("a page has more numbers or text than its header claims")

// decodedBytes bounds the memory that the library takes for a page that is not compressed, beside what it is read from. It is an error if its numbers in deltas are more
// than its header claims, for which the library would make room without looking.
func decodedBytes(h *format.PageHeader, page []byte, l levels) (int, error) {
	const copies = 2 // as it is read, and decoded
	encoding, n := format.Plain, int(h.DictionaryPageHeader.V.NumValues)
	switch {
	case h.DataPageHeader.Valid:
		encoding, n = h.DataPageHeader.V.Encoding, int(h.DataPageHeader.V.NumValues)
		for _, has := range []bool{l.repetition, l.definition} {
			if has {
				page = behindLevels(page)
			}
		}
	case h.DataPageHeaderV2.Valid:
		v2 := &h.DataPageHeaderV2.V
		encoding, n = v2.Encoding, int(v2.NumValues)
		page = page[int(v2.RepetitionLevelsByteLength)+int(v2.DefinitionLevelsByteLength):]
	}
	text, levelBytes := 0, 0 // levelBytes of a value
	for _, has := range []bool{l.repetition, l.definition} {
		if has {
			levelBytes++
		}
	}
	perValue := levelBytes + 4 // an index or an offset
	switch encoding {
	case format.DeltaBinaryPacked:
		if _, err := behindDeltas(page, n); err != nil {
			return 0, err
		}
		perValue = levelBytes + 2*8
	case format.DeltaLengthByteArray:
		if _, err := behindDeltas(page, n); err != nil {
			return 0, err
		}
		perValue = levelBytes + 4*4 // offsets, and lengths with room for twice as many
	case format.DeltaByteArray:
		suffixes, err := behindDeltas(page, n)
		if err == nil {
			_, err = behindDeltas(suffixes, n)
		}
		if err != nil {
			return 0, err
		}
		prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, page)
		if err != nil {
			return 0, err
		}
		for _, length := range prefixes {
			text += int(max(0, length))
		}
		perValue = levelBytes + 7*4 // as well, and lengths here
	}
	return copies*len(page) + perValue*n + text, nil
}

// behindLevels is what follows levels with their length in front.
func behindLevels(page []byte) []byte {
	if len(page) < 4 {
		return nil
	}
	n := 4 + int64(binary.LittleEndian.Uint32(page))
	return page[min(n, int64(len(page))):]
}

// behindDeltas is what follows numbers that are packed as differences, of which there are at most so many.
func behindDeltas(src []byte, most int) (rest []byte, err error) {
	var head [3]uint64 // numbers in a block, parts of a block, numbers in all
	for i := range head {
		v, size := binary.Uvarint(src)
		if size <= 0 {
			return nil, errDelta
		}
		head[i], src = v, src[size:]
	}
	_, size := binary.Varint(src) // the first number
	if size <= 0 || head[1] == 0 || head[1] > head[0] || head[0] > 1<<20 || head[2] > uint64(most) {
		return nil, errDelta
	}
	src = src[size:]
	parts := int(head[1])
	inPart := int(head[0]) / parts
	for left := int(head[2]) - 1; left > 0; {
		_, size := binary.Varint(src) // the least difference
		if size <= 0 || len(src) < size+parts {
			return nil, errDelta
		}
		widths := src[size : size+parts]
		src = src[size+parts:]
		for _, bits := range widths {
			if left <= 0 {
				break
			}
			src = src[min(len(src), inPart*int(bits)/8):]
			left -= inPart
		}
	}
	return src, nil
}
