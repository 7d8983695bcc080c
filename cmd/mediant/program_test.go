//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"mediant/internal/outfile"
	"mediant/rr"
)

// asProgram makes this test binary the program itself, which says on descriptor 3 that it begins; asStubborn makes it one that
// never ends while it writes a file.
const (
	asProgram  = "MEDIANT_TEST_AS_PROGRAM"
	asStubborn = "MEDIANT_TEST_AS_STUBBORN"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	rr.UseFastBLAS()
	if os.Getenv(asSoon) != "" {
		displayAfter, displayEvery, displayOther = 0, time.Millisecond, 0
	}
	stdout, stderr := streams(os.Stdout, os.Stderr)
	status := interruptible(stderr, func(ctx context.Context) int {
		ready := os.NewFile(3, "ready")
		if os.Getenv(asStubborn) != "" {
			outfile.Write("out", func(w io.Writer) error {
				w.Write(make([]byte, 1<<20))
				ready.Close()
				select {}
			})
		}
		ready.Close()
		return run(ctx, os.Args[1:], stdout, stderr)
	})
	end(stderr)
	os.Exit(status)
}

// A program is a command line that runs as a process of its own, in the current folder, with a folder of its own for temporary files.
type program struct {
	*exec.Cmd
	stderr bytes.Buffer
	temp   string
}

// start starts the program and returns once it has begun.
func start(t *testing.T, args []string, prepare func(*exec.Cmd)) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begun, begins, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	p := &program{Cmd: exec.Command(self, args...), temp: t.TempDir()}
	p.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+p.temp)
	p.Stderr = &p.stderr
	p.ExtraFiles = []*os.File{begins}
	if prepare != nil {
		prepare(p.Cmd)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	begins.Close()
	io.ReadAll(begun)
	return p
}

// status waits for the end and returns the status that a shell would show.
func (p *program) status() int {
	err := p.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
			return -int(s.Signal()) // ended without a word
		}
		return exit.ExitCode()
	}
	return 0
}
