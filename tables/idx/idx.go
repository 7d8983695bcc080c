// Package idx reads idx files, the format of MNIST.
package idx

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"mediant/internal/input"
)

// Limits of Read. The data sets that use the format have at most three dimensions and far less
// than a gigabyte.
const (
	maxDims = 4
	maxSize = 1 << 30
)

// Read reads an idx file of unsigned bytes, the format of MNIST (images: rows × height × width;
// labels: rows), plain or gzip:
//
//	0x00 0x00 0x08 d    d sizes of 4 bytes, most significant first    the bytes, last index fastest
//
// It returns the d sizes and the bytes. It reads to the end of r and refuses another element type, more
// than 4 dimensions, a size of 0, more than 2^30 bytes, and content that is shorter or longer than the
// sizes say. Memory is at most about twice the (decompressed) content, whatever the sizes claim.
func Read(r io.Reader) (dims []int, data []byte, err error) {
	text, _, err := input.Gunzip(r, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("idx: %w", err)
	}
	dims, size, err := readHeader(text)
	if err != nil {
		return nil, nil, err
	}
	data, err = io.ReadAll(io.LimitReader(text, int64(size)+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("idx: the file is cut or damaged: %w", err)
	case len(data) < size:
		return nil, nil, fmt.Errorf("idx: the file is cut: %d bytes, want %d for sizes %v",
			len(data), size, dims)
	case len(data) > size:
		return nil, nil, fmt.Errorf("idx: more than the %d bytes of sizes %v", size, dims)
	}
	return dims, data, nil
}

func readHeader(r io.Reader) (dims []int, size int, err error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return nil, 0, fmt.Errorf("idx: no header: %w", err)
	}
	d := int(magic[3])
	if magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || d == 0 || d > maxDims {
		return nil, 0, fmt.Errorf("idx: the file starts with % x, want 00 00 08 and 1 to %d dimensions",
			magic, maxDims)
	}
	size = 1
	for range d {
		var word [4]byte
		if _, err := io.ReadFull(r, word[:]); err != nil {
			return nil, 0, fmt.Errorf("idx: the header is cut: %w", err)
		}
		n := binary.BigEndian.Uint32(word[:])
		if n == 0 || n > math.MaxInt32 || int64(size)*int64(n) > maxSize {
			return nil, 0, fmt.Errorf("idx: sizes %v then %d, want at least 1 each and at most %d bytes together",
				dims, n, maxSize)
		}
		dims = append(dims, int(n))
		size *= int(n)
	}
	return dims, size, nil
}
