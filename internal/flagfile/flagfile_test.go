package flagfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// values are flags of all types.
type values struct {
	text   string
	number float64
	count  int
	seed   uint64
	quiet  bool
	x      []string
}

// flagsOf are flags of all types, of which a command line sets some.
func flagsOf(t interface{ Fatal(...any) }, to *values, args ...string) *pflag.FlagSet {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.StringVar(&to.text, "method", "auto", "")
	flags.Float64Var(&to.number, "lambda", 0, "")
	flags.IntVar(&to.count, "features", 512, "")
	flags.Uint64Var(&to.seed, "seed", 0, "")
	flags.BoolVar(&to.quiet, "quiet", false, "")
	flags.StringArrayVar(&to.x, "x", nil, "")
	flags.String("config", "", "")
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

// apply reads a text and applies it.
func apply(flags *pflag.FlagSet, text string) error {
	settings, err := Parse("run.yaml", []byte(text))
	if err != nil {
		return err
	}
	return Apply(flags, "run.yaml", settings, "config")
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		text string
		args []string
		want string
	}{
		{"", nil, "{auto 0 512 0 false []}"},
		{"# nothing\n", nil, "{auto 0 512 0 false []}"},
		{"---\n", nil, "{auto 0 512 0 false []}"},
		{"method: 2step\nlambda: 1e-3\nfeatures: 64\nseed: 18446744073709551615\nquiet: true\nx: [a, 'b, c', \"007\"]\n", nil, "{2step 0.001 64 18446744073709551615 true [a b, c 007]}"},
		{"{method: joint, x: only}", nil, "{joint 0 512 0 false [only]}"},
		{"x:\n- 1.50\n- 007\n- yes\n- 2024-01-02\n- ''\n", nil, "{auto 0 512 0 false [1.50 007 yes 2024-01-02 ]}"},
		{"x: []", nil, "{auto 0 512 0 false []}"},
		{"method: joint\nlambda: 1\nquiet: true\nx: [a]\n", words("--method 2step --quiet=false --x b --x c"), "{2step 1 512 0 false [b c]}"}, // the command line wins
		{"method: true", nil, "{true 0 512 0 false []}"},
	} {
		var got values
		if err := apply(flagsOf(t, &got, c.args...), c.text); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%q after %q: %v, error %v, want %s", c.text, c.args, got, err, c.want)
		}
	}
	var got values
	flags := flagsOf(t, &got)
	if err := apply(flags, "lambda: 0"); err != nil || !flags.Changed("lambda") {
		t.Errorf("a flag that the file sets to its default is not set: %v", err)
	}
}

func words(line string) []string { return strings.Fields(line) }

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"method: 2step\nmetod: x":    `run.yaml:2: there is no flag metod (did you mean "method"?)`,
		"xyzzy: 1":                   `run.yaml:1: there is no flag xyzzy`,
		"config: other.yaml":         `run.yaml:1: there is no flag config`,
		"\nlambda: big":              `run.yaml:2: lambda: "big", want a number`,
		"features: 1.5":              `run.yaml:1: features: "1.5", want a whole number`,
		"seed: -1":                   `run.yaml:1: seed: "-1", want a whole number that is not negative`,
		"quiet: maybe":               `run.yaml:1: quiet: "maybe", want true or false`,
		"quiet: 1":                   `run.yaml:1: quiet: "1", want true or false`,
		"lambda: [1, 2]":             `run.yaml:1: lambda is a list, want one value`,
		"x:\n- a\n- {b: c}":          `run.yaml:3: x is not one value, or a list of values`,
		"x: [[a]]":                   `run.yaml:1: x is not one value, or a list of values`,
		"x: {a: b}":                  `run.yaml:1: x is not one value, or a list of values`,
		"method:":                    `run.yaml:1: method has no value; an empty text is ""`,
		"x: [a, null]":               `run.yaml:1: x has no value; an empty text is ""`,
		"lambda: 1\nx: a\nlambda: 2": `run.yaml:3: lambda is set before, on line 1`,
		"x: &a [b]\nmethod: *a":      `run.yaml:1: x has an anchor or alias, which is not read`,
		"x: &a b\nmethod: *a":        `run.yaml:1: x has an anchor or alias, which is not read`,
		"? [a]\n: b":                 `run.yaml:1: a key is no name of a flag`,
		"- method":                   `run.yaml:1: want names of flags with their values, as in lambda: 0.1`,
		"method":                     `run.yaml:1: want names of flags with their values, as in lambda: 0.1`,
		"method: a\n---\nmethod: b":  `run.yaml: has several documents, want one`,
		"method: [a":                 `run.yaml:1: is no YAML: did not find expected ',' or ']'`,
		"method: a\n\tlambda: 1":     `run.yaml:2: is no YAML: `,
		"\xff":                       `run.yaml: is no YAML: `,
		"method: !!binary '***'":     `run.yaml:1: method is no base64`,
	} {
		var got values
		err := apply(flagsOf(t, &got), text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.yaml")
	if _, err := Read(path); err == nil {
		t.Error("a file that is not there is read")
	}
	for text, want := range map[string]string{"method: a": "", "x: " + strings.Repeat("a", MaxBytes): "larger than"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := Read(path)
		if want == "" && (err != nil || len(settings) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d settings, error %v, want %q", len(settings), err, want)
		}
	}
}

// list are the flags that a file has.
func list(flags *pflag.FlagSet) (all []*pflag.Flag) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "config" {
			all = append(all, f)
		}
	})
	return all
}

