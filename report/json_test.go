package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONReadsBack(t *testing.T) {
	for name, d := range map[string]*Document{"sample": sample(), "nasty": nastyDocument()} {
		var b bytes.Buffer
		if err := d.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		var got Document
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		// An infinity reads back as NaN: the one loss, and documented.
		lost := cmp.Comparer(func(a, b float64) bool {
			return a == b || !isFinite(a) && math.IsNaN(b) || !isFinite(b) && math.IsNaN(a)
		})
		if diff := cmp.Diff(*d, got, lost); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestJSONHasNullForWhatIsNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	d := Document{Sections: []Section{{
		Tables: []Table{{Columns: []string{"a", "b", "c"}, Rows: [][]Cell{{Number(nan), {Value: &inf}, Number(1)}}}},
		Charts: []Chart{{Name: "c", Series: []Series{{Kind: Line, X: []float64{1, 2, 3}, Y: []float64{nan, inf, 4}, Err: []float64{0, nan, 1}}}}},
	}}}
	var b bytes.Buffer
	if err := d.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	compact := strings.Join(strings.Fields(b.String()), "")
	for _, want := range []string{
		`[{"text":"NaN"},{"text":"Inf"},{"text":"1","value":1}]`,
		`"x":[1,2,3],"y":[null,null,4],"err":[0,null,1]`,
	} {
		if !strings.Contains(compact, want) {
			t.Errorf("%s\nhas no %s", compact, want)
		}
	}
	if v := *d.Sections[0].Tables[0].Rows[0][1].Value; !math.IsInf(v, 1) {
		t.Errorf("writing changed a value to %g", v)
	}
}

// The schema is stable: these keys stay, and lists that must be there are never null.
func TestJSONSchema(t *testing.T) {
	got, err := json.Marshal(Document{Title: "t", Sections: []Section{{Title: "s", Tables: []Table{{}}, Charts: []Chart{{}, {Series: []Series{{}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"title":"t","sections":[{"title":"s","tables":[{"columns":[],"rows":[]}],"charts":[` +
		`{"name":"","title":"","x_label":"","y_label":"","series":[]},` +
		`{"name":"","title":"","x_label":"","y_label":"","series":[{"name":"","kind":"","x":[],"y":[]}]}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	full, err := json.Marshal(Chart{LogX: true, LogY: true, XNames: []string{"a"}})
	if err != nil || !strings.Contains(string(full), `"log_x":true,"log_y":true,"x_names":["a"],"series":[]`) {
		t.Errorf("got %s, %v", full, err)
	}
}

// seriesJSON stands for Series: a key of one must be a key of the other.
func TestSeriesKeys(t *testing.T) {
	a, b := reflect.TypeFor[Series](), reflect.TypeFor[seriesJSON]()
	if a.NumField() != b.NumField() {
		t.Fatalf("Series has %d fields, seriesJSON %d", a.NumField(), b.NumField())
	}
	for i := range a.NumField() {
		if a.Field(i).Name != b.Field(i).Name || a.Field(i).Tag != b.Field(i).Tag {
			t.Errorf("field %d is %v and %v", i, a.Field(i), b.Field(i))
		}
	}
	var s Series
	if err := json.Unmarshal([]byte(`{"x":"no"}`), &s); err == nil {
		t.Error("a text was read as numbers")
	}
}
