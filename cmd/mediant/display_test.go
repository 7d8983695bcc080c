//go:build unix

package main

import (
	"context"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"mediant/internal/progress"
)

// asSoon has the program show progress from its first report on.
const asSoon = "MEDIANT_TEST_SHOWS_SOON"

// A screen is a terminal whose writes are kept.
type screen struct {
	master, slave *os.File
	all           chan string
}

func newScreen(t *testing.T, columns uint16) *screen {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("there are no pseudo-terminals on this system, as in some containers: %v", err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	s := &screen{master, slave, make(chan string, 1)}
	go func() {
		raw, _ := io.ReadAll(master) // ends with an error once nobody has the other end open
		s.all <- string(raw)
	}()
	t.Cleanup(func() { master.Close() })
	return s
}

// text is all that was written, once the program has ended.
func (s *screen) text() string {
	s.slave.Close()
	return <-s.all
}

// left is what is to be read in the end: the last that stands on each line.
func left(text string) string {
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		shown := ""
		for _, part := range strings.Split(line, "\r") {
			if cleared, ok := strings.CutPrefix(part, "\x1b[K"); ok {
				shown = cleared
			} else if part != "" {
				shown = strings.TrimSuffix(part, "\x1b[K")
			}
		}
		lines = append(lines, shown)
	}
	return strings.Join(lines, "\n")
}

// onScreen runs a command line whose standard error, and output if both, is a terminal.
func onScreen(t *testing.T, columns uint16, both bool, args []string, env ...string) (stdout, terminal string, status int) {
	t.Helper()
	s := newScreen(t, columns)
	var out strings.Builder
	p := start(t, args, func(cmd *exec.Cmd) {
		cmd.Env = append(append(cmd.Env, asSoon+"=1", "TERM=xterm"), env...)
		cmd.Stdout, cmd.Stderr = &out, s.slave
		if both {
			cmd.Stdout = s.slave
		}
	})
	status = p.status()
	return out.String(), s.text(), status
}

// waves writes two tables whose fit takes a moment.
func waves(t *testing.T, rows int) {
	t.Helper()
	wave := func(i, k int) float64 { return float64((i*i*(k+3)+7*i)%1009) / 1009 }
	write(t, "wxu.csv", table("a,b,u,v", rows, func(i int) []any { return []any{wave(i, 1), wave(i, 2), wave(i, 3), wave(i, 4)} }))
	write(t, "wuy.csv", table("u,v,y", rows, func(i int) []any { return []any{wave(i, 5), wave(i, 6), wave(i, 7)} }))
}

// TestDisplay: on a terminal a fit shows its stages with shares and times, which are gone in the end; the results are those without a terminal, to the byte.
func TestDisplay(t *testing.T) {
	inFolder(t)
	waves(t, 900)
	args := words("fit --xu wxu.csv --uy wuy.csv -o m.mediant --features 64 --json")
	want := invoke(args...)
	if want.status != statusDone {
		t.Fatalf("%+v", want)
	}
	model := read(t, "m.mediant")
	stdout, terminal, status := onScreen(t, 100, false, args)
	seconds := regexp.MustCompile(`"(read|select|fit|risk|diagnosis|total)": [0-9.e-]+`)
	if status != statusDone || seconds.ReplaceAllString(stdout, "") != seconds.ReplaceAllString(want.stdout, "") || read(t, "m.mediant") != model {
		t.Errorf("status %d, stdout %q, want %q, or the model is another one", status, stdout, want.stdout)
	}
	for _, stage := range []string{"choosing features of U ", "choosing features of X ", "choosing penalties and w ", "comparing methods ", "diagnosing the tables "} {
		if !strings.Contains(terminal, "\r"+stage) {
			t.Errorf("the stage %q is not shown in %.2000q", stage, terminal)
		}
	}
	if !regexp.MustCompile(`choosing features of X +[0-9]+% \[=*>?\.*\] \([0-9]+/[0-9]+\) \[[0-9ms]+(:[0-9ms]+)?\]`).MatchString(terminal) {
		t.Errorf("no bar of a stage in %.2000q", terminal)
	}
	if got := left(terminal); got != want.stderr {
		t.Errorf("left on the terminal is %q, want %q", got, want.stderr)
	}
	if escapes := regexp.MustCompile(`\x1b\[[^K]`).FindString(terminal); escapes != "" {
		t.Errorf("%q is written, which is more than clearing a line", escapes)
	}
	for _, line := range regexp.MustCompile(`[\r\n]`).Split(terminal, -1) {
		if n := len([]rune(strings.TrimSuffix(line, "\x1b[K"))); n > 99 && strings.HasSuffix(line, "\x1b[K") {
			t.Errorf("%d letters on a line of 100: %q", n, line)
		}
	}
}

// TestDisplayBesideResults: results on the same terminal stand on lines of their own.
func TestDisplayBesideResults(t *testing.T) {
	inFolder(t)
	waves(t, 300)
	want := invoke(words("check --xu wxu.csv --uy wuy.csv")...)
	_, terminal, _ := onScreen(t, 40, true, words("check --xu wxu.csv --uy wuy.csv"))
	if got := left(terminal); got != want.stdout+want.stderr {
		t.Errorf("left on the terminal is %q, want %q", got, want.stdout+want.stderr)
	}
	fault := "fit --xu wxu.csv --uy wuy.csv -o m.mediant --y nosuch"
	want = invoke(words(fault)...)
	if _, terminal, status := onScreen(t, 40, true, words(fault)); status != want.status || left(terminal) != want.stderr {
		t.Errorf("status %d, left on the terminal is %q, want %q", status, left(terminal), want.stderr)
	}
}

