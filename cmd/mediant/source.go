package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"mediant/internal/names"
	"mediant/internal/plural"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
	"mediant/tables/spool"
)

// readFlags are the flags of every command that reads tables.
type readFlags struct {
	dialect
	text       []string
	ofXU, ofUY dialect // of one of two tables, where they are given
	memory     int64   // the limit that tables are read within; 0: none
	stream     bool    // tables are read once, and need not be kept
	lenient    bool    // columns with cells that are no numbers are text, to be looked at
	keepRows   bool    // each record is a row, so that each has its prediction
	rename     renames
	na, dates  []string
	ignore     *[]string // columns that are left unused, nil if there is no such flag
	seen       *seenNames
	model      tables.Reading // of the model that the table is read for
}

// A dialect is how a CSV file is written.
type dialect struct{ delimiter, decimal string }

const (
	delimiterHelp = `one character, or "tab" (default ",", or ";", tab or "|" if that alone cuts the first 100 records evenly; with --decimal "," it is ";", unless numbers stand in quotes between commas)`
	decimalHelp   = `decimal mark, "." or "," (in quotes where the delimiter is "," too)`
)

func (r *readFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&r.delimiter, "delimiter", "", delimiterHelp)
	flags.StringVar(&r.decimal, "decimal", ".", decimalHelp)
	r.rename = renames{names: map[string]string{}, found: map[string]bool{}}
	flags.Var(&r.rename, "rename", "A=B: read column A as B, in whichever table has it (repeatable)")
	r.seen = new(seenNames)
	columnsVar(flags, &r.dates, "dates", `columns of dates (2024-03-01, 20240301, 1 Mar 2024 and others), read as four columns of numbers: "NAME year", "NAME month", "NAME weekday" (1 to 7 from Monday) and "NAME days" since 1970-01-01; NAME=dmy or NAME=mdy where 01/02/2024 is open, NAME=excel where numbers are days as spreadsheets count them (comma list, globs)`)
	columnsVar(flags, &r.na, "na", `cells that mark missing values, such as ".", or "-99,?", or COLUMN=MARKER (comma list, repeatable), besides the empty one and, among numbers, NA, N/A, NaN and null`)
	inGroup(flags, readingGroup)
}

// twoTableFlags are those of commands that look at a table of X and U and one of U and Y, and do something with them.
type twoTableFlags struct {
	readFlags
	checkFlags
	xu, uy  string
	roles   tables.RoleOptions
	cluster string // in whichever table has it
}

// checkGiven returns an error if a table is not given, or both are standard input.
func (f *twoTableFlags) checkGiven() error {
	for _, table := range []struct{ flag, file string }{{"--xu", f.xu}, {"--uy", f.uy}} {
		if table.file == "" {
			return usagef("%s is missing", table.flag)
		}
	}
	if f.xu == "-" && f.uy == "-" {
		return usagef("only one of --xu and --uy can be standard input")
	}
	return nil
}

// registerTables registers where the tables are and what their columns are; first says what the first one has, of which X is chosen if withX.
func (f *twoTableFlags) registerTables(flags *pflag.FlagSet, first string, withX bool) {
	flags.StringVar(&f.xu, "xu", "", first)
	flags.StringVar(&f.uy, "uy", "", "file of U and Y (likewise)")
	if withX {
		columnsVar(flags, &f.roles.X, "x", "columns of X (comma list, globs)")
	}
	columnsVar(flags, &f.roles.U, "u", "columns of U (comma list, globs)")
	columnsVar(flags, &f.roles.Y, "y", "columns of Y (comma list, globs)")
	f.readFlags.ignore = &f.roles.Ignore
	columnsVar(flags, &f.roles.Ignore, "ignore", "columns of either table to leave unused, such as identifiers (comma list, globs)")
	registerWeights(flags, &f.roles, "in the first table", "in the second table")
	inGroup(flags, columnGroup)
	f.readFlags.registerTwo(flags)
	columnsVar(flags, &f.readFlags.text, "text", "columns to read as text whatever they look like (comma list, globs)")
	inGroup(flags, readingGroup)
}

// registerWeights registers the columns of weights of two tables.
func registerWeights(flags *pflag.FlagSet, roles *tables.RoleOptions, xu, uy string) {
	flags.StringVar(&roles.WeightsXU, "weights-xu", "", "column of weights "+xu+": whole numbers count rows, others are sampling weights")
	flags.StringVar(&roles.WeightsUY, "weights-uy", "", "column of weights "+uy+", likewise")
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
	inGroup(flags, readingGroup)
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
func (r *readFlags) options(only []tables.Column) (csv.Options, error) {
	reading := r.reading()
	opt := csv.Options{Text: r.text, Only: only, KeepRows: r.keepRows, Lenient: r.lenient, Rename: r.rename.names, Aliases: r.model.Aliases, NA: reading.NA, Dates: slices.Concat(r.dates, r.model.Dates)}
	if r.ignore != nil {
		opt.Ignore = *r.ignore
	}
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
	case opt.Comma == '.':
		return opt, usagef("--delimiter %q cannot be distinguished from the decimal mark, and --decimal only knows \".\" and \",\"", r.delimiter)
	case strings.ContainsRune("\"\r\n+-.eE0123456789", opt.Comma), opt.Comma == utf8.RuneError:
		return opt, usagef("--delimiter %q cannot be distinguished from a number or a quote", r.delimiter)
	}
	return opt, nil
}

