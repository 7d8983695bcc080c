package check

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mediant/internal/names"
)

// TestFlagsOfAnyName: a flag that a finding names is read as that column, also with commas, quotes and equals signs.
func TestFlagsOfAnyName(t *testing.T) {
	for _, name := range []string{"age", "age, years", `5" pipe`, `"quoted", twice`, "o'clock", "x=1", `a="b,c"`, "größe"} {
		argument := func(flag, text string) string { // as a shell hands it on
			quoted, ok := strings.CutPrefix(text, flag+" ")
			if !ok {
				t.Fatalf("%q is no %s", text, flag)
			}
			unquoted, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return unquoted
		}
		if got := names.Split(argument("--na", naFlag(name, -99))); !slices.Equal(got, []string{name + "=-99"}) {
			t.Errorf("%q: markers %q", name, got)
		}
		r := csv.NewReader(strings.NewReader(argument("--rename", renameFlag(name, "b=c"))))
		r.Comma = '='
		if got, err := r.Read(); err != nil || !slices.Equal(got, []string{name, "b=c"}) {
			t.Errorf("%q: renamed %q, %v", name, got, err)
		}
	}
}

// TestWordsOfOne: sentences about one thing are in the singular.
func TestWordsOfOne(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(1, "row"), "1 row"}, {count(2, "row"), "2 rows"}, {count(0, "row"), "0 rows"}, {verb(1, "is", "are"), "is"}, {verb(2, "is", "are"), "are"},
		{lines(slices.Repeat([]Finding{{What: "a"}}, listedFindings+1), "")[listedFindings], "note: 1 more finding"},
		{lines(slices.Repeat([]Finding{{What: "a"}}, listedFindings+2), "")[listedFindings], "note: 2 more findings"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