// TestNoDisplay: nothing is shown where it cannot be, or is not wanted.
func TestNoDisplay(t *testing.T) {
	inFolder(t)
	waves(t, 300)
	line := "fit --xu wxu.csv --uy wuy.csv -o m.mediant --features 32"
	want := invoke(words(line)...)
	for _, c := range []struct{ more, env, stderr string }{{" --json", "TERM=dumb", want.stderr}, {" --json", "TERM=", want.stderr}, {" --quiet", "A=1", ""}} {
		if _, terminal, status := onScreen(t, 100, false, words(line+c.more), c.env); status != statusDone || strings.ReplaceAll(terminal, "\r\n", "\n") != c.stderr {
			t.Errorf("%s%s: status %d, %q, want %q", line, c.more, status, terminal, c.stderr)
		}
	}
	if p := start(t, words(line), func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, asSoon+"=1", "TERM=xterm") }); p.status() != statusDone || p.stderr.String() != want.stderr {
		t.Errorf("a pipe gets %q, want %q", p.stderr.String(), want.stderr)
	}
}

// TestInterruptOnTerminal: Ctrl-C, typed on the terminal while a bar is shown, ends a fit within a second, and leaves one line and no file.
func TestInterruptOnTerminal(t *testing.T) {
	inFolder(t)
	waves(t, 6000)
	before := paths(t, ".")
	var took time.Duration
	for range 3 { // a machine that is busy with something else gets another try
		s := newScreen(t, 100)
		p := start(t, words("fit --xu wxu.csv --uy wuy.csv -o m.mediant"), func(cmd *exec.Cmd) {
			cmd.Env = append(cmd.Env, asSoon+"=1", "TERM=xterm")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		})
		time.Sleep(300 * time.Millisecond)
		sent := time.Now()
		if _, err := s.master.Write([]byte{3}); err != nil {
			t.Fatal(err)
		}
		status := p.status()
		took = time.Since(sent)
		text := s.text()
		if status != 128+int(syscall.SIGINT) || strings.TrimPrefix(left(text), "^C") != "mediant: interrupted\n" || !strings.Contains(text, "%") {
			t.Errorf("status %d, left on the terminal is %q of %q", status, left(text), text)
		}
		if got := paths(t, "."); got != before {
			t.Errorf("left %q, had %q", got, before)
		}
		if took < time.Second {
			return
		}
	}
	t.Errorf("ended after %v, want less than a second", took)
}

// TestLongCommandsReport: the commands that read tables report what they do.
func TestLongCommandsReport(t *testing.T) {
	inFolder(t)
	waves(t, 60)
	write(t, "txu.csv", table("t,u,v", 60, func(i int) []any { return []any{i % 2, float64(i*i%17) / 17, float64(i*i%29) / 29} }))
	write(t, "wxy.csv", table("a,b,y", 60, func(i int) []any { return []any{float64(i*i%17) / 17, float64(i*i%29) / 29, i % 7} }))
	for _, c := range []struct{ line, stages string }{
		{"fit --xu wxu.csv --uy wuy.csv -o m.mediant --phi linear --psi linear", "reading wxu.csv,checking the tables,choosing penalties and w,comparing methods,diagnosing the tables"},
		{"fit --xu wxu.csv --uy wuy.csv -o se.mediant --phi linear --psi linear --method 2step --lambda 1 --se", "summing features of X and U,fitting without each fold,estimating standard errors"},
		{"predict m.mediant wxu.csv", "comparing rows with those of training,predicting"},
		{"label m.mediant wuy.csv", "predicting"},
		{"evaluate m.mediant --xy wxy.csv --accept later-error --accept later-unit --accept later-range --accept later-level", "predicting"},
		{"evaluate m.mediant --xu wxu.csv --uy wuy.csv --accept learned-rows", "estimating the risk"},
		{"check --xu wxu.csv --uy wuy.csv", "checking the tables"},
		{"effect --xu txu.csv --uy wuy.csv --treatment t --psi linear", "summing features of U and Y"},
		{"instrument --xu wxu.csv --uy wuy.csv --accept no-overlap", "summing features of U and Y,estimating the coefficients"},
		{"instrument --xu wxu.csv --uy wuy.csv --kernel --features 20 --accept no-overlap", "summing features of U and Y,fitting both stages"},
	} {
		var mu sync.Mutex
		reported := map[string]bool{}
		ctx := progress.With(context.Background(), func(stage string, _, _ int64) {
			mu.Lock()
			defer mu.Unlock()
			reported[stage] = true
		})
		var stdout, stderr strings.Builder
		if status := run(ctx, words(c.line), &stdout, &stderr); status != statusDone {
			t.Errorf("%s: status %d, %s", c.line, status, stderr.String())
		}
		for _, stage := range strings.Split(c.stages, ",") {
			if !reported[stage] {
				t.Errorf("%s: the stage %q is not among %v", c.line, stage, slices.Sorted(maps.Keys(reported)))
			}
		}
	}
}
