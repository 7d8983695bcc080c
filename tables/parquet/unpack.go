package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// errUnpacked is of a page that has not the bytes that its header claims.
var errUnpacked = errors.New("a page has not the size that its header claims")

// codecs are the compressions that unpack knows.
var codecs = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4, format.Lz4Raw}

// unzstd decompresses to the room that is there and no further.
var unzstd = func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<32))
	if err != nil {
		panic(err) // of options alone
	}
	return d
}()

// unpack fills dst with what src is compressed from. It needs no memory for claims that src makes beyond dst, as the codecs of the library for Parquet do; that for
// LZ4 besides loses pages (its issue 608).
func unpack(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Uncompressed:
		if len(src) != len(dst) {
			return errUnpacked
		}
		copy(dst, src)
		return nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errors.Join(errUnpacked, err)
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return err
		}
		return fill(dst, r)
	case format.Brotli:
		return fill(dst, brotli.NewReader(bytes.NewReader(src)))
	case format.Zstd:
		got, err := unzstd.DecodeAll(src, slices.Clip(dst)[:0])
		if err == nil && len(got) != len(dst) {
			err = errUnpacked
		}
		return err
	case format.Lz4Raw:
		return unpackBlock(dst, src)
	case format.Lz4:
		return unpackBlocks(dst, src)
	}
	return fmt.Errorf("is compressed with %s", codec)
}

// fill reads dst from r, which must end with it.
func fill(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return errors.Join(errUnpacked, err)
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return errUnpacked
	} else if err != io.EOF {
		return err
	}
	return nil
}

func unpackBlock(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = errUnpacked
	}
	return err
}

// unpackBlocks decompresses what the format once called LZ4: blocks with their sizes in front, as Hadoop writes them, or one block alone.
func unpackBlocks(dst, src []byte) error {
	const sizes = 8 // of a block unpacked and packed, big-endian
	to, from := dst, src
	for len(from) >= sizes {
		size, packed := int64(binary.BigEndian.Uint32(from)), int64(binary.BigEndian.Uint32(from[4:]))
		if from = from[sizes:]; size > int64(len(to)) || packed > int64(len(from)) {
			return unpackBlock(dst, src)
		}
		if err := unpackBlock(to[:size], from[:packed]); err != nil {
			return unpackBlock(dst, src)
		}
		to, from = to[size:], from[packed:]
	}
	if len(to) > 0 || len(from) > 0 {
		return unpackBlock(dst, src)
	}
	return nil
}
