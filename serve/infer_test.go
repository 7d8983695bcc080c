package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/predictions"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// start serves a folder with one file of each fitted model.
func start(t testing.TB, opt Options, models ...string) *httptest.Server {
	t.Helper()
	dir := t.TempDir()
	for _, name := range models {
		put(t, filepath.Join(dir, name+".mediant"), name)
	}
	store, err := Open(nil, nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(store, opt)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// ask sends a request and returns status, body and headers of its answer.
func ask(t testing.TB, method, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// wantError wants an error of the protocol's form with a status and these parts.
func wantError(t testing.TB, status int, text string, want int, parts ...string) {
	t.Helper()
	var e struct{ Error string }
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Error == "" || strings.ContainsAny(e.Error, "\n") {
		t.Errorf("%q is no error of one line (%v)", text, err)
	}
	for _, part := range parts {
		if !strings.Contains(e.Error, part) {
			t.Errorf("%q has no %q", e.Error, part)
		}
	}
	if status != want {
		t.Errorf("status %d, want %d: %s", status, want, text)
	}
}

const rowsCSV = "a,b,colour\n1.5,0.25,red\n7,-1,blue\n,2,green\n3,0.1,violet\n"

// predicted are the predictions of the library for a table, by column.
func predicted(t testing.TB, model, table string, o predictions.Options) *answer {
	t.Helper()
	m := load(t, model)
	src, err := formats.OpenBytes(t.Context(), "t.csv", []byte(table), formats.Options{Options: csv.Options{Only: m.X.Columns(), KeepRows: true}})
	if err != nil {
		t.Fatal(err)
	}
	a := newAnswer(o.Columns(m), 4)
	if err := o.Write(t.Context(), m, src.Source, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// response is one of the protocol.
type response struct {
	Model      string         `json:"model_name"`
	Version    string         `json:"model_version"`
	ID         string         `json:"id"`
	Parameters map[string]any `json:"parameters"`
	Outputs    []struct {
		Name       string         `json:"name"`
		Shape      []int          `json:"shape"`
		Datatype   string         `json:"datatype"`
		Parameters map[string]int `json:"parameters"`
		Data       []any          `json:"data"`
	} `json:"outputs"`
}

// wantOutputs compares a response with an answer, to the bit, of the columns of these names in this order; all without names.
func wantOutputs(t testing.TB, body string, header http.Header, want *answer, names ...string) response {
	t.Helper()
	text, rest := body, ""
	if n := header.Get(headerLength); n != "" {
		var length int
		fmt.Sscan(n, &length)
		text, rest = body[:length], body[length:]
	}
	var r response
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if names == nil {
		for _, c := range want.columns {
			names = append(names, c.Name)
		}
	}
	if len(r.Outputs) != len(names) {
		t.Fatalf("outputs %v, want %q", r.Outputs, names)
	}
	for i, o := range r.Outputs {
		at := slices.IndexFunc(want.columns, func(c tables.Column) bool { return c.Name == names[i] })
		if at < 0 || o.Name != names[i] || !slices.Equal(o.Shape, []int{want.rows}) {
			t.Fatalf("output %d is %q of shape %d, want %q of %d rows", i, o.Name, o.Shape, names[i], want.rows)
		}
		size, isBinary := o.Parameters["binary_data_size"]
		data := rest[:size]
		rest = rest[size:]
		for row := range want.rows {
			var got, wanted any
			switch number := want.numbers[at] != nil; {
			case number && isBinary:
				got, wanted = math.Float64frombits(binary.LittleEndian.Uint64([]byte(data[8*row:]))), want.numbers[at][row]
			case number:
				got, wanted = o.Data[row], want.numbers[at][row]
			case isBinary:
				n := binary.LittleEndian.Uint32([]byte(data))
				got, wanted, data = data[4:4+n], want.text[at][row], data[4+n:]
			default:
				got, wanted = o.Data[row], want.text[at][row]
			}
			if got != wanted {
				t.Errorf("%s, row %d: %v, want %v", o.Name, row, got, wanted)
			}
		}
	}
	if rest != "" {
		t.Errorf("%d bytes follow", len(rest))
	}
	return r
}

const (
	inputA      = `{"name":"a","shape":[4],"datatype":"FP64","data":[1.5,7,null,3]}`
	inputB      = `{"name":"b","shape":[4,1],"datatype":"FP32","data":[[0.25],[-1],[2],[0.1]]}`
	inputB64    = `{"name":"b","shape":[4,1],"datatype":"FP64","data":[[0.25],[-1],[2],[0.1]]}`
	inputColour = `{"name":"colour","shape":[4],"datatype":"BYTES","data":["red","blue","green","violet"]}`
)

func request(inputs ...string) string { return `{"inputs":[` + strings.Join(inputs, ",") + `]}` }

// TestInfer: the numbers of the library, to the bit, by name whatever the order.
func TestInfer(t *testing.T) {
	server := start(t, Options{}, "number", "classes")
	status, body, header := ask(t, "POST", server.URL+"/v2/models/number/infer", request(inputColour, inputA, inputB64))
	if status != 200 || header.Get("Content-Type") != "application/json" {
		t.Fatal(status, body)
	}
	r := wantOutputs(t, body, header, predicted(t, "number", rowsCSV, predictions.Options{}))
	if r.Model != "number" || len(r.Version) != digits || r.ID != "" {
		t.Errorf("model %q, version %q, id %q", r.Model, r.Version, r.ID)
	}
	if w := fmt.Sprint(r.Parameters["warnings"]); !strings.Contains(w, `"colour"`) || !strings.Contains(w, `"a"`) {
		t.Errorf("warnings %s, want those of a missing number and of a colour that training did not have", w)
	}
	q := `{"id":"four","parameters":{"se":true,"interval":0.8,"quantiles":"0.1, 0.5","draws":2,"seed":7},"outputs":[{"name":"y_lower"},{"name":"y se"},{"name":"y_draw2"},{"name":"y_q0.1"},{"name":"y"}],` +
		request(inputColour, inputA, inputB64)[1:]
	status, body, header = ask(t, "POST", server.URL+"/v2/models/number/versions/"+r.Version+"/infer", q)
	if status != 200 {
		t.Fatal(status, body)
	}
	m := load(t, "number")
	nominal, _ := predictions.Tuned(m, .8)
	o := predictions.Options{Errors: true, Distribution: predictions.OfDistribution{Quantiles: []float64{.1, .5}, Nominal: nominal, Draws: 2, Seed: 7}}
	r = wantOutputs(t, body, header, predicted(t, "number", rowsCSV, o), "y_lower", "y se", "y_draw2", "y_q0.1", "y")
	if r.ID != "four" {
		t.Errorf("id %q", r.ID)
	}
	status, body, header = ask(t, "POST", server.URL+"/v2/models/classes/infer", request(inputA, inputB64, inputColour))
	if status != 200 {
		t.Fatal(status, body)
	}
	wantOutputs(t, body, header, predicted(t, "classes", rowsCSV, predictions.Options{}))
}

// TestFP32: elements of FP32 in JSON are rounded to it, as binary ones are.
func TestFP32(t *testing.T) {
	server := start(t, Options{}, "number")
	_, body, header := ask(t, "POST", server.URL+"/v2/models/number/infer", request(inputA, inputB, inputColour))
	rounded := strings.Replace(rowsCSV, "0.1,violet", fmt.Sprint(float64(float32(.1)))+",violet", 1)
	wantOutputs(t, body, header, predicted(t, "number", rounded, predictions.Options{}))
}

// binaryBody is the JSON of a request and what follows it.
func binaryBody(text string, data ...any) (body, length string) {
	var b bytes.Buffer
	b.WriteString(text)
	for _, d := range data {
		if s, ok := d.(string); ok {
			binary.Write(&b, binary.LittleEndian, uint32(len(s)))
			b.WriteString(s)
		} else {
			binary.Write(&b, binary.LittleEndian, d)
		}
	}
	return b.String(), fmt.Sprint(len(text))
}

// TestBinary: the extension for binary tensors, both ways, mixed with JSON.
func TestBinary(t *testing.T) {
	server := start(t, Options{}, "number", "classes")
	text := `{"parameters":{"binary_data_output":true},"inputs":[` + inputA + `,{"name":"colour","shape":[4],"datatype":"BYTES","parameters":{"binary_data_size":34}},` +
		`{"name":"b","shape":[4],"datatype":"FP64","parameters":{"binary_data_size":32}}]}`
	body, length := binaryBody(text, "red", "blue", "green", "violet", []float64{.25, -1, 2, .1})
	for _, model := range []string{"number", "classes"} {
		status, answer, header := ask(t, "POST", server.URL+"/v2/models/"+model+"/infer", body, headerLength, length)
		if status != 200 || header.Get("Content-Type") != "application/octet-stream" {
			t.Fatal(status, answer)
		}
		wantOutputs(t, answer, header, predicted(t, model, rowsCSV, predictions.Options{}))
	}
	mixed := strings.Replace(text, `"inputs"`, `"outputs":[{"name":"label=red","parameters":{"binary_data":false}},{"name":"label"}],"inputs"`, 1)
	body, length = binaryBody(mixed, "red", "blue", "green", "violet", []float64{.25, -1, 2, .1})
	status, answer, header := ask(t, "POST", server.URL+"/v2/models/classes/infer", body, headerLength, length)
	if status != 200 {
		t.Fatal(status, answer)
	}
	r := wantOutputs(t, answer, header, predicted(t, "classes", rowsCSV, predictions.Options{}), "label=red", "label")
	if r.Outputs[0].Data == nil || r.Outputs[1].Data != nil {
		t.Error("binary_data of an output does not go before binary_data_output")
	}
}

// TestDatatypes: each datatype of numbers, in JSON and in binary.
func TestDatatypes(t *testing.T) {
	server := start(t, Options{}, "plain")
	want := predicted(t, "plain", "a,b\n1,0\n0,1\n", predictions.Options{})
	for datatype, data := range map[string]any{
		"FP64": []float64{1, 0, 0, 1}, "FP32": []float32{1, 0, 0, 1}, "INT64": []int64{1, 0, 0, 1}, "INT32": []int32{1, 0, 0, 1}, "INT16": []int16{1, 0, 0, 1}, "INT8": []int8{1, 0, 0, 1},
		"UINT64": []uint64{1, 0, 0, 1}, "UINT32": []uint32{1, 0, 0, 1}, "UINT16": []uint16{1, 0, 0, 1}, "UINT8": []uint8{1, 0, 0, 1}, "BOOL": []uint8{1, 0, 0, 1},
	} {
		body, length := binaryBody(fmt.Sprintf(`{"inputs":[{"name":"any","shape":[2,2],"datatype":%q,"parameters":{"binary_data_size":%d}}]}`, datatype, binary.Size(data)), data)
		status, answer, header := ask(t, "POST", server.URL+"/v2/models/plain/infer", body, headerLength, length)
		if status != 200 {
			t.Fatal(datatype, status, answer)
		}
		wantOutputs(t, answer, header, want)
		for _, data := range []string{"[1,0,0,1]", "[[1,0],[0,1]]", " [ [ 1 , 0 ] ,\n[0, 1 ]]"} {
			if datatype == "BOOL" {
				data = strings.NewReplacer("1", "true", "0", "false").Replace(data)
			}
			status, answer, header = ask(t, "POST", server.URL+"/v2/models/plain/infer", fmt.Sprintf(`{"inputs":[{"name":"any","shape":[2,2],"datatype":%q,"data":%s}]}`, datatype, data))
			if status != 200 {
				t.Fatal(datatype, status, answer)
			}
			wantOutputs(t, answer, header, want)
		}
	}
}

// TestSparseRows: a column of sparse rows is a tensor of rows and places.
func TestSparseRows(t *testing.T) {
	server := start(t, Options{}, "sparse")
	m := load(t, "sparse")
	var y mat.Dense
	if err := m.PredictTo(&y, encode.CSROf(mat.NewDense(2, 5, []float64{0, 1.5, 0, 0, 0, 2, 0, 0, 0, -1}))); err != nil {
		t.Fatal(err)
	}
	want := newAnswer(predictions.Options{}.Columns(m), 2)
	want.numbers[0], want.rows = []float64{y.At(0, 0), y.At(1, 0)}, 2
	status, body, header := ask(t, "POST", server.URL+"/v2/models/sparse/infer", `{"inputs":[{"name":"x","shape":[2,5],"datatype":"FP64","data":[[0,1.5,0,0,0],[2,0,0,0,-1]]}]}`)
	if status != 200 {
		t.Fatal(status, body)
	}
	wantOutputs(t, body, header, want)
	for _, c := range [][2]string{{`{"name":"x","shape":[2],"datatype":"FP64","data":[1,2]}`, `want [rows, places]`}, {`{"name":"x","shape":[1,5],"datatype":"FP64","data":[0,null,0,0,0]}`, `input "x": row 0 (from 0): column 1`}} {
		status, body, _ := ask(t, "POST", server.URL+"/v2/models/sparse/infer", request(c[0]))
		wantError(t, status, body, 400, c[1])
	}
	_, body, _ = ask(t, "GET", server.URL+"/v2/models/sparse", "")
	if !strings.Contains(body, `"shape":[-1,-1]`) {
		t.Error(body)
	}
}

// refusals are bodies that are no request for the model "number", with parts of the error.
var refusals = []struct{ body, want string }{
	{``, "cut"}, {`{`, "cut"}, {`[]`, "the request is no object"}, {`nul`, "cut"}, {`{"inputs":[]} x`, "not JSON"}, {`{"inputs":[]}{}`, "more follows"}, {`{"inputs":[],"inputs":[]}`, "twice"},
	{`{}`, "no inputs"}, {`{"inputs":{}}`, "inputs is no array"}, {`{"inputs":[1]}`, "an input is no object"}, {`{"id":5,"inputs":[]}`, "id is number, want a string"},
	{request(inputA, inputB), `input "colour" is missing`},
	{request(inputA, inputB, inputColour, inputA), `input "a" is there twice`},
	{request(inputA, inputB, inputColour, strings.Replace(inputA, `"a"`, `"z"`, 1)), `input "z" is no column of X`},
	{request(strings.Replace(inputA, "FP64", "BYTES", 1), inputB, inputColour), `input "a" has the datatype "BYTES", want FP64`},
	{request(inputA, inputB, strings.Replace(inputColour, "BYTES", "FP64", 1)), `input "colour" has the datatype "FP64", want BYTES`},
	{request(strings.Replace(inputA, "FP64", "FP16", 1), inputB, inputColour), `"FP16"`},
	{request(strings.Replace(inputA, "[4]", "[3]", 1), inputB, inputColour), `more than 3 elements`},
	{request(strings.Replace(inputA, "[4]", "[5]", 1), inputB, inputColour), `array of 4 elements where there are 5`},
	{request(strings.Replace(inputA, "1.5,7,null,3", "1.5,7", 1), inputB, inputColour), `array of 2 elements where there are 4`},
	{request(strings.Replace(inputA, "[4]", "[4,2]", 1), inputB, inputColour), `want [rows] or [rows, 1]`},
	{request(strings.Replace(inputA, "[4]", "[]", 1), inputB, inputColour), `no shape`},
	{request(strings.Replace(inputA, "[4]", "[0]", 1), inputB, inputColour), `no rows`},
	{request(strings.Replace(inputA, "[4]", "[-4]", 1), inputB, inputColour), `whole number of at least 0`},
	{request(strings.Replace(inputA, "[4]", "[4.5]", 1), inputB, inputColour), `whole number of at least 0`},
	{request(strings.Replace(inputA, "[4]", "[4,18446744073709551615]", 1), inputB, inputColour), `rows with no element, or more than`},
	{request(strings.Replace(inputA, "[4]", "[4,1,1,1,1,1,1,1,1,1]", 1), inputB, inputColour), `more than 8 elements`},
	{request(inputA, strings.Replace(inputB, "[-1],[2]", "[-1,2],[]", 1), inputColour), `array of more than 1 elements`},
	{request(inputA, strings.Replace(inputB, "[-1],", "-1,", 1), inputColour), `other arrays within each other`},
	{request(strings.Replace(inputA, "7", `"7"`, 1), inputB, inputColour), `"7" is no number`},
	{request(strings.Replace(inputA, "7", `true`, 1), inputB, inputColour), `true is no number`},
	{request(strings.Replace(inputA, "7", `{}`, 1), inputB, inputColour), `{} is no number`},
	{request(strings.Replace(inputA, "7", `1e999`, 1), inputB, inputColour), `1e999 is beyond the range of FP64`},
	{request(strings.Replace(inputA, "7", `1e200`, 1), inputB, inputColour), `column "a"`},
	{request(inputA, strings.Replace(inputB, "[-1]", "[1e40]", 1), inputColour), `1e40 is beyond the range of FP32`},
	{request(strings.Replace(inputA, "FP64", "INT8", 1), inputB, inputColour), `1.5 is no number of the datatype INT8`},
	{request(`{"name":"a","shape":[4],"datatype":"INT8","data":[1,2,3,128]}`, inputB, inputColour), `128 is no number of the datatype INT8`},
	{request(`{"name":"a","shape":[4],"datatype":"UINT8","data":[1,2,3,-1]}`, inputB, inputColour), `-1 is no number of the datatype UINT8`},
	{request(`{"name":"a","shape":[4],"datatype":"INT64","data":[1,2,3,9007199254740993]}`, inputB, inputColour), `float64 does not hold exactly`},
	{request(`{"name":"a","shape":[4],"datatype":"UINT64","data":[1,2,3,18446744073709551615]}`, inputB, inputColour), `float64 does not hold exactly`},
	{request(`{"name":"a","shape":[4],"datatype":"BOOL","data":[1,0,1,2]}`, inputB, inputColour), `2 is no truth value`},
	{request(inputA, inputB, strings.Replace(inputColour, `"red"`, `1`, 1)), `1 is no string`},
	{request(`{"name":"a","shape":[4],"datatype":"FP64"}`, inputB, inputColour), `input "a" has no data`},
	{request(`{"name":"a","shape":[4],"datatype":"FP64","data":null}`, inputB, inputColour), `data is no array`},
	{request(`{"name":"a","shape":[4],"datatype":"FP64","data":5}`, inputB, inputColour), `less data than its shape`},
	{request(`{"name":"a","shape":[4],"datatype":"FP64","parameters":{"binary_data_size":32}}`, inputB, inputColour), `32 bytes of binary data, and 0 are left`},
	{request(strings.Replace(inputA, `"data"`, `"parameters":{"binary_data_size":0},"data"`, 1), inputB, inputColour), `data in JSON and binary data`},
	{request(`{"name":"a","shape":[4],"datatype":"FP64","parameters":{"binary_data_size":"x"}}`, inputB, inputColour), `must be a number of bytes`},
	{`{"outputs":[{"name":"z"}],` + request(inputA, inputB, inputColour)[1:], `output "z" is none of ["y"]`},
	{`{"outputs":[{"name":"y"},{"name":"y"}],` + request(inputA, inputB, inputColour)[1:], `asked for twice`},
	{`{"parameters":{"binary_data_output":1},` + request(inputA, inputB, inputColour)[1:], `must be true or false`},
	{`{"parameters":{"interval":1.5},` + request(inputA, inputB, inputColour)[1:], `above 0 and below 1`},
	{`{"parameters":{"quantiles":"0.5,0.5"},` + request(inputA, inputB, inputColour)[1:], `different levels`},
	{`{"parameters":{"draws":1000000},` + request(inputA, inputB, inputColour)[1:], `at most 10000`},
	{`{"parameters":{"label_only":true},` + request(inputA, inputB, inputColour)[1:], `predicts numbers`},
	{`{"parameters":[` + `],` + request(inputA, inputB, inputColour)[1:], `no object`},
	{`{"inputs":[` + strings.Repeat(`{},`, 200) + `{}]}`, "more than"},
	{strings.Repeat("[", 100000), "no object"},
	{`{"inputs":[{"data":` + strings.Repeat("[", 100000), "exceeded max depth"},
}

// TestRefusals: what is no request gets a clear 400, whatever is wrong.
func TestRefusals(t *testing.T) {
	server := start(t, Options{}, "number")
	for _, c := range refusals {
		status, body, _ := ask(t, "POST", server.URL+"/v2/models/number/infer", c.body)
		wantError(t, status, body, 400, c.want)
		if t.Failed() {
			t.Fatalf("%.300s", c.body)
		}
	}
	head := `{"inputs":[` + inputB64 + "," + inputColour + `,{"name":"a","shape":[4],"datatype":"FP64","parameters":{"binary_data_size":%d}}]}`
	text := `{"inputs":[` + inputA + "," + inputB64 + `,{"name":"colour","shape":[4],"datatype":"BYTES","parameters":{"binary_data_size":%d}}]}`
	numbers := string(make([]byte, 32))
	for _, c := range []struct{ text, rest, length, want string }{
		{fmt.Sprintf(head, 32), numbers[1:], "", "31 are left"},
		{fmt.Sprintf(head, 32), numbers + "x", "", "1 bytes follow the binary data"},
		{fmt.Sprintf(head, 24), numbers[:24], "", "24 bytes of binary data, its shape [4] of FP64 takes 32"},
		{fmt.Sprintf(head, 32), numbers[:30] + "\xf0\x7f", "", `column "a"`}, // infinity
		{fmt.Sprintf(head, 32), numbers, "-1", headerLength},
		{fmt.Sprintf(head, 32), numbers, "9999", headerLength},
		{fmt.Sprintf(head, 32), numbers, "5", "cut"},
		{fmt.Sprintf(text, 3), "\x00\x00\x00", "", "less data than its shape"},
		{fmt.Sprintf(text, 16), "\xff\xff\xff\xff" + numbers[:12], "", "end within element 0"},
		{fmt.Sprintf(text, 16), numbers[:12] + "\x01\x00\x00\x00", "", "end within element 3"},
		{fmt.Sprintf(text, 17), numbers[:17], "", "1 bytes follow its binary data"},
		{fmt.Sprintf(text, 17), "\x01\x00\x00\x00\xff" + numbers[:12], "", "not UTF-8"},
	} {
		if c.length == "" {
			c.length = fmt.Sprint(len(c.text))
		}
		status, body, _ := ask(t, "POST", server.URL+"/v2/models/number/infer", c.text+c.rest, headerLength, c.length)
		wantError(t, status, body, 400, c.want)
	}
}

// TestPublishedExamples: requests as the protocol and its extension print them, with the names of a model in the place of theirs.
func TestPublishedExamples(t *testing.T) {
	server := start(t, Options{}, "plain")
	want := predicted(t, "plain", "a,b\n1,2\n3,4\n", predictions.Options{})
	const published = `{
      "id" : "42",
      "inputs" : [
        {
          "name" : "input0",
          "shape" : [ 2, 2 ],
          "datatype" : "UINT32",
          "data" : [ 1, 2, 3, 4 ]
        }
      ],
      "outputs" : [
        {
          "name" : "y"
        }
      ]
    }`
	status, body, header := ask(t, "POST", server.URL+"/v2/models/plain/infer", published, "Content-Type", "application/json")
	if status != 200 {
		t.Fatal(status, body)
	}
	if r := wantOutputs(t, body, header, want); r.ID != "42" {
		t.Errorf("id %q", r.ID)
	}
	const extension = `{
  "model_name" : "mymodel",
  "inputs" : [
    {
      "name" : "input0",
      "shape" : [ 2, 2 ],
      "datatype" : "UINT32",
      "parameters" : {
        "binary_data_size" : 16
      }
    }
  ],
  "outputs" : [
    {
      "name" : "y",
      "parameters" : {
        "binary_data" : true
      }
    }
  ]
}`
	sent, length := binaryBody(extension, []uint32{1, 2, 3, 4})
	status, body, header = ask(t, "POST", server.URL+"/v2/models/plain/infer", sent, "Content-Type", "application/octet-stream", headerLength, length)
	if status != 200 {
		t.Fatal(status, body)
	}
	wantOutputs(t, body, header, want)
	if n := len(body) - 16; header.Get(headerLength) != fmt.Sprint(n) {
		t.Errorf("%s is %s, want %d of %d bytes", headerLength, header.Get(headerLength), n, len(body))
	}
}

// TestMetadata: health, server and models.
func TestMetadata(t *testing.T) {
	server := start(t, Options{Version: "9.9"}, "number", "classes")
	for path, want := range map[string]string{
		"/v2/health/live": `{"live":true}`, "/v2/health/ready": `{"live":true,"ready":true}`,
		"/v2":                     `{"extensions":["binary_tensor_data"],"name":"mediant","version":"9.9"}`,
		"/v2/models/number/ready": `{"name":"number","ready":true}`,
		"/v2/models/classes": `{"inputs":[{"name":"a","datatype":"FP64","shape":[-1]},{"name":"b","datatype":"FP64","shape":[-1]},{"name":"colour","datatype":"BYTES","shape":[-1]}],` +
			`"name":"classes","outputs":[{"name":"label","datatype":"BYTES","shape":[-1]},{"name":"label=blue","datatype":"FP64","shape":[-1]},` +
			`{"name":"label=green","datatype":"FP64","shape":[-1]},{"name":"label=red","datatype":"FP64","shape":[-1]}],"platform":"mediant","versions":["VERSION"]}`,
	} {
		status, body, header := ask(t, "GET", server.URL+path, "")
		if path == "/v2/models/classes" {
			var m struct{ Versions []string }
			json.Unmarshal([]byte(body), &m)
			if len(m.Versions) != 1 {
				t.Fatal(body)
			}
			want = strings.Replace(want, "VERSION", m.Versions[0], 1)
		}
		if status != 200 || body != want || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %s", path, status, body, want)
		}
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/v2/models/none", 404}, {"GET", "/v2/models/number/versions/7", 404}, {"GET", "/v2/models/none/ready", 404}, {"POST", "/v2/models/none/infer", 404},
		{"GET", "/v2/models/number/infer", 405}, {"DELETE", "/v2/health/live", 405}, {"GET", "/nothing", 404}, {"GET", "/v2/models/", 404}, {"POST", "/v2/models/number/versions/7/infer", 404},
	} {
		status, body, _ := ask(t, c.method, server.URL+c.path, "")
		wantError(t, status, body, c.status)
	}
}

// TestMounted: below a path of another program everything has its place.
func TestMounted(t *testing.T) {
	own := start(t, Options{}, "number")
	mux := http.NewServeMux()
	mux.Handle("/models/", http.StripPrefix("/models", own.Config.Handler))
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, path := range []string{"/", "/page.js", "/page.css", "/v1/models", "/v2/models/number", "/v2/health/live", "/metrics"} {
		if status, body, _ := ask(t, "GET", server.URL+"/models"+path, ""); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if _, body, _ := ask(t, "GET", server.URL+"/models/", ""); strings.Contains(body, `="/`) {
		t.Error("the page has an address from the root")
	}
}

// fuzzed is a handler of one model, for at most 1,000 rows.
func fuzzed(f *testing.F) *Handler {
	f.Helper()
	dir := f.TempDir()
	put(f, filepath.Join(dir, "number.mediant"), "number")
	store, err := Open(nil, nil, dir)
	if err != nil {
		f.Fatal(err)
	}
	h, err := New(store, Options{MaxRows: 1000})
	if err != nil {
		f.Fatal(err)
	}
	return h
}

// FuzzInfer: whatever a body is, the answer is a prediction or an error of the client, and nothing else comes of it.
func FuzzInfer(f *testing.F) {
	for _, c := range refusals {
		if len(c.body) < 1000 {
			f.Add([]byte(c.body), int16(-1))
		}
	}
	f.Add([]byte(request(inputA, inputB, inputColour)), int16(-1))
	text := `{"inputs":[` + inputA + "," + inputColour + `,{"name":"b","shape":[4],"datatype":"INT16","parameters":{"binary_data_size":8}}]}`
	f.Add([]byte(text+"\x00\x01\x02\x03\x04\x05\x06\x07"), int16(len(text)))
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte, length int16) {
		var headers []string
		if length >= 0 {
			headers = []string{headerLength, fmt.Sprint(length)}
		}
		w := answerOf(h, "/v2/models/number/infer", body, headers...)
		if w.Code == 200 {
			return
		}
		if w.Code != 400 && w.Code != 413 {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		wantError(t, w.Code, w.Body.String(), w.Code)
	})
}

// answerOf posts a body to a handler without a server.
func answerOf(h http.Handler, path string, body []byte, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, bytes.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
