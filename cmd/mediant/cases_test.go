package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestConstantColumn: a column of one value, whose computed deviation may come out as 1e-15 and not
// 0, changes nothing (scikit-learn/scikit-learn#17794).
func TestConstantColumn(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", table("u,y", 23, func(i int) []any { return []any{float64(i) / 4, i * i % 11} }))
	for _, method := range []string{"2step", "joint", "naive", "cme"} {
		fit := words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --features 64 --method " + method)
		write(t, "xu.csv", table("t,u", 23, func(i int) []any { return []any{i, float64(i%9) / 2} }))
		succeed(t, fit...)
		without := numbers(t, succeed(t, "predict", "m.mediant", "xu.csv"))
		write(t, "xu.csv", table("t,k,u", 23, func(i int) []any { return []any{i, 2.7, float64(i%9) / 2} }))
		succeed(t, fit...)
		near(t, numbers(t, succeed(t, "predict", "m.mediant", "xu.csv")), without, 1e-12)
	}
}

// TestIntegerColumns: integer columns are measured as numbers, for any number of threads
// (scikit-learn/scikit-learn#13874, #7463). With all rows as landmarks and no penalty f interpolates, and
// at another row it is k'K⁻¹v, with k = exp(-distance), of distances such as 5 and 13 and not whole ones.
func TestIntegerColumns(t *testing.T) {
	inFolder(t)
	rows := [][2]float64{{0, 0}, {3, 4}, {8, -2}, {5, 12}, {1, 1}}
	values := []float64{4, -1, 2, 7, 3}
	write(t, "xu.csv", table("p,q,u", len(rows), func(i int) []any { return []any{rows[i][0], rows[i][1], values[i]} }))
	write(t, "uy.csv", "u,y\n1,1\n2,2\n5,5\n")
	write(t, "query.csv", "p,q\n4,3\n0,0\n-7,2\n")
	matern := func(a, b [2]float64) float64 { return math.Exp(-math.Hypot(a[0]-b[0], a[1]-b[1])) }
	k, v, want := mat.NewDense(len(rows), len(rows), nil), mat.NewVecDense(len(rows), values), make([]float64, 3)
	k.Apply(func(i, j int, _ float64) float64 { return matern(rows[i], rows[j]) }, k)
	var weights mat.VecDense
	if err := weights.SolveVec(k, v); err != nil {
		t.Fatal(err)
	}
	for q, at := range [][2]float64{{4, 3}, {0, 0}, {-7, 2}} {
		for i := range rows {
			want[q] += weights.AtVec(i) * matern(at, rows[i])
		}
	}
	var model, predicted string
	for _, threads := range []string{"1", "2", "8"} {
		succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --no-risk --method 2step --phi nystrom:matern12 --psi linear "+
			"--lambda 0 --no-intercept --no-standardize --bandwidth-x 1 --threads "+threads)...)
		got := succeed(t, "predict", "m.mediant", "query.csv", "--threads", threads)
		near(t, numbers(t, got), want, 1e-12) // of a matrix of condition below 10
		if threads == "1" {
			model, predicted = read(t, "m.mediant"), got
		} else if read(t, "m.mediant") != model || got != predicted {
			t.Errorf("%s threads give other bytes than one", threads)
		}
	}
}

// TestDuplicateRowsWithoutRidge: kernel ridge with repeated inputs and lambda 0 is the least-norm
// solution of a singular system (scikit-learn PR #3942, antoinecarme/pyaf#22). With exact kernels, gamma = 1,
// h is 2 and 15, the means of the repeats, at u = 0 and 1, and 9.6789 at 0.5.
func TestDuplicateRowsWithoutRidge(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", "u,y\n0,1\n0,3\n1,10\n1,20\n")
	write(t, "xu.csv", "x,u\n0,0\n1,1\n2,0.5\n")
	const bandwidth = "0.70710678118654752440" // exp(-d²/(2 b²)) = exp(-d²)
	got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --method 2step --phi nystrom:gaussian --psi nystrom:gaussian " +
		"--lambda 0 --no-intercept --no-standardize --bandwidth-x " + bandwidth + " --bandwidth-u " + bandwidth)...)
	if got.status != statusDone {
		t.Fatal(got.stderr)
	}
	f := numbers(t, succeed(t, "predict", "m.mediant", "xu.csv"))
	near(t, f, []float64{2, 15, 9.678932889637972}, 1e-6)
}

