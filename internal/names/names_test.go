package names

import (
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestCanonicalName(t *testing.T) {
	for name, want := range map[string]string{
		"":                           "",
		"age":                        "age",
		" age\t":                     "age",
		"km/h, \"x\"":                "km/h, \"x\"",
		"gro\u0308\u00dfe":           "gr\u00f6\u00dfe", // decomposed
		"gr\u00f6\u00dfe":            "gr\u00f6\u00dfe",
		"\u212b":                     "\u00c5", // the ångström sign
		"u\u200b":                    "u",      // zero-width space
		"\ufeffu":                    "u",
		"a\u200db\u200c":             "ab",
		"so\u00adft":                 "soft",
		"\u200fu\u202c\u2066v\u2069": "uv",
		"a\u00a0b\u00a0":             "a b",
		"a\u2009b":                   "a b",
		"u\ufe0f":                    "u",
		"\u200b":                     "",
		"a\xff ":                     "a\xff",
		"Ａge":                        "Ａge", // another letter that can be seen
	} {
		if got := Canonical(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		got := Canonical(name)
		if Canonical(got) != got || Canonical(norm.NFD.String(name)) != got || Canonical("\u2007\u200b"+name+"\ufeff") != got {
			t.Fatalf("%q is %q, of which the form is %q", name, got, Canonical(got))
		}
	})
}

// TestRenamesThatLookTheSame: of two old names that look the same the last in order counts, whatever the order of the map.
func TestRenamesThatLookTheSame(t *testing.T) {
	for range 20 {
		names, found, err := Rename([]string{"a", "b"}, map[string]string{"a": "c", "a ": "d", "z": "b"})
		if err != nil || !slices.Equal(names, []string{"d", "b"}) || !slices.Equal(found, []string{"a", "a"}) {
			t.Fatalf("%q of %q, %v", names, found, err)
		}
	}
}
