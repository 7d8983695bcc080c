package main

import (
	"fmt"
	"strings"
	"testing"
)

var allForms = []string{"csv", "csv.zst", "parquet", "arrow", "jsonl"}

// TestColumnsGoByNameInEveryFormat: the order of columns does not matter in any format (pandas-dev/pandas#7160, dmlc/xgboost#8357).
func TestColumnsGoByNameInEveryFormat(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", "u,y\n1,2\n2,3\n3,7\n")
	write(t, "xu.csv", "x1,x2,u\n1,0,2\n0,1,1\n1,2,3\n")
	write(t, "yu.csv", "y,u\n2,1\n3,2\n7,3\n")
	write(t, "ux.csv", "u,x2,x1\n2,0,1\n1,1,0\n3,2,1\n")
	write(t, "query.csv", "x1,x2\n3,1\n0,2\n")
	write(t, "reordered.csv", "x2,x1\n1,3\n2,0\n")
	for _, ending := range allForms {
		for _, name := range []string{"xu", "uy", "ux", "yu", "query", "reordered"} {
			if ending != "csv" {
				convert(t, name+".csv", name+"."+ending)
			}
		}
		for _, pair := range [][2]string{{"xu", "uy"}, {"ux", "yu"}} {
			succeed(t, words(fmt.Sprintf("fit --xu %s.%s --uy %s.%[2]s -o m.mediant --phi linear --psi linear --no-risk --quiet --no-intercept --no-standardize --lambda 0.5 --method 2step --u u",
				pair[0], ending, pair[1]))...)
			for _, query := range []string{"query", "reordered"} {
				near(t, numbers(t, succeed(t, "predict", "m.mediant", query+"."+ending)), []float64{6.98494623655914, 2.893763440860215}, 1e-12)
			}
		}
	}
}

// TestAppendedWithoutColumns: --ignore leaves columns out of those that stand in front, nested ones too, which no table could hold.
func TestAppendedWithoutColumns(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	write(t, "new.jsonl", "{\"id\":\"a\",\"x\":1,\"tags\":[1]}\n{\"id\":\"b\",\"x\":2,\"tags\":[]}\n")
	write(t, "new.csv", "id,x,n 1,n 2\na,1,5,6\nb,2,7,8\n")
	if got := invoke(words("predict m.mediant new.jsonl --append")...); got.status != statusData || !strings.Contains(got.stderr, `"tags"`) || !strings.Contains(got.stderr, "--ignore") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	plain := strings.Fields(succeed(t, words("predict m.mediant new.csv")...))
	for line, want := range map[string]string{
		"new.jsonl --ignore tags":          "id,x,y\na,1,%s\nb,2,%s\n",
		"new.jsonl --ignore tags,id":       "x,y\n1,%s\n2,%s\n",
		"new.csv --ignore id":              "x,n 1,n 2,y\n1,5,6,%s\n2,7,8,%s\n",
		"new.csv --ignore n* --rename x=x": "id,x,y\na,1,%s\nb,2,%s\n",
	} {
		if got := succeed(t, append(words("predict m.mediant --append --quiet"), words(line)...)...); got != fmt.Sprintf(want, plain[1], plain[2]) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"new.csv --append --ignore none":      `no column "none"`,
		"new.csv --append --ignore *":         "--ignore leaves no column of the table",
		"new.csv --ignore id":                 "--ignore has no meaning without --append",
		"new.jsonl --append --ignore tags,no": `no column "no"`,
	} {
		if got := invoke(append(words("predict m.mediant"), words(line)...)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: status %d: %s, want %q", line, got.status, got.stderr, want)
		}
	}
}