// TestPenaltyIsPerSample: the losses are means, so the same rows twice give the same numbers, which
// are those of the formulas (scikit-learn/scikit-learn#4666).
func TestPenaltyIsPerSample(t *testing.T) {
	inFolder(t)
	const rowsXU, rowsUY = "1,2\n2,1\n", "1,2\n2,3\n3,7\n"
	write(t, "one.csv", "x\n1\n")
	for _, c := range []struct {
		flags string
		alpha float64
	}{
		{"--method 2step", 116. / 93},
		{"--method joint --w 0.5 --penalty paper", 928. / 787},
	} {
		for _, times := range []int{1, 2, 7} {
			write(t, "xu.csv", "x,u\n"+strings.Repeat(rowsXU, times))
			write(t, "uy.csv", "u,y\n"+strings.Repeat(rowsUY, times))
			fitLinear(t, words("--no-intercept --no-standardize --lambda 0.5 "+c.flags)...)
			near(t, numbers(t, succeed(t, "predict", "m.mediant", "one.csv")), []float64{c.alpha}, 1e-12)
		}
	}
}

// TestSpreadsheetExport: a byte order mark is no part of the first name, CR none of the last
// (gocarina/gocsv#63, golang/go#9588).
func TestSpreadsheetExport(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", "u1,y\r\n1,2\r\n2,3\r\n3,7\r\n")
	write(t, "xu.csv", "\ufeffx1,u1\r\n1,2\r\n2,1\r\n")
	fitLinear(t, words("--no-intercept --no-standardize --lambda 0.5 --method 2step")...)
	write(t, "bom.csv", "\ufeffx1\r\n1\r\n")
	write(t, "plain.csv", "x1\n1\n")
	for _, name := range []string{"bom.csv", "plain.csv"} {
		out := succeed(t, "predict", "m.mediant", name)
		if header, _, _ := strings.Cut(out, "\n"); header != "y" {
			t.Errorf("the header is %q", header)
		}
		near(t, numbers(t, out), []float64{116. / 93}, 1e-12)
	}
	header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
	if x := at(t, header, "roles", "x").([]any); len(x) != 1 || x[0] != "x1" {
		t.Errorf("X is %q", x)
	}
}

// TestColumnsGoByName: two columns of one name are refused and the order of columns does not matter
// (pandas-dev/pandas#7160, dmlc/xgboost#8357, scikit-learn/scikit-learn#7242).
func TestColumnsGoByName(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", "u,y\n1,2\n2,3\n3,7\n")
	write(t, "xu.csv", "x1,x2,u\n1,0,2\n0,1,1\n1,2,3\n")
	write(t, "dup.csv", "x1,u,x1\n1,2,9\n0,1,8\n")
	for _, line := range []string{"fit --xu dup.csv --uy uy.csv -o n.mediant", "fit --xu xu.csv --uy dup.csv -o n.mediant"} {
		got := invoke(words(line)...)
		if got.status != statusData || !strings.Contains(got.stderr, `dup.csv`) || !strings.Contains(got.stderr, `"x1"`) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	fitLinear(t, words("--no-intercept --no-standardize --lambda 0.5 --method 2step")...)
	write(t, "query.csv", "x1,x2\n3,1\n0,2\n")
	write(t, "reordered.csv", "x2,x1\n1,3\n2,0\n")
	want := succeed(t, "predict", "m.mediant", "query.csv")
	near(t, numbers(t, want), []float64{6.98494623655914, 2.893763440860215}, 1e-12)
	if got := succeed(t, "predict", "m.mediant", "reordered.csv"); got != want {
		t.Errorf("columns in another order: %q, want %q", got, want)
	}
	if got := invoke("predict", "m.mediant", "dup.csv"); got.status != statusData || !strings.Contains(got.stderr, `"x1"`) {
		t.Errorf("predict with two columns x1: %+v", got)
	}
}

// TestNumericLabels: classes 1, 2 and 10, which sort differently as text and as numbers, keep their
// scores (mljar/mljar-supervised#245).
func TestNumericLabels(t *testing.T) {
	inFolder(t)
	values := []float64{-.2, 0, .2, 4.8, 5, 5.2, 9.8, 10, 10.2}
	write(t, "xu.csv", table("x,u", 9, func(i int) []any { return []any{values[i], values[i]} }))
	uy := table("u,y", 9, func(i int) []any { return []any{values[i], []string{"10", "2", "1"}[i/3]} })
	write(t, "uy.csv", uy)
	write(t, "query.csv", "x\n0\n5\n10\n")
	fit := words("fit --xu xu.csv -o m.mediant --quiet --phi nystrom:gaussian --psi nystrom:gaussian --lambda 1e-6 --no-standardize " +
		"--bandwidth-x 0.70710678118654752440 --bandwidth-u 0.70710678118654752440")
	check := func() {
		t.Helper()
		header, rows := cells(t, succeed(t, "predict", "m.mediant", "query.csv", "--scores"))
		if !slices.Equal(header, []string{"y", "y=1", "y=2", "y=10"}) || len(rows) != 3 {
			t.Fatalf("columns are %q, %d rows", header, len(rows))
		}
		for i, label := range []string{"10", "2", "1"} {
			if rows[i][0] != label {
				t.Errorf("row %d is %q, want %q", i, rows[i][0], label)
			}
		}
		checkScores(t, header, rows)
	}
	for _, method := range []string{"2step", "joint", "cme"} {
		succeed(t, append(fit, "--uy", "uy.csv", "--task", "classify", "--method", method)...)
		check()
	}
	succeed(t, append(fit, "--uy", "uy.csv", "--text", "y")...)
	check()
	write(t, "xy.csv", "x,y\n0,10\n5,2\n10,1\n0,1\n")
	if score := object(t, succeed(t, words("evaluate m.mediant --xy xy.csv --json")...)); at(t, score, "accuracy") != .75 {
		t.Errorf("score %v, want accuracy 0.75", score)
	}
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --phi linear --psi linear --task classify --text u")...)
	if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, "h         linear, 9 columns") || !strings.Contains(out, "classes   1, 2, 10\n") {
		t.Errorf("--task classify forgets --text: %s", out)
	}
	withStdin(t, "uy.csv", func() { // read once only, so the kind must be said
		got := invoke(append(fit, "--uy", "-", "--task", "classify")...)
		if got.status == statusDone {
			check()
		} else if !strings.Contains(got.stderr, "--text") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("labels from standard input: %+v", got)
		}
	})
	withStdin(t, "uy.csv", func() {
		succeed(t, append(fit, "--uy", "-", "--text", "y")...)
		check()
	})
}

