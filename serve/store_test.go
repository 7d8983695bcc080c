package serve

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stored opens a store that logs into a buffer.
func stored(t *testing.T, paths ...string) (*Store, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s, err := Open(nil, slog.New(slog.NewTextHandler(&log, nil)), paths...)
	if err != nil {
		t.Fatal(err)
	}
	return s, &log
}

// version is that of the model that requests get by default.
func version(t *testing.T, s *Store, name string) string {
	t.Helper()
	m, err := s.Find(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return m.Version
}

// TestStore: names and versions from a folder, and what is no model.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "plain.mediant"), "plain")
	for _, v := range []string{"2", "10", "9"} {
		put(t, filepath.Join(dir, "many", v+ending), "plain")
	}
	put(t, filepath.Join(dir, "both", "1.mediant"), "plain")
	put(t, filepath.Join(dir, "both.mediant"), "number")
	put(t, filepath.Join(dir, ".hidden.mediant"), "plain")
	put(t, filepath.Join(dir, ".trash", "1.mediant"), "plain")
	if err := os.WriteFile(filepath.Join(dir, "broken.mediant"), fitted["plain"]()[:1000], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, log := stored(t, dir)
	if got := s.Names(); !slices.Equal(got, []string{"both", "many", "plain"}) {
		t.Errorf("names %q", got)
	}
	if got := s.Versions("many"); !slices.Equal(got, []string{"2", "9", "10"}) || version(t, s, "many") != "10" {
		t.Errorf("versions %q, default %q", got, version(t, s, "many"))
	}
	if got := version(t, s, "both"); len(got) != digits {
		t.Errorf("default version %q, want that of the file at the top", got)
	}
	if !strings.Contains(log.String(), "broken.mediant") || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("log %s", log)
	}
	for _, c := range [][2]string{{"none", ""}, {"many", "3"}, {"broken", ""}, {".hidden", ""}} {
		if _, err := s.Find(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%q: error %v", c, err)
		}
	}
}

// TestOpenRefuses: paths that are wrong are errors at once.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a", "m.mediant"), "plain")
	put(t, filepath.Join(dir, "b", "m.mediant"), "plain")
	cut := filepath.Join(dir, "cut.mediant")
	if err := os.WriteFile(cut, []byte("MEDIANT\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, "no model file"}, {[]string{filepath.Join(dir, "none")}, "no such file"}, {[]string{cut}, "damaged"},
		{[]string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, `both model "m"`},
	} {
		if _, err := Open(nil, nil, c.paths...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.paths, err, c.want)
		}
	}
}

// TestRefresh: what is renamed into place is served, what is damaged is not, and what is gone is forgotten, whoever still holds it.
func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.mediant")
	put(t, path, "number")
	s, log := stored(t, dir)
	old, err := s.Find("m", "")
	if err != nil {
		t.Fatal(err)
	}
	s.Refresh()
	if m, _ := s.Find("m", ""); m != old || log.Len() > 0 {
		t.Errorf("a file that did not change was loaded again: %s", log)
	}
	put(t, path, "other")
	put(t, filepath.Join(dir, "n", "1.mediant"), "plain")
	s.Refresh()
	if got := version(t, s, "m"); got == old.Version || version(t, s, "n") != "1" {
		t.Errorf("version %q", got)
	}
	if _, err := s.Find("m", old.Version); err == nil {
		t.Error("the version that is no more is found")
	}
	good := version(t, s, "m")
	if err := os.WriteFile(path, fitted["number"]()[:5000], 0o666); err != nil { // written in place
		t.Fatal(err)
	}
	log.Reset()
	s.Refresh()
	s.Refresh()
	if got := version(t, s, "m"); got != good || strings.Count(log.String(), "not loaded") != 1 || s.failed.Load() != 1 {
		t.Errorf("version %q after a damaged file, want %q still; log %s", got, good, log)
	}
	put(t, path, "number")
	s.Refresh()
	if got := version(t, s, "m"); got != old.Version {
		t.Errorf("version %q, want %q again", got, old.Version)
	}
	log.Reset()
	if err := os.WriteFile(path, fitted["number"]()[:5000], 0o666); err != nil { // the same fault, of another file
		t.Fatal(err)
	}
	s.Refresh()
	if !strings.Contains(log.String(), "not loaded") {
		t.Errorf("log %s", log)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.Refresh()
	if got := s.Names(); !slices.Equal(got, []string{"n"}) {
		t.Errorf("names %q", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.Refresh()
	if got := s.Names(); len(got) > 0 {
		t.Errorf("names %q", got)
	}
	put(t, path, "number")
	s.Refresh()
	if got := version(t, s, "m"); got != old.Version {
		t.Errorf("version %q", got)
	}
}