// reading is how tables are read by the flags and by the model that they are read for.
func (r *readFlags) reading() tables.Reading {
	var own []string
	for _, arg := range r.na {
		for _, marker := range r.markers(arg) {
			if !slices.Contains(own, marker) {
				own = append(own, marker)
			}
		}
	}
	own = append(own, slices.DeleteFunc(slices.Clone(r.model.NA), func(m string) bool { return slices.Contains(own, m) })...)
	aliases := maps.Clone(r.model.Aliases)
	for old, name := range r.rename.names {
		if aliases == nil {
			aliases = make(map[string]string)
		}
		aliases[old] = name
	}
	return tables.Reading{NA: own, Dates: r.seen.datesRead(), Aliases: aliases}
}

// markers takes an argument of --na apart. Numbers with a decimal comma, where tables have such, are whole, and get a point.
func (r *readFlags) markers(arg string) []string {
	commas := r.decimal == "," || r.ofXU.decimal == "," || r.ofUY.decimal == ","
	withPoint := func(marker string) string {
		column, number := "", marker
		if at := strings.LastIndex(marker, "="); at > 0 {
			column, number = marker[:at+1], marker[at+1:]
		}
		if commas && decimalComma.MatchString(number) {
			return column + strings.Replace(number, ",", ".", 1)
		}
		return marker
	}
	if whole := withPoint(arg); whole != arg {
		return []string{whole}
	}
	var all []string
	for _, marker := range names.Split(arg) {
		all = append(all, withPoint(strings.TrimSpace(marker)))
	}
	return all
}

var decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+$`)

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

// loadLimit is the size in bytes up to which a table is parsed once and kept in memory, if that is no more than an eighth
// of the limit of --memory; larger ones are copied to a temporary file. Results do not depend on it; tests lower it.
var loadLimit int64 = 1 << 30

// fits reports whether a table of that size is to be kept in memory.
func (r *readFlags) fits(bytes int64) bool {
	return bytes <= loadLimit && (r.memory <= 0 || bytes <= r.memory/8)
}

// open opens a table in any format, "-" being standard input. close must be called.
func (r *readFlags) open(ctx context.Context, path string, only []tables.Column) (src tables.Source, close func() error, err error) {
	opt, err := r.options(only)
	if err != nil {
		return nil, nil, err
	}
	ctx = progress.Stage(ctx, "reading "+path)
	file, err := formats.Open(ctx, path, formats.Options{Options: opt, Room: r.room()})
	if err != nil {
		return nil, nil, err
	}
	r.rename.see(file.Renamed)
	r.seen.add(file)
	return r.keep(ctx, file)
}

// keep makes a table of a file that can be read again and again: in memory, or, if it is too large, copied to a temporary file. Where that cannot be written the file
// is parsed in each pass.
func (r *readFlags) keep(ctx context.Context, file *formats.Table) (src tables.Source, close func() error, err error) {
	facts := tables.FactsOf(file.Source)
	switch {
	case facts.Held > 0 || r.stream:
		return file.Source, file.Close, nil
	case r.fits(tables.LoadBytes(file.Source, facts.Rows)):
		table, err := tables.Load(ctx, file.Source)
		if err != nil {
			return nil, nil, errors.Join(err, file.Close())
		}
		return table, func() error { return nil }, file.Close()
	}
	copied, err := spool.Write(ctx, file.Source)
	switch {
	case ctx.Err() != nil:
		return nil, nil, errors.Join(ctx.Err(), file.Close())
	case err != nil: // a fault of the file itself is found in the next pass too
		return file.Source, file.Close, nil
	}
	return copied, copied.Close, file.Close()
}

// room refuses files that are kept in memory as a whole if they leave less than a quarter of the limit, if there is one.
func (r *readFlags) room() func(path string, bytes int64) error {
	if r.memory <= 0 {
		return nil
	}
	held := int64(0)
	return func(path string, bytes int64) error {
		if held += bytes; held > r.memory*3/4 {
			return memoryHint(&problem.MemoryError{Need: float64(held) * 4 / 3, Limit: r.memory, What: path + ", which is kept in memory,", Least: true})
		}
		return nil
	}
}

// twoTables are those of --xu and --uy.
type twoTables struct {
	xu, uy           tables.Source
	closeXU, closeUY func() error
	text             []string // columns of either that --text names
}

// openTwo opens both tables, and refuses names in flags of reading that neither has. close must be called.
func (r *readFlags) openTwo(ctx context.Context, xu, uy string) (*twoTables, error) {
	var t twoTables
	var err error
	if t.xu, t.closeXU, err = r.of(r.ofXU).open(ctx, xu, nil); err != nil {
		return nil, err
	}
	if t.uy, t.closeUY, err = r.of(r.ofUY).open(ctx, uy, nil); err != nil {
		t.closeXU()
		return nil, err
	}
	if err = r.checkNames(t.xu, t.uy); err == nil {
		t.text, err = tables.MatchNames(slices.Concat(t.xu.Columns(), t.uy.Columns()), r.text)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	if r.ignore != nil {
		*r.ignore = r.seen.ignored(*r.ignore, slices.Concat(t.xu.Columns(), t.uy.Columns()))
	}
	return &t, nil
}

func (t *twoTables) close() {
	t.closeXU()
	t.closeUY()
}

// skipNotes says what reading the tables left out, a line each.
func skipNotes(sources ...tables.Source) []string {
	var lines []string
	for _, src := range sources {
		for _, s := range tables.FactsOf(src).Skips {
			lines = append(lines, s.String())
		}
	}
	return lines
}

// printNotes writes notes, a line each.
func printNotes(w io.Writer, notes []string) {
	for _, line := range notes {
		fmt.Fprintln(w, "note: "+oneLine(line))
	}
}

// count writes a number of things.
var count = plural.Of

// formatNumber writes a number with the digits that people compare.
func formatNumber(v float64) string { return fmt.Sprintf("%.4g", v) }
