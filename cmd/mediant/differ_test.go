package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mediant/internal/draw"
)

// uOfTables has values of U, by table (0 or 1) and row, that are of one distribution in both; draws are the same for each seed.
func uOfTables(seed uint64, rows int) [2][]float64 {
	var u [2][]float64
	for t := range u {
		rnd := draw.Rand(seed, "u of tables", t)
		for range rows {
			u[t] = append(u[t], math.Round(1e4*rnd.NormFloat64())/1e4)
		}
	}
	return u
}

const differRows = 250

// writeDiffering writes tables of (x, U), of (t, U) and of (U, y), with U made by table and row.
func writeDiffering(t *testing.T, names string, of func(table, i int) []any) {
	t.Helper()
	rnd := draw.Rand(1, "x and y", 0)
	row := func(more any, u []any) []any { return append([]any{more}, u...) }
	write(t, "xu.csv", table("x,"+names, differRows, func(i int) []any { return row(rnd.NormFloat64(), of(0, i)) }))
	write(t, "tu.csv", table("t,"+names, differRows, func(i int) []any { return row(i*7%13%2, of(0, i)) }))
	write(t, "uy.csv", table(names+",y", differRows, func(i int) []any { return append(of(1, i), rnd.NormFloat64()) }))
}

var differing = []string{
	"check --xu xu.csv --uy uy.csv",
	"check --xu tu.csv --uy uy.csv --treatment t",
	"fit --xu xu.csv --uy uy.csv --phi linear --psi linear --lambda 1e-3 -o m.mediant --no-risk",
	"effect --xu tu.csv --uy uy.csv --treatment t --psi linear",
}

// refused expects each command to end, with all of the words in its message, and without a result.
func refused(t *testing.T, what string, parts ...string) {
	t.Helper()
	for _, command := range differing {
		got := invoke(words(command)...)
		if got.status == statusDone || got.stdout != "" && !strings.HasPrefix(command, "check") {
			t.Errorf("%s: %s: %+v", what, command, got)
		}
		for _, part := range parts {
			if !strings.Contains(got.stderr, part) {
				t.Errorf("%s: %s: no %q in %q", what, command, part, got.stderr)
			}
		}
	}
}

// quiet expects each command to end well without a word of U.
func quiet(t *testing.T, what string) {
	t.Helper()
	for _, command := range differing {
		got := invoke(words(command)...)
		if got.status != statusDone || strings.Contains(got.stderr+got.stdout, "warning:") || strings.Contains(got.stdout, "error:") {
			t.Errorf("%s: %s: %+v", what, command, got)
		}
	}
}

// TestPerCentOrFraction: a column of U in other units in one table ends fit and effect (gavinsimpson/analogue#22). An estimate was made
// before, far below the true error.
func TestPerCentOrFraction(t *testing.T) {
	inFolder(t)
	u := uOfTables(1, differRows)
	for _, factor := range []float64{.01, 1, 100, 1000} {
		writeDiffering(t, "ret,v", func(table, i int) []any {
			v := u[table][i]
			if table == 0 {
				v *= factor
			}
			return []any{v, u[table][(i+9)%differRows]}
		})
		if factor == 1 {
			quiet(t, "one unit")
		} else {
			refused(t, fmt.Sprint("times ", factor), `"ret"`, "spread", "unit-differs")
		}
	}
}

// TestLevelSpelledOtherwise: a level that the other table writes otherwise is named with that one (lightgbm-org/LightGBM#2826).
func TestLevelSpelledOtherwise(t *testing.T) {
	inFolder(t)
	u := uOfTables(2, differRows)
	for _, spelling := range []string{"West", "west", "WEST", "We st", "West.", "west "} {
		writeDiffering(t, "reg,v", func(table, i int) []any {
			level := []string{"North", "South", "East", "West"}[int(4*math.Abs(u[table][i]))%4]
			if table == 0 && level == "West" {
				level = spelling
			}
			return []any{level, u[table][(i+9)%differRows]}
		})
		if spelling == "West" {
			quiet(t, "one spelling")
		} else {
			refused(t, spelling, `"reg"`, fmt.Sprintf("%q", spelling), `"West"`, "level-spelling")
		}
	}
}

// TestMissingInOneTable: a column of U that only one table misses is named with both shares (scikit-learn/scikit-learn#13968).
func TestMissingInOneTable(t *testing.T) {
	inFolder(t)
	u := uOfTables(3, differRows)
	for _, every := range []int{0, 2, 5, 10} {
		writeDiffering(t, "u,v", func(table, i int) []any {
			if table == 0 && every > 0 && i%every == 1 {
				return []any{"", u[table][(i+9)%differRows]}
			}
			return []any{u[table][i], u[table][(i+9)%differRows]}
		})
		if every == 0 {
			quiet(t, "never missing")
			continue
		}
		got := invoke(words(differing[0])...)
		if want := fmt.Sprintf(`warning: "u" is missing in %.3g %% of the rows of the first table and in none of the second`, 100./float64(every)); !strings.Contains(got.stdout, want) {
			t.Errorf("one of %d: no %q in %+v", every, want, got)
		}
	}
}

// TestNamesNearlyEqual: names that differ in case and marks alone end with both of them, and --rename settles it; names that look the
// same are matched (JuliaData/DataFrames.jl#2904).
func TestNamesNearlyEqual(t *testing.T) {
	inFolder(t)
	u := uOfTables(4, differRows)
	for _, c := range []struct {
		x, y    string
		refused bool
	}{{"Age", "age", true}, {"body mass", "body_mass", true}, {"a.g.e", "age", true}, {"größe", "gro\u0308ße", false}, {"u\u200b", "u", false}, {"age", "age", false}} {
		writeDiffering(t, "w,v", func(table, i int) []any { return []any{u[table][i], u[table][(i+9)%differRows]} })
		for _, file := range []string{"xu.csv", "tu.csv"} {
			write(t, file, strings.Replace(read(t, file), ",w,", ","+c.x+",", 1))
		}
		write(t, "uy.csv", strings.Replace(read(t, "uy.csv"), "w,", c.y+",", 1))
		if !c.refused {
			quiet(t, c.x)
			continue
		}
		refused(t, c.x, fmt.Sprintf("%q", c.x), fmt.Sprintf("%q", c.y), "--rename", "names-nearly-equal")
		got := invoke(append(words(differing[0]), "--rename", c.y+"="+c.x)...)
		if got.status != statusDone || strings.Contains(got.stdout, "nearly equal") {
			t.Errorf("%s renamed: %+v", c.y, got)
		}
	}
}
