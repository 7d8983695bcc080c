//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mediant/internal/slow"
	"mediant/problem"
	"mediant/tables"
)

// limited runs the program within a limit, and returns its peak of resident memory in bytes.
func limited(t *testing.T, program, limit, line string) (peak int64, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(program, append(words(line), "--memory", limit)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		peak = max(peak, highWater(cmd.Process.Pid))
		select {
		case err := <-done:
			if err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Fatal(err)
			}
			return peak, errs.String(), cmd.ProcessState.ExitCode()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// highWater is the peak of a process's resident memory so far, 0 once it is gone. (What wait4 tells is that of the test
// process, if it is larger.)
func highWater(pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// asked is the memory that a refusal asks for.
var asked = regexp.MustCompile(`this needs (?:about|at least) ([0-9.]+) ([KMG]iB)`)

// enough follows refusals from 1 MiB on to a limit that does, and returns what that run took.
func enough(t *testing.T, program, line string) (limit string, peak int64) {
	t.Helper()
	limit = "1MiB"
	for range 6 {
		peak, stderr, status := limited(t, program, limit, line)
		if status == statusDone {
			return limit, peak
		}
		found := asked.FindStringSubmatch(stderr)
		if status != statusData || found == nil || found[1]+found[2] == limit {
			t.Fatalf("%s --memory %s: status %d, stderr %q", line, limit, status, stderr)
		}
		limit = found[1] + found[2]
	}
	t.Fatalf("%s: refused again and again, at last at %s", line, limit)
	return "", 0
}

// wave writes tables of X (five columns), U (three) and Y (two), Y being smooth in U.
func wave(t *testing.T, rows int) {
	t.Helper()
	value := func(i, j int) float64 { return math.Sin(float64(i*(j+2)) * .7) }
	write(t, "xu.csv", table("x0,x1,x2,x3,x4,u0,u1,u2", rows, func(i int) []any {
		var row []any
		for j := range 5 {
			row = append(row, value(i, j))
		}
		for j := range 3 {
			row = append(row, value(i, j)+.3*value(i, j+9))
		}
		return row
	}))
	write(t, "uy.csv", table("u0,u1,u2,y,z", rows, func(i int) []any {
		u := []float64{value(i, 20), value(i, 21), value(i, 22)}
		return []any{u[0], u[1], u[2], u[0]*u[1] + .1*value(i, 30), math.Cos(u[2]) + .1*value(i, 31)}
	}))
}

// TestMemoryIsKept: with the memory that a refusal asks for a command runs, and its resident memory, tables, code and
// garbage included, is at most a tenth above.
func TestMemoryIsKept(t *testing.T) {
	slow.Only(t)
	program := built(t)
	inFolder(t)
	wave(t, 1000)
	write(t, "trial.csv", table("t,u0,u1,u2", 1000, func(i int) []any {
		return []any{i % 2, math.Sin(float64(i)), math.Cos(float64(i)), math.Sin(float64(i % 7))}
	}))
	write(t, "many.csv", table("u0,u1,u2,"+strings.Join(outputs(40), ","), 600, func(i int) []any {
		row := []any{math.Sin(float64(i)), math.Cos(float64(i)), math.Sin(float64(3 * i))}
		for j := range 40 {
			row = append(row, math.Sin(float64(i*(j+1))))
		}
		return row
	}))
	lines := strings.SplitAfter(read(t, "xu.csv"), "\n")
	write(t, "later.csv", strings.Join(lines[:len(lines)-100], ""))
	const tables, out = "fit --xu xu.csv --uy uy.csv --quiet -o m.mediant ", " --bandwidth-x 2 --bandwidth-u 2 --features 200"
	for _, line := range []string{
		tables + "--method 2step --no-risk --lambda 1e-4 --phi gaussian --psi gaussian" + out,
		tables + "--method joint --w .5 --lambda 1e-4 --phi gaussian --psi matern32" + out,
		tables + "--method joint --w .5 --lambda 1e-4 --no-risk --se --phi gaussian --psi gaussian" + out,
		tables + "--method 2step --lambda 1e-4 --no-risk --phi nystrom:gaussian --psi nystrom:gaussian --features 300",
		tables + "--method naive --no-risk --features 300 --phi gaussian --psi gaussian",
		tables + "--method cme --no-risk --features 300 --phi gaussian --psi gaussian",
		tables + "--method 2step --no-risk --phi gaussian --psi gaussian --form 2 --precision=false" + out,
		tables + "--no-diagnosis --features 150",
		"fit --xu xu.csv --uy many.csv --quiet -o many.mediant --method 2step --no-risk --features 100",
		"evaluate m.mediant --xu xu.csv --uy uy.csv --accept learned-rows",
		"evaluate m.mediant --xy xy.csv",
		"predict m.mediant xu.csv -o p.csv",
		"effect --xu trial.csv --uy uy.csv --treatment t --features 300",
		"instrument --xu xu.csv --uy uy.csv --x x0,x2 --ignore x1,x3,x4",
		"instrument --xu xu.csv --uy uy.csv --kernel --features 300 --accept mixed-units",
		"plan --xu xu.csv --uy uy.csv --phi gaussian --psi gaussian --bandwidth-x 2 --bandwidth-u 2 --features 300 --quiet -o p.plan",
		"sums --plan p.plan --xu xu.csv --few-rows --quiet -o x.sums",
		"sums --plan p.plan --uy uy.csv --few-rows --quiet -o y.sums",
		"sums --plan p.plan --xu later.csv x.sums y.sums --few-rows --quiet -o later.sums",
		"sums later.sums --quiet -o again.sums",
	} {
		if strings.Contains(line, "xy.csv") {
			write(t, "xy.csv", table("x0,x1,x2,x3,x4,y,z", 100, func(i int) []any { return []any{i % 2, i % 3, i % 5, i % 7, i % 11, i % 13, 1} }))
		}
		limit, peak := enough(t, program, line)
		bytes, err := parseBytes(limit)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%6.1f of %6s: %s", float64(peak)/(1<<20), limit, line)
		if float64(peak) > 1.1*float64(bytes) {
			t.Errorf("%s: %.1f MiB are taken of %s", line, float64(peak)/(1<<20), limit)
		}
	}
}

// outputs are names of columns of Y.
func outputs(n int) []string {
	names := make([]string, n)
	for j := range names {
		names[j] = fmt.Sprintf("y%d", j)
	}
	return names
}

// TestLimitsThatWereNotKept has two fits as they were asked for: 512 features of many rows within 100 MiB, which took 570, and
// 40,000 features of 200 rows within 1 GiB, which took 4 GiB and was still choosing among them.
func TestLimitsThatWereNotKept(t *testing.T) {
	slow.Only(t)
	program := built(t)
	inFolder(t)
	const rows = 30000 // more make no difference but of time: the tables are too large to be kept
	columns := func(prefix string) string { return prefix + strings.Join(outputs(10), ","+prefix) }
	noise := func(i, j int) float64 { return math.Round(1e4*math.Sin(float64(i*(2*j+3)))) / 1e4 }
	for name, header := range map[string]string{"xu.csv": columns("x") + "," + columns("u"), "uy.csv": columns("u") + "," + columns("y")} {
		write(t, name, table(header, rows, func(i int) []any {
			row := make([]any, 20)
			for j := range row {
				if name == "uy.csv" { // u as in the other table
					row[j] = noise(i+1, (j+10)%20)
				} else {
					row[j] = noise(i, j)
				}
			}
			return row
		}))
	}
	write(t, "small_xu.csv", table("x,u", 200, func(i int) []any { return []any{noise(i, 1), noise(i, 2)} }))
	write(t, "small_uy.csv", table("u,y", 200, func(i int) []any { return []any{noise(i+1, 2), noise(i, 4)} }))
	const fixed = "fit --xu xu.csv --uy uy.csv -o m.m --method 2step --phi gaussian --psi gaussian --features 512 --lambda 1e-4 --bandwidth-x 3 --bandwidth-u 3 --no-risk --quiet"
	const itself = problem.ProgramBytes / 1e6 // what a refusal may take
	for _, c := range []struct {
		line, limit string
		status      int
		peak        float64 // in MB
	}{
		{fixed, "100MiB", statusDone, 115},
		{fixed, "20MiB", statusData, itself},
		{"fit --xu xu.csv --uy uy.csv -o m.m --quiet", "100MiB", statusData, 115},
		{"fit --xu xu.csv --uy uy.csv -o m.m --quiet", "20MiB", statusData, itself},
		{"fit --xu small_xu.csv --uy small_uy.csv --features 40000 --method 2step --solver closed --no-risk --quiet -o m.m", "1GiB", statusData, 115},
	} {
		start := time.Now()
		peak, stderr, status := limited(t, program, c.limit, c.line)
		if mb := float64(peak) / 1e6; status != c.status || mb > c.peak {
			t.Errorf("%s --memory %s: status %d, %.0f MB at the peak, stderr %q, want %d and at most %g MB", c.line, c.limit, status, mb, stderr, c.status, c.peak)
		}
		if status == statusData && (!strings.Contains(stderr, "this needs") || time.Since(start) > 2*time.Second) {
			t.Errorf("%s --memory %s: refused after %v: %s", c.line, c.limit, time.Since(start), stderr)
		}
	}
}

// TestRefusedBeforeReading: what no table could make fit is refused before the tables are read, of which the second has a
// fault in its last line.
func TestRefusedBeforeReading(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 30000, func(i int) []any { return []any{i, i % 17} }))
	write(t, "uy.csv", table("u,y", 30000, func(i int) []any { return []any{i % 17, i} })+"3,oops\n")
	for line, says := range map[string]string{
		"fit --xu xu.csv --uy uy.csv -o m --memory 20MiB":                                                        "at least",
		"fit --xu xu.csv --uy uy.csv -o m --memory 40MiB":                                                        "at least",
		"fit --xu xu.csv --uy uy.csv -o m --memory 1GiB --features 20000 --solver closed":                        "--features",
		"fit --xu xu.csv --uy uy.csv -o m --memory 1GiB --features 20000 --phi nystrom:matern32 --solver closed": "--features",
		"fit --xu xu.csv --uy uy.csv -o m --memory 20MiB --lambda 1e-4 --phi linear --psi linear":                "--memory",
		"fit --xu xu.csv --uy uy.csv -o m --memory 20MiB --method naive --no-risk":                               "--memory",
		"fit --xu xu.csv --uy uy.csv -o m --memory 20MiB --method 2step --lambda 1e-4 --no-risk --se":            "--memory",
		"effect --xu xu.csv --uy uy.csv --treatment x --memory 1GiB --features 9000":                             "--features",
		"instrument --xu xu.csv --uy uy.csv --kernel --memory 1GiB --features 9000":                              "--features",
		"instrument --xu xu.csv --uy uy.csv --memory 20MiB":                                                      "--memory",
		"fit --xu xu.csv --uy uy.csv -o m --memory 2GiB --method joint --features 9000 --lambda 1 --w .5":        "--features",
		"fit --xu xu.csv --uy uy.csv -o m --memory 2GiB --method cme --psi tensorsketch:3 --features 20000":      "--features",
	} {
		start := time.Now()
		_, stderr, status := exec1(t, line)
		if status != statusData || !strings.Contains(stderr, says) || !strings.Contains(stderr, "above the limit") {
			t.Errorf("%s: status %d, stderr %q, want a refusal with %q", line, status, stderr, says)
		}
		if d := time.Since(start); slow.Tagged() && d > 2*time.Second {
			t.Errorf("%s: refused after %v", line, d)
		}
	}
}

// exec1 runs a command line in this process.
func exec1(t *testing.T, line string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), words(line), &out, &errs)
	return out.String(), errs.String(), status
}

