package main

import (
	"strings"
	"testing"
)

// TestLabelsThatTheModelDoesNotKnow: other spellings of a number or truth value are the same label; other labels are named and
// counted, and are an error where no row has a known one (scikit-learn/scikit-learn PR #18192,
// KevinMusgrave/pytorch-metric-learning#129).
func TestLabelsThatTheModelDoesNotKnow(t *testing.T) {
	inFolder(t)
	xu := table("x,u", 40, func(i int) []any { return []any{float64(i-20) + .5, float64(i-20) + .5} })
	write(t, "xu.csv", xu)
	coupled := func(no, yes string) string {
		return "x,y\n-9," + no + "\n-5," + no + "\n-7," + no + "\n5," + yes + "\n6," + yes + "\n7," + yes + "\n"
	}
	for _, c := range []struct {
		no, yes string
		same    [][2]string
		other   [2]string
	}{
		{"0", "1", [][2]string{{"0", "1"}, {"0.0", "1.0"}, {"0.00", "1."}}, [2]string{"no", "yes"}},
		{"False", "True", [][2]string{{"FALSE", "TRUE"}, {"false", "true"}}, [2]string{"0", "1"}},
		{"01", "02", [][2]string{{"01", "02"}}, [2]string{"1", "2"}},
	} {
		write(t, "uy.csv", table("u,y", 40, func(i int) []any { return []any{float64(i-20) + .5, []string{c.no, c.yes}[i/20]} }))
		succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --no-risk --quiet --method 2step --features 64 --lambda 1e-4 --text y")...)
		for _, same := range c.same {
			write(t, "xy.csv", coupled(same[0], same[1]))
			if got := at(t, object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...)), "accuracy"); got != 1. {
				t.Errorf("%q for %q and %q: accuracy %v", same, c.no, c.yes, got)
			}
		}
		write(t, "xy.csv", coupled(c.other[0], c.other[1]))
		got := invoke(words("evaluate m.mediant --xy xy.csv")...)
		if got.status != statusData || !strings.Contains(got.stderr, `"`+c.other[0]+`" (3), "`+c.other[1]+`" (3); the classes are "`+c.no+`", "`+c.yes+`"`) || got.stdout != "" {
			t.Errorf("labels %q: %+v", c.other, got)
		}
		write(t, "xy.csv", coupled(c.other[0], c.yes))
		got = invoke(words("evaluate m.mediant --xy xy.csv --json")...)
		if got.status != statusDone || !strings.Contains(got.stderr, `warning: 3 of 6 rows with a label have one that no class has: "`+c.other[0]+`" (3)`) {
			t.Errorf("label %q: %+v", c.other[0], got)
		}
		if u := at(t, object(t, got.stdout), "unknown_labels"); u.(map[string]any)["rows"] != 3. || at(t, object(t, got.stdout), "accuracy") != .5 {
			t.Errorf("label %q: %s", c.other[0], got.stdout)
		}
		for _, new := range []struct {
			labels [2]string
			status int
			want   string
		}{{[2]string{c.other[0], c.yes}, statusDone, "warning: uy2.csv: 20 of 40 rows with a label"}, {c.other, statusData, "uy2.csv: column \"y\" of Y: 40 of 40"}} {
			write(t, "xu2.csv", table("x,u", 40, func(i int) []any { return []any{.9*float64(i-20) + .3, .9*float64(i-20) + .3} }))
			write(t, "uy2.csv", table("u,y", 40, func(i int) []any { return []any{.9*float64(i-20) + .4, new.labels[i/20]} }))
			got = invoke(words("evaluate m.mediant --xu xu2.csv --uy uy2.csv")...)
			if got.status != new.status || !strings.Contains(got.stderr, new.want) {
				t.Errorf("labels %q: %+v", new.labels, got)
			}
		}
	}
}
