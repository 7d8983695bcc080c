//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// paths lists all there is below some folders.
func paths(t *testing.T, folders ...string) string {
	t.Helper()
	var all []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			all = append(all, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(all, "\n")
}

// TestSignals: SIGINT, SIGTERM and SIGHUP end every command within a second, whatever it is doing, with status 128 + signal and one
// line, and nothing is left behind (smackers/smack#419, sanger-pathogens/circlator#58).
func TestSignals(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "big.csv", "x,u,y\n"+strings.Repeat("1.5,2.25,3\n0.5,-1.25,1\n", 1<<20))
	wave := func(i, k int) float64 { return float64((i*i*(k+3)+7*i)%1009) / 1009 }
	write(t, "wxu.csv", table("a,b,u,v", 6000, func(i int) []any { return []any{wave(i, 1), wave(i, 2), wave(i, 3), wave(i, 4)} }))
	write(t, "wuy.csv", table("u,v,y", 6000, func(i int) []any { return []any{wave(i, 5), wave(i, 6), wave(i, 7)} }))
	write(t, "txu.csv", table("t,u,v", 6000, func(i int) []any { return []any{i % 2, wave(i, 3), wave(i, 4)} }))
	if err := os.MkdirAll("data", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, pipe := range []string{"pipe.csv", "data/train-images-idx3-ubyte.gz", "data/data_batch_1.bin"} { // that nobody writes
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Skipf("a pipe cannot be made on this system, as in some containers: %v", err)
		}
	}
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	for i, c := range []struct{ name, line string }{
		{"reading a table", "fit --xu big.csv --uy uy.csv -o n --x x --u u --y y"},
		{"waiting for a pipe", "fit --xu pipe.csv --uy uy.csv -o n"},
		{"waiting for standard input", "fit --xu xu.csv --uy - -o n"},
		{"search", "fit --xu wxu.csv --uy wuy.csv -o n"},
		{"long solve", "fit --xu wxu.csv --uy wuy.csv -o n --features 3000 --method joint --w 0.5 --lambda 1e-3 --no-risk"},
		{"risk", "fit --xu wxu.csv --uy wuy.csv -o n --features 1000 --method joint --w 0.5 --lambda 1e-3"},
		{"writing predictions", "predict m.mediant big.csv -o out.csv"},
		{"predictions that nobody reads", "predict m.mediant big.csv"},
		{"waiting for a model", "inspect pipe.csv"},
		{"coupled rows", "evaluate m.mediant --xy big.csv"},
		{"new tables", "evaluate m.mediant --xu big.csv --uy big.csv"},
		{"effect", "effect --xu txu.csv --uy wuy.csv --treatment t --features 2000"},
		{"demo", "demo --data data"},
		{"verify", "verify -o new/report"},
		{"synthetic experiment", "reproduce synthetic -o new/report"},
		{"images", "reproduce images --set cifar10 --data data -o new/report"},
		{"study", "study coverage -o new.md"},
	} {
		for k, s := range signals {
			if i > 2 && k != i%len(signals) { // the way from a signal to the end is the same for all
				continue
			}
			t.Run(c.name+" "+s.String(), func(t *testing.T) {
				var took time.Duration
				for range 3 { // a machine that is busy with something else gets another try
					if took = endBySignal(t, words(c.line), s, time.Duration(60+20*i)*time.Millisecond); took < time.Second {
						return
					}
				}
				t.Errorf("ended after %v, want less than a second", took)
			})
		}
	}
}

// endBySignal returns how long a command line lives after a signal that comes so long after its start.
func endBySignal(t *testing.T, args []string, s syscall.Signal, after time.Duration) time.Duration {
	t.Helper()
	before := paths(t, ".")
	var stdin, stdout *os.File
	p := start(t, args, func(cmd *exec.Cmd) {
		input, in, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		out, output, err := os.Pipe() // which fills up
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdin, cmd.Stdout = input, output
		stdin, stdout = in, out
		t.Cleanup(func() { input.Close(); output.Close() })
	})
	defer stdin.Close()
	defer stdout.Close()
	time.Sleep(after)
	if err := p.Process.Signal(s); err != nil {
		t.Fatalf("%v: it has ended before the signal: %s", err, p.stderr.String())
	}
	sent := time.Now()
	status := p.status()
	took := time.Since(sent)
	if status != 128+int(s) || p.stderr.String() != "mediant: interrupted\n" {
		t.Errorf("status %d, want %d; stderr %q", status, 128+int(s), p.stderr.String())
	}
	if left := paths(t, "."); left != before {
		t.Errorf("left %q, had %q", left, before)
	}
	if left := paths(t, p.temp); left != p.temp {
		t.Errorf("left %q", left)
	}
	return took
}

// TestSignalsWhileWriting is TestSignals with a temporary file of some size there (case 95), and a second signal, which need not
// wait for anything.
func TestSignalsWhileWriting(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "big.csv", "x\n"+strings.Repeat("1.5\n0.5\n", 1<<18))
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		p := start(t, words("predict m.mediant big.csv -o out/out.csv"), nil)
		for large := false; !large; time.Sleep(time.Millisecond) {
			entries, _ := os.ReadDir("out")
			for _, e := range entries {
				if info, err := e.Info(); err == nil && info.Size() > 300_000 {
					large = true
				}
			}
		}
		for range 1 + int(s)%2 {
			p.Process.Signal(s)
		}
		if status := p.status(); status != 128+int(s) {
			t.Errorf("%v: status %d", s, status)
		}
		if left := paths(t, "out", p.temp); left != "out\n"+p.temp {
			t.Errorf("%v: left %q", s, left)
		}
	}
}

