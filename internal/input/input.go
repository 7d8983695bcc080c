// Package input opens the files that tables are read from: plain or gzip, on disk or from standard input. Its errors begin with no package, since the
// format that is read says which.
package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"mediant/internal/progress"
	"mediant/internal/unfinished"
)

// BufferSize is where larger buffers no longer made the reader faster.
const BufferSize = 64 << 10

// Stdin is the name of standard input.
const Stdin = "standard input"

// A File can be read from its first byte again and again, by several readers at a time. It keeps
// the file open, so that all passes see the same file even if another takes over its name.
type File struct {
	Name  string
	File  io.ReaderAt
	Size  int64
	Close func() error
}

// Open opens a file. Standard input ("-"), and whatever else can be read once only, is copied
// to a temporary file first; ctx ends that.
func Open(ctx context.Context, path string) (File, error) {
	if path == "-" {
		return Spool(ctx, Stdin, os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return File{}, err
	case info.IsDir():
		f.Close()
		return File{}, fmt.Errorf("%s: is a directory, want a file", path)
	case !info.Mode().IsRegular():
		defer f.Close()
		return Spool(ctx, path, f)
	}
	return File{Name: path, File: f, Size: info.Size(), Close: f.Close}, nil
}

// Spool copies r to a temporary file that is gone once it is closed.
func Spool(ctx context.Context, name string, r io.Reader) (File, error) {
	f, closeFile, err := Temporary()
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	size, err := io.Copy(f, Until(ctx, r))
	if err != nil {
		closeFile()
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	return File{Name: name, File: f, Size: size, Close: closeFile}, nil
}

// Temporary makes a temporary file that is gone once it is closed, or the program ends. Its errors name it.
func Temporary() (f *os.File, closeFile func() error, err error) {
	f, err = unfinished.Create(func() (*os.File, error) { return os.CreateTemp("", "mediant-*.tmp") })
	if err != nil {
		return nil, nil, err
	}
	// Most systems can remove a file in use; then nothing is left however the process ends.
	inUse := unfinished.Remove(f.Name()) != nil
	return f, func() error {
		err := f.Close()
		if inUse {
			err = errors.Join(err, unfinished.Remove(f.Name()))
		}
		return err
	}, nil
}

// Text returns the content from its start, decompressed; packed tells that it was compressed. At
// most buffer bytes are asked of the file at a time, 0 means defaultReaderBuffer. Once ctx has ended, reading is its error.
func (in *File) Text(ctx context.Context, buffer int) (r *bufio.Reader, packed bool, err error) {
	var raw io.Reader = &reportedReader{r: Until(ctx, io.NewSectionReader(in.File, 0, in.Size)), ctx: ctx, in: in}
	if buffer > 0 {
		raw = shortReader{raw, buffer}
	}
	r, packed, err = Gunzip(raw, in.Size)
	if err != nil {
		return nil, packed, fmt.Errorf("%s: %w", in.Name, err)
	}
	return r, packed, nil
}

// LongestRecord bounds the bytes of a line, or of lines in one pair of quotes, that a reader of text holds in memory at a time: of a compressed file, which can hold a line of
// any length in few bytes, 4 MiB and as many bytes as it has.
func (in *File) LongestRecord(packed bool) int {
	if !packed {
		return math.MaxInt
	}
	return 4<<20 + int(in.Size)
}

// Magic is how a gzip file begins.
const Magic = "\x1f\x8b"

// zstdMagic is how a zstd file begins. It claims a window, which is held in memory: at most what zstd itself reads without --long, and in a small file no more than
// the levels below --ultra have, or ten times its size.
const (
	zstdMagic       = "\x28\xb5\x2f\xfd"
	mostZstdWindow  = 128 << 20
	leastZstdWindow = 32 << 20
)

// Gunzip decompresses r, of so many bytes (0 if that is not known), if its first bytes say it is gzip or zstd.
func Gunzip(r io.Reader, size int64) (text *bufio.Reader, packed bool, err error) {
	raw := bufio.NewReaderSize(r, BufferSize)
	magic, err := raw.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if string(magic) == zstdMagic {
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(min(max(10*size, leastZstdWindow), mostZstdWindow))))
		if err != nil {
			return nil, true, Damaged(err)
		}
		return bufio.NewReaderSize(z, BufferSize), true, nil
	}
	if !bytes.HasPrefix(magic, []byte(Magic)) {
		return raw, false, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, true, Damaged(err)
	}
	return bufio.NewReaderSize(z, BufferSize), true, nil
}

// Damaged says so of an error of reading, but for that of a context.
func Damaged(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("the compressed file is cut or damaged: %w", err)
}

// shortReader reads at most n bytes at a time.
type shortReader struct {
	r io.Reader
	n int
}

func (s shortReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// A reportedReader reports how much of a file is read.
type reportedReader struct {
	r    io.Reader
	ctx  context.Context
	in   *File
	done int64
}

func (r *reportedReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.done += int64(n)
	progress.Report(r.ctx, "reading "+filepath.Base(r.in.Name), r.done, r.in.Size)
	return n, err
}

// Until reads r until ctx ends, which is the error then.
func Until(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