// TestNumberSpellings: what is a number in a table to learn from (nao1215/filesql#477,
// interline-io/transitland-lib PR #395).
func TestNumberSpellings(t *testing.T) {
	inFolder(t)
	write(t, "uy.csv", smallUY)
	one := func(cell string) result {
		write(t, "xu.csv", "x,u\n\""+cell+"\",1\n2,2\n-3,1\n")
		return invoke(append(linearFit, "--no-standardize")...)
	}
	for cell, plain := range map[string]string{"1e3": "1000", "+2": "2", ".5": "0.5", "1.": "1", " 3 ": "3", "-0": "0"} {
		if got := one(cell); got.status != statusDone {
			t.Errorf("%q: %s", cell, got.stderr)
			continue
		}
		model := read(t, "m.mediant")
		one(plain)
		if read(t, "m.mediant") != model {
			t.Errorf("%q is not %s", cell, plain)
		}
	}
	for _, cell := range []string{"1_000", "0x1p4", "Inf", "-inf", "+Infinity", "1e400", "1d3", "1,5", "1.000,5", "--1", "1e", "e5"} {
		got := one(cell)
		for _, part := range []string{"xu.csv:2", `"x"`, fmt.Sprintf("%q", cell)} {
			if got.status != statusData || !strings.Contains(got.stderr, part) {
				t.Errorf("%q: status %d, %q, want refused with %s", cell, got.status, got.stderr, part)
			}
		}
	}
	for _, cell := range []string{"", "NA", "NaN", "null"} { // missing: with an indicator, never 0
		if got := one(cell); got.status != statusDone {
			t.Errorf("%q: %s", cell, got.stderr)
		}
		if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, "2 columns -> 2 features") {
			t.Errorf("%q is not missing: %s", cell, out)
		}
	}
}

// TestCutGzip: a compressed file cut in the middle, or without its checksum, is no short table
// (pingcap/tidb#68064).
func TestCutGzip(t *testing.T) {
	inFolder(t)
	small(t)
	whole := gzipped(t, table("x,u", 400, func(i int) []any { return []any{i * i % 31, i * 7 % 100} }))
	write(t, "xu.csv.gz", whole)
	fit := words("fit --uy uy.csv -o m.mediant --phi linear --psi linear --json --xu")
	summary := object(t, succeed(t, append(fit, "xu.csv.gz")...))
	if n := at(t, summary, "rows", "xu"); n != 400. {
		t.Errorf("%v rows, want 400", n)
	}
	write(t, "m.mediant", "old")
	for _, size := range []int{3, 11, len(whole) / 2, len(whole) - 8, len(whole) - 1} {
		write(t, "cut.csv.gz", whole[:size])
		got := invoke(append(fit, "cut.csv.gz")...)
		if got.status != statusData || !strings.Contains(got.stderr, "cut.csv.gz") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%d bytes of %d: %+v", size, len(whole), got)
		}
	}
	if read(t, "m.mediant") != "old" {
		t.Error("a model was written")
	}
}