// TestStubborn: what does not look up from its work is ended, and so are its files.
func TestStubborn(t *testing.T) {
	inFolder(t)
	for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGHUP}} {
		p := start(t, nil, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, asStubborn+"=1") })
		if got := files(t); len(got) != 1 {
			t.Fatalf("files are %q, want a temporary one", got)
		}
		for _, s := range signals {
			p.Process.Signal(s)
			time.Sleep(20 * time.Millisecond)
		}
		if status := p.status(); status != 128+int(signals[0]) || p.stderr.String() != "mediant: interrupted\n" {
			t.Errorf("status %d, %q", status, p.stderr.String())
		}
		if got := files(t); len(got) != 0 {
			t.Errorf("left %q", got)
		}
	}
}

// TestNohup: a program that was started to outlive its terminal does.
func TestNohup(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	signal.Ignore(syscall.SIGHUP) // which is inherited
	defer signal.Reset(syscall.SIGHUP)
	input, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	p := start(t, words("predict m.mediant - -o out.csv"), func(cmd *exec.Cmd) { cmd.Stdin = input })
	p.Process.Signal(syscall.SIGHUP)
	time.Sleep(50 * time.Millisecond)
	fmt.Fprint(stdin, "x\n1\n")
	stdin.Close()
	if status := p.status(); status != statusDone {
		t.Errorf("status %d, %s", status, p.stderr.String())
	}
}

// TestInterruptible: a run that ends in time has its own say, one that does not is left alone after grace.
func TestInterruptible(t *testing.T) {
	kill := func(ctx context.Context) {
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		<-ctx.Done()
	}
	var stderr bytes.Buffer
	if status := interruptible(&stderr, func(ctx context.Context) int { kill(ctx); return 5 }); status != 5 || stderr.Len() > 0 {
		t.Errorf("status %d, %q", status, stderr.String())
	}
	if status := interruptible(&stderr, func(context.Context) int { return 3 }); status != 3 {
		t.Errorf("status %d", status)
	}
}

// TestStdoutOfProgram: standard output that cannot be written is status 1 and one line, also where a pipe has lost its reader.
func TestStdoutOfProgram(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	opened := func(name string, flag int) func() (*os.File, error) {
		return func() (*os.File, error) { return os.OpenFile(name, flag, 0) }
	}
	for way, open := range map[string]func() (*os.File, error){
		"a full device":             opened("/dev/full", os.O_WRONLY),
		"a file open to read only":  opened("xu.csv", os.O_RDONLY),
		"the null device to read":   opened(os.DevNull, os.O_RDONLY),
		"a folder":                  opened(".", os.O_RDONLY),
		"a pipe that nobody reads":  func() (*os.File, error) { r, w, err := os.Pipe(); r.Close(); return w, err },
		"the wrong end of the pipe": func() (*os.File, error) { r, w, err := os.Pipe(); w.Close(); return r, err },
	} {
		for _, line := range []string{"--help", "version", "--version", "fit --help", "inspect m.mediant", "inspect m.mediant --json", "predict m.mediant xu.csv",
			"fit --xu xu.csv --uy uy.csv -o n --phi linear --psi linear"} {
			out, err := open()
			if err != nil {
				t.Skipf("%s cannot be opened on this system, as /dev/full where there is none: %v", way, err)
			}
			p := start(t, words(line), func(cmd *exec.Cmd) { cmd.Stdout = out })
			out.Close()
			if status := p.status(); status != statusData || strings.Count(p.stderr.String(), "\n") != 1 || !strings.Contains(p.stderr.String(), "/dev/stdout: ") {
				t.Errorf("%s: mediant %s: status %d, %q", way, line, status, p.stderr.String())
			}
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // as Python's subprocess.DEVNULL is
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if status := start(t, words("version"), func(cmd *exec.Cmd) { cmd.Stdout = null }).status(); status != statusDone {
		t.Errorf("the null device: status %d", status)
	}
}

// TestOutputsOfAnotherUser: a folder without the right to write into it is found out before any work.
func TestOutputsOfAnotherUser(t *testing.T) {
	inFolder(t)
	if err := errors.Join(os.Mkdir("closed", 0o555), os.Mkdir("sticky", 0o777), os.Chmod("sticky", 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	write(t, "sticky/mine", "")
	nobody := func(cmd *exec.Cmd) {
		if os.Geteuid() == 0 {
			cmd.Path = "/proc/self/exe" // the way to it may be closed to others
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
	}
	lines := []string{"fit --xu nosuch --uy nosuch -o closed/m", "predict nosuch nosuch -o closed/out", "demo --write closed", "verify -o closed/report",
		"reproduce synthetic --rows 1000000 -o closed", "reproduce images --data nosuch -o closed/a/b", "study coverage --rows 1000000 -o closed/a.md"}
	if os.Geteuid() == 0 {
		lines = append(lines, "predict nosuch nosuch -o sticky/mine")
	}
	for _, line := range lines {
		p := start(t, words(line), nobody)
		if status := p.status(); status != statusData || strings.Count(p.stderr.String(), "\n") != 1 || strings.Contains(p.stderr.String(), "nosuch") {
			t.Errorf("mediant %s: status %d, %q", line, status, p.stderr.String())
		}
	}
	if got := paths(t, "closed"); got != "closed" {
		t.Errorf("files are %q", got)
	}
}
