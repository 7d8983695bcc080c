// Package flagfile reads the flags of a command from a YAML file, a mapping of their names to values or lists of values, and writes them as one.
package flagfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"mediant/internal/names"
)

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 256 << 10

// A Setting is what a file says of one flag. Texts are as they stand in the file, without quotes.
type Setting struct {
	Name   string
	Line   int
	List   bool
	Values []Value
}

// A Value is one text, and whether it is written as true or false.
type Value struct {
	Text  string
	Truth bool
	Line  int
}

// Read reads a file. Its errors are one line, which begins with the name of the file and, where they concern a line, its number.
func Read(path string) ([]Setting, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than 256 KiB, which no file of flags is", path)
	}
	return Parse(path, text)
}

// Parse is Read of the content of a file.
func Parse(path string, text []byte) ([]Setting, error) {
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxError(path, err)
	}
	if err := decoder.Decode(new(yaml.Node)); err == nil {
		return nil, fmt.Errorf("%s: has several documents, want one", path)
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(path, err)
	}
	top := document.Content[0]
	switch {
	case top.Kind == yaml.ScalarNode && top.ShortTag() == "!!null":
		return nil, nil
	case top.Kind != yaml.MappingNode:
		return nil, at(path, top.Line, "want names of flags with their values, as in lambda: 0.1")
	}
	first := make(map[string]int)
	var settings []Setting
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		s, err := setting(path, key, top.Content[i+1])
		if err != nil {
			return nil, err
		}
		if line, again := first[s.Name]; again {
			return nil, at(path, s.Line, "%s is set before, on line %d", s.Name, line)
		}
		first[s.Name] = s.Line
		settings = append(settings, s)
	}
	return settings, nil
}

func at(path string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", path, line, fmt.Errorf(format, args...))
}

// yamlLine is where the library's errors have a line.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func syntaxError(path string, err error) error {
	message := err.Error()
	place := path
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if m[1] != "" {
			place += ":" + m[1]
		}
	}
	return fmt.Errorf("%s: is no YAML: %s", place, message)
}

// setting reads one key with its value.
func setting(path string, key, value *yaml.Node) (s Setting, err error) {
	if key.Kind != yaml.ScalarNode {
		return s, at(path, key.Line, "a key is no name of a flag")
	}
	s = Setting{Name: key.Value, Line: key.Line}
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items, s.List = value.Content, true
	}
	for _, item := range items {
		switch {
		case item.Kind == yaml.AliasNode, item.Anchor != "", value.Anchor != "":
			return s, at(path, item.Line, "%s has an anchor or alias, which is not read", s.Name)
		case item.Kind != yaml.ScalarNode:
			return s, at(path, item.Line, "%s is not one value, or a list of values", s.Name)
		case item.ShortTag() == "!!null":
			return s, at(path, item.Line, `%s has no value; an empty text is ""`, s.Name)
		}
		v := Value{Text: item.Value, Truth: item.ShortTag() == "!!bool", Line: item.Line}
		if item.ShortTag() == "!!binary" { // how text that is no UTF-8 is written
			if err := item.Decode(&v.Text); err != nil {
				return s, at(path, item.Line, "%s is no base64", s.Name)
			}
		}
		s.Values = append(s.Values, v)
	}
	return s, nil
}

// lists are values of flags that take several texts.
type lists interface {
	GetSlice() []string
}

// Apply sets those flags that are not set already. Names that are none of the flags or are in except, and values of another type, are errors with file and line.
func Apply(flags *pflag.FlagSet, path string, settings []Setting, except ...string) error {
	for _, s := range settings {
		f := flags.Lookup(s.Name)
		if f == nil || f.Hidden || slices.Contains(except, s.Name) {
			return at(path, s.Line, "there is no flag %s%s", s.Name, names.DidYouMean(known(flags, except), s.Name))
		}
		_, list := f.Value.(lists)
		if s.List && !list {
			return at(path, s.Line, "%s is a list, want one value", s.Name)
		}
		if f.Changed {
			continue
		}
		for _, v := range s.Values {
			if err := set(flags, f, v); err != nil {
				return at(path, v.Line, "%s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// known are the names that a file may have.
func known(flags *pflag.FlagSet, except []string) (all []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.Contains(except, f.Name) {
			all = append(all, f.Name)
		}
	})
	return all
}

// set sets one value of a flag, which must be of its type.
func set(flags *pflag.FlagSet, f *pflag.Flag, v Value) error {
	kind := f.Value.Type()
	if kind == "bool" && !v.Truth {
		return fmt.Errorf("%q, want true or false", v.Text)
	}
	err := flags.Set(f.Name, v.Text)
	want, ok := typeNames[kind]
	switch {
	case err == nil:
		return nil
	case ok:
		return fmt.Errorf("%q, want %s", v.Text, want)
	}
	if cause := errors.Unwrap(err); cause != nil { // without the words about a command line
		err = cause
	}
	return fmt.Errorf("%q: %w", v.Text, err)
}

// typeNames say what the types of pflag are.
var typeNames = map[string]string{"bool": "true or false", "int": "a whole number", "uint64": "a whole number that is not negative", "uint": "a whole number that is not negative", "float64": "a number"}
