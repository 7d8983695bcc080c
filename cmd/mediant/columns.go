package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// columnsVar adds a flag for names of columns, each argument of which is kept as it is typed: package tables knows the columns, and
// so whether it is a name with commas or a list.
func columnsVar(flags *pflag.FlagSet, to *[]string, name, help string) {
	flags.Var((*columnsValue)(to), name, help)
}

type columnsValue []string

func (v *columnsValue) Set(text string) error { *v = append(*v, text); return nil }

func (v *columnsValue) Type() string { return "columns" }

func (v *columnsValue) String() string { return strings.Join(*v, ",") }

// GetSlice returns the arguments.
func (v *columnsValue) GetSlice() []string { return *v }

// seenNames are the names of columns of the files that were read, with their dates.
type seenNames struct {
	heads  []string
	dates  []string // as csv.Options.Dates has them
	unread []string // tables.Facts.Unread
}

func (s *seenNames) add(file *formats.Table) {
	s.heads = append(s.heads, file.Header...)
	s.dates = append(s.dates, file.Dates...)
	s.unread = append(s.unread, tables.FactsOf(file.Source).Unread...)
}

// ignored are patterns without those that match unread columns alone, which have no role to lose.
func (s *seenNames) ignored(patterns []string, columns []tables.Column) []string {
	if len(s.unread) == 0 {
		return patterns
	}
	read := tables.ColumnNames(columns)
	return slices.DeleteFunc(names.Resolve(slices.Concat(read, s.unread), patterns), func(p string) bool {
		hit, err := names.Match(read, p)
		unread, _ := names.Match(s.unread, p)
		return err == nil && len(hit) == 0 && len(unread) > 0
	})
}

// datesRead are the columns of dates for later files, with the order of day and month where no two tables have two, and with =excel where a
// table has numbers of days.
func (s *seenNames) datesRead() []string {
	var names []string
	forms := map[string][]string{}
	for _, d := range s.dates {
		name := s.dateName(d)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if d != name && !slices.Contains(forms[name], d) {
			forms[name] = append(forms[name], d)
		}
	}
	var read []string
	for _, name := range names {
		excel := func(d string) bool { return d == name+"=excel" }
		orders := slices.DeleteFunc(slices.Clone(forms[name]), excel)
		if slices.ContainsFunc(forms[name], excel) {
			read = append(read, name+"=excel")
		}
		switch {
		case len(orders) == 1:
			read = append(read, orders[0])
		case len(orders) == len(forms[name]): // no numbers
			read = append(read, name)
		}
	}
	return read
}

// dateName is the name in an item of --dates: the item, if a column has that name.
func (s *seenNames) dateName(item string) string {
	if slices.Contains(s.heads, item) {
		return item
	}
	return csv.DatesName(item)
}

// checkNames refuses names in flags of reading that no table has.
func (r *readFlags) checkNames(sources ...tables.Source) error {
	var columns []tables.Column
	for _, src := range sources {
		columns = append(columns, src.Columns()...)
	}
	if _, err := tables.MatchNames(columns, r.text); err != nil {
		return fmt.Errorf("--text: %w", err)
	}
	if len(r.na) > 0 && len(r.seen.heads) == 0 {
		return usagef("--na has no meaning for files in the format of libsvm")
	}
	for _, arg := range r.na {
		for _, marker := range r.markers(arg) {
			at := strings.LastIndex(marker, "=")
			if at <= 0 || at == len(marker)-1 {
				continue
			}
			if _, err := tables.MatchNames(columns, []string{marker[:at]}); err != nil {
				return fmt.Errorf("--na %s: %w", marker, err)
			}
		}
	}
	for _, item := range names.Resolve(r.seen.heads, r.dates) {
		pattern := r.seen.dateName(item)
		hit, err := names.Match(r.seen.heads, pattern)
		if err == nil && len(hit) == 0 {
			err = names.NoMatch(r.seen.heads, pattern)
		}
		if err != nil {
			return fmt.Errorf("--dates: %w", err)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.rename.names)) {
		if !r.rename.found[from] {
			return fmt.Errorf("--rename: no column %q in any of the tables%s", from, names.DidYouMean(tables.ColumnNames(columns), from))
		}
	}
	return nil
}
