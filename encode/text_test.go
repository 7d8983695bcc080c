package encode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/fixture"
	"mediant/internal/sparsetest"
	"mediant/tables"
)

func fitText(t testing.TB, opt encode.TextOptions, cells []string) *encode.Encoder {
	t.Helper()
	src := fixture.Table(t, "t", cells)
	return fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{Text: opt}, src))
}

func sparseRows(t testing.TB, e *encode.Encoder, src tables.Source) *encode.CSR {
	t.Helper()
	rows := fixture.Must[mat.Matrix](t)(sampleOf(e, 1<<20, 1, "phi", src))
	return rows.(*encode.CSR)
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
func slowTerms(text string, opt encode.TextOptions) (words, chars []string) {
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
func slowTFIDF(texts []string, opt encode.TextOptions) *mat.Dense {
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
	texts := fixture.Headlines(130, 1)
	for _, opt := range []encode.TextOptions{
		{Words: 1, CharMin: 3, CharMax: 5, Buckets: 1 << 12},
		{Words: 1, CharMin: 2, CharMax: 2, Buckets: 8}, // words and characters share all columns
		{Words: 3, CharMin: -1, CharMax: -1, Buckets: 1 << 12},
		{Words: 2, CharMin: -1, CharMax: -1, Buckets: 1 << 12, Stop: []string{"word1", "word2", "word3"}},
	} {
		e := fitText(t, opt, texts)
		if !e.Sparse() || e.Width() != opt.Buckets {
			t.Fatalf("sparse %v, %d columns", e.Sparse(), e.Width())
		}
		src := fixture.Table(t, "t", texts)
		got, want := sparseRows(t, e, src), slowTFIDF(texts, opt)
		if !mat.EqualApprox(got, want, 1e-13) {
			t.Errorf("%+v: rows differ from the definition", opt)
		}
		if dense, _ := encoded(t, e, src); !mat.Equal(dense, got) {
			t.Errorf("%+v: dense and sparse rows differ", opt)
		}
	}
}

// TestTextWorkedExample: of one text among 101 others without its terms both words have the same idf.
func TestTextWorkedExample(t *testing.T) {
	texts := []string{"Red, red FISH!"}
	for i := range 101 {
		texts = append(texts, fmt.Sprint("x", i))
	}
	opt := encode.TextOptions{Words: 1, CharMin: -1, CharMax: -1}
	x, _ := encoded(t, fitText(t, opt, texts), fixture.Table(t, "t", texts))
	red, fish := termBucket('w', "red", 1<<17), termBucket('w', "fish", 1<<17)
	// 1 + ln 2 = 1.6931 times red, once fish, of length 1: 0.8610 and 0.5085.
	if math.Abs(x.At(0, red)-0.8610) > 5e-5 || math.Abs(x.At(0, fish)-0.5085) > 5e-5 {
		t.Errorf("red %.4f, fish %.4f, want 0.8610, 0.5085", x.At(0, red), x.At(0, fish))
	}
}

func TestTextEdges(t *testing.T) {
	e := fitText(t, encode.TextOptions{}, fixture.Headlines(200, 2))
	for what, pair := range map[string][2]string{
		"case":        {"WORD1 Word2", "word1 word2"},
		"punctuation": {"word1, word2!", "word1 word2"},
		"accents":     {"ÉCOLE", "école"},
	} {
		rows, _ := encoded(t, e, fixture.Table(t, "t", pair[:]))
		if !mat.Equal(rows.Slice(0, 1, 0, e.Width()), rows.Slice(1, 2, 0, e.Width())) {
			t.Errorf("%s makes a difference", what)
		}
	}
	rows, counts := encoded(t, e, fixture.Table(t, "t", []string{"", "?!", "a term of no headline"}))
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
		e := fitText(t, encode.TextOptions{Buckets: 64}, c.cells)
		if e.Sparse() != c.free {
			t.Errorf("%s: free text is %v", what, e.Sparse())
		}
	}
}

// TestFreeTextCountsAllRows: that a column turns out as free text late changes nothing.
func TestFreeTextCountsAllRows(t *testing.T) {
	texts := fixture.Headlines(10500, 3)
	early := fitText(t, encode.TextOptions{Buckets: 1 << 10}, texts)
	first, second := fixture.Table(t, "t", texts[:9000]), fixture.Table(t, "t", texts[9000:])
	late := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), first.Columns(), encode.EncoderOptions{Text: encode.TextOptions{Buckets: 1 << 10}}, first, second))
	if string(early.Canonical()) != string(late.Canonical()) {
		t.Error("the encoder depends on how rows are split into tables")
	}
	x, want := sparseRows(t, early, fixture.Table(t, "t", texts)), slowTFIDF(texts, encode.TextOptions{Words: 1, CharMin: 3, CharMax: 5, Buckets: 1 << 10})
	if !mat.EqualApprox(x, want, 1e-13) {
		t.Error("rows differ from the definition")
	}
}

func TestTextOptionsRefuse(t *testing.T) {
	src := fixture.Table(t, "t", fixture.Headlines(120, 4))
	for _, opt := range []encode.TextOptions{
		{Words: -1}, {Words: 17}, {CharMin: 3}, {CharMin: 4, CharMax: 3}, {CharMin: -1, CharMax: 3}, {CharMin: 1, CharMax: 17},
		{Buckets: 1}, {Buckets: 48}, {Buckets: 1 << 21}, {Buckets: -2},
	} {
		if _, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{Text: opt}, src); err == nil || !strings.Contains(err.Error(), "encode: text") {
			t.Errorf("%+v: error %v", opt, err)
		}
	}
}

