package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mediant/internal/slow"
)

// killed starts a run and kills it a random time after it has written so many states.
func killed(t *testing.T, states int, wait time.Duration, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	seen := make(map[string]bool)
	for len(seen) < states {
		found, _ := filepath.Glob("state/state-*")
		for _, path := range found {
			if info, err := os.Stat(path); err == nil {
				seen[fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino, info.ModTime().UnixNano())] = true // files that take the place of others have their numbers again
			}
		}
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(wait)
	cmd.Process.Kill()
	<-done
}

// TestKilledRuns: of ten runs each that are killed at random moments, all go on to the bytes of a run that was not.
func TestKilledRuns(t *testing.T) {
	slow.Only(t)
	program := built(t)
	inFolder(t)
	waveTables(t, 8000)
	succeed(t, words("plan --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --features 64 --quiet -o p.plan")...)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, line := range []string{
		waveFit,
		"fit --xu xu.csv --uy uy.csv --features 32 --quiet",
		"sums --plan p.plan --xu xu.csv --uy uy.csv --quiet",
	} {
		succeed(t, words(line+" -o want")...)
		with := 0
		for i := range 10 {
			args := words(line + " -o got --checkpoint state --checkpoint-every 1ns")
			killed(t, rnd.IntN(9), time.Duration(rnd.IntN(20))*time.Millisecond, program, args...)
			if states, _ := filepath.Glob("state/state-*"); len(states) > 0 {
				with++
			}
			var errs bytes.Buffer
			again := exec.Command(program, args...)
			again.Stderr = &errs
			if err := again.Run(); err != nil || errs.Len() > 0 {
				t.Fatalf("%s, killed %d times: %v, %s", line, i+1, err, errs.String())
			}
			if read(t, "got") != read(t, "want") {
				t.Errorf("%s: other bytes after the kill number %d", line, i+1)
			}
			if left := paths(t, "state"); left != "state" {
				t.Errorf("left %s", left)
			}
			os.Remove("got")
		}
		t.Logf("%d of 10 had a state when they were killed: %s", with, line)
		if with == 0 {
			t.Errorf("%s: no run had a state when it was killed", line)
		}
	}
}

// TestFullCheckpoint: on a full disk and in a folder that cannot be written a run ends with one line, the state before is still there, and goes on once there is room.
func TestFullCheckpoint(t *testing.T) {
	inFolder(t)
	waveTables(t, 3000)
	if err := os.Mkdir("disk", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", "disk", "tmpfs", 0, "size=300k"); err != nil {
		t.Skipf("no file system can be mounted, as without the rights of an administrator: %v", err)
	}
	defer syscall.Unmount("disk", syscall.MNT_DETACH)
	line := strings.Replace(waveFit, "--method 2step", "--method joint --w 0.5", 1) + " --checkpoint disk/state --checkpoint-every 1ns -o "
	succeed(t, words(line+"want.m")...)
	small := make([]byte, 150<<10) // which leaves room for one state, and not for the next beside it
	if err := os.WriteFile("disk/other", small, 0o666); err != nil {
		t.Fatal(err)
	}
	got := invoke(words(line + "got.m")...)
	if got.status != statusData || !strings.Contains(got.stderr, "no space left on device; what was saved before is still there") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a full disk: status %d, stderr %q", got.status, got.stderr)
	}
	if states, _ := filepath.Glob("disk/state/state-*"); len(states) != 1 {
		t.Errorf("a full disk: %d states are left, want that of the first batch", len(states))
	}
	if _, err := os.Stat("got.m"); err == nil {
		t.Error("a full disk: a model is written")
	}
	if err := syscall.Mount("tmpfs", "disk", "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	got = invoke(words(line + "got.m")...)
	if got.status != statusData || !strings.Contains(got.stderr, "read-only") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a folder that cannot be written: status %d, stderr %q", got.status, got.stderr)
	}
	if err := syscall.Mount("tmpfs", "disk", "tmpfs", syscall.MS_REMOUNT, "size=10m"); err != nil {
		t.Fatal(err)
	}
	succeed(t, words(line+"got.m")...)
	if read(t, "got.m") != read(t, "want.m") {
		t.Error("with room again the run ends with other bytes")
	}
}
