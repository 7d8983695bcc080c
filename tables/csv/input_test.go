package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/internal/input"

	"mediant/internal/tabletest"
)

// An endedReader ends a context with its third read and counts those.
type endedReader struct {
	*strings.Reader
	end   func()
	reads int
}

func (r *endedReader) next() {
	if r.reads++; r.reads == 3 {
		r.end()
	}
}

func (r *endedReader) ReadAt(p []byte, at int64) (int, error) {
	r.next()
	return r.Reader.ReadAt(p, at)
}

// onlyReader has no other methods, which io.Copy would prefer.
type onlyReader struct{ *endedReader }

func (r onlyReader) Read(p []byte) (int, error) {
	r.next()
	return r.Reader.Read(p)
}

// TestOpeningEndsWithItsContext: a first pass over a long file, plain or gzip, and the copy of a long stream, end soon once the context has, with
// its error.
func TestOpeningEndsWithItsContext(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("x,y\n")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1 << 15 { // gzip makes 400 KB of them
		fmt.Fprintf(&rows, "%g,%g\n", rnd.Float64(), rnd.Float64())
	}
	plain := rows.String()
	for name, open := range map[string]func(ctx context.Context, r *endedReader) error{
		"a file": func(ctx context.Context, r *endedReader) error {
			_, err := newFile(ctx, input.File{Name: "f.csv", File: r, Size: r.Size()}, Options{})
			return err
		},
		"a stream": func(ctx context.Context, r *endedReader) error {
			_, err := input.Spool(ctx, "pipe", io.Reader(onlyReader{r}))
			return err
		},
	} {
		for _, content := range []string{plain, tabletest.Gzipped(t, plain)} {
			ctx, cancel := context.WithCancel(context.Background())
			r := &endedReader{Reader: strings.NewReader(content), end: cancel}
			if err := open(ctx, r); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "damaged") || r.reads > 3 {
				t.Errorf("%s of %d bytes: %v after %d reads", name, len(content), err, r.reads)
			}
		}
	}
}
