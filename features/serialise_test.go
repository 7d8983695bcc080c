package features_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/kernels"
)

// oneOfEach returns a small map of each kind.
func oneOfEach(t testing.TB) []features.Map {
	x := fixture.NormalRows(6, 2)
	k := gaussian(t, 0.5)
	nystrom := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, x))
	fourier := fixture.Must[*features.Fourier](t)(features.NewFourier(k, 2, 6, 1, "phi"))
	spec := features.PatchSpec{Image: features.ImageShape{Planes: 2, Height: 1, Width: 1}, Side: 1, Filters: 2, Threshold: .5}
	patches := fixture.Must[*features.Patches](t)(features.FitPatches(spec, x, 1, "phi"))
	spec.Threshold, spec.Bandwidth = 0, .5
	return []features.Map{
		patches,
		fixture.Must[*features.Patches](t)(features.FitPatches(spec, x, 1, "phi")),
		fixture.Must[*features.Chain](t)(features.NewChain(patches, features.NewLinear(4))),
		features.NewLinear(2),
		warp(t, [][]float64{{0, 1}, {.5}}, [][]float64{{1, 2}, {3}}),
		features.NewBias(2),
		fixture.Must[*features.Polynomial](t)(features.NewPolynomial(2, 3)),
		fourier,
		fixture.Must[*features.Fourier](t)(features.NewOrthogonal(k, 2, 6, 1, "phi")),
		fixture.Must[*features.Fourier](t)(features.NewStructured(k, 2, 8, 1, "phi")),
		quasi(t, k, 2, 6, 1),
		countSketch(t, 2, 6, 1),
		tensorSketch(t, 2, 3, 6, 1),
		fixture.Must[*features.Columns](t)(features.NewColumns(2, []int{1, 0}, nystrom)),
		additive(t, 2, 10),
		fixture.Must[*features.Sections](t)(features.NewSections(kernels.Linear{}, x)),
		chiSquared(t, 2, 4),
		fixture.Must[*features.Fourier](t)(features.NewOrthogonal(byName(t, "rq:2", 0.5).(features.SpectralRadial), 2, 6, 1, "phi")),
		fixture.Must[*features.Sections](t)(features.NewSections(byName(t, "matern:0.7", 2), x)),
		nystrom,
		fixture.Must[*features.Concat](t)(features.NewConcat(nystrom, fourier, features.NewBias(2))),
	}
}

func TestHeaderIsReadable(t *testing.T) {
	m := fixture.Must[*features.Fourier](t)(features.NewFourier(byName(t, "matern32", 0.5), 3, 8, 1, "phi"))
	header, weights, err := features.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kind":"fourier","in":3,"out":8,"kernel":{"kernel":"matern32","bandwidth":0.5},` +
		`"law":"independent","arrays":[{"name":"frequencies","rows":3,"cols":4}]}`
	if string(header) != want || len(weights) != 12 {
		t.Errorf("header %s with %d weights, want %s with 12", header, len(weights), want)
	}
}

func TestIdentitiesDiffer(t *testing.T) {
	seen := map[string]int{}
	for i, m := range oneOfEach(t) {
		if j, ok := seen[m.ID().String()]; ok {
			t.Errorf("maps %d and %d have one identity", i, j)
		}
		seen[m.ID().String()] = i
	}
}

func TestMarshalRefuses(t *testing.T) {
	if _, _, err := features.Marshal(foreign{}); err == nil || !strings.Contains(err.Error(), "foreign") {
		t.Errorf("a foreign map: error %v", err)
	}
}

