package experiments

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediant/tables"
)

// checker is n images of 4×4 pixels; pixel p of image i is i + p.
func checker(n int) Images {
	m := Images{Side: 4}
	for i := range n {
		for p := range 16 {
			m.Pixels = append(m.Pixels, byte(i+p))
		}
		m.Labels = append(m.Labels, byte(i%10))
	}
	return m
}

// rows returns the numbers and the labels of a source.
func rows(t *testing.T, src tables.Source) (num [][]float64, text []string) {
	t.Helper()
	for b, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			num = append(num, append([]float64(nil), b.Num.RawRowView(i)...))
		}
		if len(b.Text) > 0 {
			text = append(text, b.Text[0]...)
		}
	}
	return num, text
}

func TestLowQualityTask(t *testing.T) {
	m := &MNIST{Train: checker(40), Test: checker(5)}
	task, err := LowQuality(m, 15, 3)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[float64]bool)
	xu, _ := rows(t, task.XU)
	for _, row := range xu {
		x, u := row[:4], row[4:]
		first := u[0] * 255 // pixel 0 of image i is i
		if seen[first] {
			t.Errorf("image %g twice", first)
		}
		seen[first] = true
		// X is the mean over 2×2 pixels: of p = 0, 1, 4, 5 for the first.
		if want := (first + 2.5) / 255; math.Abs(x[0]-want) > 1e-15 {
			t.Errorf("first pooled pixel of image %g is %g, want %g", first, x[0], want)
		}
		if want := (first + 2.5 + 10) / 255; math.Abs(x[3]-want) > 1e-15 {
			t.Errorf("last pooled pixel of image %g is %g, want %g", first, x[3], want)
		}
	}
	uy, digits := rows(t, task.UY)
	for i, row := range uy {
		image := row[0] * 255
		if seen[image] {
			t.Errorf("image %g is in both tables", image)
		}
		if want := string(rune('0' + int(math.Round(image))%10)); digits[i] != want {
			t.Errorf("image %g has digit %s, want %s", image, digits[i], want)
		}
	}
	if xy, _ := rows(t, task.XY); len(xu) != 15 || len(uy) != 15 || len(xy) != 15 || xy[7][0] != xu[7][0] {
		t.Errorf("%d, %d and %d rows; the oracle's are not those of X and U", len(xu), len(uy), len(xy))
	}
	if test, labels := rows(t, task.Test); len(test) != 5 || labels[4] != "4" {
		t.Errorf("%d test images with labels %v", len(test), labels)
	}
	again, err := LowQuality(m, 15, 3)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := rows(t, again.XU); same[0][0] != xu[0][0] {
		t.Error("the same seed gives another split")
	}
	for _, n := range []int{0, 21} {
		if _, err := LowQuality(m, n, 3); err == nil {
			t.Errorf("%d rows from 40 images were accepted", n)
		}
	}
}

func TestReadMNISTRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadMNIST(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "train-images") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, mnistFiles[0].name), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMNIST(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "not the published file") {
		t.Errorf("another file: %v", err)
	}
}

func TestReadMNIST(t *testing.T) {
	m, err := ReadMNIST(context.Background(), "")
	if err != nil {
		t.Skipf("needs the go command and its module proxy: %v", err)
	}
	if m.Train.Len() != 60000 || m.Test.Len() != 10000 || m.Train.Side != 28 || len(m.Train.Pixels) != 60000*784 {
		t.Errorf("%d and %d images of side %d", m.Train.Len(), m.Test.Len(), m.Train.Side)
	}
	if got := m.Test.Labels[:5]; string(got) != "\x07\x02\x01\x00\x04" {
		t.Errorf("first test digits %v, want 7 2 1 0 4", got)
	}
}

func TestSyntheticDistribution(t *testing.T) {
	// Known moments with uniform distributions: E X² = 1/3; E U² = E X⁶ + 1/12 = 1/7 + 1/12; E Y = d E U². Five
	// standard errors of n = 20,000 draws; the seed is fixed.
	const n, d = 20000, 3
	distribution := Synthetic{D: d, Noise: .1}
	xu, err := distribution.XU(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := distribution.UY(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	const u2 = 1./7 + 1./12
	mean := func(src tables.Source, of func([]float64) float64) (m, se float64) {
		num, _ := rows(t, src)
		var sum, squares float64
		for _, row := range num {
			sum, squares = sum+of(row), squares+of(row)*of(row)
		}
		m = sum / n
		return m, math.Sqrt((squares/n - m*m) / n)
	}
	for _, c := range []struct {
		name string
		src  tables.Source
		of   func([]float64) float64
		want float64
	}{
		{"x²", xu, func(r []float64) float64 { return r[0] * r[0] }, 1. / 3},
		{"u²", xu, func(r []float64) float64 { return r[d] * r[d] }, u2},
		{"xu", xu, func(r []float64) float64 { return r[0] * r[d] }, 1. / 5},
		{"u² of the second table", uy, func(r []float64) float64 { return r[0] * r[0] }, u2},
		{"y", uy, func(r []float64) float64 { return r[d] }, d * u2},
		{"(y - |u|²)²", uy, func(r []float64) float64 {
			e := r[d] - r[0]*r[0] - r[1]*r[1] - r[2]*r[2]
			return e * e
		}, .1},
	} {
		if got, se := mean(c.src, c.of); math.Abs(got-c.want) > 5*se {
			t.Errorf("mean of %s is %g, want %g ± %g", c.name, got, c.want, se)
		}
	}
	if names := xu.Columns(); names[0].Name != "x1" || names[d].Name != "u1" || uy.Columns()[d].Name != "y" {
		t.Errorf("columns %v and %v", names, uy.Columns())
	}
}
