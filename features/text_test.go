package features_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
	"mediant/internal/sparsetest"
	"mediant/kernels"
	"mediant/tables"
)

// headlines are n texts of 3 to 8 of 200 words, all different, some of which training does not have.
func headlines(n int, seed uint64) []string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	out := make([]string, n)
	for i := range out {
		words := []string{fmt.Sprint("No", i)}
		for range 3 + rnd.IntN(6) {
			words = append(words, fmt.Sprintf("word%d", rnd.IntN(200)))
		}
		out[i] = strings.Join(words, " ")
	}
	return out
}

func fitText(t testing.TB, opt features.TextOptions, cells []string) *features.Encoder {
	t.Helper()
	src := table(t, "t", cells)
	return fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{Text: opt}, src))
}

func sparseRows(t testing.TB, e *features.Encoder, src tables.Source) *features.CSR {
	t.Helper()
	rows := fixture.Must[mat.Matrix](t)(sampleOf(e, 1<<20, 1, "phi", src))
	return rows.(*features.CSR)
}

// termBucket is the column of a term by the hash of the standard library.
func termBucket(kind byte, term string, buckets int) int {
	h := fnv.New64a()
	h.Write(append([]byte{kind}, term...))
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(buckets))
}

// slowTerms lists the terms of a text of ASCII words by plain loops.
func slowTerms(text string, opt features.TextOptions) (words, chars []string) {
	var kept []string
	for _, w := range strings.Fields(strings.ToLower(text)) {
		if !slices.Contains(opt.Stop, w) {
			kept = append(kept, w)
		}
	}
	for i := range kept {
		for n := 1; n <= opt.Words && i+n <= len(kept); n++ {
			words = append(words, strings.Join(kept[i:i+n], " "))
		}
		padded := " " + kept[i] + " "
		for n := opt.CharMin; n <= opt.CharMax && n > 0; n++ {
			if n >= len(padded) {
				chars = append(chars, padded)
				break
			}
			for lo := 0; lo+n <= len(padded); lo++ {
				chars = append(chars, padded[lo:lo+n])
			}
		}
	}
	return words, chars
}

// slowTFIDF is the dense matrix of the doc comment of textColumn.
func slowTFIDF(texts []string, opt features.TextOptions) *mat.Dense {
	kinds := [2]byte{'w', 'c'}
	counts := make([][2]map[int]float64, len(texts))
	documents := make(map[int]float64)
	parts := 1
	for i, text := range texts {
		words, chars := slowTerms(text, opt)
		for k, terms := range [2][]string{words, chars} {
			counts[i][k] = map[int]float64{}
			for _, term := range terms {
				counts[i][k][termBucket(kinds[k], term, opt.Buckets)]++
			}
			for b := range counts[i][k] {
				documents[b]++
			}
		}
	}
	if opt.CharMin > 0 {
		parts = 2
	}
	out := mat.NewDense(len(texts), opt.Buckets, nil)
	n := float64(len(texts))
	for i := range texts {
		for k := range parts {
			weight := func(b int) float64 {
				return (1 + math.Log(counts[i][k][b])) * (1 + math.Log((1+n)/(1+min(n, documents[b]))))
			}
			norm := 0.0
			for b := range counts[i][k] {
				norm += weight(b) * weight(b)
			}
			for b := range counts[i][k] {
				out.Set(i, b, out.At(i, b)+weight(b)/math.Sqrt(norm*float64(parts)))
			}
		}
	}
	return out
}

// TestTextIsTFIDF compares with plain loops. Both add the same squares in another order, some 100 of them,
// which a relative 1e-13 covers.
func TestTextIsTFIDF(t *testing.T) {
	texts := headlines(130, 1)
	for _, opt := range []features.TextOptions{
		{Words: 1, CharMin: 3, CharMax: 5, Buckets: 1 << 12},
		{Words: 1, CharMin: 2, CharMax: 2, Buckets: 8}, // words and characters share all columns
		{Words: 3, CharMin: -1, CharMax: -1, Buckets: 1 << 12},
		{Words: 2, CharMin: -1, CharMax: -1, Buckets: 1 << 12, Stop: []string{"word1", "word2", "word3"}},
	} {
		e := fitText(t, opt, texts)
		if !e.Sparse() || e.Width() != opt.Buckets {
			t.Fatalf("sparse %v, %d columns", e.Sparse(), e.Width())
		}
		src := table(t, "t", texts)
		got, want := sparseRows(t, e, src), slowTFIDF(texts, opt)
		if !mat.EqualApprox(got, want, 1e-13) {
			t.Errorf("%+v: rows differ from the definition", opt)
		}
		if dense, _ := encoded(t, e, src); !mat.Equal(dense, got) {
			t.Errorf("%+v: dense and sparse rows differ", opt)
		}
	}
}

