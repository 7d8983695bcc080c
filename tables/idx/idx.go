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
// than 4 dimensions, a size of 0, more than 2^30 bytes, content that is shorter or longer than the sizes say, and
// compressed content of more than 4 times its bytes and 24 MiB. Memory is at most 10 times the bytes of r and 64 MB, whatever the sizes claim.
func Read(r io.Reader) (dims []int, data []byte, err error) {
	packed := &counted{r: r}
	text, _, err := input.Gunzip(packed, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("idx: %w", err)
	}
	dims, size, err := readHeader(text)
	if err != nil {
		return nil, nil, err
	}
	data, err = readAll(text, packed, size)
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

// A counted reader counts what is read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// readAll reads at most one byte more than size. It makes room as the content comes, and refuses one of far more bytes than packed stands for.
func readAll(text io.Reader, packed *counted, size int) ([]byte, error) {
	const (
		perByte = 4
		least   = 24 << 20
	)
	data := make([]byte, 0, min(size+1, least))
	for {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(size+1, len(data)+len(data)/4)), data...)
		}
		n, err := text.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case err == io.EOF || err == nil && len(data) > size:
			return data, nil
		case err != nil:
			return data, err
		case len(data) > perByte*packed.n+least:
			return data, fmt.Errorf("%d compressed bytes stand for more than %d", packed.n, len(data))
		}
	}
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
