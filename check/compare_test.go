package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// A spoilt pair of tables: the column v is clean, u is as given in each table of n rows.
type spoilt struct {
	x, y func(rnd *rand.Rand) any // float64 or string
	want string                   // the one finding, or none
}

const spoiltRows = 300

// pairOf makes tables of (x, v, u) and (v, u, y).
func pairOf(t *testing.T, n int, s spoilt, seed uint64) (xu, uy *tables.Table) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	column := func(of func(*rand.Rand) any) tables.ColumnData {
		values, cells := make([]float64, n), make([]string, n)
		written := false
		for i := range n {
			switch v := of(rnd).(type) {
			case float64:
				values[i] = v
			case string:
				cells[i], written = v, true
			}
		}
		if written {
			return tables.Strings("u", cells)
		}
		return tables.Numbers("u", values)
	}
	normal := func(int) float64 { return rnd.NormFloat64() }
	return table(t, numbers("x", n, normal), numbers("v", n, normal), column(s.x)), table(t, numbers("v", n, normal), column(s.y), numbers("y", n, normal))
}

func tryPairs(t *testing.T, n int, cases map[string]spoilt) {
	t.Helper()
	for name, c := range cases {
		xu, uy := pairOf(t, n, c, 7)
		if got := strings.Join(found(t, xu, uy, Options{}), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// one draws one of the levels, each with the same probability.
func one(levels ...string) func(*rand.Rand) any {
	return func(rnd *rand.Rand) any { return levels[rnd.IntN(len(levels))] }
}

func normal(mean, sd float64) func(*rand.Rand) any {
	return func(rnd *rand.Rand) any { return mean + sd*rnd.NormFloat64() }
}

// by applies a function to what is drawn.
func by(of func(*rand.Rand) any, f func(float64) float64) func(*rand.Rand) any {
	return func(rnd *rand.Rand) any { return f(of(rnd).(float64)) }
}

func skew(rnd *rand.Rand) any { return math.Exp(rnd.NormFloat64()) }

func wholeFrom(low, high int) func(*rand.Rand) any {
	return func(rnd *rand.Rand) any { return float64(low + rnd.IntN(high-low+1)) }
}

// TestSpellings: levels of one table that the other writes otherwise.
func TestSpellings(t *testing.T) {
	tryPairs(t, spoiltRows, map[string]spoilt{
		"case":               {one("North", "South", "west"), one("North", "South", "West"), "error level-spelling u"},
		"all in capitals":    {one("NORTH", "SOUTH", "WEST"), one("north", "south", "west"), "error level-spelling u"},
		"space":              {one("New York", "Boston"), one("NewYork", "Boston"), "error level-spelling u"},
		"space at the end":   {one("a", "b", "c "), one("a", "b", "c"), "error level-spelling u"},
		"underscore":         {one("very_good", "good"), one("very good", "good"), "error level-spelling u"},
		"hyphen":             {one("non-free", "free"), one("nonfree", "free"), "error level-spelling u"},
		"dot":                {one("st. louis", "boston"), one("st louis", "boston"), "error level-spelling u"},
		"Unicode form":       {one("größe", "farbe"), one("gro\u0308ße", "farbe"), "error level-spelling u"},
		"another script":     {one("left", "r\u0456ght"), one("left", "right"), "error level-spelling u"},
		"invisible":          {one("left", "right\u200b"), one("left", "right"), "error level-spelling u"},
		"letter left out":    {one("north", "south", "westrn"), one("north", "south", "western"), "warning level-spelling u"},
		"letter put in":      {one("north", "south", "wesst"), one("north", "south", "west"), "warning level-spelling u"},
		"letters swapped":    {one("north", "south", "wset"), one("north", "south", "west"), "warning level-spelling u"},
		"letter replaced":    {one("grey", "black", "white"), one("gray", "black", "white"), "warning level-spelling u"},
		"case and letter":    {one("Nroth", "south"), one("north", "south"), "warning level-spelling u"},
		"1.0":                {one("1.0", "2.0", "x"), one("1", "2", "x"), "error level-spelling u"},
		"01":                 {one("01", "02", "1a"), one("1", "2", "1a"), "error level-spelling u"},
		"decimal comma":      {one("1,5", "2,5", "none"), one("1.5", "2.5", "none"), "error level-spelling u"},
		"+1":                 {one("+1", "-1", "no"), one("1", "-1", "no"), "error level-spelling u"},
		"TRUE":               {one("TRUE", "FALSE"), one("True", "False"), "error level-spelling u"},
		"yes for true":       {one("yes", "no"), one("true", "false"), "error levels-disjoint u"},
		"Y for yes":          {one("Y", "N"), one("yes", "no"), "error levels-disjoint u"},
		"on for true":        {one("on", "off"), one("TRUE", "FALSE"), "error levels-disjoint u"},
		"ja for yes":         {one("ja", "nein"), one("yes", "no"), "error levels-disjoint u"},
		"t for true":         {one("t", "f"), one("true", "false"), "error levels-disjoint u"},
		"other words":        {one("red", "blue"), one("rouge", "bleu"), "error levels-disjoint u"},
		"codes for words":    {one("a", "b", "c"), one("apples", "pears", "plums"), "error levels-disjoint u"},
		"one level more":     {one("a", "b", "c"), one("a", "b"), "warning level-unseen u"},
		"a range, no number": {one("1-2", "a"), one("12", "a"), "warning level-unseen u"},
		"a range of classes": {one("class 1-2", "none"), one("class 12", "none"), "warning level-unseen u"},
		"marks and a sign":   {one("A", "A-", "B"), one("A", "B"), "warning level-unseen u"},
		"signs alone":        {one("+", "-", "0"), one("+", "0"), "warning level-unseen u"},
		"short words":        {one("bat", "dog"), one("cat", "dog"), "warning level-unseen u"},
		"another word":       {one("male", "female"), one("male", "unknown"), "warning level-unseen u"},
		"written in S_Y":     {one("West", "east"), one("West", "west", "east"), "warning level-spelling u"},
		"alike":              {one("a", "b", "c"), one("a", "b", "c"), ""},
		"two cases in both":  {one("a", "A", "c"), one("a", "A", "c"), ""},
		"near words in both": {one("Iran", "Iraq", "Oman"), one("Iran", "Iraq", "Oman"), ""},
	})
}

// TestRareLevels: levels that chance leaves out of a sample are a note, whatever they are near to.
func TestRareLevels(t *testing.T) {
	names := func(rnd *rand.Rand) any {
		k := int(3 * math.Exp(1.6*rnd.ExpFloat64()))
		return fmt.Sprintf("%c%c%clin", 'a'+rune(k%26), 'a'+rune(k/26%26), 'a'+rune(k/676%26))
	}
	for seed := range uint64(20) {
		xu, uy := pairOf(t, spoiltRows, spoilt{x: names, y: names}, seed)
		for _, f := range found(t, xu, uy, Options{}) {
			if strings.HasSuffix(f, " u") && f != "note level-unseen u" {
				t.Errorf("seed %d: %s", seed, f)
			}
		}
	}
}

// TestDistributions: columns of which the populations differ, which no unit explains.
func TestDistributions(t *testing.T) {
	const differs = "warning distribution-differs u"
	tryPairs(t, 1000, map[string]spoilt{
		"shifted":               {normal(0, 1), normal(.6, 1), differs},
		"wider":                 {normal(0, 1), normal(0, 1.4), differs},
		"far wider":             {normal(5, 1), normal(5, 3), differs},
		"heavy tails":           {normal(0, 1), func(rnd *rand.Rand) any { return .7 * rnd.NormFloat64() / math.Abs(rnd.NormFloat64()) }, differs},
		"two humps":             {normal(0, 1), func(rnd *rand.Rand) any { return 2*float64(rnd.IntN(2)) - 1 + .1*rnd.NormFloat64() }, differs + ", note mixed-units u"},
		"shares of codes":       {wholeFrom(1, 5), by(wholeFrom(1, 8), func(v float64) float64 { return min(v, 5) }), differs},
		"shares of two":         {by(wholeFrom(0, 9), func(v float64) float64 { return min(v, 1) }), wholeFrom(0, 1), differs},
		"constant":              {func(*rand.Rand) any { return 3. }, wholeFrom(1, 5), differs},
		"constant in the other": {normal(0, 1), func(*rand.Rand) any { return .5 }, differs},
		"shares of levels":      {one("a", "b", "c"), one("a", "a", "a", "b", "c"), differs},
		"rounded":               {normal(0, 1), by(normal(0, 1), math.Round), differs},
		"rounded a little":      {by(normal(0, 2), math.Round), normal(0, 2), "warning precision-differs u"},
		"fine rounding":         {normal(100, 20), by(normal(100, 20), math.Round), "note precision-differs u"},
		"whole in both":         {by(normal(100, 20), math.Round), by(normal(100, 20), math.Round), ""},
		"halves in both":        {by(normal(10, 2), func(v float64) float64 { return math.Round(2*v) / 2 }), by(normal(10, 2), func(v float64) float64 { return math.Round(2*v) / 2 }), ""},
		"alike":                 {normal(0, 1), normal(0, 1), ""},
		"zeros in both":         {by(normal(0, 1), func(v float64) float64 { return max(0, v-1) }), by(normal(0, 1), func(v float64) float64 { return max(0, v-1) }), ""},
		"skew in both":          {skew, skew, ""},
		"codes in both":         {wholeFrom(1, 5), wholeFrom(1, 5), ""},
	})
}

// TestSwapped: two columns of U whose names are swapped in one table.
func TestSwapped(t *testing.T) {
	const n = 300
	rnd := rand.New(rand.NewPCG(3, 3))
	normally := func(int) float64 { return rnd.NormFloat64() }
	for name, c := range map[string][2]func(*rand.Rand) any{
		"age and income":  {normal(40, 10), by(skew, func(v float64) float64 { return 1e4 * v })},
		"shift":           {normal(0, 1), normal(1, 1)},
		"spread":          {normal(0, 1), normal(0, 3)},
		"codes":           {wholeFrom(1, 5), wholeFrom(0, 9)},
		"flag and number": {wholeFrom(0, 1), normal(5, 2)},
		"levels":          {one("north", "south"), one("a", "b", "c")},
	} {
		*rnd = *rand.New(rand.NewPCG(3, 3)) // whatever the order of the cases
		draw := func(column string, k int) tables.ColumnData {
			if _, ok := c[k](rnd).(string); ok {
				return text(column, n, func(int) string { return c[k](rnd).(string) })
			}
			return numbers(column, n, func(int) float64 { return c[k](rnd).(float64) })
		}
		xu := table(t, numbers("x", n, normally), draw("a", 0), draw("b", 1), numbers("c", n, normally))
		uy := table(t, draw("a", 1), draw("b", 0), numbers("c", n, normally), numbers("y", n, normally))
		if got := found(t, xu, uy, Options{}); !slices.Equal(got, []string{"error columns-swapped a"}) {
			t.Errorf("%s: %q", name, got)
		}
		right := table(t, draw("a", 0), draw("b", 1), numbers("c", n, normally), numbers("y", n, normally))
		if got := found(t, xu, right, Options{}); len(got) > 0 {
			t.Errorf("%s, not swapped: %q", name, got)
		}
	}
}

// TestMissing: values of U that one table misses.
func TestMissing(t *testing.T) {
	lacks := func(share float64, of func(*rand.Rand) any) func(*rand.Rand) any {
		return func(rnd *rand.Rand) any {
			v := of(rnd)
			if rnd.Float64() >= share {
				return v
			}
			if _, ok := v.(string); ok {
				return ""
			}
			return math.NaN()
		}
	}
	const differs = "warning missing-differs u"
	number, level := normal(0, 1), one("a", "b", "c")
	tryPairs(t, spoiltRows, map[string]spoilt{
		"in the first alone":        {lacks(.1, number), number, differs},
		"in the second alone":       {number, lacks(.1, number), differs},
		"more":                      {lacks(.5, number), lacks(.3, number), differs},
		"less":                      {lacks(.02, number), lacks(.2, number), differs},
		"levels":                    {lacks(.1, level), level, differs},
		"codes":                     {lacks(.2, wholeFrom(1, 4)), wholeFrom(1, 4), differs},
		"wholly in the first":       {lacks(1, number), number, "error missing-differs u"},
		"wholly in the second":      {number, lacks(1, number), "error missing-differs u"},
		"wholly, of levels":         {lacks(1, number), level, "error missing-differs u"},
		"one or two":                {lacks(.01, number), number, "note missing-differs u"},
		"alike":                     {lacks(.1, number), lacks(.1, number), ""},
		"alike, of levels":          {lacks(.3, level), lacks(.3, level), ""},
		"one or two, in the second": {number, lacks(.005, number), ""},
	})
}

// TestExactTest against values of R 4.2's fisher.test.
func TestExactTest(t *testing.T) {
	for _, c := range []struct {
		k, n, l, m int
		p          float64
	}{
		{3, 4, 1, 4, .4857142857142857},       // the tea taster
		{1, 10, 11, 14, .0027594561852200836}, // the example of a diet
		{0, 5, 5, 5, .007936507936507936},
		{2, 7, 2, 7, 1},
	} {
		if p := exactTest(c.k, c.n, c.l, c.m); math.Abs(p-c.p) > 1e-9 {
			t.Errorf("%+v: %.16g", c, p)
		}
	}
}

// TestNames: columns that are nearly of one name end with both names, unless a flag names one of them; those that look the same are
// one.
func TestNames(t *testing.T) {
	const n = 60
	rnd := rand.New(rand.NewPCG(1, 9))
	normal := func(int) float64 { return rnd.NormFloat64() }
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"Age", "age", true}, {"body mass", "body_mass", true}, {"body-mass", "BodyMass", true}, {"größe", "gro\u0308ße", false}, {"w\u200b", "w", false},
		{"z.1", "z1", true}, {"age ", "age", false}, {"age", "ages", false}, {"x1", "x2", false}, {"_", "-", false},
	} {
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal), numbers(c.x, n, normal))
		uy := table(t, numbers("u", n, normal), numbers(c.y, n, normal), numbers("y", n, normal))
		want := []string(nil)
		if c.want {
			want = []string{"error names-nearly-equal " + c.x}
		}
		if got := found(t, xu, uy, Options{}); !slices.Equal(got, want) {
			t.Errorf("%q and %q: %q", c.x, c.y, got)
		}
		if got := found(t, xu, uy, Options{Roles: tables.RoleOptions{X: []string{"x", c.x}}}); len(got) > 0 {
			t.Errorf("%q and %q, one named: %q", c.x, c.y, got)
		}
	}
}

