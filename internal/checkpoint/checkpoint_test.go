package checkpoint

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var run = []Setting{{"--seed", "1"}, {"xu.csv", "10 bytes"}}

func opened(t *testing.T, dir string, every time.Duration) *Folder {
	t.Helper()
	f, err := Open(dir, run, every)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// save writes text as the state of a pass.
func save(t *testing.T, p *Pass, text string) {
	t.Helper()
	if err := p.Save(func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		t.Fatal(err)
	}
}

// resume reads as many bytes as text has from the state of a pass.
func resume(p *Pass, text string) (string, bool, error) {
	got := make([]byte, len(text))
	found, err := p.Resume(func(r io.Reader) error { _, err := io.ReadFull(r, got); return err })
	return string(got), found, err
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestPassesResume: a run that is repeated finds the state that each of its passes saved last, also of passes of one text, and Remove leaves nothing.
func TestPassesResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := opened(t, dir, time.Hour)
	a, again, b := f.Pass("a"), f.Pass("a"), f.Pass("b")
	if _, found, err := resume(a, ""); found || err != nil {
		t.Fatalf("a new pass has a state: %v, %v", found, err)
	}
	save(t, a, "old")
	save(t, a, "first")
	save(t, again, "second")
	f = opened(t, dir, time.Hour)
	for _, want := range []string{"first", "second", ""} {
		if got, found, err := resume(f.Pass("a"), want); err != nil || found != (want != "") || found && got != want {
			t.Errorf("resumed %q, %v, %v, want %q", got, found, err, want)
		}
	}
	if _, found, _ := resume(f.Pass("b"), ""); found {
		t.Error("a pass that saved nothing has a state")
	}
	if b == nil {
		t.Fatal("no pass")
	}
	if err := f.Remove(); err != nil || len(names(t, dir)) > 0 {
		t.Errorf("left %q, %v", names(t, dir), err)
	}
}

// TestOtherRuns: a folder of a run with other settings is refused by the name of the first one, and one with other files too.
func TestOtherRuns(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, dir, time.Hour)
	for want, other := range map[string][]Setting{
		`--seed is "1" there and "2" here`:              {{"--seed", "2"}, {"xu.csv", "10 bytes"}},
		`it has no --w, which here is "1"`:              {{"--seed", "1"}, {"--w", "1"}, {"xu.csv", "10 bytes"}},
		`xu.csv is "10 bytes" there and unset here`:     {{"--seed", "1"}},
		`xu.csv is "10 bytes" there and "11 b" here: r`: {{"--seed", "1"}, {"xu.csv", "11 b"}},
	} {
		if _, err := Open(dir, other, time.Hour); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f.Leave() // nothing was saved
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left %q of a run that saved nothing", left)
	}
	f = opened(t, dir, time.Hour)
	save(t, f.Pass("a"), "x")
	f.Leave()
	if left := names(t, dir); len(left) != 2 {
		t.Errorf("left %q of a run that saved a state", left)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(foreign, run, time.Hour); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
		t.Errorf("a folder with other files: %v", err)
	}
}

// TestDamagedStates: a state that is cut, changed or of another kind is an error that says what to do.
func TestDamagedStates(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, dir, time.Hour)
	p := f.Pass("a")
	save(t, p, "state")
	whole, err := os.ReadFile(f.path(p.name))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 1
		for what, bytes := range map[string][]byte{"cut": whole[:i], "changed": changed} {
			if err := os.WriteFile(f.path(p.name), bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := resume(p, "state"); err == nil || !strings.Contains(err.Error(), "remove the folder") {
				t.Fatalf("%s at byte %d: %v", what, i, err)
			}
		}
	}
	if err := os.WriteFile(f.path(runFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, run, time.Hour); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged %s: %v", runFile, err)
	}
}

// TestFailedSave: the state before stays where a new one cannot be written, and what a killed run was writing goes.
func TestFailedSave(t *testing.T) {
	dir := t.TempDir()
	f := opened(t, dir, time.Hour)
	p := f.Pass("a")
	save(t, p, "before")
	full := errors.New("no space left on device")
	err := p.Save(func(w io.Writer) error { io.WriteString(w, "half"); return full })
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "still there") {
		t.Errorf("a full disk: %v", err)
	}
	if got, _, err := resume(p, "before"); got != "before" || err != nil {
		t.Errorf("after a full disk: %q, %v", got, err)
	}
	if err := os.WriteFile(f.path(".mediant-3.tmp"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, dir, time.Hour)
	if left := names(t, dir); slices.Contains(left, ".mediant-3.tmp") || len(left) != 2 {
		t.Errorf("left %q", left)
	}
}

// TestDue: states are due after the time between them, results after a tenth of it.
func TestDue(t *testing.T) {
	f := opened(t, t.TempDir(), time.Minute)
	p := f.Pass("a")
	for _, c := range []struct {
		begun, saved time.Duration // ago
		due, long    bool
	}{{0, 0, false, false}, {7 * time.Second, 7 * time.Second, false, true}, {2 * time.Minute, 59 * time.Second, false, true}, {2 * time.Minute, time.Minute, true, true}} {
		p.begun, p.saved = time.Now().Add(-c.begun), time.Now().Add(-c.saved)
		if p.Due() != c.due || p.Long() != c.long {
			t.Errorf("%v after its begin and %v after a state: due %v, long %v", c.begun, c.saved, p.Due(), p.Long())
		}
	}
	save(t, p, "x")
	if p.Due() {
		t.Error("due at once after a state was saved")
	}
}

// TestNoFolder: without a folder in the context nothing is kept.
func TestNoFolder(t *testing.T) {
	p := Of(context.Background()).Pass("a")
	if p.Due() || p.Long() || p.Save(nil) != nil {
		t.Error("a pass without a folder is kept")
	}
	if found, err := p.Resume(nil); found || err != nil {
		t.Errorf("a pass without a folder is found: %v, %v", found, err)
	}
	f := opened(t, t.TempDir(), time.Hour)
	if Of(With(context.Background(), f)) != f || Of(With(With(context.Background(), f), nil)) != nil {
		t.Error("another folder than that of the context")
	}
}

// TestResult: work is done once, unless it fails, and its passes keep no state.
func TestResult(t *testing.T) {
	dir := t.TempDir()
	done := 0
	work := func(ctx context.Context) ([]*float64, error) {
		if Of(ctx) != nil {
			t.Error("work has the folder")
		}
		if done++; done == 1 {
			return nil, io.ErrUnexpectedEOF
		}
		return []*float64{new(float64), nil}, nil
	}
	for i, want := range []error{io.ErrUnexpectedEOF, nil, nil} {
		got, err := Result(With(context.Background(), opened(t, dir, time.Hour)), "work", work)
		if !errors.Is(err, want) || err == nil && (len(got) != 2 || got[0] == nil || *got[0] != 0 || got[1] != nil) {
			t.Errorf("run %d: %v, %v", i, got, err)
		}
	}
	if done != 2 {
		t.Errorf("done %d times", done)
	}
	none := func(ctx context.Context) (int, error) { return 3, nil }
	if got, err := Result(context.Background(), "work", none); got != 3 || err != nil {
		t.Errorf("without a folder %d, %v", got, err)
	}
}