// TestTextByHand: of one text among 101 others without its terms both words have the same idf.
func TestTextByHand(t *testing.T) {
	texts := []string{"Red, red FISH!"}
	for i := range 101 {
		texts = append(texts, fmt.Sprint("x", i))
	}
	opt := features.TextOptions{Words: 1, CharMin: -1, CharMax: -1}
	x, _ := encoded(t, fitText(t, opt, texts), table(t, "t", texts))
	red, fish := termBucket('w', "red", 1<<17), termBucket('w', "fish", 1<<17)
	// 1 + ln 2 = 1.6931 times red, once fish, of length 1: 0.8610 and 0.5085.
	if math.Abs(x.At(0, red)-0.8610) > 5e-5 || math.Abs(x.At(0, fish)-0.5085) > 5e-5 {
		t.Errorf("red %.4f, fish %.4f, want 0.8610, 0.5085", x.At(0, red), x.At(0, fish))
	}
}

func TestTextEdges(t *testing.T) {
	e := fitText(t, features.TextOptions{}, headlines(200, 2))
	for what, pair := range map[string][2]string{
		"case":        {"WORD1 Word2", "word1 word2"},
		"punctuation": {"word1, word2!", "word1 word2"},
		"accents":     {"ÉCOLE", "école"},
	} {
		rows, _ := encoded(t, e, table(t, "t", pair[:]))
		if !mat.Equal(rows.Slice(0, 1, 0, e.Width()), rows.Slice(1, 2, 0, e.Width())) {
			t.Errorf("%s makes a difference", what)
		}
	}
	rows, counts := encoded(t, e, table(t, "t", []string{"", "?!", "a term of no headline"}))
	if mat.Norm(rows.Slice(0, 2, 0, e.Width()), 1) != 0 {
		t.Error("text without terms is not 0")
	}
	// The norm of a row is 1 to rounding, but for columns that its words and characters share.
	if n := mat.Norm(rows.Slice(2, 3, 0, e.Width()), 2); math.Abs(n-1) > 1e-2 {
		t.Errorf("a row has norm %g", n)
	}
	if counts.Unseen != nil {
		t.Error("new text was counted as unseen levels")
	}
}

// TestFreeTextRule: which columns are free text.
func TestFreeTextRule(t *testing.T) {
	var words, codes []string
	for i := range 400 {
		words, codes = append(words, fmt.Sprint("word", i%150)), append(codes, fmt.Sprint("code", i/2))
	}
	many := make([]string, 10001)
	for i := range many {
		many[i] = fmt.Sprint("level", i)
	}
	for what, c := range map[string]struct {
		cells []string
		free  bool
	}{
		"150 levels, 3/8 of the values":  {words, false},
		"all of 150 distinct":            {words[:150], true},
		"just more than half":            {codes[:201], true},
		"half":                           {codes[:400], false},
		"100 levels":                     {words[:100], false},
		"10,001 levels in 40,004 values": {slices.Repeat(many, 4), true},
		"10,000 levels in 40,000 values": {slices.Repeat(many[:10000], 4), false},
		"two long texts, repeated":       {slices.Repeat([]string{strings.Repeat(".", 1<<23), strings.Repeat("!", 1<<23), "z"}, 2), true},
	} {
		e := fitText(t, features.TextOptions{Buckets: 64}, c.cells)
		if e.Sparse() != c.free {
			t.Errorf("%s: free text is %v", what, e.Sparse())
		}
	}
}

// TestFreeTextCountsAllRows: that a column turns out as free text late changes nothing.
func TestFreeTextCountsAllRows(t *testing.T) {
	texts := headlines(10500, 3)
	early := fitText(t, features.TextOptions{Buckets: 1 << 10}, texts)
	first, second := table(t, "t", texts[:9000]), table(t, "t", texts[9000:])
	late := fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), first.Columns(), features.EncoderOptions{Text: features.TextOptions{Buckets: 1 << 10}}, first, second))
	if string(early.Canonical()) != string(late.Canonical()) {
		t.Error("the encoder depends on how rows are split into tables")
	}
	x, want := sparseRows(t, early, table(t, "t", texts)), slowTFIDF(texts, features.TextOptions{Words: 1, CharMin: 3, CharMax: 5, Buckets: 1 << 10})
	if !mat.EqualApprox(x, want, 1e-13) {
		t.Error("rows differ from the definition")
	}
}

