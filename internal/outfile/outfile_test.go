package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/internal/tabletest"
)

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("files of the directory (-want +got)\n%s", d)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	for _, s := range []string{"first", "second"} {
		if err := Write(path, put(s)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != s {
			t.Errorf("the file has %q, want %q", got, s)
		}
		wantFiles(t, dir, "out.csv")
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("out.csv", link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, put("third")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if got := content(t, path); err != nil || got != "third" || info.Mode().Perm() != 0o640 {
		t.Errorf("through the link: %q, mode %v, error %v", got, info.Mode(), err)
	}
	wantFiles(t, dir, "link", "out.csv")
}

func TestWriteFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	broken := errors.New("broken")
	fail := func(w io.Writer) error { io.WriteString(w, "half"); return broken }
	if err := Write(path, fail); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	wantFiles(t, dir)
	if err := Write(path, put("old")); err != nil {
		t.Fatal(err)
	}
	Write(path, fail)
	tabletest.WantPanic(t, "bug", func() { Write(path, func(io.Writer) error { panic("bug") }) })
	wantFiles(t, dir, "out.csv")
	if got := content(t, path); got != "old" {
		t.Errorf("the old file now has %q", got)
	}
	wantError(t, Write(dir, put("x")), "is a directory")
	wantError(t, Write(filepath.Join(dir, "no", "out.csv"), put("x")), "no such file")
	wantError(t, Write(filepath.Join(path, "below"), put("x")), "not a directory")
}

func TestWriteFileUnderway(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	err := Write(a, func(w io.Writer) error {
		if err := Write(b, put("inner")); err != nil {
			return err
		}
		return put("outer")(w)
	})
	if got := content(t, a) + content(t, b); err != nil || got != "outerinner" {
		t.Errorf("error %v, files %q", err, got)
	}
	wantFiles(t, dir, "a", "b")
	for i := range maxTemps + 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(".mediant-%d.tmp", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, Write(a, put("x")), "exists")
}

func TestWriteFileToDevice(t *testing.T) {
	for _, dev := range []string{"/dev/null", "/dev/full"} {
		if info, err := os.Stat(dev); err != nil || info.Mode().IsRegular() {
			t.Skip("no devices here")
		}
	}
	if err := Write("/dev/null", put("x")); err != nil {
		t.Error(err)
	}
	if err := Write("/dev/full", put("x")); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("error %v, want no space", err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Error("/dev/null was replaced")
	}
}

// TestTryFile: what TryFile lets pass is written, what it refuses WriteFile refuses too, and it changes nothing.
func TestTryFile(t *testing.T) {
	long := strings.Repeat("n", 300)
	for _, c := range []struct {
		name    string
		path    string
		prepare func() error
		refused bool
		reads   string // where the text comes out, else at path
	}{
		{name: "new", path: "out"},
		{name: "there", path: "out", prepare: func() error { return os.WriteFile("out", []byte("old"), 0o444) }},
		{name: "in a folder", path: "sub/out", prepare: func() error { return os.Mkdir("sub", 0o777) }},
		{name: "a link", path: "link", reads: "out", prepare: func() error {
			return errors.Join(os.WriteFile("out", nil, 0o666), os.Symlink("out", "link"))
		}},
		{name: "a link to what is not there", path: "link", reads: "out", prepare: func() error { return os.Symlink("out", "link") }},
		{name: "a link to a link to what is not there", path: "first", reads: "sub/out", prepare: func() error {
			return errors.Join(os.Mkdir("sub", 0o777), os.Symlink("sub/second", "first"), os.Symlink("out", "sub/second"))
		}},
		{name: "a link upwards from a folder that is a link", path: "short/link", reads: "deep/out", prepare: func() error {
			return errors.Join(os.MkdirAll("deep/er", 0o777), os.Symlink("deep/er", "short"), os.Symlink("../out", "deep/er/link"))
		}},
		{name: "an absolute link to what is not there", path: "link", reads: "out", prepare: func() error {
			dir, err := os.Getwd()
			return errors.Join(err, os.Symlink(filepath.Join(dir, "out"), "link"))
		}},
		{name: "a device that takes all", path: "/dev/null", reads: "/dev/null"},

		{name: "a folder", path: "sub", refused: true, prepare: func() error { return os.Mkdir("sub", 0o777) }},
		{name: "a link to a folder", path: "link", refused: true, prepare: func() error {
			return errors.Join(os.Mkdir("sub", 0o777), os.Symlink("sub", "link"))
		}},
		{name: "a missing folder", path: "no/out", refused: true},
		{name: "a file as folder", path: "file/out", refused: true, prepare: func() error { return os.WriteFile("file", nil, 0o666) }},
		{name: "a link into a missing folder", path: "link", refused: true, prepare: func() error { return os.Symlink("no/out", "link") }},
		{name: "a link to itself", path: "link", refused: true, prepare: func() error { return os.Symlink("link", "link") }},
		{name: "a name too long", path: long, refused: true},
		{name: "a full device", path: "/dev/full", refused: true},
		{name: "a folder that takes no files", path: "/proc/out", refused: true},
		{name: "a read-only folder", path: "/sys/out", refused: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if dir := filepath.Dir(c.path); filepath.IsAbs(c.path) {
				if _, err := os.Stat(dir); err != nil {
					t.Skip(err)
				}
			}
			if c.prepare != nil {
				if err := c.prepare(); err != nil {
					t.Skip(err)
				}
			}
			before := tree(t)
			tried := Try(c.path)
			if d := cmp.Diff(before, tree(t)); d != "" {
				t.Errorf("a trial changes files:\n%s", d)
			}
			wrote := Write(c.path, put("text"))
			if (tried != nil) != c.refused || (wrote != nil) != c.refused {
				t.Fatalf("tried: %v, written: %v, want errors: %v", tried, wrote, c.refused)
			}
			if c.refused {
				if strings.Contains(tried.Error(), ".tmp") || !strings.HasPrefix(tried.Error(), "outfile: write") {
					t.Errorf("the error is %q", tried)
				}
				if d := cmp.Diff(before, tree(t)); d != "" {
					t.Errorf("a failure changes files:\n%s", d)
				}
				return
			}
			if c.reads == "" {
				c.reads = c.path
			}
			if got := content(t, c.reads); got != "text" && c.reads != "/dev/null" {
				t.Errorf("%s has %q", c.reads, got)
			}
			for name, was := range before {
				if strings.HasPrefix(was, "L") && tree(t)[name] != was {
					t.Errorf("the link %s is now %q", name, tree(t)[name])
				}
			}
		})
	}
}

