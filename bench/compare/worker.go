package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed worker.py
var workerScript string

// A worker is a Python process that runs one routine at a time on request, and sleeps
// otherwise.
type worker struct {
	threads int
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startWorker starts a worker that runs a script, and whose BLAS has the given number of threads.
func startWorker(ctx context.Context, python, script string, threads int, stderr io.Writer) (*worker, error) {
	w := &worker{threads: threads, cmd: exec.CommandContext(ctx, python, "-c", script)}
	w.cmd.Env = peerEnvironment(os.Environ(), threads)
	w.cmd.Stderr = stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, w.cmd.Start()
}

// peerEnvironment is the environment of a Python process with so many threads. What else would change OpenBLAS
// is left out; which processor's routines it runs is chooseCore's.
func peerEnvironment(environ []string, threads int) []string {
	out := []string{}
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS":
		default:
			out = append(out, v)
		}
	}
	n := strconv.Itoa(threads)
	return append(out, "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n)
}

// ask sends one command and returns what follows the "ok" of its answer.
func (w *worker) ask(command string) (string, error) {
	if _, err := io.WriteString(w.in, command+"\n"); err != nil {
		return "", fmt.Errorf("compare: python: %s: %w", command, err)
	}
	line, err := w.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("compare: python: %s: no answer: %w", command, err)
	}
	answer, err := parseAnswer(line)
	if err != nil {
		return "", fmt.Errorf("compare: python: %s: %w", command, err)
	}
	return answer, nil
}

// parseAnswer splits "ok ..." from "error ...".
func parseAnswer(line string) (string, error) {
	status, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch status {
	case "ok":
		return strings.TrimSpace(rest), nil
	case "error":
		return "", fmt.Errorf("%s", rest)
	}
	return "", fmt.Errorf("answer %q, want ok or error", line)
}

// prepare makes the operands of a routine and runs it once.
func (w *worker) prepare(routine string, size int) error {
	if _, err := w.ask(fmt.Sprintf("prepare %s %d", routine, size)); err != nil {
		return err
	}
	return awaitSleep(w.cmd.Process.Pid)
}

// run returns the seconds of so many runs, once all of the worker's threads are asleep again.
func (w *worker) run(times int) (float64, error) {
	answer, err := w.ask(fmt.Sprintf("run %d", times))
	if err != nil {
		return 0, err
	}
	seconds, err := parseSeconds(answer)
	if err != nil {
		return 0, err
	}
	return seconds, awaitSleep(w.cmd.Process.Pid)
}

func parseSeconds(answer string) (float64, error) {
	seconds, err := strconv.ParseFloat(answer, 64)
	if err != nil || !(seconds > 0) {
		return 0, fmt.Errorf("compare: python: %q is no time in seconds", answer)
	}
	return seconds, nil
}

// versions are those of the peers.
type versions struct {
	Numpy   string `json:"numpy"`
	Scipy   string `json:"scipy"`
	Sklearn string `json:"scikit-learn"`
	BLAS    string `json:"blas"`
}

func (w *worker) versions() (v versions, err error) {
	answer, err := w.ask("versions")
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal([]byte(answer), &v)
}

// close ends the process.
func (w *worker) close() error {
	w.in.Close()
	return w.cmd.Wait()
}

// spinLimit is far longer than threads of OpenBLAS look for work before they sleep, some 0.1 s.
const spinLimit = 5 * time.Second

// awaitSleep returns when no thread of a process is running: those of OpenBLAS look for more work for
// a while and would take processors from the other side. Where there is no /proc it waits for as long
// as they may.
func awaitSleep(pid int) error {
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		running, known := runningThreads(pid)
		switch {
		case !known:
			time.Sleep(spinLimit / 10)
			return nil
		case running == 0:
			return nil
		case time.Since(start) > spinLimit:
			return fmt.Errorf("compare: python: %d threads still run %v after their work", running, spinLimit)
		}
	}
}

// runningThreads counts the threads of a process that have or want a processor.
func runningThreads(pid int) (running int, known bool) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range files {
		if stat, err := os.ReadFile(file); err == nil && threadState(string(stat)) == "R" {
			running++
		}
	}
	return running, len(files) > 0
}

// threadState is the third field of a stat file; the second, a name in brackets, may hold anything.
func threadState(stat string) string {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}