// TestSlipsOfNames: names that are one letter apart are reported where the columns are distributed alike, and only there.
func TestSlipsOfNames(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(4, 9))
	normal := func(int) float64 { return rnd.NormFloat64() }
	moved := func(int) float64 { return 3 + rnd.NormFloat64() }
	binary := func(i int) float64 { return float64(i % 2) }
	for _, c := range []struct {
		x, y       string
		inXU, inUY func(int) float64
		want       bool
	}{
		{"income", "incme", normal, normal, true}, {"income", "imcome", normal, normal, true}, {"income", "icnome", normal, normal, true},
		{"income", "incomes", normal, normal, true}, {"Income", "incone", normal, normal, true}, {"read 1", "raed 1", normal, normal, true},
		{"weight", "height", normal, moved, false}, {"income", "outcome", normal, normal, false}, {"x1", "y1", normal, normal, false},
		{"s1", "sx", binary, binary, true}, {"sy", "s1", normal, normal, true}, {"s1", "s4", normal, normal, false}, {"s1", "sx", normal, moved, false}, {"x1", "xx", normal, normal, false},
		{"test1", "test2", normal, normal, false}, {"female", "femal", binary, binary, false}, {"age", "aga", normal, normal, false},
	} {
		xu := table(t, numbers("x", n, normal), numbers("s2", n, normal), numbers("s3", n, normal), numbers(c.x, n, c.inXU))
		uy := table(t, numbers("s2", n, normal), numbers("s3", n, normal), numbers(c.y, n, c.inUY), numbers("z", n, normal))
		want := []string(nil)
		if c.want {
			want = []string{"warning names-nearly-equal " + c.x}
		}
		if got := found(t, xu, uy, Options{}); !slices.Equal(got, want) {
			t.Errorf("%q and %q: %q", c.x, c.y, got)
		}
		if got := found(t, xu, uy, Options{Roles: tables.RoleOptions{X: []string{"x", c.x}}}); len(got) > 0 {
			t.Errorf("%q and %q, one named: %q", c.x, c.y, got)
		}
	}
}