func TestTextOptionsRefuse(t *testing.T) {
	src := table(t, "t", headlines(120, 4))
	for _, opt := range []features.TextOptions{
		{Words: -1}, {Words: 17}, {CharMin: 3}, {CharMin: 4, CharMax: 3}, {CharMin: -1, CharMax: 3}, {CharMin: 1, CharMax: 17},
		{Buckets: 1}, {Buckets: 48}, {Buckets: 1 << 21}, {Buckets: -2},
	} {
		if _, err := features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{Text: opt}, src); err == nil || !strings.Contains(err.Error(), "features: text") {
			t.Errorf("%+v: error %v", opt, err)
		}
	}
}

func TestTextOptionsValidate(t *testing.T) {
	for _, o := range []features.TextOptions{{}, {Words: 3, CharMin: 2, CharMax: 2, Buckets: 2}, {CharMin: -1, CharMax: -1}} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for want, o := range map[string]features.TextOptions{"runs of 17 words": {Words: 17}, "3 buckets": {Buckets: 3}, "runs of 4 to 2 characters": {CharMin: 4, CharMax: 2}} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	words := fitText(t, features.TextOptions{CharMin: -1, CharMax: -1}, headlines(120, 1))
	if note := words.Notes()[0]; note != `column "t" is free text: its words are hashed into 131072 columns` {
		t.Errorf("note %q", note)
	}
}

func TestTextJSON(t *testing.T) {
	texts := headlines(120, 5)
	src := table(t, "t", texts, "n", make([]float64, 119+1), "a", ramp(120))
	e := fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{Text: features.TextOptions{Buckets: 1 << 10, Stop: []string{"word1"}}}, src))
	text := fixture.Must[[]byte](t)(json.Marshal(e))
	var read features.Encoder
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if string(fixture.Must[[]byte](t)(json.Marshal(&read))) != string(text) || read.ID() != e.ID() {
		t.Error("read and written again, the encoder is another")
	}
	if !mat.Equal(sparseRows(t, e, src), sparseRows(t, &read, src)) {
		t.Error("the rows changed")
	}
	for _, c := range []struct{ from, to, want string }{
		{`"words":1`, `"words":0`, "runs of 0 words"},
		{`"buckets":1024`, `"buckets":1000`, "power of two"},
		{`"buckets":1024`, `"buckets":64`, "beyond 64 buckets"},
		{`"documents":120`, `"documents":-1`, "-1 texts"},
		{`"documents":120`, `"documents":3`, "of 3 texts"},
		{`"frequencies":"`, `"frequencies":"AAAA`, "cut or beyond"},
		{`"kind":"text","text"`, `"kind":"text","levels":["a","b"],"text"`, "free text with levels"},
		{`"kind":"text","text"`, `"kind":"numeric","scale":1,"text"`, "terms"},
	} {
		damaged := strings.Replace(string(text), c.from, c.to, 1)
		if damaged == string(text) {
			t.Errorf("the encoder has no %s", c.from)
		}
		if err := new(features.Encoder).UnmarshalJSON([]byte(damaged)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.to, err, c.want)
		}
	}
}

// ramp is 0..n-1.
func ramp(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// TestMixedColumns: numbers and levels keep their columns beside free text.
func TestMixedColumns(t *testing.T) {
	level := slices.Repeat([]string{"a", "b", ""}, 40)
	src := table(t, "l", level, "t", headlines(120, 6), "n", ramp(120))
	e := fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{}, src))
	dense, _ := encoded(t, e, src)
	if x := sparseRows(t, e, src); !mat.Equal(x, dense) {
		t.Error("sparse rows are not the dense ones")
	}
	if names := e.Names(); len(names) != e.Width() || names[0] != "l=" || names[3] != "t#0" || names[len(names)-1] != "n" {
		t.Errorf("%d names of %d columns", len(names), e.Width())
	}
	if len(e.Notes()) != 1 || !strings.Contains(e.Notes()[0], `"t" is free text`) {
		t.Errorf("notes %q", e.Notes())
	}
}

