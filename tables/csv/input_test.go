package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// TestLongRecords: a compressed file holds a line, a header or a cell in quotes of any length in few bytes, of which no more than 4 MiB beside its size are read.
func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", 24<<20)
	tabletest.Bounded(t, 0, func() {
		_, err := Open(t.Context(), tabletest.WriteFile(t, "f.csv", strings.Repeat(",", 1<<20)), Options{})
		wantError(t, err, "f.csv:1: has more than 33704 columns, which 1048576 bytes cannot stand for")
	})
	_, err := Open(t.Context(), tabletest.WriteFile(t, "f.csv", "a,b\n1,2\n"+strings.Repeat(",", 5000)+"\n"), Options{})
	wantError(t, err, "f.csv:3: more than 4100 cells, want 2 as in the header")
	for name, c := range map[string]struct {
		content, want string
	}{
		"header": {long + ",b\n1,2\n", "f.csv.gz:1: has a line, or a cell in quotes, of more than "},
		"line":   {"a,b\n1,2\n3," + long + "\n", "f.csv.gz:3: has a line"},
		"quotes": {"a,b\n1,\"" + strings.Repeat("y\n", 12<<20) + "\"\n", "f.csv.gz:2: has a line"},
		"zeros":  {"a,b\n1,2\n" + strings.Repeat("\n", 5<<20) + "1,2\n", ""},
	} {
		path := filepath.Join(t.TempDir(), "f.csv.gz")
		packed := []byte(tabletest.Gzipped(t, c.content))
		if err := os.WriteFile(path, packed, 0o600); err != nil {
			t.Fatal(err)
		}
		read := func() {
			src, err := Open(t.Context(), path, Options{})
			if err == nil {
				src.Close()
			}
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "; decompress the file to read it")) {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
		if c.want == "" {
			read()
		} else {
			tabletest.Bounded(t, len(packed), read)
		}
	}
}
