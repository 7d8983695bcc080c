package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// asProgram makes the program of the tests the command itself, also as a worker.
const asProgram = "MEDIANT_BEAM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	status := m.Run()
	os.RemoveAll(programs)
	os.Exit(status)
}

// programs is the folder of mediant, which is built once.
var programs string

var buildMediant = sync.OnceValues(func() (program string, err error) {
	if programs, err = os.MkdirTemp("", "mediant-*"); err != nil {
		return "", err
	}
	program = filepath.Join(programs, "mediant")
	build := exec.Command("go", "build", "-o", program, "./cmd/mediant")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

// A result is what a command printed, and its exit status.
type result struct {
	stdout, stderr string
	status         int
}

// invoke runs a command line in a folder.
func invoke(t *testing.T, dir, program, line string) result {
	t.Helper()
	cmd := exec.Command(program, strings.Fields(line)...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+t.TempDir())
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// commands run mediant and mediant-beam in a folder, and fail the test if they fail.
func commands(t *testing.T, dir string) (mediant, beam func(line string)) {
	t.Helper()
	program, err := buildMediant()
	if err != nil {
		t.Fatal(err)
	}
	succeed := func(program string) func(string) {
		return func(line string) {
			t.Helper()
			if got := invoke(t, dir, program, line); got.status != 0 {
				t.Fatalf("%s: %+v", line, got)
			}
		}
	}
	return succeed(program), succeed(own(t))
}

func own(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// wave is a number in [-1, 1] that looks like noise.
func wave(i, j int) float64 { return math.Sin(float64(i*j%1009) + float64(j)) }

// writeTables writes rows of x, z, u and of u, y, w, whole and in 16 shards.
func writeTables(t *testing.T, dir string) {
	t.Helper()
	for name, of := range map[string]struct {
		head string
		row  func(i int) string
	}{
		"xu": {"x,z,u\n", func(i int) string {
			return fmt.Sprintf("%g,%g,%g\n", wave(i, 3), wave(i, 13), wave(i, 3)+.3*wave(i, 11))
		}},
		"uy": {"u,y,w\n", func(i int) string {
			return fmt.Sprintf("%g,%g,%g\n", wave(i, 7), wave(i, 7)*wave(i, 7)+.1*wave(i, 5), 1.5+wave(i, 17))
		}},
	} {
		whole := of.head
		for shard := range 16 {
			part := of.head
			for i := range 100 {
				part += of.row(100*shard + i)
			}
			whole += strings.TrimPrefix(part, of.head)
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.csv", name, shard)), []byte(part), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSumsAreThoseOfMediant: a job over all shards writes the bytes of mediant sums of each and of all these sums.
func TestSumsAreThoseOfMediant(t *testing.T) {
	dir := t.TempDir()
	writeTables(t, dir)
	mediant, beam := commands(t, dir)
	mediant("plan --xu xu.csv --uy uy.csv --ignore w --features 40 --quiet -o u.plan")
	all := "sums --quiet -o want.sums"
	for shard := range 16 {
		mediant(fmt.Sprintf("sums --plan u.plan --xu xu-%d.csv --few-rows --quiet -o x%[1]d.sums", shard))
		mediant(fmt.Sprintf("sums --plan u.plan --uy uy-%d.csv --weights-uy w --few-rows --quiet -o y%[1]d.sums", shard))
		all += fmt.Sprintf(" x%d.sums y%[1]d.sums", shard)
	}
	mediant(all)
	beam("sums --plan u.plan --xu xu-*.csv --uy uy-1*.csv,uy-[02-9].csv --weights-uy w -o got.sums")
	if read(t, dir, "got.sums") != read(t, dir, "want.sums") {
		t.Error("the sums have other bytes")
	}
}

// TestPredictionsAreThoseOfMediant: a job over all shards writes for each the bytes of mediant predict.
func TestPredictionsAreThoseOfMediant(t *testing.T) {
	dir := t.TempDir()
	writeTables(t, dir)
	mediant, beam := commands(t, dir)
	mediant("fit --xu xu.csv --uy uy.csv --ignore w --features 16 --phi gaussian --psi gaussian --se --quiet -o m.mediant")
	beam("predict --model m.mediant --table xu-*.csv --se -o of/csv")
	beam("predict --model m.mediant --table xu-*.csv --as jsonl -o of/jsonl")
	for shard := range 16 {
		mediant(fmt.Sprintf("predict m.mediant xu-%d.csv --se --quiet -o want.csv", shard))
		mediant(fmt.Sprintf("predict m.mediant xu-%d.csv --quiet -o want.jsonl", shard))
		for _, ending := range []string{"csv", "jsonl"} {
			if read(t, dir, fmt.Sprintf("of/%s/xu-%d.%[1]s", ending, shard)) != read(t, dir, "want."+ending) {
				t.Errorf("shard %d has other predictions in %s", shard, ending)
			}
		}
	}
}

// TestRefusals: what is wrong is one line on stderr, and nothing is written.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string]string{
		"":                                              "2 a command is missing",
		"frobnicate":                                    `2 there is no command "frobnicate"`,
		"sums x":                                        `2 unexpected argument "x"`,
		"sums --plam u":                                 "2 flag provided but not defined: -plam",
		"sums --plan u -o s":                            "2 --xu or --uy is missing",
		"sums --uy a -o s":                              "2 --plan is missing",
		"sums --plan u --uy a":                          "2 -o is missing",
		"sums --plan u --uy a, -o s":                    `2 "a," has nothing before or behind a comma`,
		"sums --plan u --uy a --attempts 0":             "2 -o is missing",
		"sums --plan u --uy a -o s --model m":           "2 --model and --table have no meaning for sums",
		"sums --plan u --uy a -o s":                     "1 open ",
		"predict --table a -o p":                        "2 --model is missing",
		"predict --model m -o p":                        "2 --table is missing",
		"predict --model m --table a --xu b":            "2 --plan, --xu and --uy have no meaning for predict",
		"predict --model m --table a --as xls":          `2 --as is "xls"`,
		"predict --model m --table a -o p --attempts 0": "2 --attempts is 0",
		"predict --model m --table a -o p --attempt-limit -1s": "2 --attempt-limit is -1s",
		"predict --model m --table a -o p --delimiter ;;":      `2 --delimiter ";;" is not one character`,
	} {
		got := invoke(t, dir, own(t), line)
		if said := fmt.Sprintf("%d %s", got.status, strings.TrimPrefix(got.stderr, "mediant-beam: ")); !strings.HasPrefix(said, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %q, want %q", line, said, want)
		}
	}
	if got := invoke(t, dir, own(t), "--help"); got.status != 0 || !strings.Contains(got.stdout, "--runner universal") || !strings.Contains(got.stdout, "-few-rows") {
		t.Errorf("help: %+v", got)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files %v (%v)", left, err)
	}
}