// TestTextDoesNotDependOnThreads: encoder, hashed n-grams, their TF-IDF and features at landmarks have the same bits for
// any number of threads, of texts of two batches, the last not full.
func TestTextDoesNotDependOnThreads(t *testing.T) {
	texts := headlines(tables.BlockRows+300, 11)
	src := table(t, "t", texts, "n", ramp(len(texts)))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, opt := range []features.TextOptions{
		{}, {Words: 3, CharMin: -1, CharMax: -1, Buckets: 1 << 10}, {Words: 2, CharMin: 1, CharMax: 4, Buckets: 64, Stop: []string{"word7"}},
	} {
		var encoder []byte
		var rows *features.CSR
		var phi *mat.Dense
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			e := fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{Text: opt}, src))
			x := sparseRows(t, e, src)
			m := fitSparse(t, features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 24}, x)
			got := mapped(m, x)
			if threads == 1 {
				encoder, rows, phi = e.Canonical(), x, got
				continue
			}
			if !bytes.Equal(e.Canonical(), encoder) {
				t.Errorf("%+v: %d threads: another encoder", opt, threads)
			}
			if !slices.Equal(nonzerosOf(x), nonzerosOf(rows)) {
				t.Errorf("%+v: %d threads: other rows", opt, threads)
			}
			if !mat.Equal(got, phi) {
				t.Errorf("%+v: %d threads: other features", opt, threads)
			}
		}
	}
}

// nonzerosOf lists rows, columns and bits of the stored elements.
func nonzerosOf(x *features.CSR) (all [][3]uint64) {
	n, _ := x.Dims()
	for i := range n {
		x.DoRowNonZero(i, func(i, j int, v float64) { all = append(all, [3]uint64{uint64(i), uint64(j), math.Float64bits(v)}) })
	}
	return all
}

// TestSparseLandmarks: maps with sparse landmarks keep the promises of a map, and are those of dense landmarks.
func TestSparseLandmarks(t *testing.T) {
	x := fixture.NormalRows(150, 6)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%3 == 0 {
			return v
		}
		return 0
	}, x)
	for _, k := range []kernels.Kernel{kernels.Linear{}, byName(t, "gaussian", 1), byName(t, "laplacian", 1)} {
		sparse := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, features.CSROf(x.Slice(0, 10, 0, 6))))
		if _, ok := sparse.Landmarks().(*features.CSR); !ok {
			t.Fatalf("landmarks are a %T", sparse.Landmarks())
		}
		dense := fixture.Must[*features.Nystrom](t)(features.NewNystrom(k, x.Slice(0, 10, 0, 6).(*mat.Dense)))
		// Distances of sparse and of dense rows differ by rounding, some 1e-15, which whitening by matrices of
		// condition below 1e5 amplifies to less than 1e-10.
		var gram mat.Dense
		k.GramTo(&gram, dense.Landmarks(), dense.Landmarks())
		if c := mat.Cond(&gram, 2); c > 1e5 && k != (kernels.Linear{}) {
			t.Fatalf("%T: condition number %g", k, c)
		}
		if d := distance(products(sparse, x), products(dense, x)); d > 1e-10 {
			t.Errorf("%T: products are off by %g", k, d)
		}
		if _, ok := k.(kernels.Gaussian); ok {
			continue // sparse and dense rows are centred otherwise there and do not agree to the bit
		}
		featurestest.Run(t, sparse, x)
		sections := fixture.Must[*features.Sections](t)(features.NewSections(k, features.CSROf(x.Slice(0, 10, 0, 6))))
		featurestest.Run(t, sections, x)
	}
}

func TestSparseLandmarksUnmarshalRefuses(t *testing.T) {
	m := fixture.Must[*features.Sections](t)(features.NewSections(kernels.Linear{}, features.CSROf(mat.NewDense(2, 3, []float64{0, 5, 0, 7, 0, 9}))))
	header, weights, err := features.Marshal(m) // values 5 7 9, columns 1 0 2, starts 0 1 3
	if err != nil {
		t.Fatal(err)
	}
	for at, bad := range map[int]float64{0: math.NaN(), 3: 3, 4: -1, 5: 0, 6: 1, 7: 2.5, 8: 2} {
		damaged := slices.Clone(weights)
		damaged[at] = bad
		if _, err := features.Unmarshal(header, damaged); err == nil {
			t.Errorf("weight %d as %g was read", at, bad)
		}
	}
}

