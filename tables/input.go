package tables

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mediant/internal/unfinished"
)

// defaultReaderBuffer is where larger buffers no longer made the reader faster.
const defaultReaderBuffer = 64 << 10

// An input can be read from its first byte again and again, by several readers at a time. It keeps
// the file open, so that all passes see the same file even if another takes over its name.
type input struct {
	name  string
	file  io.ReaderAt
	size  int64
	close func() error
}

// openInput opens a file. Standard input ("-"), and whatever else can be read once only, is copied
// to a temporary file first; ctx ends that.
func openInput(ctx context.Context, path string) (input, error) {
	if path == "-" {
		return spool(ctx, "standard input", os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return input{}, fmt.Errorf("tables: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return input{}, fmt.Errorf("tables: %w", err)
	case info.IsDir():
		f.Close()
		return input{}, fmt.Errorf("tables: %s: is a directory, want a file", path)
	case !info.Mode().IsRegular():
		defer f.Close()
		return spool(ctx, path, f)
	}
	return input{name: path, file: f, size: info.Size(), close: f.Close}, nil
}

// spool copies r to a temporary file that is gone once it is closed.
func spool(ctx context.Context, name string, r io.Reader) (input, error) {
	f, err := unfinished.Create(func() (*os.File, error) { return os.CreateTemp("", "mediant-*.csv") })
	if err != nil {
		return input{}, fmt.Errorf("tables: %s: %w", name, err)
	}
	// Most systems can remove a file in use; then nothing is left however the process ends.
	inUse := unfinished.Remove(f.Name()) != nil
	closeFile := func() error {
		err := f.Close()
		if inUse {
			err = errors.Join(err, unfinished.Remove(f.Name()))
		}
		return err
	}
	size, err := io.Copy(f, contextReader{ctx, r})
	if err != nil {
		closeFile()
		return input{}, fmt.Errorf("tables: %s: %w", name, err)
	}
	return input{name: name, file: f, size: size, close: closeFile}, nil
}

// text returns the content from its start, decompressed; packed tells that it was compressed. At
// most buffer bytes are asked of the file at a time, 0 means defaultReaderBuffer. Once ctx has ended, reading is its error.
func (in *input) text(ctx context.Context, buffer int) (r *bufio.Reader, packed bool, err error) {
	var raw io.Reader = contextReader{ctx, io.NewSectionReader(in.file, 0, in.size)}
	if buffer > 0 {
		raw = shortReader{raw, buffer}
	}
	r, packed, err = gunzip(raw)
	if err != nil {
		return nil, packed, fmt.Errorf("tables: %s: %w", in.name, err)
	}
	return r, packed, nil
}

// gzipMagic is how a gzip file begins.
const gzipMagic = "\x1f\x8b"

// gunzip decompresses r if its first bytes say it is gzip.
func gunzip(r io.Reader) (text *bufio.Reader, packed bool, err error) {
	raw := bufio.NewReaderSize(r, defaultReaderBuffer)
	magic, err := raw.Peek(2)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if string(magic) != gzipMagic {
		return raw, false, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, true, damagedGzip(err)
	}
	return bufio.NewReaderSize(z, defaultReaderBuffer), true, nil
}

// damagedGzip says so of an error of reading, but for that of a context.
func damagedGzip(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("the gzip file is cut or damaged: %w", err)
}

// shortReader reads at most n bytes at a time.
type shortReader struct {
	r io.Reader
	n int
}

func (s shortReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// contextReader reads until ctx ends.
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
