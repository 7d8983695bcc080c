package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"mediant/internal/predictions"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// asForm is the table of rowsCSV in a format, by the ending of a file.
func asForm(t *testing.T, ending string) string {
	t.Helper()
	src, err := formats.OpenBytes(t.Context(), "t.csv", []byte(rowsCSV), formats.Options{Options: csv.Options{KeepRows: true}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := formats.NewWriter(ending, &b, src.Source.Columns())
	if err == nil {
		err = tables.Copy(t.Context(), w, src.Source)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// written are the predictions of the library for rowsCSV as a file of this ending.
func written(t *testing.T, model, ending string, o predictions.Options) string {
	t.Helper()
	m := load(t, model)
	src, err := formats.OpenBytes(t.Context(), "t.csv", []byte(rowsCSV), formats.Options{Options: csv.Options{Only: m.X.Columns(), KeepRows: true}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := formats.NewWriter(ending, &b, o.Columns(m))
	if err == nil {
		err = o.Write(t.Context(), m, src.Source, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRowsInKind: a table in each form is answered in it, with the bytes that predict writes.
func TestRowsInKind(t *testing.T) {
	server := start(t, Options{}, "number", "classes")
	asArray := func(lines string) string {
		return "[" + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", ",\n") + "]\n"
	}
	lines := asForm(t, ".jsonl")
	nominal, _ := predictions.Tuned(load(t, "number"), .9)
	all := predictions.Options{Errors: true, Distribution: predictions.OfDistribution{Quantiles: []float64{.5}, Nominal: nominal, Draws: 1, Seed: 3}}
	for _, c := range []struct{ name, body, contentType, ending, answered string }{
		{"csv", rowsCSV, "text/csv; charset=utf-8", ".csv", "text/csv"}, {"unknown", rowsCSV, "", ".csv", "text/csv"}, {"curl", rowsCSV, "application/x-www-form-urlencoded", ".csv", "text/csv"},
		{"lines", lines, "application/x-ndjson", ".jsonl", "application/x-ndjson"}, {"array", asArray(lines), "application/json", "", "application/json"},
		{"objects", strings.ReplaceAll(lines, ",", ",\n  "), "application/json", "", "application/json"}, {"array unsaid", "\n " + asArray(lines), "", "", "application/json"},
		{"parquet", asForm(t, ".parquet"), "application/octet-stream", ".parquet", "application/vnd.apache.parquet"}, {"arrow", asForm(t, ".arrow"), "", ".arrow", "application/vnd.apache.arrow.file"},
	} {
		for _, q := range []struct {
			model, query string
			o            predictions.Options
		}{{"number", "", predictions.Options{}}, {"number", "&se=true&interval=.9&quantiles=.5&draws=1&seed=3", all}, {"classes", "", predictions.Options{}}, {"classes", "&label_only=1", predictions.Options{LabelOnly: true}}} {
			status, body, header := ask(t, "POST", server.URL+"/v1/predict?model="+q.model+q.query, c.body, "Content-Type", c.contentType)
			if status != 200 || header.Get("Content-Type") != c.answered {
				t.Fatal(c.name, q.query, status, header.Get("Content-Type"), body)
			}
			want := written(t, q.model, c.ending, q.o)
			if c.ending == "" {
				want = asArray(written(t, q.model, ".jsonl", q.o))
				if !json.Valid([]byte(body)) {
					t.Errorf("%s: no JSON: %s", c.name, body)
				}
			}
			if body != want {
				t.Errorf("%s%s as %s: %q, want %q", q.model, q.query, c.name, body, want)
			}
			var warnings []string
			if err := json.Unmarshal([]byte(header.Get(warningsHeader)), &warnings); err != nil || !strings.Contains(fmt.Sprint(warnings), `"violet"`) {
				t.Errorf("warnings %q (%v), want one of a colour that training did not have", header.Get(warningsHeader), err)
			}
		}
	}
}

// TestRowsRefused: what is wrong with a table or with what is asked of it is a clear 4xx.
func TestRowsRefused(t *testing.T) {
	server := start(t, Options{MaxRows: 1000}, "number", "classes")
	unit := "a,b,colour\n"
	for i := range 200 {
		unit += fmt.Sprintf("%g,%g,red\n", 25.4*float64(i%100)/10, float64(i%7)/3-1)
	}
	for _, c := range []struct {
		path, body, contentType string
		status                  int
		want                    string
	}{
		{"", rowsCSV, "", 400, "name a model"}, {"?model=none", rowsCSV, "", 404, `no model "none"`}, {"/number?model=number", rowsCSV, "", 400, "by the path and by the query"},
		{"/number?intervall=.9", rowsCSV, "", 400, `no parameter "intervall"`}, {"/number?se=1&se=0", rowsCSV, "", 400, "twice"}, {"/number?interval=2", rowsCSV, "", 400, "above 0 and below 1"},
		{"/number?accept=nonsense", rowsCSV, "", 400, "accept"}, {"/number?a=%zz", rowsCSV, "", 400, "query"},
		{"/classes?se=1", rowsCSV, "", 400, "no standard errors"}, {"/classes?interval=.9", rowsCSV, "", 400, "no distribution"}, {"/number?version=7", rowsCSV, "", 404, `no version "7"`},
		{"/number", "", "", 400, "no rows"}, {"/number", "a,b,colour\n", "", 400, "no rows"}, {"/number", "a,b\n1,2\n", "", 400, `"colour"`}, {"/number", "a,b,colour\n1,x,red\n", "", 400, "body:2"},
		{"/number", "a,b,colour\n" + strings.Repeat("1,2,red\n", 1001), "", 413, "1001 rows, more than 1000"}, {"/number", rowsCSV, "image/png", 415, "image/png"}, {"/number", rowsCSV, "application/json", 415, "body is CSV"},
		{"/number", "\x1f\x8bxxx", "", 415, "compressed"}, {"/number", "\x93NUMPYxxx", "", 415, "NPY"}, {"/number", "PAR1xxxx", "", 400, "body"}, {"/number", "[1]", "", 400, "1 is no object"},
		{"/number", `[{"a":1}`, "", 400, "cut"}, {"/number", `[{"a":1}] 5`, "", 400, "more follows"}, {"/number", `[{"a":1},{]`, "", 400, "not JSON"}, {"/number", `[]`, "", 400, "no rows"},
		{"/number", `[{"a":[1],"b":1,"colour":"red"}]`, "", 400, `"a"`}, {"/number", unit, "", 422, `"a"`},
	} {
		status, body, _ := ask(t, "POST", server.URL+"/v1/predict"+c.path, c.body, "Content-Type", c.contentType)
		wantError(t, status, body, c.status, c.want)
		if t.Failed() {
			t.Fatalf("%s %.60q", c.path, c.body)
		}
	}
	if status, body, _ := ask(t, "POST", server.URL+"/v1/predict/number?accept="+url.QueryEscape("later-unit:a"), unit); status != 200 {
		t.Errorf("accepted: %d %s", status, body)
	}
	status, body, _ := ask(t, "POST", server.URL+"/v1/predict/number", rowsCSV, "Content-Encoding", "gzip")
	wantError(t, status, body, 415, "gzip")
}

// TestRowsOfOnlyModel: one model needs no name.
func TestRowsOfOnlyModel(t *testing.T) {
	server := start(t, Options{}, "number")
	status, body, header := ask(t, "POST", server.URL+"/v1/predict", rowsCSV)
	if status != 200 || body != written(t, "number", ".csv", predictions.Options{}) || len(header.Get("Mediant-Model-Version")) != digits {
		t.Errorf("%d %s", status, body)
	}
}

// TestAnswerIsBounded: an answer that takes more than the memory of the server is refused.
func TestAnswerIsBounded(t *testing.T) {
	server := start(t, Options{MaxBody: 64 << 10, Memory: 256 << 10}, "number")
	table := "a,b,colour\n" + strings.Repeat("1,2,red\n", 5000)
	status, body, _ := ask(t, "POST", server.URL+"/v1/predict?draws=100", table)
	wantError(t, status, body, 413, "send fewer rows")
	status, body, _ = ask(t, "POST", server.URL+"/v2/models/number/infer", `{"parameters":{"draws":10000},`+request(inputA, inputB64, inputColour)[1:])
	wantError(t, status, body, 413, "send fewer rows")
}

// FuzzRows: whatever a table is, the answer is predictions or an error of the client.
func FuzzRows(f *testing.F) {
	f.Add([]byte(rowsCSV))
	f.Add([]byte(`[{"a":1,"b":2,"colour":"red"}]`))
	f.Add([]byte("{\"a\":1,\"b\":2,\"colour\":\"red\"}\n"))
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		w := answerOf(h, "/v1/predict", body)
		if w.Code != 200 && (w.Code < 400 || w.Code > 499) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	})
}