// TestSpecOfSparseRows: the default for sparse rows is a linear kernel at landmarks, exact with as many of them
// as there are rows.
func TestSpecOfSparseRows(t *testing.T) {
	e := fitText(t, features.TextOptions{Buckets: 1 << 12}, headlines(120, 8))
	x := sparseRows(t, e, table(t, "t", headlines(120, 8)))
	m, _, err := features.Spec{}.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	kernels.Linear{}.GramTo(&want, x, x)
	var phi, got mat.Dense
	m.MapTo(&phi, x)
	got.Mul(&phi, phi.T())
	// Texts that are all different have a Gram matrix of condition below 1e6 here.
	if d := distance(&got, &want); d > 1e-9 {
		t.Errorf("products are off by %g", d)
	}
}

func fitSparse(t *testing.T, spec features.Spec, rows mat.Matrix) features.Map {
	t.Helper()
	m, _, err := spec.Fit(rows, 1, "phi")
	if err != nil {
		t.Fatalf("%v: %v", spec, err)
	}
	return m
}

// TestOtherModulesSparseRows: all kinds of maps are fitted to, checked for, map and keep rows of another module's
// type, whose columns are in no order, and nothing asks for an element of them. Without whitening, features are sums
// of at most 130 terms in another order; whitening by Gram matrices of condition below 1e4 amplifies that.
func TestOtherModulesSparseRows(t *testing.T) {
	const columns = 130 // so that default frequencies are structured
	x := fixture.NormalRows(40, columns)
	x.Apply(func(i, j int, v float64) float64 {
		if (i+j)%5 == 0 {
			return math.Abs(v)
		}
		return 0
	}, x)
	rows := sparsetest.Of(x)
	var maps []features.Map
	for _, text := range []string{"auto", "gaussian", "laplacian", "matern32", "rq:1", "additive:gaussian", "linear", "polynomial:2", "chi2", "countsketch", "tensorsketch:2",
		"nystrom:gaussian", "nystrom:laplacian", "nystrom:linear", "nystrom:cosine", "nystrom:chi2", "nystrom:expchi2", "nystrom:polynomial:2"} {
		spec := fixture.Must[features.Spec](t)(features.ParseSpec(text))
		if spec.Size = 16; text == "gaussian" || text == "additive:gaussian" {
			spec.Size = 2 * columns
		}
		maps = append(maps, fitSparse(t, spec, rows))
	}
	for _, rule := range []features.Landmarks{features.Uniform, features.KMeansPlusPlus, features.RidgeLeverage} {
		maps = append(maps, fitSparse(t, features.Spec{Kind: features.NystromFeatures, Size: 16, Landmarks: rule}, rows))
	}
	maps = append(maps, fitSparse(t, features.Spec{Independent: true, Size: 16}, rows), fitSparse(t, features.Spec{Orthogonal: true, Size: 16}, rows),
		fixture.Must[features.Map](t)(features.NewQuasi(gaussian(t, 3), 4, 16, 1, "phi")), fixture.Must[features.Map](t)(features.NewChiSquared(4, 1)),
		fixture.Must[features.Map](t)(features.NewSections(kernels.ChiSquared{}, rows)), features.NewBias(columns))
	for i, m := range maps {
		if in, _ := m.Dims(); in < columns { // of some columns, in the place of others
			maps[i] = fixture.Must[features.Map](t)(features.NewColumns(columns, []int{7, 129, 0, 64}, m))
		}
	}
	_, width := maps[1].Dims()
	then := fixture.Must[features.Map](t)(features.NewFourier(gaussian(t, 1), width, 8, 1, "phi"))
	maps = append(maps, fixture.Must[features.Map](t)(features.NewConcat(maps...)), fixture.Must[features.Map](t)(features.NewChain(maps[1], then)))
	if name := features.Describe(maps[0]); name != "nystrom: linear" {
		t.Errorf("the default for sparse rows is %s", name)
	}
	for _, m := range maps {
		name := features.Describe(m)
		if err := features.CheckRows(m, rows); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got, want mat.Dense
		m.MapTo(&got, rows)
		m.MapTo(&want, x)
		if !mat.EqualApprox(&got, &want, 1e-10) {
			t.Errorf("%s: features of sparse rows are others", name)
		}
		header, weights, err := features.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read, err := features.Unmarshal(header, weights)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var again mat.Dense
		if read.MapTo(&again, rows); !mat.Equal(&again, &got) {
			t.Errorf("%s: features of the map that was read are others", name)
		}
	}
}

