//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// waveTables writes tables of several batches.
func waveTables(t *testing.T, rows int) {
	t.Helper()
	value := func(i, k int) float64 { return float64((i*i*(k+3)+7*i)%1009)/1009 - .5 }
	write(t, "xu.csv", table("a,b,u,v", rows, func(i int) []any { return []any{value(i, 1), value(i, 2), value(i, 3), value(i, 4)} }))
	write(t, "uy.csv", table("u,v,y", rows, func(i int) []any { return []any{value(i, 5), value(i, 6), value(i, 7)} }))
}

const (
	waveFit   = "fit --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1 --features 32 --lambda 1e-3 --method 2step --quiet"
	keepState = " --checkpoint state --checkpoint-every 1ns"
)

// interrupted runs a command line until it has saved a state, and ends it as Ctrl-C does.
func interrupted(t *testing.T, line string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if found, _ := filepath.Glob("state/state-*"); len(found) > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, errs bytes.Buffer
	if status := run(ctx, words(line), &out, &errs); status == statusDone {
		t.Fatalf("%s was done before it was interrupted", line)
	}
	if found, _ := filepath.Glob("state/state-*"); len(found) == 0 {
		t.Fatalf("%s left no state: %s", line, errs.String())
	}
}

// TestCheckpoint: a run that is interrupted goes on to the bytes of one that is not, with other flags or files it is refused by the name of what is not the same, and the folder is empty at the end.
func TestCheckpoint(t *testing.T) {
	inFolder(t)
	waveTables(t, 3000)
	succeed(t, words(waveFit+" -o want.m")...)
	interrupted(t, waveFit+keepState+" -o got.m")
	for line, says := range map[string]string{
		strings.Replace(waveFit, "1e-3", "1e-2", 1):   `--checkpoint: state is of another run: --lambda is "0.001" there and "0.01" here`,
		waveFit + " --seed 3":                         `it has no --seed, which here is "3"`,
		strings.Replace(waveFit, "xu.csv", "-", 1):    "--checkpoint has no meaning with standard input",
		waveFit + " --threads 1 --checkpoint-every 0": "--checkpoint-every is 0s, must be above 0",
	} {
		if !strings.Contains(line, "every") {
			line += " --checkpoint-every 1ns"
		}
		got := invoke(words(line + " --checkpoint state -o got.m")...)
		if got.status == statusDone || !strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stderr %q, want %q", line, got.status, got.stderr, says)
		}
	}
	before := read(t, "uy.csv")
	write(t, "uy.csv", before+"1,2,3\n")
	if got := invoke(words(waveFit + keepState + " -o got.m")...); got.status != statusData || !strings.Contains(got.stderr, "uy.csv is") {
		t.Errorf("another file: status %d, stderr %q", got.status, got.stderr)
	}
	if err := os.RemoveAll("state"); err != nil {
		t.Fatal(err)
	}
	write(t, "uy.csv", before)
	interrupted(t, waveFit+keepState+" -o got.m")
	succeed(t, words(waveFit+keepState+" -o got.m --threads 1")...)
	if read(t, "got.m") != read(t, "want.m") {
		t.Error("gone on, the run ends with other bytes")
	}
	if left := paths(t, "state"); left != "state" {
		t.Errorf("left %s", left)
	}
	succeed(t, words("plan --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --features 16 --quiet -o p.plan")...)
	const sums = "sums --plan p.plan --xu xu.csv --uy uy.csv --quiet"
	succeed(t, words(sums+" -o want.sums")...)
	interrupted(t, sums+keepState+" -o got.sums")
	succeed(t, words(sums+keepState+" -o got.sums")...)
	if read(t, "got.sums") != read(t, "want.sums") {
		t.Error("gone on, sums have other bytes")
	}
}

// TestCheckpointOfAFailedRun: a run that fails before anything is saved leaves a folder for another one.
func TestCheckpointOfAFailedRun(t *testing.T) {
	inFolder(t)
	waveTables(t, 300)
	line := waveFit + " --checkpoint state -o m"
	if got := invoke(words(line + " --y nothing")...); got.status == statusDone {
		t.Fatal("a column that is not there is found")
	}
	if left := paths(t, "state"); left != "state" {
		t.Errorf("left %s", left)
	}
	succeed(t, words(line)...)
}
