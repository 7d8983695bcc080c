package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// surrogateTables writes tables of which Y = u + v in mean with U = (u, v), X = u + noise, and coupled rows of X and Y.
func surrogateTables(t testing.TB, n int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	var xu, uy, xy strings.Builder
	xu.WriteString("x,u,v,mine,half,fold\n")
	uy.WriteString("u,v,y\n")
	xy.WriteString("x,y\n")
	for i := range n {
		u, v := rnd.NormFloat64(), rnd.NormFloat64()
		x := u + .3*rnd.NormFloat64()
		fmt.Fprintf(&xu, "%.4f,%.4f,%.4f,%.4f,%.4f,%c\n", x, u, v, x/1.09, x/2, 'a'+rune(i%5))
		fmt.Fprintf(&xy, "%.4f,%.4f\n", x, u+v+.5*rnd.NormFloat64())
		u, v = rnd.NormFloat64(), rnd.NormFloat64()
		fmt.Fprintf(&uy, "%.4f,%.4f,%.4f\n", u, v, u+v+.5*rnd.NormFloat64())
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	write(t, "xy.csv", xy.String())
}

// TestEvaluatesOtherPredictions: the risk of predictions in a column is about their true one, 1.25 + .0826 for the best, and the difference to another column's
// has its sign.
func TestEvaluatesOtherPredictions(t *testing.T) {
	inFolder(t)
	surrogateTables(t, 1500)
	type result struct {
		Risk      struct{ MSE, SE float64 }
		Diagnosis struct {
			X struct {
				R2   float64
				Text string
			} `json:"x_predicts_h"`
			Sensitivity struct{ Curve []struct{ Share float64 } }
		}
	}
	var mine, half result
	for column, into := range map[string]*result{"mine": &mine, "half": &half} {
		got := invoke(append(words("evaluate --xu xu.csv --uy uy.csv --u u,v --fold fold --json --predictions"), column)...)
		if got.status != statusDone || strings.Contains(got.stderr, "--fold") {
			t.Fatal(got.stderr)
		}
		if err := json.Unmarshal([]byte(got.stdout), into); err != nil {
			t.Fatal(err)
		}
	}
	// E (y - x/1.09)² = 1 + .25 + .09/1.09 = 1.333; E (y - x/2)² = 1.25 + .25 + .0225 = 1.523, estimated from 1,500 rows of each table.
	if d := math.Abs(mine.Risk.MSE - 1.333); d > 4*mine.Risk.SE || mine.Risk.SE > .1 {
		t.Errorf("risk %+v", mine.Risk)
	}
	// h(U) = u + v, of which x/1.09 explains 1/(2 · 1.09); the standard error of the share is .02.
	if d := mine.Diagnosis; math.Abs(d.X.R2-.459) > .08 || !strings.HasPrefix(d.X.Text, "A linear function of the predictions explains") || len(d.Sensitivity.Curve) == 0 {
		t.Errorf("diagnosis %+v", d)
	}
	if half.Risk.MSE < mine.Risk.MSE+.1 {
		t.Errorf("half has risk %g, mine %g", half.Risk.MSE, mine.Risk.MSE)
	}
	succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u,v --y y --ignore mine,half,fold --method 2step --phi linear --psi linear --quiet -o m.mediant")...)
	got := invoke(words("evaluate --xu xu.csv --uy uy.csv --u u,v --predictions half --against m.mediant")...)
	if got.status != statusData || !strings.Contains(got.stderr, "learned from") {
		t.Errorf("status %d: rows that the model learned from: %s", got.status, got.stderr)
	}
	got = invoke(words("evaluate --xu xu.csv --uy uy.csv --u u,v --predictions half --against m.mediant --accept learned-rows")...)
	if got.status != statusDone || !strings.Contains(got.stdout, "the model is better") || !strings.Contains(got.stderr, "--fold COLUMN") {
		t.Errorf("status %d: %s%s", got.status, got.stdout, got.stderr)
	}
}

// TestPredictionsOfSeveralOutputs: predictions belong to the outputs in the order of the flag, whatever that of the table, and by their names where these are those of the
// outputs. Rows without predictions are counted, and the column of folds is no U where both tables have it.
func TestPredictionsOfSeveralOutputs(t *testing.T) {
	inFolder(t)
	var xu, uy, uc strings.Builder
	xu.WriteString("u,of z,of y,c=b,c=a,fold\n")
	uy.WriteString("u,y,z,fold\n")
	uc.WriteString("u,c\n")
	for i := range 200 {
		u := math.Sin(float64(i))
		z := fmt.Sprint(100 + u)
		if i%10 == 3 {
			z = ""
		}
		fmt.Fprintf(&xu, "%g,%s,%g,%d,%d,%d\n", u, z, -2*u, i%2, 1-i%2, i%5)
		u = math.Sin(float64(i) + .5)
		fmt.Fprintf(&uy, "%g,%g,%g,%d\n", u, -2*u+.1*math.Cos(float64(3*i)), 100+u, i%7)
		fmt.Fprintf(&uc, "%g,%c\n", u, 'a'+rune(i%2))
	}
	write(t, "xu.csv", xu.String())
	write(t, "uy.csv", uy.String())
	write(t, "uc.csv", uc.String())
	evaluate := func(more ...string) (mse float64, notes string) {
		t.Helper()
		got := invoke(append(words("evaluate --xu xu.csv --json --fold fold --accept y-repeats --uy"), more...)...)
		if got.status != statusDone {
			t.Fatal(got.stderr)
		}
		var r struct {
			Risk  struct{ MSE float64 }
			Notes []string `json:"assessment_notes"`
		}
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatal(err)
		}
		return r.Risk.MSE, strings.Join(r.Notes, "\n")
	}
	mse, notes := evaluate("uy.csv", "--y", "y,z", "--predictions", "of y,of z")
	if mse > .1 { // 20,000 where they are exchanged
		t.Errorf("MSE %g", mse)
	}
	for _, want := range []string{"in this order: of y, of z, and y, z", "20 rows of the table of X and U were left out"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
	one, _ := evaluate("uc.csv", "--predictions", "c=a,c=b")
	if other, notes := evaluate("uc.csv", "--predictions", "c=b,c=a"); one != other || strings.Contains(notes, "order") {
		t.Errorf("MSE %g and %g by the order of columns that have the names of the outputs; %s", one, other, notes)
	}
	without, _ := evaluate("uy.csv", "--u", "u", "--y", "y", "--predictions", "of y")
	if with, _ := evaluate("uy.csv", "--y", "y", "--predictions", "of y"); with == 0 || with != without {
		t.Errorf("MSE %g with the column of folds, %g without it", with, without)
	}
}

func TestOtherPredictionsAreRefused(t *testing.T) {
	inFolder(t)
	surrogateTables(t, 60)
	write(t, "tags.jsonl", strings.Repeat(`{"u":1,"v":1,"p":1,"tags":[1]}`+"\n"+`{"u":0,"v":-1,"p":0}`+"\n", 20))
	write(t, "gaps.csv", "x,u,v,p,fold\n1,1,1,1,a\n2,0,1,1,\n3,1,0,2,b\n")
	for line, want := range map[string]string{
		"evaluate --predictions mine":                                                           "--xy is missing, or --xu and --uy",
		"evaluate --predictions mine --xy xy.csv":                                               "--predictions goes with --xu and --uy alone",
		"evaluate m.mediant --predictions mine --xu xu.csv --uy uy.csv":                         `unexpected argument "m.mediant"`,
		"evaluate m.mediant --xu xu.csv --uy uy.csv --ignore u":                                 "--ignore has no meaning without --predictions",
		"evaluate --xu tags.jsonl --uy uy.csv --u u,v --predictions p":                          `column "tags" has a list or an object on line 1`,
		"evaluate --xu tags.jsonl --uy uy.csv --u u,v --predictions p --ignore tags,none":       `no column "none"`,
		"evaluate m.mediant --xu xu.csv --uy uy.csv --fold fold":                                "--fold has no meaning without --predictions",
		"evaluate --xu xu.csv --uy uy.csv --predictions none":                                   `no column "none"`,
		"evaluate --xu xu.csv --uy uy.csv --u u,v --predictions mine,half --fold fold":          "there are 2 columns of predictions (mine, half), and Y has 1 output",
		"evaluate --xu xu.csv --uy uy.csv --u u,v --predictions mine --fold none":               `--fold: no column "none"`,
		"evaluate --xu xu.csv --uy uy.csv --u u,v --predictions fold":                           `column "fold" of predictions is text, want numbers`,
		"evaluate --xu xu.csv --uy uy.csv --u u,v --predictions mine --fold *f*":                `--fold: 2 columns match "*f*", want one`,
		"evaluate --xu gaps.csv --uy uy.csv --u u,v --predictions p --fold fold":                `gaps.csv:3 has no value of column "fold"`,
		"evaluate --xu xu.csv --uy uy.csv --u u,v --predictions mine --against missing.mediant": "missing.mediant",
	} {
		got := invoke(words(line)...)
		if got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", line, got.status, got.stderr, want)
		}
	}
	if got := invoke(words("evaluate --xu tags.jsonl --uy uy.csv --u u,v --predictions p --ignore tags")...); got.status != statusDone {
		t.Errorf("--ignore tags: %s", got.stderr)
	}
}