// TestOtherModulesSparseTables: such rows are a table too, whose rows stay sparse in the encoder.
func TestOtherModulesSparseTables(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{3, 0, 0, 4, 0, 0, 0, 0, 0, 5, 0, 0})
	src := fixture.Must[*tables.Sparse](t)(tables.FromSparse("x", sparsetest.Of(x)))
	e := fixture.Must[*features.Encoder](t)(features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{}, src))
	var want mat.Dense
	want.Scale(1/math.Sqrt(50./3), x) // the squared norms are 25, 0, 25
	got := sparseRows(t, e, src)
	if !mat.EqualApprox(got, &want, 1e-15) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(&want))
	}
	if dense, _ := encoded(t, e, src); !mat.Equal(dense, got) {
		t.Error("dense and sparse rows differ")
	}
	wide := fixture.Must[*tables.Sparse](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(1, 6, []float64{1, 0, 0, 0, 0, 7}))))
	if got := sparseRowsOf(t, e, wide); got.At(0, 0) != 1/math.Sqrt(50./3) {
		t.Errorf("a wider table gives %v", mat.Formatted(got))
	}
	_, dense := encoded(t, e, wide)
	if sparse := fixture.Must[features.Counts](t)(e.Count(context.Background(), wide)); fmt.Sprint(sparse.Beyond) != "[1]" || fmt.Sprint(dense.Beyond) != "[1]" {
		t.Errorf("values beyond the places of training: %v in sparse rows, %v in dense ones, want 1", sparse.Beyond, dense.Beyond)
	}
	if lines := e.Warnings(dense); len(lines) != 1 || !strings.Contains(lines[0], `column "x": 1 value has an index beyond those of training (1 to 4)`) {
		t.Errorf("warnings %q", lines)
	}
	var read features.Encoder
	text := fixture.Must[[]byte](t)(json.Marshal(e))
	if err := json.Unmarshal(text, &read); err != nil || read.ID() != e.ID() {
		t.Errorf("read from %s: %v", text, err)
	}
	for from, to := range map[string]string{`"places":4`: `"places":-4`, `,"places":4`: ``, `"places":4 `: `"places":99999999`, `"kind":"vector"`: `"kind":"vector","mean":1`} {
		if err := new(features.Encoder).UnmarshalJSON([]byte(strings.Replace(string(text), strings.TrimSpace(from), to, 1))); err == nil {
			t.Errorf("%s was read as %s", from, to)
		}
	}
	zero := fixture.Must[*tables.Sparse](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(2, 2, nil))))
	if _, err := features.FitEncoder(context.Background(), zero.Columns(), features.EncoderOptions{}, zero); err == nil {
		t.Error("rows of zeros vary")
	}
	tiny := fixture.Must[*tables.Sparse](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(2, 1, []float64{1e-160, 2e-160}))))
	if _, err := features.FitEncoder(context.Background(), tiny.Columns(), features.EncoderOptions{}, tiny); err == nil || !strings.Contains(err.Error(), "rescale") {
		t.Errorf("squares that vanish: error %v", err)
	}
	if _, err := features.FitTargets(context.Background(), src, []string{"x"}, features.AutoTask); err == nil || !strings.Contains(err.Error(), "sparse rows") {
		t.Errorf("sparse rows as Y: error %v", err)
	}
}

// sparseRowsOf encodes the one batch of a table that the encoder was not fitted on.
func sparseRowsOf(t testing.TB, e *features.Encoder, src tables.Source) mat.Matrix {
	binding := fixture.Must[*features.Binding](t)(e.Bind(src.Columns()))
	for batch, err := range src.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := binding.Rows(new(mat.Dense), batch)
		return rows
	}
	return nil
}

func ExampleFitEncoder_text() {
	texts := make([]string, 101)
	for i := range texts {
		texts[i] = fmt.Sprint("message number ", i)
	}
	src, err := tables.FromColumns(tables.Strings("text", texts))
	if err != nil {
		panic(err)
	}
	e, err := features.FitEncoder(context.Background(), src.Columns(), features.EncoderOptions{}, src)
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Sparse(), e.Width())
	// Output: true 131072
}

func BenchmarkTextRows(b *testing.B) {
	texts := headlines(tables.BlockRows, 9)
	e := fitText(b, features.TextOptions{}, texts)
	src := table(b, "t", texts)
	binding := fixture.Must[*features.Binding](b)(e.Bind(src.Columns()))
	for batch, err := range src.Batches(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			binding.Rows(new(mat.Dense), batch)
		}
	}
}
