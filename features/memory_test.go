package features_test

import (
	"context"
	"strings"
	"testing"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/tables"
)

// TestSizesOfMaps: a map has no more features and no larger arrays than was estimated, nor many fewer.
func TestSizesOfMaps(t *testing.T) {
	const rows = 300
	for _, c := range []struct {
		spec    string
		size    int
		columns int
	}{
		{"linear", 0, 7}, {"gaussian", 64, 3}, {"gaussian", 64, 20}, {"gaussian", 512, 150}, {"laplacian", 64, 20}, {"additive:gaussian", 64, 5},
		{"nystrom:gaussian", 40, 4}, {"nystrom:linear", 400, 350}, {"polynomial:3", 0, 4}, {"tensorsketch:2", 64, 10}, {"countsketch", 16, 30}, {"warped:laplacian", 40, 4},
	} {
		spec, err := features.ParseSpec(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		spec.Size = c.size
		x := fixture.NormalRows(rows, c.columns)
		m, _, err := spec.Fit(x, 1, "phi")
		if err != nil {
			t.Fatal(err)
		}
		src, err := tables.FromMatrix(names(c.columns), x)
		if err != nil {
			t.Fatal(err)
		}
		e, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src)
		if err != nil {
			t.Fatal(err)
		}
		z := spec.SizeOf(e, rows)
		_, out := m.Dims()
		if out > z.Features || 2*out < z.Features {
			t.Errorf("%s of %d columns has %d features, estimated %d", c.spec, c.columns, out, z.Features)
		}
		if got, want := features.Bytes(m), spec.MapBytes(z); got > want || want > 4*got+32*float64(out+c.columns) {
			t.Errorf("%s of %d columns takes %g bytes, estimated %g", c.spec, c.columns, got, want)
		}
		if least := spec.LeastSize(rows); least.Features > out && c.spec != "additive:gaussian" {
			t.Errorf("%s has %d features, at least %d were foretold", c.spec, out, least.Features)
		}
	}
}

// TestBytes: dense frequencies are held twice, packed too, and structured ones once.
func TestBytes(t *testing.T) {
	k := gaussian(t, 1)
	if got := features.Bytes(fixture.Must[*features.Fourier](t)(features.NewFourier(k, 3, 8, 1, "phi"))); got != 2*8*3*4 {
		t.Errorf("dense frequencies take %g bytes, want %d", got, 2*8*3*4)
	}
	if got := features.Bytes(fixture.Must[*features.Fourier](t)(features.NewStructured(k, 3, 8, 1, "phi"))); got != 8*(3*64+4) {
		t.Errorf("structured frequencies take %g bytes, want %d", got, 8*(3*64+4))
	}
}

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat("x", i+1)
	}
	return out
}

// TestRowBytes: dense rows take 8 bytes a column, those of hashed text 16 for each number there is.
func TestRowBytes(t *testing.T) {
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = strings.Repeat("ab ", i%5) + strings.Repeat("c", i)
	}
	src, err := tables.FromColumns(tables.Strings("text", texts))
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := e.EncodeAll(context.Background(), src, 200)
	if err != nil {
		t.Fatal(err)
	}
	nonzeros := 0
	for i := range texts {
		all.(*encode.CSR).DoRowNonZero(i, func(int, int, float64) { nonzeros++ })
	}
	if got, want := e.RowBytes(), 16*float64(nonzeros)/200; !e.Sparse() || got < want*.99 || got > want*1.01 {
		t.Errorf("a row takes %g bytes, want %g", got, want)
	}
}

func TestWithSize(t *testing.T) {
	for text, want := range map[string]int{"gaussian": 100, "nystrom:linear": 100, "linear": 0, "polynomial:2": 0} {
		spec, err := features.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := spec.WithSize(100).Size; got != want {
			t.Errorf("%s of size 100 at most has size %d, want %d", text, got, want)
		}
		if spec.HasSize() {
			if spec.Size = 20; spec.WithSize(100).Size != 20 {
				t.Errorf("%s: size 20 has become %d", text, spec.WithSize(100).Size)
			}
		}
	}
}
