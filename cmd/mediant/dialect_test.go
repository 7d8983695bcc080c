package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// dialects are ways to write a table, with the flags that read it when they are meant for it alone.
var dialects = []struct{ comma, point, flags string }{
	{",", ".", "--delimiter-TABLE ,"},
	{";", ".", "--delimiter-TABLE ;"},
	{"\t", ".", "--delimiter-TABLE tab"},
	{"|", ".", "--delimiter-TABLE |"},
	{";", ",", "--decimal-TABLE ,"},
	{"\t", ",", "--decimal-TABLE , --delimiter-TABLE tab"},
	{" ", ",", "--decimal-TABLE , --delimiter-TABLE SPACE"},
	{",", ",", "--decimal-TABLE ,"},
	{",", ",", "--decimal-TABLE , --delimiter-TABLE ,"},
}

var decimalPoint = regexp.MustCompile(`(\d+)\.(\d+)`)

// TestDialectsOfTwoTables: the two tables may be written in any two ways, and give the same numbers as plain ones.
func TestDialectsOfTwoTables(t *testing.T) {
	inFolder(t)
	xu := "x,u,t\n1.5,2.25,0\n2.5,1.5,1\n3,4.5,0\n0.5,2,1\n1,1.5,0\n2,2.5,1\n3.5,4,0\n1.5,2,1\n2.25,3,0\n3.25,3.5,1\n"
	uy := "u,y\n1.25,2\n2,3.5\n4.5,9.25\n3,6.5\n2.5,4\n1.5,3\n3.5,7\n4,8\n2.25,4.5\n2.75,5\n"
	as := func(text, comma, point string) string {
		if comma == point {
			return decimalPoint.ReplaceAllString(text, `"$1,$2"`)
		}
		return strings.NewReplacer(",", comma, ".", point).Replace(text)
	}
	flags := func(d, table string) []string {
		out := words(strings.ReplaceAll(d, "TABLE", table))
		for i, word := range out {
			if word == "SPACE" {
				out[i] = " "
			}
		}
		return out
	}
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	fit := words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --phi linear --psi linear --x x --u u --y y")
	effect := words("effect --xu xu.csv --uy uy.csv --treatment t --u u --psi linear --folds 2")
	evaluate := words("evaluate m.mediant --xu xu.csv --uy uy.csv --json")
	succeed(t, fit...)
	model, effects, risk := read(t, "m.mediant"), succeed(t, effect...), invoke(evaluate...)
	for _, a := range dialects {
		for _, b := range dialects {
			write(t, "xu.csv", as(xu, a.comma, a.point))
			write(t, "uy.csv", as(uy, b.comma, b.point))
			both := append(flags(a.flags, "xu"), flags(b.flags, "uy")...)
			succeed(t, append(fit, both...)...)
			if read(t, "m.mediant") != model || succeed(t, append(effect, both...)...) != effects || invoke(append(evaluate, both...)...) != risk {
				t.Errorf("%q and %q: other results", a, b)
			}
		}
	}
	if risk.status != statusDone {
		t.Error(risk.stderr)
	}
	// What is common to both is said once.
	write(t, "xu.csv", as(xu, ";", ","))
	write(t, "uy.csv", as(uy, "|", ","))
	succeed(t, append(fit, words("--decimal , --delimiter-uy |")...)...)
	if read(t, "m.mediant") != model {
		t.Error("--decimal for both and --delimiter-uy give another model")
	}
	os.Remove("m.mediant")
	for flags, says := range map[string]string{
		"--delimiter-xu ab": `--delimiter-xu|"ab"`, "--delimiter-uy 1": `--delimiter-uy|"1"`, "--decimal-xu x": `--decimal-xu|"x"`,
		"--delimiter-xu .": `"."`,
	} {
		for _, command := range []string{"fit --xu nosuch --uy nosuch -o n ", "effect --treatment t --xu nosuch --uy nosuch ", "evaluate nosuch --xu nosuch --uy nosuch "} {
			wrong{line: command + flags, says: says}.check(t, statusUsage)
		}
	}
	for _, flag := range dialectFlags {
		checkMeans(t, "evaluate nosuch --xy nosuch.csv --"+flag+" ;", "--"+flag, false)
	}
}
