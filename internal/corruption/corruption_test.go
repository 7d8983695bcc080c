package corruption

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const testRows = 60

// pairsOf makes one draw of each pair.
func pairsOf(t *testing.T, seed uint64) []*Pair {
	t.Helper()
	var all []*Pair
	for _, s := range Synthetic(testRows, 20) {
		p, err := s.Make(seed)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestCorruptionsSpoil: each corruption can be put into some pair at each strength and place, changes the file of its table and no other
// one, leaves the pair that it was made of as it was, and is the same for the same seed.
func TestCorruptionsSpoil(t *testing.T) {
	pairs, before := pairsOf(t, 1), pairsOf(t, 1)
	for _, c := range All() {
		for _, place := range c.Places {
			for strength := range Strengths {
				tried := 0
				for i, p := range pairs {
					got, ok := c.Apply(p, place, strength, 3)
					if !ok {
						continue
					}
					tried++
					if tried == 1 {
						if again, _ := c.Apply(p, place, strength, 3); !slices.Equal(got.XU.Bytes(), again.XU.Bytes()) || !slices.Equal(got.UY.Bytes(), again.UY.Bytes()) || !slices.Equal(got.Columns, again.Columns) {
							t.Errorf("%s, %s, %s, %s: two runs differ", c.Name, c.Strengths[strength], place, p.Name)
						}
					}
					xu, uy := !bytes.Equal(got.XU.Bytes(), p.XU.Bytes()), !bytes.Equal(got.UY.Bytes(), p.UY.Bytes())
					if wantXU, wantUY := place == InX || place == InUX || place == OfXU || place == Both, place == InUY || place == InY || place == OfUY; xu != wantXU || wantUY && !uy || wantXU && place != Both && uy {
						t.Errorf("%s, %s, %s, %s: the first table changed %v, the second %v", c.Name, c.Strengths[strength], place, p.Name, xu, uy)
					}
					if !bytes.Equal(p.XU.Bytes(), before[i].XU.Bytes()) || !bytes.Equal(p.UY.Bytes(), before[i].UY.Bytes()) || !bytes.Equal(p.Coupled.Bytes(), before[i].Coupled.Bytes()) {
						t.Fatalf("%s, %s, %s: the clean pair %s changed", c.Name, c.Strengths[strength], place, p.Name)
					}
				}
				if tried == 0 && place != InY && place != InX {
					t.Errorf("%s, %s, %s: no pair has anything to spoil", c.Name, c.Strengths[strength], place)
				}
			}
		}
	}
}

// TestStrengthsAreOrdered: where strengths are shares of rows, the stronger one changes no fewer cells.
func TestStrengthsAreOrdered(t *testing.T) {
	pairs := pairsOf(t, 2)
	for _, c := range All() {
		if !strings.HasSuffix(c.Strengths[0], "%") {
			continue
		}
		for _, p := range pairs {
			for _, place := range c.Places {
				was := 0
				for strength := range Strengths {
					got, ok := c.Apply(p, place, strength, 5)
					if !ok {
						continue
					}
					n := changed(p.XU, got.XU) + changed(p.UY, got.UY)
					if n < was {
						t.Errorf("%s, %s, %s: %d cells changed after %d", c.Name, place, p.Name, n, was)
					}
					was = n
				}
			}
		}
	}
}

// changed counts cells that differ, or rows where their numbers do.
func changed(a, b *Sheet) int {
	if len(a.Rows) != len(b.Rows) {
		return max(len(a.Rows), len(b.Rows)) - min(len(a.Rows), len(b.Rows))
	}
	n := 0
	for i := range a.Rows {
		for j := range min(len(a.Rows[i]), len(b.Rows[i])) {
			if a.Rows[i][j] != b.Rows[i][j] {
				n++
			}
		}
	}
	return n
}

// TestKinds: there are at least 40 corruptions, of distinct names, and each has its three strengths in words.
func TestKinds(t *testing.T) {
	names := map[string]bool{}
	for _, c := range All() {
		if key := c.Group + "/" + c.Name; names[key] {
			t.Errorf("%s is there twice", key)
		} else {
			names[key] = true
		}
		for i, s := range c.Strengths {
			if s == "" || slices.Contains(c.Strengths[:i], s) {
				t.Errorf("%s: strengths %q", c.Name, c.Strengths)
			}
		}
		for _, p := range c.Unseen {
			if !slices.Contains(c.Places, p) {
				t.Errorf("%s: unseen in %s, where it is not tried", c.Name, p)
			}
		}
	}
	if len(names) < 40 {
		t.Errorf("%d corruptions, want 40", len(names))
	}
}

// TestCorruptionsWorkedExample: what some of them write.
func TestCorruptionsWorkedExample(t *testing.T) {
	pair := func() *Pair {
		xu := &Sheet{Names: []string{"x", "u"}}
		uy := &Sheet{Names: []string{"u", "y"}}
		coupled := &Sheet{Names: []string{"x", "u", "y"}}
		for i := range 40 {
			n := write(1000 + float64(i)/4)
			xu.Rows = append(xu.Rows, []string{n, n})
			uy.Rows = append(uy.Rows, []string{n, []string{"good", "fair"}[i%2]})
			coupled.Rows = append(coupled.Rows, []string{n, n, "good"})
		}
		return &Pair{Name: "hand", XU: xu, UY: uy, Coupled: coupled}
	}
	for _, c := range []struct {
		name     string
		place    Place
		strength int
		table    func(*Case) *Sheet
		row      int
		want     string
	}{
		{"factor 10 to 1000", InUX, 1, func(c *Case) *Sheet { return c.XU }, 3, "1000.75|100075"},
		{"factor 10 to 1000", InX, 1, func(c *Case) *Sheet { return c.Coupled }, 3, "100075|1000.75|good"},
		{"factor 10 to 1000", InUX, 1, func(c *Case) *Sheet { return c.Coupled }, 3, "1000.75|1000.75|good"},
		{"Fahrenheit", InUY, 2, func(c *Case) *Sheet { return c.UY }, 4, "1833.8|good"},
		{"thousands marks", InUX, 2, func(c *Case) *Sheet { return c.XU }, 1, "1000.25|1,000.25"},
		{"decimal comma", InUX, 2, func(c *Case) *Sheet { return c.XU }, 1, "1000.25|1000,25"},
		{"misspelt", InY, 2, func(c *Case) *Sheet { return c.UY }, 0, "1000|good or 1000|godo"},
		{"swapped", InY, 2, func(c *Case) *Sheet { return c.UY }, 0, "1000|fair"},
		{"codes for names", InY, 2, func(c *Case) *Sheet { return c.UY }, 0, "1000|2"},
		{"a column moved down", InUX, 1, func(c *Case) *Sheet { return c.XU }, 5, "1001.25|1000"},
		{"cells moved to the right", OfXU, 0, func(c *Case) *Sheet { return c.XU }, 0, "1000|1000"},
		{"cells moved to the right", OfUY, 0, func(c *Case) *Sheet { return c.UY }, 0, "good|1000"},
		{"header repeated", OfUY, 0, func(c *Case) *Sheet { return c.UY }, 7, "u|y"},
		{"totals at the end", OfXU, 0, func(c *Case) *Sheet { return c.XU }, 40, "Total|40195"},
		{"row numbers", Both, 0, func(c *Case) *Sheet { return c.UY }, 2, "3|1000.5|good"},
	} {
		found := slices.DeleteFunc(Find(c.name), func(f Corruption) bool { return f.Name != c.name })
		if len(found) == 0 {
			t.Fatalf("there is no %q", c.name)
		}
		got, ok := found[0].Apply(pair(), c.place, c.strength, 1)
		if !ok {
			t.Errorf("%s: nothing to spoil", c.name)
			continue
		}
		if row := strings.Join(c.table(got).Rows[c.row], "|"); !slices.Contains(strings.Split(c.want, " or "), row) {
			t.Errorf("%s, %s: %s, want %s", c.name, c.place, row, c.want)
		}
	}
}

// TestTrialEffect: with bp = b - arm/2, where b has mean 0, E[30 bp + 6 bp²] moves by -15 + 1.5; sugar is log-normal with standard deviation
// .1·sqrt(1.44 + 6.25) of its logarithm, and goes from a mean of 1.0392 to one of exp(-.18) times that; walking adds 20·0.2.
func TestTrialEffect(t *testing.T) {
	mean := math.Exp(.01 * (1.44 + 6.25) / 2)
	want := 15 - 1.5 + 25*mean*(1-math.Exp(-.18)) + 4
	if got := trialEffect(); math.Abs(got-want) > .1 { // five standard errors of 0.02: the odds of failing are below 1e-6
		t.Errorf("the effect is %g, want %g", got, want)
	}
}

// TestSheet: what is written is read back.
func TestSheet(t *testing.T) {
	s := &Sheet{Names: []string{"a", "b, c"}, Rows: [][]string{{"1", "x \"y\""}, {"", " z"}}}
	got, err := ReadSheet(bytes.NewReader(s.Bytes()))
	if err != nil || !slices.Equal(got.Names, s.Names) || !slices.Equal(got.Rows[0], s.Rows[0]) || !slices.Equal(got.Rows[1], s.Rows[1]) {
		t.Errorf("read back: %+v, %v", got, err)
	}
	if _, err := ReadSheet(strings.NewReader("a,b\n")); err == nil {
		t.Error("a table without rows is read")
	}
	if text := thousands("-1234567.5"); text != "-1,234,567.5" {
		t.Errorf("thousands: %s", text)
	}
}

// TestFolder: pairs of a folder have their rows drawn by the seed, and an assignment gives an effect.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	if _, err := Folder(dir, 60, 50); err == nil {
		t.Error("an empty folder has pairs")
	}
	p := curve.pair(100, 80, 1)
	write := func(folder, file string, s *Sheet) {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, file), s.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one", "xu.csv", p.XU)
	write("one", "uy.csv", p.UY)
	write("one", "xuy.csv", p.Coupled)
	arms := &Sheet{Names: []string{"assignment", "u", "y"}, Rows: [][]string{{"1", "0", "5"}, {"1", "0", "7"}, {"0", "0", "1"}, {"0", "0", "2"}}}
	write("two", "xu.csv", arms.Select([]string{"assignment", "u"}))
	write("two", "uy.csv", arms.Select([]string{"u", "y"}))
	write("two", "xuy.csv", arms)
	all, err := Folder(dir, 60, 50)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d pairs, %v", len(all), err)
	}
	a, err := all[0].Make(1)
	if err != nil || len(a.XU.Rows) != 60 || len(a.Coupled.Rows) != 50 {
		t.Errorf("%+v, %v", a, err)
	}
	if b, _ := all[0].Make(2); slices.Equal(a.XU.Bytes(), b.XU.Bytes()) {
		t.Error("two seeds draw the same rows")
	}
	e, err := all[2].Make(1)
	if err != nil || e.Treatment != "assignment" || e.Effect != 4.5 || math.Abs(e.EffectSE-math.Sqrt(1+.25)) > 1e-15 {
		t.Errorf("the effect is %g ± %g, %v", e.Effect, e.EffectSE, err)
	}
}

// TestDependent: of what a test of level 0.01 finds.
func TestDependent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := &Sheet{Names: []string{"a", "b", "c", "d"}}
	for range 300 {
		a := rnd.NormFloat64()
		s.Rows = append(s.Rows, []string{write(a), write(a + rnd.NormFloat64()), write(rnd.NormFloat64()), []string{"x", "y", "z"}[rnd.IntN(3)]})
	}
	for name, want := range map[string]bool{"a": true, "b": true, "c": false, "d": false} {
		if got := s.dependent(name, s.Names, rnd); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
