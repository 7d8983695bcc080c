package main

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"mediant/encode"
	"mediant/rr"
)

// textFlags say how free text becomes numbers.
type textFlags struct {
	columns, words int
	characters     string
}

func (f *textFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.words, "word-ngrams", 1, "count runs of up to this many words of free text")
	flags.StringVar(&f.characters, "char-ngrams", "3-5", `lengths of runs of characters within words of free text to count too, MIN-MAX or "none"`)
	flags.IntVar(&f.columns, "hash-columns", 1<<17, "columns into which the terms of a column of free text are hashed, a power of two")
	inGroup(flags, readingGroup)
}

// names are those of the flags.
func (f *textFlags) names() []string { return []string{"word-ngrams", "char-ngrams", "hash-columns"} }

// options are those of the library.
func (f *textFlags) options() (encode.TextOptions, error) {
	o := encode.TextOptions{Words: f.words, Buckets: f.columns}
	if f.words < 1 {
		return o, usagef("--word-ngrams %d, must be at least 1", f.words)
	}
	if f.columns < 1 {
		return o, usagef("--hash-columns %d, must be a power of two", f.columns)
	}
	var ok bool
	if o.CharMin, o.CharMax, ok = characterRange(f.characters); !ok {
		return o, usagef(`--char-ngrams %q, want MIN-MAX, such as 3-5, or "none"`, f.characters)
	}
	if err := o.Validate(); err != nil {
		return o, usagef("--%s: %w", strings.Join(f.names(), ", --"), err)
	}
	return o, nil
}

// characterRange reads "3-5", "4" or "none".
func characterRange(text string) (least, most int, ok bool) {
	if text == "none" {
		return -1, -1, true
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	least, errFrom := strconv.Atoi(from)
	most, errTo := strconv.Atoi(to)
	return least, most, errFrom == nil && errTo == nil && least > 0
}

// warn tells of flags that had nothing to do.
func (f *textFlags) warn(m *rr.Model, given func(flag string) bool) {
	if m.X.Sparse() || m.U.Sparse() {
		return
	}
	for _, name := range f.names() {
		if given(name) {
			m.Warnings = append(m.Warnings, "no column is free text: --"+name+" has no effect")
		}
	}
}