func TestTextOptionsValidate(t *testing.T) {
	for _, o := range []encode.TextOptions{{}, {Words: 3, CharMin: 2, CharMax: 2, Buckets: 2}, {CharMin: -1, CharMax: -1}} {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for want, o := range map[string]encode.TextOptions{"runs of 17 words": {Words: 17}, "3 buckets": {Buckets: 3}, "runs of 4 to 2 characters": {CharMin: 4, CharMax: 2}} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	words := fitText(t, encode.TextOptions{CharMin: -1, CharMax: -1}, fixture.Headlines(120, 1))
	if note := words.Notes()[0]; note != `column "t" is free text: its words are hashed into 131072 columns` {
		t.Errorf("note %q", note)
	}
}

func TestTextJSON(t *testing.T) {
	texts := fixture.Headlines(120, 5)
	src := fixture.Table(t, "t", texts, "n", make([]float64, 119+1), "a", fixture.Ramp(120))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{Text: encode.TextOptions{Buckets: 1 << 10, Stop: []string{"word1"}}}, src))
	text := fixture.Must[[]byte](t)(json.Marshal(e))
	var read encode.Encoder
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
		if err := new(encode.Encoder).UnmarshalJSON([]byte(damaged)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.to, err, c.want)
		}
	}
}

// TestMixedColumns: numbers and levels keep their columns beside free text.
func TestMixedColumns(t *testing.T) {
	level := slices.Repeat([]string{"a", "b", ""}, 40)
	src := fixture.Table(t, "l", level, "t", fixture.Headlines(120, 6), "n", fixture.Ramp(120))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src))
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

// TestOtherModulesSparseTables: such rows are a table too, whose rows stay sparse in the encoder.
func TestOtherModulesSparseTables(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{3, 0, 0, 4, 0, 0, 0, 0, 0, 5, 0, 0})
	src := fixture.Must[*tables.Table](t)(tables.FromSparse("x", sparsetest.Of(x)))
	e := fixture.Must[*encode.Encoder](t)(encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src))
	var want mat.Dense
	want.Scale(1/math.Sqrt(50./3), x) // the squared norms are 25, 0, 25
	got := sparseRows(t, e, src)
	if !mat.EqualApprox(got, &want, 1e-15) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(&want))
	}
	if dense, _ := encoded(t, e, src); !mat.Equal(dense, got) {
		t.Error("dense and sparse rows differ")
	}
	wide := fixture.Must[*tables.Table](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(1, 6, []float64{1, 0, 0, 0, 0, 7}))))
	if got := sparseRowsOf(t, e, wide); got.At(0, 0) != 1/math.Sqrt(50./3) {
		t.Errorf("a wider table gives %v", mat.Formatted(got))
	}
	_, dense := encoded(t, e, wide)
	if sparse := fixture.Must[encode.Counts](t)(e.Count(context.Background(), wide)); fmt.Sprint(sparse.Beyond) != "[1]" || fmt.Sprint(dense.Beyond) != "[1]" {
		t.Errorf("values beyond the places of training: %v in sparse rows, %v in dense ones, want 1", sparse.Beyond, dense.Beyond)
	}
	if lines := e.Warnings(dense); len(lines) != 1 || !strings.Contains(lines[0], `column "x": 1 value has an index beyond those of training (1 to 4)`) {
		t.Errorf("warnings %q", lines)
	}
	var read encode.Encoder
	text := fixture.Must[[]byte](t)(json.Marshal(e))
	if err := json.Unmarshal(text, &read); err != nil || read.ID() != e.ID() {
		t.Errorf("read from %s: %v", text, err)
	}
	for from, to := range map[string]string{`"places":4`: `"places":-4`, `,"places":4`: ``, `"places":4 `: `"places":99999999`, `"kind":"vector"`: `"kind":"vector","mean":1`} {
		if err := new(encode.Encoder).UnmarshalJSON([]byte(strings.Replace(string(text), strings.TrimSpace(from), to, 1))); err == nil {
			t.Errorf("%s was read as %s", from, to)
		}
	}
	zero := fixture.Must[*tables.Table](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(2, 2, nil))))
	if _, err := encode.FitEncoder(context.Background(), zero.Columns(), encode.EncoderOptions{}, zero); err == nil {
		t.Error("rows of zeros vary")
	}
	tiny := fixture.Must[*tables.Table](t)(tables.FromSparse("x", sparsetest.Of(mat.NewDense(2, 1, []float64{1e-160, 2e-160}))))
	if _, err := encode.FitEncoder(context.Background(), tiny.Columns(), encode.EncoderOptions{}, tiny); err == nil || !strings.Contains(err.Error(), "rescale") {
		t.Errorf("squares that vanish: error %v", err)
	}
	if _, err := encode.FitTargets(context.Background(), src, []string{"x"}, encode.AutoTask); err == nil || !strings.Contains(err.Error(), "sparse rows") {
		t.Errorf("sparse rows as Y: error %v", err)
	}
}

// sparseRowsOf encodes the one batch of a table that the encoder was not fitted on.
func sparseRowsOf(t testing.TB, e *encode.Encoder, src tables.Source) mat.Matrix {
	binding := fixture.Must[*encode.Binding](t)(e.Bind(src.Columns()))
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
	e, err := encode.FitEncoder(context.Background(), src.Columns(), encode.EncoderOptions{}, src)
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Sparse(), e.Width())
	// Output: true 131072
}

func BenchmarkTextRows(b *testing.B) {
	texts := fixture.Headlines(tables.BlockRows, 9)
	e := fitText(b, encode.TextOptions{}, texts)
	src := fixture.Table(b, "t", texts)
	binding := fixture.Must[*encode.Binding](b)(e.Bind(src.Columns()))
	for batch, err := range src.Batches(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			binding.Rows(new(mat.Dense), batch)
		}
	}
}
