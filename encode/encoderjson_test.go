package encode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/fixture"
)

func TestEncoderJSON(t *testing.T) {
	src := fixture.Table(t,
		"a", []float64{0.1, nan, 0.7}, "b", []string{"x<", "", "x<"}, "k", []float64{1, 1, nan}, "e", []float64{nan, nan, nan},
		"f", []string{"", "", ""}, "g", []string{"1", "1", "1"}, "n", []float64{1. / 3, 5, 6})
	e := fit(t, src)
	text := fixture.Must[[]byte](t)(json.Marshal(e))
	var read encode.Encoder
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if again := fixture.Must[[]byte](t)(json.Marshal(&read)); string(again) != string(text) {
		t.Errorf("written again:\n%s\nwant\n%s", again, text)
	}
	if string(read.Canonical()) != string(e.Canonical()) {
		t.Error("the identity changed")
	}
	want, _ := encoded(t, e, src)
	if got, _ := encoded(t, &read, src); !mat.Equal(got, want) {
		t.Error("the rows changed")
	}
	for _, c := range []struct{ from, to, want string }{
		{`"standardize":true`, `"standardise":true`, "unknown field"},
		{`"rows":[3]`, `"rows":[-3]`, "-3 rows"},
		{`"name":"b"`, `"name":"a"`, "twice"},
		{`"kind":"text"`, `"kind":"prose"`, "unknown kind"},
		{`"dropped":"constant"`, `"dropped":"dull"`, "dull"},
		{`"dropped":"missing",`, `"dropped":"missing","mean":1,`, "no values"},
		{`"scale":1,`, ``, "scale 0"},
		{`"kind":"numeric"`, `"kind":"numeric","levels":["a","b"]`, "levels"},
		{`"kind":"text"`, `"kind":"text","mean":1`, "text with a mean"},
		{`["","x\u003c"]`, `["x",""]`, "order"},
		{`["","x\u003c"]`, `["",""]`, "order"},
		{`["","x\u003c"]`, `[""]`, "1 levels"},
		{`["1"]`, `["1","2"]`, "2 levels"},
		{string(text), `{"standardize":true,"columns":[]}`, "no column varies"},
		{string(text), `[]`, "cannot unmarshal"},
	} {
		damaged := strings.Replace(string(text), c.from, c.to, 1)
		if damaged == string(text) {
			t.Errorf("the encoder has no %s: %s", c.from, text)
		}
		if err := new(encode.Encoder).UnmarshalJSON([]byte(damaged)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.to, err, c.want)
		}
	}
}

func FuzzEncoderUnmarshal(f *testing.F) {
	src := fixture.Table(f, "a", []float64{1, nan, 3}, "b", []string{"x", "", "z"}, "k", []float64{1, 1, 1})
	f.Add(fixture.Must[[]byte](f)(json.Marshal(fit(f, src))))
	f.Fuzz(func(t *testing.T, text []byte) {
		var e encode.Encoder
		if e.UnmarshalJSON(text) != nil {
			return
		}
		if e.Width() <= 1<<18 && len(e.Names()) != e.Width() {
			t.Fatalf("%d names of %d columns", len(e.Names()), e.Width())
		}
		e.Notes()
		again, err := json.Marshal(&e)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(encode.Encoder).UnmarshalJSON(again); err != nil {
			t.Fatalf("%s was read, and then not: %v", again, err)
		}
	})
}