// edits are damages to a header, as replacements of text, and what the error says of them.
var edits = []struct{ kind, from, to, want string }{
	{"linear", `"kind":"linear"`, `"kind":"magic"`, "unknown kind"},
	{"linear", `"in":2`, `"in":0`, "0 columns"},
	{"linear", `"in":2`, `"in":99999999999999`, "columns"},
	{"linear", `"out":2`, `"out":3`, "makes the map"},
	{"linear", `"out":2`, `"out":2,"degree":7`, "makes the map"},
	{"linear", `"out":2`, `"out":2,"scale":7`, "unknown field"},
	{"linear", `"out":2`, `"out":2,"arrays":[{"name":"w","rows":1,"cols":1}]`, "want none"},
	{"linear", `}`, `} {}`, "after the header"},
	{"linear", `}`, ``, "unexpected"},
	{"warp", `"name":"counts","rows":1,"cols":2`, `"name":"counts","rows":1,"cols":3`, "array"},
	{"warp", `"in":2,"out":2`, `"in":3,"out":3`, "array"},
	{"warp", `"thresholds","rows":1,"cols":3`, `"thresholds","rows":1,"cols":2`, "array"},
	{"warp", `"thresholds","rows":1,"cols":3},{"name":"weights","rows":1,"cols":3}`, `"thresholds","rows":1,"cols":2},{"name":"weights","rows":1,"cols":2}`, "thresholds of 2"},
	{"warp", `,{"name":"weights","rows":1,"cols":3}`, ``, "2 arrays, want 3"},
	{"polynomial", `"degree":3`, `"degree":3000`, "more than 65536"},
	{"polynomial", `"out":10`, `"out":11`, "makes the map"},
	{"fourier", `"rows":2`, `"rows":3`, "array"},
	{"fourier", `"cols":3`, `"cols":-3`, "array"},
	{"fourier", `"cols":3`, `"cols":4611686018427387905`, "array"},
	{"fourier", `"cols":3`, `"cols":1000`, "2000 values"},
	{"fourier", `"independent"`, `"sobol"`, "unknown distribution"},
	{"fourier", `"bandwidth":0.5`, `"bandwidth":-1`, "bandwidth"},
	{"fourier", `"kernel":{"kernel":"gaussian","bandwidth":0.5},`, ``, "no kernel"},
	{"fourier", `{"kernel":"gaussian","bandwidth":0.5}`, `{"kernel":"linear"}`, "spectral"},
	{"fourier", `"arrays":[`, `"arrays":[{"name":"x","rows":1,"cols":1},`, "arrays, want"},
	{"fourier", `"law":"independent"`, `"law":"structured"`, "1 arrays, want 2"},
	{"fourier", `"law":"structured"`, `"law":"orthogonal"`, "2 arrays, want 1"},
	{"fourier", `"kernel":"gaussian","bandwidth":0.5},"law":"structured"`, `"kernel":"laplacian","bandwidth":0.5},"law":"structured"`, "not radial"},
	{"fourier", `"in":2,"out":8`, `"in":2147483647,"out":8`, "power of two"},
	{"fourier", `"in":2,"out":8`, `"in":65,"out":8`, "3×128"},
	{"fourier", `"in":2,"out":8`, `"in":2,"out":9`, "makes the map"},
	{"fourier", `"in":2,"out":8`, `"in":2,"out":10`, "scales"},
	{"fourier", `"in":2,"out":8`, `"in":2,"out":1`, "0×64"},
	{"fourier", `"rows":3,"cols":64`, `"rows":6,"cols":64`, "diagonals"},
	{"additive", `"kernel":"additive"`, `"kernel":"sum"`, "kernel"},
	{"additive", `"independent"`, `"orthogonal"`, "unknown distribution"},
	{"additive", `,{"name":"frequencies","rows":1,"cols":2}]`, `]`, "1 arrays for 2 groups"},
	{"additive", `"kernel":{"kernel":"additive"`, `"kernel":{"kernel":"gaussian","bandwidth":1},"xkernel":{"kernel":"additive"`, "unknown field"},
	{"additive", `"rows":1`, `"rows":2`, "array"},
	{"additive", `"in":2`, `"in":1`, "needs 2"},
	{"sections", `{"kernel":"linear"}`, `{"kernel":"additive","groups":[[5]],"parts":[{"kernel":"linear"}]}`, "needs 6"},
	{"sections", `,"kernel":{"kernel":"linear"}`, ``, "no kernel"},
	{"sections", `"out":6`, `"out":7`, "array"},
	{"sections", `{"kernel":"linear"}`, `{"kernel":"linear","bandwidth":3}`, "parameters"},
	{"nystrom", `"kernel":"gaussian"`, `"kernel":"cubic"`, "cubic"},
	{"nystrom", `"rows":4,"cols":2`, `"rows":2,"cols":4`, "array"},
	{"nystrom", `"bandwidth":0.5}`, `"bandwidth":0.5,"degree":2}`, "parameters"},
	{"nystrom", `{"kernel":"gaussian","bandwidth":0.5}`, `{"kernel":"additive","groups":[[5]],"parts":[{"kernel":"linear"}]}`, "needs 6"},
	{"nystrom", `"packed":"upper"`, `"packed":"lower"`, "array"},
	{"nystrom", `,"packed":"upper"`, ``, "array"},
	{"chi2", `"steps":4`, `"steps":0`, "0 steps"},
	{"chi2", `"steps":4`, `"steps":-1`, "-1 steps"},
	{"chi2", `"steps":4`, `"steps":5`, "makes the map"},
	{"chi2", `"in":2`, `"in":999999`, "more than 1048576"},
	{"chi2", `"steps":4`, `"steps":4,"arrays":[{"name":"w","rows":1,"cols":1}]`, "want none"},
	{"fourier", `"alpha":2`, `"alpha":-2`, "alpha is -2"},
	{"fourier", `"kernel":"rq","bandwidth":0.5,"alpha":2`, `"kernel":"periodic","period":2,"length":1`, "not radial"},
	{"sections", `"order":0.7`, `"order":0.5`, "matern12"},
	{"concat", `"parts":[`, `"arrays":[{"name":"w","rows":1,"cols":1}],"parts":[`, "want none"},
	{"concat", `"parts":[`, `"parts":[{"kind":"bias","in":3,"out":1},`, "3 columns, want 2"},
	{"concat", `"in":2,"out":6,"kernel"`, `"in":3,"out":6,"kernel"`, "part"},
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, e := range edits {
		refused := false
		for _, m := range oneOfEach(t) {
			header, weights, err := features.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(header), `{"kind":"`+e.kind+`"`) || !strings.Contains(string(header), e.from) {
				continue
			}
			refused = true
			damaged := strings.Replace(string(header), e.from, e.to, 1)
			if _, err := features.Unmarshal(json.RawMessage(damaged), weights); err == nil || !strings.Contains(err.Error(), e.want) {
				t.Errorf("%s: error %v, want one with %q", damaged, err, e.want)
			}
		}
		if !refused {
			t.Errorf("no %s map has %s in its header", e.kind, e.from)
		}
	}
}

