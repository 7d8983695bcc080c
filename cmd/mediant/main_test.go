package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// inFolder makes an empty folder the current one, so that tests use short names. They share the
// process's folder, standard input and GOMAXPROCS, so none is parallel.
func inFolder(t *testing.T) { t.Chdir(t.TempDir()) }

// write writes a file of the current folder.
func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// files lists the current folder.
func files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// result is what one command line did.
type result struct {
	stdout, stderr string
	status         int
}

// invoke runs a command line in this process.
func invoke(args ...string) result {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0)) // --threads changes it
	var stdout, stderr bytes.Buffer
	status := run(context.Background(), args, &stdout, &stderr)
	return result{stdout.String(), stderr.String(), status}
}

// succeed runs a command line that must succeed without a word on stderr, and returns its stdout.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	got := invoke(args...)
	if got.status != statusDone || got.stderr != "" {
		t.Fatalf("mediant %s: status %d, stderr %q", strings.Join(args, " "), got.status, got.stderr)
	}
	return got.stdout
}

// words splits a command line at its spaces.
func words(line string) []string { return strings.Fields(line) }

// withStdin makes a file standard input while f runs.
func withStdin(t *testing.T, name string, f func()) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := os.Stdin
	defer func() { os.Stdin = old }()
	os.Stdin = file
	f()
}

// cells parses CSV and takes off the header.
func cells(t *testing.T, text string) (header []string, rows [][]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%v in CSV %q", err, text)
	}
	return all[0], all[1:]
}

// numbers parses the only column of a table of predictions.
func numbers(t *testing.T, text string) []float64 {
	t.Helper()
	header, rows := cells(t, text)
	if len(header) != 1 {
		t.Fatalf("columns %q, want one", header)
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = number(t, row[0])
	}
	return out
}

func number(t *testing.T, cell string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near fails unless all numbers agree within tol times the larger of 1 and the number wanted.
func near(t *testing.T, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i, v := range got {
		if d := v - want[i]; !(d <= tol*max(1, want[i], -want[i])) || !(-d <= tol*max(1, want[i], -want[i])) {
			t.Errorf("number %d is %.17g, want %.17g within %g", i, v, want[i], tol)
		}
	}
}

// table writes CSV of columns computed from the row number.
func table(header string, rows int, row func(i int) []any) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range rows {
		for j, v := range row(i) {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(&b, v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Tables of three rows that any method can learn from.
const (
	smallXU = "x,u\n1,2\n2,1\n3,4\n"
	smallUY = "u,y\n1,2\n2,3\n4,9\n"
)

// small writes the small tables.
func small(t *testing.T) {
	t.Helper()
	write(t, "xu.csv", smallXU)
	write(t, "uy.csv", smallUY)
}

// linearFit is a fit whose features are the columns themselves.
var linearFit = words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --phi linear --psi linear")

// fitLinear fits the small tables of the current folder.
func fitLinear(t *testing.T, more ...string) {
	t.Helper()
	succeed(t, slices.Concat(linearFit, more)...)
}

func TestHelpListsEveryCommand(t *testing.T) {
	want := []string{"check", "completion", "demo", "effect", "evaluate", "export", "fit", "help", "inspect", "instrument", "label", "plan", "predict", "reproduce", "serve", "sums", "verify", "version"}
	for _, args := range []string{"", "help", "--help", "-h"} {
		out := succeed(t, words(args)...)
		_, list, found := strings.Cut(out, "Available Commands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		if !found {
			t.Fatalf("mediant %s lists no commands", args)
		}
		var got []string
		for line := range strings.Lines(list) {
			got = append(got, strings.Fields(line)[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("mediant %s lists %q, want %q", args, got, want)
		}
	}
	for _, command := range want {
		if command == "help" {
			continue
		}
		long := succeed(t, command, "--help")
		if short := succeed(t, "help", command); short != long {
			t.Errorf("help %s and %s --help differ", command, command)
		}
		if !strings.Contains(long, "Usage:\n  mediant "+command) {
			t.Errorf("help of %s: %q", command, long)
		}
	}
}

// TestHelpListsEveryFlag holds the flags of section 5 of the design.
func TestHelpListsEveryFlag(t *testing.T) {
	for command, flags := range map[string]string{
		"fit": "xu uy output x u y weights-xu weights-uy method phi psi landmarks features bandwidth-x bandwidth-u lambda lambda-f " +
			"lambda-h w penalty precision components arithmetic no-intercept no-standardize task seed threads memory json quiet delimiter decimal text " +
			"landmarks-x landmarks-u word-ngrams char-ngrams hash-columns delimiter-xu delimiter-uy decimal-xu decimal-uy",
		"predict":  "output scores quiet delimiter decimal threads",
		"evaluate": "xy json delimiter decimal threads",
		"inspect":  "json",
		"demo":     "splits landmarks data output write seed json quiet threads",

		"reproduce synthetic": "dims repetitions rows test seed output json quiet threads",
	} {
		help := succeed(t, append(words(command), "--help")...)
		for _, flag := range words(flags) {
			if !strings.Contains(help, "--"+flag+" ") {
				t.Errorf("the help of %s lacks --%s", command, flag)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	out := succeed(t, "version")
	for _, part := range []string{"mediant " + version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH} {
		if !strings.Contains(out, part) {
			t.Errorf("version prints %q, want %q in it", out, part)
		}
	}
}

// TestInterrupt: a fit that is interrupted writes no model.
func TestInterrupt(t *testing.T) {
	inFolder(t)
	small(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if status := run(ctx, linearFit, &stdout, &stderr); status != statusData || stderr.String() != "mediant: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
	if got := files(t); !slices.Equal(got, []string{"uy.csv", "xu.csv"}) {
		t.Errorf("left %q", got)
	}
}

// A brokenWriter fails like a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestUnwritableStdout: no command calls a lost result a success.
func TestUnwritableStdout(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "xy.csv", "x,y\n1,2\n2,3\n")
	for _, line := range []string{
		"predict m.mediant xy.csv", "evaluate m.mediant --xy xy.csv", "evaluate m.mediant --xy xy.csv --json",
		"inspect m.mediant", "inspect m.mediant --json", "version", "demo --write example",
		"fit --xu xu.csv --uy uy.csv -o n.mediant --phi linear --psi linear",
		"fit --xu xu.csv --uy uy.csv -o n.mediant --phi linear --psi linear --json",
	} {
		var stdout io.Writer = brokenWriter{}
		var stderr bytes.Buffer
		if status := run(context.Background(), words(line), stdout, &stderr); status != statusData {
			t.Errorf("mediant %s: status %d, want %d", line, status, statusData)
		}
		if got := stderr.String(); !strings.HasPrefix(got, "mediant: ") || !strings.HasSuffix(got, "disk full\n") || strings.Count(got, "\n") != 1 {
			t.Errorf("mediant %s: stderr %q", line, got)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "1": 1, "500MB": 5e8, "2GiB": 2 << 30, "1e9": 1e9, "1.5KiB": 1536, "3 TB": 3e12, "7B": 7, "1KB": 1000, "1MiB": 1 << 20,
	} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"lots", "-1", "0", "GiB", "1e30", "nan", "inf", "2gib", "1 2"} {
		if got, err := parseBytes(text); err == nil || !errors.As(err, new(usageError)) {
			t.Errorf("%q is %d, %v, want wrong usage", text, got, err)
		}
	}
}
