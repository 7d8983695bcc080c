package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"mediant/tables"
)

// readFlags are the flags of every command that reads tables.
type readFlags struct {
	dialect
	text       []string
	ofXU, ofUY dialect // of one of two tables, where they are given
}

// A dialect is how a CSV file is written.
type dialect struct{ delimiter, decimal string }

const (
	delimiterHelp = `one character, or "tab" (default "," or, with --decimal ",", ";")`
	decimalHelp   = `decimal mark, "." or ","`
)

func (r *readFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&r.delimiter, "delimiter", "", delimiterHelp)
	flags.StringVar(&r.decimal, "decimal", ".", decimalHelp)
}

// registerTwo is register for commands that read a table of X and U and one of U and Y, which may come from different places.
func (r *readFlags) registerTwo(flags *pflag.FlagSet) {
	r.register(flags)
	for _, t := range []struct {
		name string
		to   *dialect
	}{{"xu", &r.ofXU}, {"uy", &r.ofUY}} {
		flags.StringVar(&t.to.delimiter, "delimiter-"+t.name, "", "delimiter of --"+t.name+" alone (default: --delimiter)")
		flags.StringVar(&t.to.decimal, "decimal-"+t.name, "", "decimal mark of --"+t.name+" alone (default: --decimal)")
	}
}

// dialectFlags are those that registerTwo adds.
var dialectFlags = []string{"delimiter-xu", "delimiter-uy", "decimal-xu", "decimal-uy"}

// of returns the flags for one of two tables.
func (r *readFlags) of(table dialect) *readFlags {
	own := *r
	if table.delimiter != "" {
		own.delimiter = table.delimiter
	}
	if table.decimal != "" {
		own.decimal = table.decimal
	}
	return &own
}

// check looks at the flags before anything is read.
func (r *readFlags) check() error {
	for _, table := range []struct {
		name string
		of   dialect
	}{{}, {"-xu", r.ofXU}, {"-uy", r.ofUY}} {
		if table.name != "" && table.of == (dialect{}) {
			continue
		}
		if _, err := r.of(table.of).options(nil); err != nil {
			if table.name != "" { // the flags of both tables are right by themselves
				err = usageError{fmt.Errorf("--delimiter%s, --decimal%[1]s: %w", table.name, err)}
			}
			return err
		}
	}
	return nil
}

// options returns how to read a table; only, if not nil, are the columns that matter.
func (r *readFlags) options(only []tables.Column) (tables.CSVOptions, error) {
	opt := tables.CSVOptions{Text: r.text, Only: only}
	var err error
	if opt.Comma, err = oneRune("--delimiter", r.delimiter); err != nil {
		return opt, err
	}
	if opt.Decimal, err = oneRune("--decimal", r.decimal); err != nil {
		return opt, err
	}
	switch {
	case opt.Decimal != 0 && opt.Decimal != '.' && opt.Decimal != ',':
		return opt, usagef("--decimal %q, want . or ,", r.decimal)
	case opt.Comma != 0 && opt.Comma == opt.Decimal, opt.Comma == '.' && opt.Decimal == 0:
		return opt, usagef("--delimiter and --decimal are both %q", r.delimiter)
	case strings.ContainsRune("\"\r\n+-.eE0123456789", opt.Comma), opt.Comma == utf8.RuneError:
		return opt, usagef("--delimiter %q cannot be told from a number or a quote", r.delimiter)
	}
	return opt, nil
}

func oneRune(flag, text string) (rune, error) {
	switch {
	case text == "":
		return 0, nil
	case text == "tab" || text == `\t`:
		return '\t', nil
	case utf8.RuneCountInString(text) != 1:
		return 0, usagef("%s %q is not one character", flag, text)
	}
	c, _ := utf8.DecodeRuneInString(text)
	return c, nil
}

// loadLimit is the size in bytes up to which a table is parsed once and kept in memory; larger
// ones are parsed anew in each pass. Results do not depend on it; tests lower it.
var loadLimit int64 = 1 << 30

// open opens a CSV file, or files in the format of libsvm, "-" being standard input. close must be called.
func (r *readFlags) open(ctx context.Context, path string, only []tables.Column) (src tables.Source, close func() error, err error) {
	opt, err := r.options(only)
	if err != nil {
		return nil, nil, err
	}
	if isLibSVM(path) {
		src, err = openLibSVM(strings.Split(path, ","), opt)
		return src, func() error { return nil }, err
	}
	csv, err := tables.OpenCSV(path, opt)
	if err != nil {
		return nil, nil, err
	}
	if int64(csv.Rows())*int64(len(csv.Columns()))*8 > loadLimit {
		return csv, csv.Close, nil
	}
	table, err := tables.Load(ctx, csv)
	if err != nil {
		csv.Close()
		return nil, nil, err
	}
	return table, func() error { return nil }, csv.Close()
}

// parseBytes reads the size of --memory, such as 500MB, 2GiB or 1e9; "" is 0.
func parseBytes(text string) (int64, error) {
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
	return 0, usagef("--memory %q is not a size in bytes, such as 500MB or 2GiB", text)
}

// defaultMemory is the limit of a fit where none is given: what the machine has free, where it says
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

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// formatNumber writes a number with the digits that people compare.
func formatNumber(v float64) string { return fmt.Sprintf("%.4g", v) }
