package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediant/internal/slow"
	"mediant/report"
	"mediant/theory"
)

func TestOutputsMayNotReplaceInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"xu.csv": "x,u\n1,2\n2,1\n3,5\n", "uy.csv": "u,y\n1,2\n2,3\n3,7\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try := func(line string) (int, string) {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), strings.Fields(line), &stdout, &stderr)
		return status, stderr.String()
	}
	if status, stderr := try("fit --xu xu.csv --uy uy.csv -o m.mediant"); status != 0 {
		t.Fatal(stderr)
	}
	for line, want := range map[string]int{
		"fit --xu xu.csv --uy uy.csv -o uy.csv":      statusUsage,
		"fit --xu xu.csv --uy uy.csv -o ./xu.csv":    statusUsage,
		"fit --xu xu.csv --uy uy.csv -o -":           statusUsage,
		"fit --xu xu.csv --uy uy.csv -o no/m":        statusData,
		"fit --xu xu.csv --uy uy.csv -o xu.csv/m":    statusData,
		"predict m.mediant xu.csv -o m.mediant":      statusUsage,
		"predict m.mediant xu.csv -o xu.csv":         statusUsage,
		"fit --xu xu.csv --uy uy.csv --text z -o m2": statusData,
	} {
		if status, stderr := try(line); status != want || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q", line, status, stderr)
		}
	}
	if raw, err := os.ReadFile("uy.csv"); err != nil || string(raw[:3]) != "u,y" {
		t.Errorf("an input was replaced (%v)", err)
	}
}

