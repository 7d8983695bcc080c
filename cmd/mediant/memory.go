package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"mediant/encode"
	"mediant/problem"
	"mediant/tables/formats"
)

// memoryFlag is --memory.
type memoryFlag struct{ text string }

func (m *memoryFlag) register(flags *pflag.FlagSet) {
	flags.StringVar(&m.text, "memory", "", "memory limit, such as 4GiB; what needs more is refused (default: what is free)")
	inGroup(flags, generalGroup)
}

// limit returns the limit in bytes, 0 if there is none.
func (m *memoryFlag) limit() (int64, error) {
	if m.text == "" {
		return defaultMemory(), nil
	}
	return parseBytes(m.text)
}

// codeBytes is the part of a process's resident memory that the runtime does not count: code and variables, some 28 MiB in a fit or an effect.
const codeBytes = 31 << 20

// keepWithin has the garbage collector keep the process within a limit, until restore is called. What is in use must be
// less: that is for the estimates of package rr. A twentieth is left for what is allocated while the collector runs.
func keepWithin(limit int64) (restore func()) {
	if limit <= 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(max(limit-limit/20-codeBytes, limit/2))
	return func() { debug.SetMemoryLimit(before) }
}

// parseBytes reads the size of --memory, such as 500MB, 2GiB or 1e9; "" is 0.
func parseBytes(text string) (int64, error) { return parseSize("--memory", text) }

// parseSize reads a size as parseBytes does, of a flag.
func parseSize(flag, text string) (int64, error) {
	units := []struct {
		suffix string
		bytes  float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}
	if text == "" {
		return 0, nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(v*u.bytes >= 1) || v*u.bytes > math.MaxInt64/2 {
			break
		}
		return int64(v * u.bytes), nil
	}
	return 0, usagef("%s %q is not a size in bytes, such as 500MB or 2GiB", flag, text)
}

// formatBytes writes a size for --memory, rounded up.
func formatBytes(bytes float64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%gGiB", math.Ceil(10*bytes/(1<<30))/10)
	}
	return fmt.Sprintf("%gMiB", math.Ceil(bytes/(1<<20)))
}

// defaultMemory is the limit where none is given: what the machine has free, where it says
// so (Linux), and else none.
func defaultMemory() int64 {
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(raw), "MemAvailable:")
	fields := strings.Fields(rest)
	if !found || len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// memoryHint adds the flags that help to an error that says that memory is short.
func memoryHint(err error) error {
	var short *problem.MemoryError
	if !errors.As(err, &short) {
		return err
	}
	flags := "--memory " + formatBytes(short.Need)
	if short.Least {
		flags = "--memory"
	}
	if short.Size > 0 {
		flags = fmt.Sprintf("--features %d, %s", short.Size, flags)
	}
	return fmt.Errorf("%w (%s)", err, flags)
}

// hinted adds the flags to change to errors of the library, which knows of none.
func hinted(err error) error {
	var label *encode.NumericLabelError
	if errors.As(err, &label) {
		return fmt.Errorf("%w (--text)", err)
	}
	return memoryHint(err)
}

// modelFits refuses a model file that cannot be read within the limit: it is held in bytes, in numbers, and in maps that
// are made of them.
func modelFits(path string, limit int64) error {
	info, err := os.Stat(path)
	if err != nil || limit <= 0 || !info.Mode().IsRegular() {
		return nil // for who opens it to say
	}
	if need := 3*float64(info.Size()) + 3*codeBytes/2; need > float64(limit) {
		return &problem.MemoryError{Need: need, Limit: limit, What: "the model file " + path}
	}
	return nil
}

// preview returns what the beginning of a file shows, so that a table that is too large is refused before it is read.
func (r *readFlags) preview(path string) problem.Preview {
	opt, err := r.options(nil)
	if err != nil {
		return problem.Preview{}
	}
	columns, rows := formats.Peek(path, formats.Options{Options: opt})
	return problem.Preview{Columns: columns, Rows: rows}
}