func TestUnmarshalRefusesWeights(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for _, m := range oneOfEach(t) {
			header, weights := must2(features.Marshal(m))
			if len(weights) == 0 {
				continue
			}
			weights[len(weights)/2] = bad
			if _, err := features.Unmarshal(header, weights); err == nil || !strings.Contains(err.Error(), "finite") {
				t.Errorf("%T with a weight %g: error %v", m, bad, err)
			}
		}
	}
	header, weights := must2(features.Marshal(fixture.Must[*features.Nystrom](t)(features.NewNystrom(gaussian(t, 1), fixture.NormalRows(2, 1)))))
	weights[len(weights)-1] = 0
	if _, err := features.Unmarshal(header, weights); err == nil || !strings.Contains(err.Error(), "positive") {
		t.Errorf("a singular whitening: error %v", err)
	}
}

// TestUnmarshalBounds: short texts that would take much memory or stack.
func TestUnmarshalBounds(t *testing.T) {
	const bias = `{"kind":"bias","in":1,"out":1}`
	nested := strings.Repeat(`{"kind":"concat","in":1,"out":1,"parts":[`, 50) + bias + strings.Repeat(`]}`, 50)
	poly := `{"kind":"polynomial","in":360,"out":65341,"degree":2}`
	many := `{"kind":"concat","in":360,"out":6534100,"parts":[` + strings.Repeat(poly+",", 99) + poly + `]}`
	for want, header := range map[string]string{"more than 16 deep": nested, "monomials": many, "no parts": `{"kind":"concat","in":1,"out":1}`} {
		if _, err := features.Unmarshal(json.RawMessage(header), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s...: error %v, want one with %q", header, err, want)
		}
	}
}

// FuzzUnmarshal: what is read can be written and read again, and maps to what it is.
func FuzzUnmarshal(f *testing.F) {
	for _, m := range oneOfEach(f) {
		header, weights := must2(features.Marshal(m))
		var bits []byte
		for _, v := range weights {
			bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(v))
		}
		f.Add([]byte(header), bits)
	}
	f.Fuzz(func(t *testing.T, header, bits []byte) {
		weights := make([]float64, len(bits)/8)
		for i := range weights {
			weights[i] = math.Float64frombits(binary.LittleEndian.Uint64(bits[8*i:]))
		}
		m, err := features.Unmarshal(header, weights)
		if err != nil {
			return
		}
		again, own := must2(features.Marshal(m))
		read, err := features.Unmarshal(again, own)
		if err != nil {
			t.Fatalf("%s was read, and then not: %v", again, err)
		}
		if read.ID() != m.ID() {
			t.Fatalf("%s: identities differ", again)
		}
		if in, out := m.Dims(); in <= 100 && out <= 1000 {
			m.MapTo(new(mat.Dense), mat.NewDense(2, in, nil))
		}
	})
}