// TestFormat: what is written sets the same flags to the same values, whatever these are, and has the others as comments.
func TestFormat(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "~", "null", "true", "yes", "y", "1e3", "0x10", "007", "1_000", ".5", "2024-01-02", "- a", "a: b", "#a", "a #b", "*a", "&a", "!a", "a\nb", " a ", "\"a\"", "a\xff", "<<", "=", "\ufeff"}))
	rapid.Check(t, func(t *rapid.T) {
		var args []string
		for _, name := range []string{"method", "x", "x"} {
			if rapid.Bool().Draw(t, "set "+name) && (name == "x" || !slices.Contains(args, "--method")) {
				args = append(args, "--"+name, text.Draw(t, name))
			}
		}
		for _, number := range [][2]string{{"lambda", fmt.Sprint(rapid.Float64().Draw(t, "lambda"))}, {"features", fmt.Sprint(rapid.Int().Draw(t, "features"))}, {"seed", fmt.Sprint(rapid.Uint64().Draw(t, "seed"))}} {
			if rapid.Bool().Draw(t, "set "+number[0]) {
				args = append(args, "--"+number[0], number[1])
			}
		}
		args = append(args, fmt.Sprintf("--quiet=%t", rapid.Bool().Draw(t, "quiet")))
		var want, got values
		flags, again := flagsOf(t, &want, args...), flagsOf(t, &got)
		written, err := Format(list(flags))
		if err != nil {
			t.Fatal(err)
		}
		if err := apply(again, written); err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		for _, f := range list(flags) {
			if f.Changed != again.Changed(f.Name) || !f.Changed && !strings.Contains(written, "# ") {
				t.Fatalf("%s is set: %t, want %t, in\n%s", f.Name, !f.Changed, f.Changed, written)
			}
		}
		if !cmp.Equal(got, want, cmp.AllowUnexported(values{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()) {
			t.Fatalf("%+v, want %+v, in\n%s", got, want, written)
		}
	})
}

// FuzzParse: whatever a file holds, it is read or refused in one line that names it, and what is read can be applied or is refused likewise.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "method: 2step\n", "x: [a, 'b']\n", "lambda: 1e-3\nquiet: true", "a: &b [*b]", "x:\n- a\n- b\n", "? a\n: b", "---\n...\n", "x: !!binary AA=="} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > MaxBytes {
			return
		}
		var got values
		flags := flagsOf(t, &got)
		err := apply(flags, string(text))
		if err == nil {
			if _, err := Format(list(flags)); err != nil {
				t.Errorf("%v of what was read", err)
			}
			return
		}
		if message := err.Error(); !strings.HasPrefix(message, "run.yaml:") {
			t.Errorf("error %q", message)
		}
	})
}
