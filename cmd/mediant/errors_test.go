package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A wrong is a command line that must fail: on files written over those of small, with a message
// that holds every part of says.
type wrong struct {
	line  string
	says  string // parts, separated by a bar
	files map[string]string
}

// usageErrors are wrong whatever the files hold, which is why most name none that exist.
var usageErrors = []wrong{
	{line: "nosuch", says: `"nosuch"`},
	{line: "help nosuch", says: `"nosuch"`},
	{line: "reproduce nosuch", says: `"nosuch"`},
	{line: "reproduce images extra", says: `"extra"`},
	{line: "reproduce images --set imagenet", says: `--set|"imagenet"|cifar100`},
	{line: "reproduce images --repetitions 0", says: "--repetitions|0"},
	{line: "reproduce images --rows 99", says: "--rows|99"},
	{line: "reproduce images --output=", says: "--output"},
	{line: "--nosuch", says: "--nosuch"},
	{line: "fit", says: "--xu"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --nosuch", says: "--nosuch"},
	{line: "fit --xu xu.csv --uy uy.csv -o out -z", says: "-z"},
	{line: "fit --uy uy.csv -o out", says: "--xu"},
	{line: "fit --xu xu.csv -o out", says: "--uy"},
	{line: "fit --xu xu.csv --uy uy.csv", says: "-o"},
	{line: "fit --xu= --uy uy.csv -o out", says: "--xu"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --xu xu.csv", says: `--xu|"xu.csv"|one value`},
	{line: "fit --xu xu.csv --uy uy.csv -o out -o other", says: `--output|"out"|one value`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --seed 1 --seed 2", says: `--seed|"1"|one value`},
	{line: "--threads 1 fit --xu xu.csv --uy uy.csv -o out --threads 1", says: `--threads|"1"|one value`},
	{line: "fit --xu - --uy - -o out", says: "--xu|--uy|standard input"},
	{line: "fit --xu xu.csv --uy uy.csv -o out extra", says: `"extra"`},
	{line: "fit --uy uy.csv -o out --xu", says: "--xu"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda -1", says: "--lambda|-1"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda-f -1", says: "--lambda-f|-1"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda-h -0.5", says: "--lambda-h|-0.5"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda nan", says: "--lambda"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda inf", says: "--lambda"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda small", says: "--lambda|small"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --lambda -1 --method naive", says: "--lambda|-1"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --method 2step --w 0.5", says: "--w 0.5|2step"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --method naive --w 0.5", says: "--w 0.5|naive"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --w 0", says: "--w"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --w 1.5", says: "--w|1.5"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --w nan", says: "--w"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --penalty paper --w 1", says: "--penalty|--w"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --penalty paper --method 2step", says: "--penalty paper|2step"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --components --method joint", says: "--components|joint"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --components --w 0.5", says: "--components|--w 0.5"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --components --penalty paper", says: "--components|--penalty paper"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --components --no-intercept", says: "--components|--no-intercept"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --penalty other", says: `--penalty "other"|scaled`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --method best --w 0.5", says: `--method "best"|joint`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi cubic", says: `--phi|"cubic"|polynomial:DEGREE`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --psi nystrom:", says: `--psi|"nystrom:"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi polynomial", says: `--phi|"polynomial"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi polynomial:0", says: `--phi|"polynomial:0"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi additive:linear", says: `--phi|"additive:linear"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --features 0", says: "--features"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks best --phi nystrom:gaussian", says: "--landmarks|best|leverage"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks uniform", says: "--landmarks|nystrom"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks-x xu.csv", says: "--landmarks-x|--phi nystrom:KERNEL"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks-u uy.csv --phi nystrom:gaussian", says: "--landmarks-u|--psi nystrom:KERNEL"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks-x - --phi nystrom:gaussian", says: "--landmarks-x|file"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks-x= --phi nystrom:gaussian", says: "--landmarks-x|file"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --landmarks-x xu.csv --phi nystrom:gaussian --landmarks uniform", says: "--landmarks|pick their own"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --hash-columns 1000", says: "--hash-columns|1000|power of two"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --hash-columns 0", says: "--hash-columns|0"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --word-ngrams 0", says: "--word-ngrams|0"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --word-ngrams 17", says: "--word-ngrams|17"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --char-ngrams 5-3", says: "--char-ngrams|5 to 3"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --char-ngrams few", says: `--char-ngrams "few"|none`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --char-ngrams 0-3", says: `--char-ngrams "0-3"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi quasi:laplacian", says: "--phi|quasi:laplacian"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --features 7", says: "--features|7|even"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --features 100000000", says: "--features|100000000"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --features 9223372036854775806 --memory 1GiB", says: "--features"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --bandwidth-x 1e-300", says: "--bandwidth-x|1e-300"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --bandwidth-x 0", says: "--bandwidth-x"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --bandwidth-u -2", says: "--bandwidth-u|-2"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --bandwidth-x inf", says: "--bandwidth-x"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --phi linear --bandwidth-x 2", says: "--phi|--bandwidth-x|linear"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --task cluster", says: `--task "cluster"|classify`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --threads -1", says: "--threads|-1"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --threads two", says: "--threads|two"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --seed -1", says: "--seed|-1"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --memory lots", says: `--memory "lots"|2GiB`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --memory -5GB", says: "--memory"},
	{line: "fit --xu xu.csv --uy uy.csv -o out --delimiter ab", says: `--delimiter "ab"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --delimiter 1", says: `--delimiter "1"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --delimiter .", says: `--delimiter|--decimal`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --decimal x", says: `--decimal "x"`},
	{line: "predict", says: "model file"},
	{line: "predict m.mediant", says: "table"},
	{line: "predict m.mediant xu.csv uy.csv -o out", says: `"uy.csv"`},
	{line: "predict m.mediant xu.csv -o out --decimal x", says: "--decimal"},
	{line: "predict m.mediant xu.csv -o out --se=maybe", says: "--se"},
	{line: "predict m.mediant xu.csv -o out --scores", says: "--scores|classes|m.mediant"},
	{line: "evaluate", says: "model file"},
	{line: "evaluate m.mediant", says: "--xy"},
	{line: "evaluate m.mediant xy.csv", says: `"xy.csv"`},
	{line: "evaluate m.mediant --xy xu.csv --delimiter ab", says: "--delimiter"},
	{line: "inspect", says: "model file"},
	{line: "inspect m.mediant xu.csv", says: `"xu.csv"`},
	{line: "inspect m.mediant --jsno", says: "--jsno"},
	{line: "version 2", says: `"2"`},
	{line: "demo --splits -1", says: "--splits"},
	{line: "demo --landmarks 0", says: "--landmarks"},
	{line: "demo now", says: `"now"`},
}

// dataErrors are well-formed command lines on files that do not allow what they ask.
var dataErrors = []wrong{
	// Files.
	{line: "fit --xu nosuch.csv --uy uy.csv -o out", says: "nosuch.csv"},
	{line: "fit --xu xu.csv --uy nosuch.csv -o out", says: "nosuch.csv"},
	{line: "fit --xu folder --uy uy.csv -o out", says: "folder|directory"},
	{line: "fit --xu xu.csv --uy empty.csv -o out", says: "empty.csv|no rows", files: map[string]string{"empty.csv": ""}},
	{line: "fit --xu head.csv --uy uy.csv -o out", says: "head.csv|no rows", files: map[string]string{"head.csv": "x,u\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o nosuch/out", says: "nosuch/out"},
	{line: "fit --xu xu.csv --uy uy.csv -o folder", says: "folder|directory"},
	{line: "fit --xu cut.csv.gz --uy uy.csv -o out", says: "cut.csv.gz|cut or damaged", files: map[string]string{"cut.csv.gz": "\x1f\x8b\x08\x00\x00\x00"}},
	// Cells.
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv:3|"x"|"inf"`, files: map[string]string{"xu.csv": "x,u\n1,2\ninf,1\n3,4\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `uy.csv:2|"y"|"0x1p4"`, files: map[string]string{"uy.csv": "u,y\n1,0x1p4\n2,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `uy.csv:4|"u"|"1_000"`, files: map[string]string{"uy.csv": "u,y\n1,4\n2,1\n1_000,2\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv:2|"x"|"1e400"`, files: map[string]string{"xu.csv": "x,u\n1e400,2\n1,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv:2|"x"|"1e308"`, files: map[string]string{"xu.csv": "x,u\n1e308,2\n1,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv:2|"x"|--decimal`, files: map[string]string{"xu.csv": "x,u\n\"1,5\",2\n1,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --decimal ,", says: `xu.csv:2|"x"|"1.000,5"`, files: map[string]string{"xu.csv": "x;u\n1.000,5;2\n1;1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "xu.csv:3|1 cell", files: map[string]string{"xu.csv": "x,u\n1,2\n1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "xu.csv:|quote", files: map[string]string{"xu.csv": "x,u\n\"1,2\n1,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv:2|"x"|UTF-8`, files: map[string]string{"xu.csv": "x,u\n\xe9,2\nb,1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `xu.csv|"x"`, files: map[string]string{"xu.csv": "x,u,x\n1,2,3\n4,5,6\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "xu.csv:1|decimal commas|--decimal-xu", files: map[string]string{"xu.csv": "x;u\n1,5;2\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "xu.csv:1|';'|--delimiter-xu", files: map[string]string{"xu.csv": "x;u\n5;2;1\n"}},
	// Roles.
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `common|the second "v", "y"|--rename`, files: map[string]string{"uy.csv": "v,y\n1,2\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "X|first table|--x", files: map[string]string{"xu.csv": "u\n1\n2\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "Y|second table|--y", files: map[string]string{"uy.csv": "u\n1\n2\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `"u"|numbers|text|--text`, files: map[string]string{"uy.csv": "u,y\na,2\nb,3\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --x z", says: `"z"|"x", "u"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --u z*", says: `"z*"`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --y [", says: `"["`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --x u --u u", says: `"u"|X|U`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --u x --y y", says: `"x"|second table`},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `"x"|vari`, files: map[string]string{"xu.csv": "x,u\n7,2\n7,1\n"}},
	// Y.
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: "Y", files: map[string]string{"uy.csv": "u,y\n1,\n2,NA\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `"y"|label`, files: map[string]string{"uy.csv": "u,y\n1,a\n2,a\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --task classify", says: `"y"|free text or a number, not a class|150`, files: map[string]string{"uy.csv": continuous}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --task regress", says: `"y"|text`, files: map[string]string{"uy.csv": "u,y\n1,a\n2,b\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out", says: `"z"|text`, files: map[string]string{"uy.csv": "u,y,z\n1,2,b\n2,3,c\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --task classify", says: "2 columns", files: map[string]string{"uy.csv": "u,y,z\n1,2,b\n2,3,c\n"}},
	// Weights.
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-xu w", says: `"w"|first table`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-uy x", says: `"x"|second table`},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-xu w", says: `xu.csv:3|"w"|-1|X and U`, files: map[string]string{"xu.csv": "x,u,w\n1,2,1\n2,1,-1\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-uy w", says: `uy.csv:3|"w"|missing|U and Y`, files: map[string]string{"uy.csv": "u,y,w\n1,2,1\n2,1,\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-xu w", says: `"w"|text`, files: map[string]string{"xu.csv": "x,u,w\n1,2,a\n2,1,b\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-xu w", says: "weight", files: map[string]string{"xu.csv": "x,u,w\n1,2,0\n2,1,0\n"}},
	{line: "fit --xu xu.csv --uy uy.csv -o out --weights-xu u", says: "U", files: map[string]string{"xu.csv": smallXU}},
	// Memory.
	{line: "fit --xu xu.csv --uy uy.csv -o out --no-risk --features 4000 --memory 100MiB --solver closed", says: "GiB|100 MiB|--features|--memory"},
	// Models.
	{line: "predict nosuch xu.csv -o out", says: "nosuch"},
	{line: "predict folder xu.csv -o out", says: "folder|directory"},
	{line: "predict xu.csv xu.csv -o out", says: "xu.csv|not a mediant model"},
	{line: "predict bad.mediant xu.csv -o out", says: "bad.mediant|damaged", files: map[string]string{"bad.mediant": "MEDIANT\n\x01\x00\x00\x00" + strings.Repeat("\x00", 60)}},
	{line: "evaluate xu.csv --xy xu.csv", says: "xu.csv|not a mediant model"},
	{line: "inspect xu.csv", says: "xu.csv|not a mediant model"},
	{line: "inspect nosuch", says: "nosuch"},
	{line: "inspect empty", says: "empty|not a mediant model", files: map[string]string{"empty": ""}},
	// Tables for a model.
	{line: "predict m.mediant nosuch.csv -o out", says: "nosuch.csv"},
	{line: "predict m.mediant nosuch.csv", says: "nosuch.csv"},
	{line: "predict m.mediant uy.csv -o out", says: `uy.csv|"x"`},
	{line: "predict m.mediant uy.csv", says: `uy.csv|"x"`},
	{line: "predict m.mediant xu.csv -o out", says: `xu.csv:3|"x"|"a"`, files: map[string]string{"xu.csv": "x\n1\na\n"}},
	{line: "predict m.mediant xu.csv -o out", says: `xu.csv|no rows`, files: map[string]string{"xu.csv": "x\n"}},
	{line: "predict m.mediant xu.csv -o nosuch/out", says: "nosuch/out"},
	{line: "predict m.mediant xu.csv -o folder", says: "folder|directory"},
	{line: "evaluate m.mediant --xy nosuch.csv", says: "nosuch.csv"},
	{line: "evaluate m.mediant --xy xu.csv", says: `xu.csv|"y"`},
	{line: "evaluate m.mediant --xy uy.csv", says: `uy.csv|"x"`},
	{line: "evaluate m.mediant --xy xy.csv", says: "xy.csv|Y", files: map[string]string{"xy.csv": "x,y\n1,\n2,\n"}},
	{line: "evaluate m.mediant --xy xy.csv", says: `xy.csv:2|"y"|"high"`, files: map[string]string{"xy.csv": "x,y\n1,high\n2,low\n"}},
	// The demo.
	{line: "demo --data folder", says: "folder"},
	{line: "demo --write xu.csv", says: "xu.csv"},
	{line: "demo --write xu.csv/example", says: "xu.csv"},
}

// continuous is a table whose Y is another number in every row.
var continuous = func() string {
	var b strings.Builder
	b.WriteString("u,y\n")
	for i := range 150 {
		fmt.Fprintf(&b, "%d,%g\n", i%3, float64(i*37%150)/7)
	}
	return b.String()
}()

func TestUsageErrors(t *testing.T) {
	for _, w := range usageErrors {
		t.Run(w.line, func(t *testing.T) { w.check(t, statusUsage) })
	}
}

func TestDataErrors(t *testing.T) {
	for _, w := range dataErrors {
		t.Run(w.line, func(t *testing.T) { w.check(t, statusData) })
	}
}

// check runs the command line where there are the small tables, a model and a folder, and fails
// unless it exits with the status and one line that says why, and leaves all files as they were.
func (w wrong) check(t *testing.T, status int) {
	inFolder(t)
	small(t)
	fitLinear(t)
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range w.files {
		write(t, name, content)
	}
	before := contents(t)
	got := invoke(words(w.line)...)
	if got.status != status {
		t.Errorf("status %d, want %d", got.status, status)
	}
	line, rest, ended := strings.Cut(got.stderr, "\n")
	if !strings.HasPrefix(line, "mediant: ") || !ended || rest != "" || got.stdout != "" {
		t.Errorf("stdout %q, stderr %q, want one line on stderr", got.stdout, got.stderr)
	}
	for part := range strings.SplitSeq(w.says, "|") {
		if !strings.Contains(line, part) {
			t.Errorf("%q does not say %q", line, part)
		}
	}
	if after := contents(t); !slices.Equal(after, before) {
		t.Errorf("files were %q, now %q", before, after)
	}
}

// contents lists the files of the current folder with what they hold.
func contents(t *testing.T) []string {
	t.Helper()
	names := files(t)
	for i, name := range names {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			names[i] = name + ": " + read(t, name)
		}
	}
	return names
}

// TestErrorsStayOnOneLine: cells and names with newlines do not break the line.
func TestErrorsStayOnOneLine(t *testing.T) {
	inFolder(t)
	small(t)
	write(t, "line\nbreak.csv", "x,u\n1,2\n\"a\nb\r\x1b[31m\",1\n3,4\n")
	for _, args := range [][]string{
		{"fit", "--xu", "line\nbreak.csv", "--uy", "uy.csv", "-o", "out"},
		{"fit", "--xu", "no\nsuch", "--uy", "uy.csv", "-o", "out"},
		{"fit\nness"},
		{"predict", "no\nsuch", "xu.csv"},
		{"fit", "--xu", "xu.csv", "--uy", "uy.csv", "-o", "out", "--phi", "a\nb"},
	} {
		got := invoke(args...)
		if got.status == statusDone || strings.Count(got.stderr, "\n") != 1 || strings.ContainsAny(got.stderr, "\r\x1b") {
			t.Errorf("%q: status %d, stderr %q", args, got.status, got.stderr)
		}
	}
}

// TestRowErrorsNameLines: an error in a row names the file and the line on which the row begins, however the file is read.
func TestRowErrorsNameLines(t *testing.T) {
	inFolder(t)
	small(t)
	fitLinear(t)
	for name, content := range map[string]string{
		"plain.csv":  "x,u,w\n1,2,1\n0,1,-1\n",
		"lines.csv":  "x,u,w,note\n1,2,1,\"a\nb\n\"\n1,3,1,\"c\n\"\n0,1,-1,\"d\n\"\n",
		"blank.csv":  "\n\nx,u,w\n\n1,2,1\n\n\n0,1,-1\n",
		"later.csv":  "x,u,w\n" + strings.Repeat("1,2,1\n0,4,1\n", 1000) + "0,1,-1\n",
		"mixed.csv":  "x,u,w,note\n1,2,1,\"a\n\"\n" + strings.Repeat("1,2,1,\n0,4,1,b\n", 1000) + "\n0,1,-1,c\n",
		"yplain.csv": "u,y,w\n1,2,1\n0,1,-1\n",
	} {
		write(t, name, content)
		write(t, name+".gz", gzipped(t, content))
	}
	write(t, "w.svm", "# weights\n1 1:2\n\n2 1:1\n-1 2:3\n")
	write(t, "v.svm", "0 1:2\n0 1:1\n0 2:3\n")
	write(t, "y.svm", "2 1:1\n3 1:4\n")
	defer func(old int64) { loadLimit = old }(loadLimit)
	for _, limit := range []int64{loadLimit, 0} {
		loadLimit = limit
		for file, line := range map[string]int{"plain.csv": 3, "lines.csv": 7, "blank.csv": 8, "later.csv": 2002, "mixed.csv": 2005} {
			for _, ending := range []string{"", ".gz"} {
				want := fmt.Sprintf("%s%s:%d: weight \"w\" is -1", file, ending, line)
				for _, command := range []string{"fit --uy uy.csv -o n --x x --u u --y y --weights-xu w --xu ", "effect --uy uy.csv --treatment x --u u --weights-xu w --xu ",
					"evaluate m.mediant --uy uy.csv --weights-xu w --xu "} {
					if got := invoke(words(command + file + ending)...); got.status != statusData || !strings.Contains(got.stderr, want) {
						t.Errorf("%s%s: %+v, want %s", command, file+ending, got, want)
					}
				}
			}
		}
		for line, want := range map[string]string{
			"fit --xu xu.csv --uy yplain.csv -o n --x x --u u --y y --weights-uy w":         `yplain.csv:3: weight "w"`,
			"fit --xu v.svm,w.svm --uy y.svm -o n --x v --u w --y label --weights-xu label": "w",
			"predict m.mediant bad.csv":                               `bad.csv:3`,
			"effect --uy uy.csv --treatment x --u u --xu treated.csv": `treated.csv:4: treatment "x" is 2`,
		} {
			write(t, "bad.csv", "x\n1\nb\n")
			write(t, "treated.csv", "x,u\n1,1\n\n2,2\n0,1\n")
			if got := invoke(words(line)...); got.status != statusData || !strings.Contains(got.stderr, want) {
				t.Errorf("%s: %+v, want %s", line, got, want)
			}
		}
	}
}