// TestHintsFit: with the size that refusals name the same command runs.
func TestHintsFit(t *testing.T) {
	inFolder(t)
	wave(t, 200)
	hint := regexp.MustCompile(`\(--features (\d+), --memory`)
	for _, line := range []string{
		"fit --xu xu.csv --uy uy.csv -o m --quiet --memory 45MiB --method 2step --lambda 1e-4 --phi gaussian --psi matern32 --no-risk",
		"fit --xu xu.csv --uy uy.csv -o m --quiet --memory 64MiB --method joint --lambda 1e-3 --w .5",
	} {
		size, status, stderr := "4000", statusData, ""
		for range 3 { // too large, what tables of one column allow at most, and what these allow
			if _, stderr, status = exec1(t, line+" --features "+size); status == statusDone {
				break
			}
			found := hint.FindStringSubmatch(stderr)
			if found == nil {
				t.Fatalf("%s --features %s: status %d, stderr %q, want a size that fits", line, size, status, stderr)
			}
			size = found[1]
		}
		if n, _ := strconv.Atoi(size); status != statusDone || n < 20 || n >= 4000 {
			t.Errorf("%s: a size of %s is advised, status %d, stderr %q", line, size, status, stderr)
		}
	}
}

// TestLargeTablesAreNotKept: a table above an eighth of the limit is read again in each pass, one of libsvm, which must be kept, is
// refused above three quarters.
func TestLargeTablesAreNotKept(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 2000, func(i int) []any { return []any{i, i} })) // 32 kB
	for limit, keeps := range map[int64]bool{0: true, 1 << 20: true, 2 << 17: true, 2<<17 - 8: true, 200000: false} {
		read := readFlags{memory: limit, dialect: dialect{decimal: "."}, seen: &seenNames{}}
		src, close, err := read.open(t.Context(), "xu.csv", nil)
		if err != nil {
			t.Fatal(err)
		}
		if held := tables.FactsOf(src).Held > 0; held != keeps {
			t.Errorf("limit %d: the table is kept: %v", limit, held)
		}
		close()
	}
	write(t, "x.svm", strings.Repeat("1 1:1 2:2 3:3\n", 1000)) // 48 + 16 bytes a row
	for limit, fits := range map[int64]bool{0: true, 90000: true, 80000: false} {
		_, _, err := (&readFlags{memory: limit, dialect: dialect{decimal: "."}, seen: &seenNames{}}).open(t.Context(), "x.svm", nil)
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "kept in memory") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// TestModelFileAboveTheLimit: a model file that is larger than the limit is not read.
func TestModelFileAboveTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"predict %s x.csv", "evaluate %s --xy x.csv"} {
		if _, stderr, status := exec1(t, fmt.Sprintf(line, path)+" --memory 1GiB"); status != statusData || !strings.Contains(stderr, "the model file") || !strings.Contains(stderr, "--memory 3072") {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
	}
}