// TestNumericLabelsInEveryFormat: classes 1, 2 and 10 have the same names and scores, whether a file has them as text, as whole numbers or as floats
// (mljar/mljar-supervised#245).
func TestNumericLabelsInEveryFormat(t *testing.T) {
	inFolder(t)
	values := []float64{-.2, 0, .2, 4.8, 5, 5.2, 9.8, 10, 10.2}
	label := func(i int) string { return []string{"10", "2", "1"}[i/3] }
	write(t, "xu.csv", table("x,u", 9, func(i int) []any { return []any{values[i], values[i]} }))
	write(t, "uy.csv", table("u,y", 9, func(i int) []any { return []any{values[i], label(i)} }))
	write(t, "query.csv", "x\n0\n5\n10\n")
	var whole, floats strings.Builder
	for i, v := range values {
		fmt.Fprintf(&whole, "{\"u\":%g,\"y\":%s}\n", v, label(i))
		fmt.Fprintf(&floats, "{\"u\":%g,\"y\":\"%s\"}\n", v, label(i))
	}
	write(t, "whole.jsonl", whole.String())
	write(t, "text.jsonl", floats.String())
	files := []string{"whole.jsonl", "text.jsonl"}
	for _, ending := range allForms {
		if ending != "csv" {
			convert(t, "uy.csv", "uy."+ending)
		}
		files = append(files, "uy."+ending)
	}
	model := ""
	for _, file := range files {
		succeed(t, words("fit --xu xu.csv -o m.mediant --quiet --phi nystrom:gaussian --psi nystrom:gaussian --lambda 1e-6 --no-standardize --task classify --method 2step "+
			"--bandwidth-x 0.70710678118654752440 --bandwidth-u 0.70710678118654752440 --uy "+file)...)
		header, rows := cells(t, succeed(t, "predict", "m.mediant", "query.csv", "--scores"))
		if strings.Join(header, " ") != "y y=1 y=2 y=10" || len(rows) != 3 || rows[0][0] != "10" || rows[1][0] != "2" || rows[2][0] != "1" {
			t.Errorf("%s: %q, %q", file, header, rows)
		}
		if model == "" {
			model = read(t, "m.mediant")
		} else if read(t, "m.mediant") != model {
			t.Errorf("%s: another model", file)
		}
	}
}

// TestNumberSpellingsEverywhere: what is no number is refused in every column of every table, packed or not, with its line, column and spelling
// (nao1215/filesql#477, interline-io/transitland-lib PR #395).
func TestNumberSpellingsEverywhere(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	for _, cell := range []string{"1_000", "0x1p4", "Inf", "1e400", "1d3"} {
		for _, c := range []struct{ column, file, text, line string }{
			{"u", "bad.csv", "x,u\n1,1\n2,CELL\n3,1\n", "fit --xu bad.csv --uy uy.csv -o n.mediant --u u"},
			{"u", "bad.csv", "u,y\n1,1\nCELL,2\n3,1\n", "fit --xu xu.csv --uy bad.csv -o n.mediant --u u"},
			{"y", "bad.csv", "u,y\n1,1\n2,CELL\n3,1\n", "fit --xu xu.csv --uy bad.csv -o n.mediant --u u"},
			{"x", "bad.csv", "x\n1\nCELL\n", "predict m.mediant bad.csv -o n.mediant"},
			{"y", "bad.csv", "x,y\n1,1\n2,CELL\n", "evaluate m.mediant --xy bad.csv"},
		} {
			text := strings.ReplaceAll(c.text, "CELL", cell)
			for _, packed := range []bool{false, true} {
				if packed {
					text = gzipped(t, text)
				}
				write(t, c.file, text)
				got := invoke(words(c.line)...)
				for _, part := range []string{"bad.csv:3", fmt.Sprintf("%q", c.column), fmt.Sprintf("%q", cell)} {
					if got.status != statusData || !strings.Contains(got.stderr, part) {
						t.Errorf("%s with %q in %q: status %d, %q, want refused with %s", c.line, cell, c.column, got.status, got.stderr, part)
					}
				}
			}
		}
	}
	for cell, want := range map[string]string{"1e400": "+Inf is not finite", `"0x1p4"`: `"0x1p4" is not a number`, `"Inf"`: `"Inf" is not a number`, "NaN": "is not JSON", "0x10": "is not JSON"} {
		write(t, "bad.jsonl", "{\"x\":1,\"u\":2}\n{\"x\":"+cell+",\"u\":1}\n{\"x\":2,\"u\":1}\n")
		if got := invoke(words("fit --xu bad.jsonl --uy uy.csv -o n.mediant")...); got.status != statusData || !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "bad.jsonl") {
			t.Errorf("%s in JSON lines: status %d, %q, want %q", cell, got.status, got.stderr, want)
		}
	}
	if left := files(t); strings.Contains(strings.Join(left, " "), "n.mediant") {
		t.Errorf("left %q", left)
	}
}
