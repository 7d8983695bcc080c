package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant/tables"
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

// renames are the arguments of --rename.
type renames struct {
	names map[string]string // new ones by old ones
	found map[string]bool   // the old ones that a table has had
}

// Set takes A=B. Names with = stand in quotes as in CSV.
func (r *renames) Set(text string) error {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = '='
	parts, err := reader.Read()
	if err != nil { // quotes that are letters
		parts = strings.Split(text, "=")
	}
	if len(parts) != 2 {
		return fmt.Errorf(`want A=B, and names with = in quotes: "A"="B"`)
	}
	from, to := tables.CanonicalName(parts[0]), tables.CanonicalName(parts[1])
	if before, ok := r.names[from]; from == "" || to == "" || ok && before != to {
		return fmt.Errorf("want A=B, each A once")
	}
	r.names[from] = to
	return nil
}

func (r *renames) Type() string { return "A=B" }

func (r *renames) String() string {
	var all []string
	for _, from := range slices.Sorted(maps.Keys(r.names)) {
		all = append(all, from+"="+r.names[from])
	}
	return strings.Join(all, ",")
}

// see notes the old names that a table has.
func (r *renames) see(found []string) {
	for _, name := range found {
		r.found[name] = true
	}
}

// apply renames columns of a table that is not CSV.
func (r *renames) apply(src tables.Source) (tables.Source, error) {
	own := map[string]string{}
	for _, c := range src.Columns() {
		if to, ok := r.names[tables.CanonicalName(c.Name)]; ok {
			own[c.Name] = to
			r.found[tables.CanonicalName(c.Name)] = true
		}
	}
	if len(own) == 0 {
		return src, nil
	}
	return tables.Rename(src, own)
}

// seenNames are the names of columns of the files that were read, with their dates.
type seenNames struct {
	columns []tables.Column
	dates   []string // as CSVOptions.Dates has them
}

func (s *seenNames) add(csv *tables.CSV) {
	for _, name := range csv.Header() {
		s.columns = append(s.columns, tables.Column{Name: name})
	}
	s.dates = append(s.dates, csv.Dates()...)
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
	if slices.Contains(s.columns, tables.Column{Name: item}) {
		return item
	}
	return tables.DatesName(item)
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
	if len(r.na) > 0 && len(r.seen.columns) == 0 {
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
	for _, item := range tables.ResolveNames(r.seen.columns, r.dates) {
		if _, err := tables.MatchNames(r.seen.columns, []string{r.seen.dateName(item)}); err != nil {
			return fmt.Errorf("--dates: %w", err)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.rename.names)) {
		if !r.rename.found[from] {
			return fmt.Errorf("--rename: no column %q in any of the tables", from)
		}
	}
	return nil
}
