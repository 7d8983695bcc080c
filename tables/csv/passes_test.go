package csv

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/internal/input"
	"mediant/internal/tabletest"
	"mediant/tables"
)

func TestCSVStandardInput(t *testing.T) {
	old, tmp := os.Stdin, t.TempDir()
	defer func() { os.Stdin = old }()
	t.Setenv("TMPDIR", tmp)
	for _, tt := range []struct{ content, want string }{
		{"a\n1\n2\n", ""},
		{tabletest.Gzipped(t, "a\n1\n2\n"), ""},
		{"a\n", "standard input: no rows"},
		{"a\n1\nx\n2\n", "standard input:3:"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.WriteString(w, tt.content)
			w.Close()
		}()
		os.Stdin = r
		c, err := Open(context.Background(), "-", Options{})
		if tt.want != "" {
			wantError(t, err, tt.want)
		} else {
			for range 2 {
				tabletest.WantTable(t, c, map[string][]float64{"a": {1, 2}}, nil)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		r.Close()
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// A named pipe can be read once only, like the process substitution of a shell.
func TestCSVPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	go func() {
		io.WriteString(w, "a\n1\n2\n")
		w.Close()
	}()
	c, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		tabletest.WantTable(t, c, map[string][]float64{"a": {1, 2}}, nil)
	}
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, fmt.Errorf("broken") }

func (badReader) ReadAt([]byte, int64) (int, error) { return 0, fmt.Errorf("broken") }

func TestCSVReadFails(t *testing.T) {
	_, err := newFile(context.Background(), input.File{Name: "f.csv", File: badReader{}, Size: 10}, Options{})
	wantError(t, err, "f.csv: broken")
}

// many returns a table of several blocks.
func many(rows int) string {
	var b strings.Builder
	b.WriteString("x,l,y\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,\"l\n%d\",%g\n", i, i%7, float64(i)/3)
	}
	return b.String()
}

func TestCSVBlocksAndBuffers(t *testing.T) {
	for _, rows := range []int{1, tables.BlockRows - 1, tables.BlockRows, tables.BlockRows + 1, 2*tables.BlockRows + 5} {
		content := many(rows)
		want := tabletest.ReadAll(t, mustOpen(t, content, Options{}))
		if len(want.Numbers["x"]) != rows || want.Numbers["x"][rows-1] != float64(rows-1) {
			t.Fatalf("read %d rows, want %d", len(want.Numbers["x"]), rows)
		}
		for _, buffer := range []int{7, 4096} {
			for _, s := range []string{content, tabletest.Gzipped(t, content)} {
				got := tabletest.ReadAll(t, mustOpen(t, s, Options{ReaderBuffer: buffer}))
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%d rows, buffer %d (-want +got):\n%s", rows, buffer, d)
				}
			}
		}
	}
}

func TestCSVPassesAtTheSameTime(t *testing.T) {
	c := mustOpen(t, many(3000), Options{})
	want := tabletest.ReadAll(t, c)
	done := make(chan tabletest.Table)
	for range 4 {
		go func() { done <- tabletest.ReadAll(t, c) }()
	}
	for range 4 {
		if d := cmp.Diff(want, <-done); d != "" {
			t.Fatal(d)
		}
	}
}

func TestCSVStopsEarly(t *testing.T) {
	c := mustOpen(t, many(5000), Options{})
	n := 0
	for range c.Batches(context.Background()) {
		n++
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	for _, err = range c.Batches(ctx) {
		n++
		cancel()
	}
	if n != 3 || err != context.Canceled {
		t.Errorf("%d batches and error %v, want 3 and %v", n, err, context.Canceled)
	}
}

func TestCSVChangedBetweenPasses(t *testing.T) {
	for name, now := range map[string]string{
		"header":     "z,l,y\n",
		"fewer rows": "x,l,y\n1,2,3\n" + strings.Repeat("\n", 1<<20),
		"not number": "x,l,y\na,2,3\n",
		"more rows":  "x,l,y\n" + strings.Repeat("1,2,3\n", 6000),
	} {
		t.Run(name, func(t *testing.T) {
			content := many(3000)
			path := tabletest.WriteFile(t, "f.csv", content)
			c, err := Open(context.Background(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			now += strings.Repeat("\n", max(0, len(content)-len(now)))
			if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, err = range c.Batches(context.Background()) {
			}
			wantError(t, err, "f.csv", "changed")
		})
	}
}

func TestCSVClosed(t *testing.T) {
	c := mustOpen(t, "a\n1\n", Options{})
	c.Close()
	var err error
	for _, err = range c.Batches(context.Background()) {
	}
	wantError(t, err, "closed")
}

// A pass allocates the string of each line and a few blocks, nothing per cell.
func TestCSVAllocations(t *testing.T) {
	allocs := func(cells int) float64 {
		line := strings.Repeat("1.5,", cells-1) + "x\n"
		var head strings.Builder
		for i := range cells - 1 {
			fmt.Fprintf(&head, "c%d,", i)
		}
		c := mustOpen(t, head.String()+"t\n"+strings.Repeat(line, tables.BlockRows), Options{})
		return testing.AllocsPerRun(3, func() {
			for range c.Batches(context.Background()) {
			}
		})
	}
	// 100 is for the reader, its buffers that grow with the line, and one block.
	if few, lots := allocs(2), allocs(40); lots > few+100 || lots > tables.BlockRows+200 {
		t.Errorf("%v allocations with 2 cells a line, %v with 40", few, lots)
	}
}

// TestNumbersAreKept: of a table that has nothing else, until the next pass or the end of the file, and no more than there is room for.
func TestNumbersAreKept(t *testing.T) {
	for content, want := range map[string]bool{
		"a,b\n1,2\n,.5\n": true, "a\n1\n": true, "a,b\n1,x\n2,y\n": false, "a,b\n1,2\n,\n3,4\n": false, "id,b\n12345678901234567,1\n12345678901234568,2\n": false,
	} {
		path := tabletest.WriteFile(t, "f.csv", content)
		c, err := Open(context.Background(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.kept != nil; got != want {
			t.Errorf("%q: kept %v, want %v", content, got, want)
		}
		first := tabletest.ReadAll(t, c)
		if c.kept != nil {
			t.Errorf("%q: kept after a pass", content)
		}
		if d := cmp.Diff(first, tabletest.ReadAll(t, c), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%q: another table in the second pass:\n%s", content, d)
		}
		c.Close()
	}
	k := kept{room: 3}
	if !k.add([]float64{1, 2}) || k.add([]float64{3, 4}) {
		t.Error("room for 3 numbers takes 2, not 4")
	}
}
