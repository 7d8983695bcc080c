package literal

import (
	"testing"
)

// TestLabelKey: spellings of one number or truth value have one key, and no others have.
func TestLabelKey(t *testing.T) {
	keys := map[string]string{}
	for _, same := range [][]string{
		{"1", "1.0", "1.00", "1.", " 1 "}, {"0", "0.0", "-0", ".0", "0.", "-0.00"}, {"0.5", ".5", "0.50"}, {"-2", "-2.0"}, {"10", "10.0"}, {"-.25", "-0.250"},
		{"TRUE", "True", "true", " TRUE"}, {"FALSE", "False", "false"}, {"9007199254740993", "9007199254740993.0"},
		{"01"}, {"+1"}, {"1e0"}, {"001.0"}, {"1,0"}, {"-"}, {"."}, {""}, {"yes"}, {"YES"}, {"T"}, {"t"}, {"tRUE"}, {"F"}, {"NaN"}, {"a"}, {"A"}, {"9007199254740992"}, {"100"}, {"1.01"},
	} {
		for _, label := range same {
			if got, want := LabelKey(label), LabelKey(same[0]); got != want {
				t.Errorf("%q is %q, want %q as %q", label, got, want, same[0])
			}
		}
		key := LabelKey(same[0])
		if before, ok := keys[key]; ok {
			t.Errorf("%q and %q have the key %q", before, same[0], key)
		}
		keys[key] = same[0]
	}
}