// damages are ways to break a model file (lightgbm-org/LightGBM#3733, #393). Those called sealed have
// a checksum that fits, so that what stands behind it is tested too.
func damages(model []byte) map[string][]byte {
	flip := func(share float64) []byte {
		b := bytes.Clone(model)
		b[int(share*float64(len(b)))] ^= 4
		return b
	}
	change := func(at int, to ...byte) []byte {
		b := bytes.Clone(model)
		copy(b[at:], to)
		return b
	}
	header := int(binary.LittleEndian.Uint32(model[12:]))
	weights := 16 + header + 8
	nan := binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN()))
	inf := binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(1)))
	d := map[string][]byte{
		"first half":            model[:len(model)/2],
		"without last byte":     model[:len(model)-1],
		"16 zero bytes more":    append(bytes.Clone(model), make([]byte, 16)...),
		"bit at 25%":            flip(.25),
		"bit at 50%":            flip(.5),
		"bit at 75%":            flip(.75),
		"empty":                 nil,
		"magic only":            model[:8],
		"no magic":              change(0, 'm'),
		"next format":           change(8, 3),
		"next format, sealed":   seal(change(8, 3)),
		"format before, sealed": seal(change(8, 1)),
		"format 0, sealed":      seal(change(8, 0)),
		"NaN":                   change(weights, nan...),
		"NaN, sealed":           seal(change(weights, nan...)),
		"Inf, sealed":           seal(change(len(model)-32-8, inf...)),
		"long header, sealed":   seal(change(12, 0xff, 0xff, 0xff, 0xff)),
		"no header, sealed":     seal(change(12, 0, 0, 0, 0)),
		"more weights, sealed":  seal(change(weights-8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
		"a weight less, sealed": seal(append(change(weights-8, model[weights-8]-1)[:len(model)-32-8], make([]byte, 32)...)),
		"no JSON, sealed":       seal(change(16, 'x')),
	}
	for _, name := range []string{`"encoder_x"`, `"encoder_u"`, `"outputs"`, `"f"`, `"map"`, `"kind": "linear"`, `"columns"`} {
		i := bytes.Index(model, []byte(name))
		d["without "+name+", sealed"] = seal(change(i+len(name)-2, '~'))
	}
	return d
}

// seal renews the checksum.
func seal(b []byte) []byte {
	sum := sha256.Sum256(b[:len(b)-32])
	copy(b[len(b)-32:], sum[:])
	return b
}

func TestDamagedModel(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 64, func(i int) []any { return []any{float64(i) / 7, math.Sin(float64(i) / 7)} }))
	write(t, "uy.csv", table("u,y", 51, func(i int) []any { return []any{float64(i)/25 - 1, math.Pow(float64(i)/25-1, 2)} }))
	write(t, "xy.csv", "x,y\n1,2\n")
	for _, maps := range []string{"--phi auto --psi auto --features 16", "--phi nystrom:gaussian --psi additive:gaussian --features 16", "--method naive --phi linear --psi linear"} {
		succeed(t, append(words("fit --xu xu.csv --uy uy.csv -o m.mediant --quiet"), words(maps)...)...)
		for name, damaged := range damages([]byte(read(t, "m.mediant"))) {
			write(t, "bad.mediant", string(damaged))
			before := files(t)
			for _, line := range []string{"predict bad.mediant xu.csv -o out.csv", "evaluate bad.mediant --xy xy.csv", "inspect bad.mediant"} {
				got := invoke(words(line)...)
				said := strings.Contains(got.stderr, "damaged") || strings.Contains(got.stderr, "unsupported") || strings.Contains(got.stderr, "not a mediant model")
				if got.status != statusData || got.stdout != "" || !said || !strings.HasPrefix(got.stderr, "mediant: bad.mediant: ") || strings.Count(got.stderr, "\n") != 1 {
					t.Errorf("%s: %s: %+v", name, line, got)
				}
			}
			if left := files(t); !slices.Equal(left, before) {
				t.Errorf("%s: left %q", name, left)
			}
		}
	}
}