func TestMessagesAreForPeople(t *testing.T) {
	for in, want := range map[string]string{
		"tables: a.csv:3: bad":                          "a.csv:3: bad",
		"t.csv: features: encoder: tables: no column z": "t.csv: no column z",
		`column "rr: x" is odd`:                         `column "rr: x" is odd`,
	} {
		if got := plain(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestMessagesNameNoPackage: errors of all packages but those of the program and of generated code begin with the package, which plain takes away.
func TestMessagesNameNoPackage(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(filepath.Dir(path))
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/bench/") || strings.Contains(path, "/beam/") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(source, []byte(`Errorf("`+name+`: `)) {
			return err
		}
		found++
		if got := plain(name + ": why"); got != "why" {
			t.Errorf("%s: a message becomes %q", path, got)
		}
		return nil
	})
	if err != nil || found < 50 {
		t.Errorf("%d files have errors; %v", found, err)
	}
}

func TestVersionFlag(t *testing.T) {
	var a, b bytes.Buffer
	run(context.Background(), []string{"--version"}, &a, &a)
	run(context.Background(), []string{"version"}, &b, &b)
	if a.String() != b.String() || !strings.HasPrefix(a.String(), "mediant ") {
		t.Errorf("%q and %q", a.String(), b.String())
	}
}

// badFiles are ways in which a file cannot be written, and badFolders in which a report cannot be written into a folder.
func badFiles(t *testing.T) map[string]string {
	t.Helper()
	ways := map[string]string{
		"a folder": "folder", "a link to a folder": "tofolder", "a missing folder": "no/out", "a file as folder": "file/out",
		"a link into a missing folder": "tonothing", "a link to itself": "loop", "a name too long": strings.Repeat("n", 300),
	}
	for way, path := range map[string]string{"a full device": "/dev/full", "a folder that takes no files": "/proc/out", "a read-only folder": "/sys/out"} {
		if _, err := os.Stat(strings.TrimSuffix(path, "out")); err == nil {
			ways[way] = path
		}
	}
	return ways
}

func badFolders(t *testing.T) map[string]string {
	t.Helper()
	ways := map[string]string{
		"a file": "file", "below a file": "file/a/b", "a link to nothing": "tonothing", "a folder with a folder of a file's name": "taken",
		"a name too long": "a/" + strings.Repeat("n", 300),
	}
	if _, err := os.Stat("/proc/"); err == nil {
		ways["a place that takes no files"] = "/proc/out"
	}
	return ways
}

// withSlash puts a slash behind each path, as --report has it for folders.
func withSlash(ways map[string]string) map[string]string {
	for way := range ways {
		ways[way] += "/"
	}
	return ways
}

// badPlaces makes what badFiles and badFolders name, in an empty folder with small tables and a model.
func badPlaces(t *testing.T) {
	t.Helper()
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "file", "")
	err := errors.Join(os.Mkdir("folder", 0o777), os.Symlink("folder", "tofolder"), os.Symlink("no/out", "tonothing"), os.Symlink("loop", "loop"))
	for _, name := range []string{"report.json", "results.json", "results.jsonl", "xy.csv"} {
		err = errors.Join(err, os.MkdirAll("taken/"+name, 0o777))
	}
	if err != nil {
		t.Skipf("symbolic links cannot be made on this system: %v", err)
	}
}

// TestOutputsAreTriedFirst: an output that cannot be written is refused before any work, for which inputs are missing here, or the
// work is endless, with one line, and nothing is written (BVLC/caffe PR #3049, vdemichev/DiaNN#720).
func TestOutputsAreTriedFirst(t *testing.T) {
	badPlaces(t)
	defer func(claims func(context.Context, theory.Options) (*report.Document, []theory.Check, error)) {
		verifyClaims = claims
	}(verifyClaims)
	verifyClaims = func(context.Context, theory.Options) (*report.Document, []theory.Check, error) {
		return nil, nil, errors.New("worked")
	}
	before := contents(t)
	for _, c := range []struct {
		line string
		ways map[string]string
	}{
		{"fit --xu nosuch.csv --uy nosuch.csv -o", badFiles(t)},
		{"fit --quiet --xu nosuch.csv --uy nosuch.csv -o", badFiles(t)},
		{"fit --xu nosuch.csv --uy nosuch.csv -o new.mediant --report", badFiles(t)},
		{"inspect nosuch.mediant --report", badFiles(t)},
		{"evaluate nosuch.mediant --xy nosuch.csv --report", badFiles(t)},
		{"fit --xu nosuch.csv --uy nosuch.csv -o new.mediant --report", withSlash(badFolders(t))},
		{"predict nosuch.mediant nosuch.csv -o", badFiles(t)},
		{"study coverage --rows 1000000 -o", badFiles(t)},
		{"demo --write", badFolders(t)},
		{"verify -o", badFolders(t)},
		{"reproduce synthetic --rows 1000000 -o", badFolders(t)},
		{"reproduce images --set cifar10 --data nosuch -o", badFolders(t)},
	} {
		for way, path := range c.ways {
			begun := time.Now()
			got := invoke(append(words(c.line), path)...)
			if got.status != statusData || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || strings.Contains(got.stderr, "nosuch") ||
				strings.Contains(got.stderr, "worked") || strings.Contains(got.stderr, ".tmp") || !strings.Contains(got.stderr, "write") {
				t.Errorf("%s: %s: %+v", c.line, way, got)
			}
			if took := time.Since(begun); slow.Tagged() && took > time.Second {
				t.Errorf("%s: %s: refused after %v", c.line, way, took)
			}
			if after := contents(t); !slices.Equal(after, before) {
				t.Fatalf("%s: %s: files were %q, now %q", c.line, way, before, after)
			}
		}
	}
}

// TestLinkToNothingStays: a symbolic link whose target is not there yet stays one, and the target is written.
func TestLinkToNothingStays(t *testing.T) {
	inFolder(t)
	small(t)
	for link, target := range map[string]string{"m": "deep/model", "out": "deep/table.csv", "report.json": "deep/elsewhere"} {
		if err := errors.Join(os.MkdirAll("deep", 0o777), os.Symlink(target, link)); err != nil {
			t.Skipf("symbolic links cannot be made on this system: %v", err)
		}
	}
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m --quiet --phi linear --psi linear")...)
	succeed(t, words("predict m xu.csv -o out")...)
	defer func(old func(context.Context, theory.Options) (*report.Document, []theory.Check, error)) {
		verifyClaims = old
	}(verifyClaims)
	verifyClaims = func(context.Context, theory.Options) (*report.Document, []theory.Check, error) {
		return &report.Document{Title: "title"}, nil, nil
	}
	succeed(t, words("verify -o .")...)
	for link, target := range map[string]string{"m": "deep/model", "out": "deep/table.csv", "report.json": "deep/elsewhere"} {
		if to, err := os.Readlink(link); err != nil || to != target || read(t, target) == "" {
			t.Errorf("%s: %q, %v", link, to, err)
		}
	}
}

// TestStdoutIsTriedFirst: so is standard output where something is to be printed, and nowhere else.
func TestStdoutIsTriedFirst(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	for _, line := range []string{
		"fit --xu nosuch --uy nosuch -o n", "fit --xu nosuch --uy nosuch -o n --json --quiet", "predict nosuch nosuch", "evaluate nosuch --xy nosuch",
		"evaluate nosuch --xu nosuch --uy nosuch", "effect --xu nosuch --uy nosuch --treatment t", "inspect nosuch", "demo --data nosuch", "demo --write new",
		"verify -o new", "reproduce synthetic -o new", "reproduce images --data nosuch -o new", "study coverage", "study se", "study features",
		"", "--help", "help", "help fit", "fit --help", "reproduce --help", "--version", "version", "study", "reproduce", "completion bash",
	} {
		var stderr bytes.Buffer
		status := run(context.Background(), words(line), brokenWriter{}, &stderr)
		if status != statusData || stderr.String() != "mediant: disk full\n" {
			t.Errorf("mediant %s: status %d, %q", line, status, stderr.String())
		}
	}
	for _, line := range []string{"fit --xu xu.csv --uy uy.csv -o n --quiet --phi linear --psi linear", "predict m.mediant xu.csv -o out"} {
		var stderr bytes.Buffer
		if status := run(context.Background(), words(line), brokenWriter{}, &stderr); status != statusDone {
			t.Errorf("mediant %s: status %d, %q", line, status, stderr.String())
		}
	}
	if got := files(t); !slices.Equal(got, []string{"m.mediant", "n", "out", "uy.csv", "xu.csv"}) {
		t.Errorf("files are %q", got)
	}
}
