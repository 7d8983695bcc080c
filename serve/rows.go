package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"mediant/check"
	"mediant/internal/predictions"
	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

// warningsHeader has what was found in the rows of a table, a JSON array of strings in ASCII.
const warningsHeader = "Mediant-Warnings"

// A form is how a table is sent and answered.
type form struct {
	name   string
	types  []string // of Content-Type, the first in answers
	ending string   // of a file in this format
}

var (
	csvForm     = &form{"CSV", []string{"text/csv", "text/plain", "application/csv"}, ".csv"}
	linesForm   = &form{"JSON lines", []string{"application/x-ndjson", "application/jsonl", "application/x-jsonlines"}, ".jsonl"}
	jsonForm    = &form{"JSON", []string{"application/json"}, ".jsonl"}
	parquetForm = &form{"Parquet", []string{"application/vnd.apache.parquet", "application/x-parquet"}, ".parquet"}
	arrowForm   = &form{"Arrow", []string{"application/vnd.apache.arrow.file", "application/vnd.apache.arrow.stream"}, ".arrow"}

	forms = []*form{csvForm, linesForm, jsonForm, parquetForm, arrowForm}
)

// formOf is the form of a body by its first bytes. A Content-Type that says otherwise is an error, but for those that clients send when they know nothing.
func formOf(body []byte, contentType string) (*form, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	begins := func(magic string) bool { return bytes.HasPrefix(body, []byte(magic)) }
	found := csvForm
	switch {
	case begins("\x1f\x8b"), begins("\x28\xb5\x2f\xfd"):
		return nil, refuse(http.StatusUnsupportedMediaType, "the body is compressed: send it as it is")
	case begins("\x93NUMPY"):
		return nil, refuse(http.StatusUnsupportedMediaType, "the body is NPY, whose columns have no names: send CSV, JSON, Parquet or Arrow")
	case begins("PAR1"):
		found = parquetForm
	case begins("ARROW1"), begins("\xff\xff\xff\xff"):
		found = arrowForm
	case len(text) > 0 && text[0] == '[':
		found = jsonForm
	case len(text) > 0 && text[0] == '{':
		found = linesForm
	}
	said, _, err := mime.ParseMediaType(contentType)
	if contentType == "" || said == "application/octet-stream" || said == "application/x-www-form-urlencoded" { // of curl
		return found, nil
	}
	at := slices.IndexFunc(forms, func(f *form) bool { return slices.Contains(f.types, said) })
	switch {
	case err != nil || at < 0:
		return nil, refuse(http.StatusUnsupportedMediaType, "the Content-Type is %q, want text/csv, application/json, application/x-ndjson, %s or %s", shortened([]byte(contentType)), parquetForm.types[0], arrowForm.types[0])
	case forms[at] == jsonForm && found == linesForm:
		return jsonForm, nil
	case forms[at] != found:
		return nil, refuse(http.StatusUnsupportedMediaType, "the Content-Type is that of %s, and the body is %s", forms[at].name, found.name)
	}
	return found, nil
}

// linesOf are the objects of an array, or one after the other, as JSON lines.
func linesOf(body []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	inArray := bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("["))
	var lines bytes.Buffer
	if inArray {
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	for d.More() {
		var row json.RawMessage
		if err := d.Decode(&row); err != nil {
			return nil, err
		}
		if row[0] != '{' {
			return nil, fmt.Errorf("%s is no object: want an array of objects, one for each row", shortened(row))
		}
		if err := json.Compact(&lines, row); err != nil {
			return nil, err
		}
		lines.WriteByte('\n')
	}
	if inArray {
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if d.More() {
			return nil, errors.New("more follows the array")
		}
	}
	return lines.Bytes(), nil
}

