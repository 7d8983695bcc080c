package main

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/rr"
)

// landmarkTables write tables of numbers and text, and files of landmarks, some of whose columns look like other
// kinds than they are.
func landmarkTables(t *testing.T) {
	t.Helper()
	write(t, "xu.csv", table("x,c,u", 40, func(i int) []any { return []any{float64(i) / 4, []string{"1", "b", "c"}[i%3], math.Sin(float64(i))} }))
	write(t, "uy.csv", table("u,y", 30, func(i int) []any { return []any{math.Cos(float64(i)), i * i % 7} }))
	write(t, "x.csv", "c,other,x\n1,p,0\n1,q,5\n1,r,9.5\n")
	write(t, "u.csv", "u\n-1\n0\n1\n0.5\n")
}

// landmarksIn are those of f or h of the model, as many as rows, of the first encoded column.
func landmarksIn(t *testing.T, p rr.Predictor) mat.Matrix {
	t.Helper()
	s, ok := p.(*rr.Linear).Map.(*features.Sections)
	if !ok {
		t.Fatalf("a map of type %T", p.(*rr.Linear).Map)
	}
	return s.Landmarks()
}

// TestLandmarkFiles: rows of files are the landmarks, of one side or of both, with the kinds of columns that the
// table has; their order and other columns do not matter.
func TestLandmarkFiles(t *testing.T) {
	inFolder(t)
	landmarkTables(t)
	fit := "fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --no-risk --no-standardize --lambda 1e-3 --phi nystrom:gaussian --psi nystrom:gaussian "
	for _, c := range []struct {
		flags string
		x, u  int
	}{
		{"--landmarks-x x.csv --features 6", 3, 6}, {"--landmarks-u u.csv --landmarks uniform --features 6", 6, 4},
		{"--landmarks-x x.csv --landmarks-u u.csv --method 2step", 3, 4}, {"--landmarks-x x.csv --landmarks-u u.csv --method cme", 3, 4},
	} {
		succeed(t, words(fit+c.flags)...)
		m, err := loadModel("m.mediant", 0)
		if err != nil {
			t.Fatal(err)
		}
		x, u := landmarksIn(t, m.F), landmarksIn(t, m.H)
		nx, _ := x.Dims()
		nu, _ := u.Dims()
		if nx != c.x || nu != c.u {
			t.Errorf("%s: %d landmarks of X and %d of U, want %d and %d", c.flags, nx, nu, c.x, c.u)
		}
		if sum := mat.Sum(x); c.x == 3 && sum != 14.5+3 { // 0, 5, 9.5 and a 1 for each level
			t.Errorf("%s: landmarks of X %v", c.flags, mat.Formatted(x))
		}
		if sum := mat.Sum(u); c.u == 4 && sum != .5 {
			t.Errorf("%s: landmarks of U %v", c.flags, mat.Formatted(u))
		}
	}
}

func TestLandmarkFilesRefuse(t *testing.T) {
	inFolder(t)
	landmarkTables(t)
	write(t, "word.csv", "u\n1\none\n")
	write(t, "none.csv", "u\n")
	for flags, says := range map[string]string{
		"--landmarks-x u.csv":     `u.csv: |"x"`,
		"--landmarks-u word.csv":  `word.csv|"one"`,
		"--landmarks-u none.csv":  `none.csv|no rows`,
		"--landmarks-u there.csv": "there.csv",
	} {
		got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi nystrom:gaussian --psi nystrom:gaussian " + flags)...)
		if got.status != statusData || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", flags, got)
		}
		for _, part := range strings.Split(says, "|") {
			if !strings.Contains(got.stderr, part) {
				t.Errorf("%s: %q lacks %q", flags, got.stderr, part)
			}
		}
	}
	if got := invoke(words("fit --xu xu.csv --uy uy.csv -o u.csv --psi nystrom:gaussian --landmarks-u u.csv")...); got.status != statusUsage || read(t, "u.csv")[0] != 'u' {
		t.Errorf("a model in the place of its landmarks: %+v", got)
	}
}

// TestTextFlags: the numbers of words, characters and columns are those of both encoders, and of no effect where
// nothing is free text.
func TestTextFlags(t *testing.T) {
	inFolder(t)
	say := func(i, k int) string {
		return strings.Repeat("a", i%13+1) + strings.Repeat(" bc", k+i%3) + " " + strings.Repeat("d", i/13+1)
	}
	write(t, "xu.csv", table("x,u", 120, func(i int) []any { return []any{say(i, 1), say(i, 2)} }))
	write(t, "uy.csv", table("u,y", 120, func(i int) []any { return []any{say(i, 40), i % 5} }))
	fit := "fit --xu xu.csv --uy uy.csv -o m.mediant --quiet --no-risk --method 2step --lambda 1e-3 --phi nystrom:linear --psi nystrom:linear --features 8 "
	for flags, want := range map[string][4]float64{
		"": {1, 3, 5, 1 << 17},
		"--word-ngrams 3 --char-ngrams none --hash-columns 512": {3, -1, -1, 512},
		"--char-ngrams 2":   {1, 2, 2, 1 << 17},
		"--char-ngrams 1-4": {1, 1, 4, 1 << 17},
	} {
		succeed(t, words(fit+flags)...)
		header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
		for _, encoder := range []string{"encoder_x", "encoder_u"} {
			column := at(t, header, encoder, "columns").([]any)[0].(map[string]any)
			options := at(t, column, "text")
			for i, key := range []string{"words", "char_min", "char_max", "buckets"} {
				if got := at(t, options.(map[string]any), key); got != want[i] {
					t.Errorf("%q: %s of %s is %v, want %v", flags, key, encoder, got, want[i])
				}
			}
		}
	}
	small(t)
	got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --phi linear --psi linear --no-risk --w 0.5 --lambda 1e-3 --hash-columns 64")...)
	if got.status != statusDone || got.stderr != "warning: no column is free text: --hash-columns has no effect\n" {
		t.Errorf("without free text: %+v", got)
	}
}