// TestLabels: h(U) is what the model predicts from U, with the columns of the table in front if asked for; classes have a column each.
func TestLabels(t *testing.T) {
	inFolder(t)
	surrogateTables(t, 300)
	succeed(t, words("fit --xu xu.csv --uy uy.csv --x x --u u,v --y y --ignore mine,half,fold --method 2step --phi linear --psi linear --quiet -o m.mediant")...)
	header, rows := cells(t, succeed(t, words("label m.mediant xu.csv")...))
	if strings.Join(header, " ") != "y" || len(rows) != 300 {
		t.Fatalf("%q, %d rows", header, len(rows))
	}
	front, all := cells(t, succeed(t, words("label m.mediant xu.csv --append")...))
	if strings.Join(front, " ") != "x u v mine half fold y" {
		t.Fatalf("header %q", front)
	}
	_, before := cells(t, read(t, "xu.csv"))
	for i, row := range all {
		if strings.Join(row[:6], ",") != strings.Join(before[i], ",") || row[6] != rows[i][0] {
			t.Fatalf("row %d is %q", i, row)
		}
		var u, v, h float64
		fmt.Sscan(row[1], &u)
		fmt.Sscan(row[2], &v)
		fmt.Sscan(row[6], &h)
		if math.Abs(h-(u+v)) > .3*(1+math.Abs(u)+math.Abs(v)) { // a linear fit to 300 rows with noise .5
			t.Errorf("h(%g, %g) is %g", u, v, h)
		}
	}
	for line, want := range map[string]string{
		"label m.mediant uy.csv --append":   `the table has a column "y", as the output would`,
		"label m.mediant - --append":        "standard input can be read only once",
		"label m.mediant xy.csv":            `"u"`,
		"predict m.mediant xy.csv --append": `the table has a column "y"`,
	} {
		if got := invoke(words(line)...); got.status == statusDone || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", line, got.status, got.stderr, want)
		}
	}
	succeed(t, words("predict m.mediant xu.csv --append -o p.parquet")...)
	if head, _ := cells(t, succeed(t, words("label m.mediant p.parquet --append --rename y=f")...)); strings.Join(head, " ") != "x u v mine half fold f y" {
		t.Errorf("header %q", head)
	}
}