// arrayOf is the array of the objects of JSON lines.
func arrayOf(lines []byte) []byte {
	array := append([]byte("["), bytes.ReplaceAll(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"), []byte(",\n"))...)
	return append(array, "]\n"...)
}

// A heldBuffer is an answer that grows in the memory of a request.
type heldBuffer struct {
	bytes.Buffer
	share *share
}

// Write implements io.Writer.
func (b *heldBuffer) Write(p []byte) (int, error) {
	if need := b.Len() + len(p); need > b.Cap() {
		if err := b.share.take(int64(2*b.Cap() + len(p) + bytes.MinRead)); err != nil { // as the buffer grows
			return 0, err
		}
	}
	return b.Buffer.Write(p)
}

// rows answers a table with predictions for its rows.
func (h *Handler) rows(c *call) error {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return badRequest("the query of the URL: %w", err)
	}
	for name, values := range query {
		if !slices.Contains(asks, name) && name != "model" && name != "version" && name != "accept" {
			return badRequest("there is no parameter %q: want model, version, accept, %s", shortened([]byte(name)), strings.Join(asks, ", "))
		}
		if len(values) > 1 {
			return badRequest("parameter %q is there twice", name)
		}
	}
	m, err := h.named(c, query)
	if err != nil {
		return err
	}
	o, err := asked(m.Model, query.Get)
	if err != nil {
		return err
	}
	accept, err := acceptances(query.Get("accept"))
	if err != nil {
		return err
	}
	if err := h.enter(); err != nil {
		return err
	}
	defer h.requests.leave()
	body, err := readBody(c.ResponseWriter, c.Request, h.opt.MaxBody, &c.share)
	if err != nil {
		return err
	}
	as, err := formOf(body, c.Request.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	answer, warnings, err := h.predictRows(c, m, o, accept, body, as)
	if err != nil {
		return asBadRequest(err)
	}
	if len(warnings) > 0 {
		c.Header().Set(warningsHeader, asciiJSON(warnings))
	}
	c.Header().Set("Mediant-Model-Version", m.Version)
	return c.send(http.StatusOK, as.types[0], answer)
}

// named returns the model of the path or of the query, or the only one there is.
func (h *Handler) named(c *call, query url.Values) (*Model, error) {
	name := c.PathValue("model")
	if name == "" {
		name = query.Get("model")
	} else if query.Has("model") {
		return nil, badRequest("the model is named by the path and by the query")
	}
	if name == "" {
		names := h.store.Names()
		if len(names) != 1 {
			return nil, badRequest("name a model, ?model=NAME: there are %d", len(names))
		}
		name = names[0]
	}
	m, err := h.store.Find(name, query.Get("version"))
	if err != nil {
		return nil, httpError{http.StatusNotFound, err}
	}
	c.model = m
	return m, nil
}

func acceptances(list string) ([]check.Acceptance, error) {
	var all []check.Acceptance
	if list == "" {
		return nil, nil
	}
	for one := range strings.SplitSeq(list, ",") {
		a, err := check.ParseAcceptance(one)
		if err != nil {
			return nil, badRequest("parameter \"accept\": %w", err)
		}
		all = append(all, a)
	}
	return all, nil
}

// predictRows reads a table, compares it with those of training, and writes predictions in the form that it has, when there is a worker for it.
func (h *Handler) predictRows(c *call, m *Model, o predictions.Options, accept []check.Acceptance, body []byte, as *form) (answer []byte, warnings []string, err error) {
	ctx := c.Context()
	if err := h.workers.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer h.workers.leave()
	if as == jsonForm {
		if err := c.share.take(int64(len(body))); err != nil {
			return nil, nil, err
		}
		if body, err = linesOf(body); err != nil {
			return nil, nil, jsonError(err)
		}
	}
	table, err := formats.OpenBytes(ctx, "body", body, formats.Options{Options: csv.Options{Only: m.X.Columns(), KeepRows: true, Aliases: m.Reading.Aliases, NA: m.Reading.NA, Dates: m.Reading.Dates}})
	if err != nil {
		return nil, nil, err
	}
	defer table.Close()
	src := tables.NewGuard("", table.Source)
	rows, err := src.Count(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.rows = rows; rows > h.opt.MaxRows {
		return nil, nil, tooManyRows(uint64(rows), h.opt.MaxRows)
	}
	found, err := m.Later(ctx, src, tables.Roles{X: m.Roles.X}, check.Later)
	if err != nil {
		return nil, nil, err
	}
	found = check.Settle(found, accept, false)
	if err := check.Refused(found); err != nil {
		return nil, nil, refuse(http.StatusUnprocessableEntity, "%w", err)
	}
	out := &heldBuffer{share: &c.share}
	w, err := formats.NewWriter(as.ending, out, o.Columns(m.Model))
	if err != nil {
		return nil, nil, err
	}
	if err := o.Write(ctx, m.Model, src, w); err != nil {
		return nil, nil, err
	}
	h.metrics.predicted(m, rows)
	answer = out.Bytes()
	if as == jsonForm {
		if err := c.share.take(2 * int64(len(answer))); err != nil {
			return nil, nil, err
		}
		answer = arrayOf(answer)
	}
	return answer, check.LaterLines(found), nil
}

// asciiJSON is a JSON array of lines without a character that a header cannot carry; of too many the last are left out.
func asciiJSON(lines []string) string {
	const most = 4 << 10
	var b strings.Builder
	b.WriteByte('[')
	for i, line := range lines {
		text, _ := json.Marshal(line) // of a string
		if b.Len()+6*len(text) > most {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		for _, r := range string(text) {
			switch {
			case r < 0x7f:
				b.WriteRune(r)
			case r < 0x10000:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				high, low := utf16.EncodeRune(r)
				fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
			}
		}
	}
	return b.String() + "]"
}