// tree has the mode and content of all there is in the current folder.
func tree(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var text []byte
		switch {
		case d.Type().IsRegular():
			text, err = os.ReadFile(path)
		case d.Type()&os.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(path)
			text = []byte(target)
		}
		all[path] = d.Type().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTryFolder(t *testing.T) {
	for _, c := range []struct {
		name, dir string
		prepare   func() error
		refused   bool
	}{
		{name: "new", dir: "a"},
		{name: "new below new", dir: "a/b/c"},
		{name: "there", dir: "a", prepare: func() error { return os.Mkdir("a", 0o777) }},
		{name: "with the file", dir: "a", prepare: func() error { return errors.Join(os.Mkdir("a", 0o777), os.WriteFile("a/file", nil, 0o666)) }},
		{name: "here", dir: "."},
		{name: "a file", dir: "a", refused: true, prepare: func() error { return os.WriteFile("a", nil, 0o666) }},
		{name: "below a file", dir: "a/b/c", refused: true, prepare: func() error { return os.WriteFile("a", nil, 0o666) }},
		{name: "a link to nothing", dir: "a", refused: true, prepare: func() error { return os.Symlink("b", "a") }},
		{name: "with a folder of the file's name", dir: "a", refused: true, prepare: func() error { return os.MkdirAll("a/file", 0o777) }},
		{name: "below a new one, a name too long", dir: "a/" + strings.Repeat("n", 300), refused: true},
		{name: "a place that takes no files", dir: "/proc/a", refused: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.prepare != nil {
				if err := c.prepare(); err != nil {
					t.Skip(err)
				}
			}
			before := tree(t)
			if err := TryFolder(c.dir, "file"); (err != nil) != c.refused {
				t.Errorf("error %v, want one: %v", err, c.refused)
			}
			if d := cmp.Diff(before, tree(t)); d != "" {
				t.Errorf("a trial changes files:\n%s", d)
			}
		})
	}
}

// wantError checks that the error is one line of this package with all the parts.
func wantError(t tabletest.T, err error, parts ...string) {
	t.Helper()
	tabletest.WantError(t, err, "outfile", parts...)
}
