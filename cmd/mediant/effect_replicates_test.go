package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// replicateTables writes tables of 60 rows with 12 jackknife weights each, of groups of five rows; the names of the second are in capitals.
func replicateTables(t *testing.T) {
	t.Helper()
	const groups = 12
	repeated := func(name string) string {
		var names []string
		for g := range groups {
			names = append(names, fmt.Sprintf("%s%d", name, g+1))
		}
		return strings.Join(names, ",")
	}
	weights := func(i int) []any {
		base := 1.25 + float64(i/2%3)/2
		row := []any{base}
		for g := range groups {
			w := base * groups / (groups - 1.)
			if i/5 == g {
				w = 0
			}
			row = append(row, w)
		}
		return row
	}
	write(t, "xu.csv", table("arm,part,u,wt,"+repeated("repwt"), 60, func(i int) []any {
		return append([]any{i % 2, i / 30, float64(i%2) + math.Sin(float64(7*i))}, weights(i)...)
	}))
	write(t, "uy.csv", table("u,y,WT,"+repeated("REPWT"), 60, func(i int) []any {
		u := 2 * math.Cos(float64(5*i))
		return append([]any{u, 3*u + math.Sin(float64(11*i))}, weights(i)...)
	}))
}

// TestReplicatesCommand: standard errors from replicate weights stand in text and JSON, and columns of them have no role.
func TestReplicatesCommand(t *testing.T) {
	inFolder(t)
	replicateTables(t)
	args := words("effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --weights-xu wt --weights-uy WT --replicates-xu repwt1-repwt12 --replicates-uy REPWT* --replicate-method jk1,jkn")
	type result struct {
		U          []string
		Effects    []struct{ Estimate, SE float64 }
		Replicates struct {
			XU, UY *struct {
				Method           string
				Columns, Freedom int
			}
			Joint bool
		}
	}
	run := func(args ...string) (got result) {
		t.Helper()
		r := invoke(append(args, "--json")...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		return got
	}
	got, rows := run(args...), run(words("effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --weights-xu wt --weights-uy WT --ignore repwt*,REPWT*")...)
	if len(got.U) != 1 || len(got.Effects) != 1 || got.Effects[0].Estimate != rows.Effects[0].Estimate || got.Effects[0].SE == rows.Effects[0].SE {
		t.Errorf("%+v, by rows %+v", got, rows)
	}
	r := got.Replicates
	if r.XU == nil || r.XU.Method != "jk1" || r.XU.Columns != 12 || r.XU.Freedom != 11 || r.UY == nil || r.UY.Method != "jkn" || r.UY.Freedom != 11 {
		t.Errorf("%+v %+v", r.XU, r.UY)
	}
	if out := invoke(args...); !strings.Contains(out.stdout, "note: standard errors of the table of X and U are from 12 replicate weights (jk1), with 11 degrees of freedom") {
		t.Errorf("%+v", out)
	}
	one := run(words("effect --xu xu.csv --uy uy.csv --treatment arm --psi linear --weights-xu wt --weights-uy WT --replicates repwt* --replicate-method jk1 --ignore REPWT*")...)
	if one.Replicates.XU == nil || one.Replicates.UY != nil {
		t.Errorf("of one table: %+v", one.Replicates)
	}
	joint := run(append(args[:len(args)-1:len(args)-1], "jk1", "--replicates-joint")...)
	if !joint.Replicates.Joint {
		t.Errorf("%+v", joint.Replicates)
	}
	by := invoke(append(args, "--by", "part")...)
	if by.status != statusDone || !strings.Contains(by.stdout, "effects by part") {
		t.Errorf("%+v", by)
	}
	const both = "effect --xu xu.csv --uy uy.csv --treatment arm "
	for line, says := range map[string]string{
		both + "--replicates repwt*":                                              "--replicate-method is missing",
		both + "--replicate-method brr":                                           "go with --replicates",
		both + "--replicates repwt* --replicate-method brr=3":                     "--replicate-method",
		both + "--replicates repwt* --replicate-method a,b,c":                     "3 methods",
		both + "--replicates repwt* --replicate-method jackknife":                 "jk1, jk2, jkn",
		both + "--replicates repwt* --replicate-method brr --coupled c.csv":       "--coupled",
		both + "--replicates-xu repwt* --replicate-method brr --replicates-joint": "both tables",
	} {
		if r := invoke(words(line)...); r.status != statusUsage || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
	for line, says := range map[string]string{
		both + "--replicates nosuch* --replicate-method brr":                                   `"nosuch*"`,
		both + "--replicates-xu repwt1-repwt13 --replicate-method brr":                         `"repwt13"`,
		both + "--replicates-xu repwt* --replicate-method brr --ignore REPWT*,WT,wt":           "name those of the full sample",
		both + "--replicates-xu repwt* --weights-xu wt --replicate-method brr --ignore REPWT*": "by method brr the replicate weights give",
		both + "--replicates-xu arm,repwt* --replicate-method brr --ignore REPWT*,WT,wt":       `"arm" cannot be both replicate weights and X`,
		both + "--ignore REPWT*,repwt*,WT,wt --folds 61":                                       "--folds is 61, and a table has 60 rows",
	} {
		if r := invoke(words(line)...); r.status != statusData || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
}
