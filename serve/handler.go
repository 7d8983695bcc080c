package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mediant/encode"
	"mediant/internal/predictions"
	"mediant/rr"
	"mediant/tables"
)

// A Handler, made by New, answers requests with the models of a Store.
type Handler struct {
	opt      Options
	store    *Store
	mux      *http.ServeMux
	metrics  *metrics
	memory   memory
	workers  gate
	requests gate
	token    [sha256.Size]byte
	leaving  atomic.Bool
	// cross refuses what pages of other sites have a browser send.
	cross http.CrossOriginProtection
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler. The error is that of the options.
func New(store *Store, opt Options) (*Handler, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	h := &Handler{opt: opt, store: store, mux: http.NewServeMux(), memory: memory{limit: opt.Memory}, workers: make(gate, opt.Workers), requests: make(gate, opt.MaxRequests),
		token: sha256.Sum256([]byte(opt.Token))}
	h.metrics = newMetrics(h)
	open, data := access(false), access(true)
	h.handle("GET /v2/health/live", open, h.live)
	h.handle("GET /v2/health/ready", open, h.ready)
	h.handle("GET /v2", data, h.server)
	h.handle("GET /v2/models/{model}", data, h.metadata)
	h.handle("GET /v2/models/{model}/versions/{version}", data, h.metadata)
	h.handle("GET /v2/models/{model}/ready", data, h.modelReady)
	h.handle("GET /v2/models/{model}/versions/{version}/ready", data, h.modelReady)
	h.handle("POST /v2/models/{model}/infer", data, h.infer)
	h.handle("POST /v2/models/{model}/versions/{version}/infer", data, h.infer)
	h.handle("POST /v1/predict", data, h.rows)
	h.handle("POST /v1/predict/{model}", data, h.rows)
	h.handle("GET /v1/models", data, h.list)
	h.handle("GET /v1/models/{model}", data, h.describe)
	h.handle("GET /v1/models/{model}/card", data, h.report)
	h.handle("GET /{$}", open, page("page.html", "text/html; charset=utf-8"))
	h.handle("GET /page.css", open, page("page.css", "text/css; charset=utf-8"))
	h.handle("GET /page.js", open, page("page.js", "text/javascript; charset=utf-8"))
	h.handle("GET /metrics", data, h.metrics.serve)
	h.handle("/", open, func(*call) error { return refuse(http.StatusNotFound, "there is nothing here") })
	return h, nil
}

// access says whether a path has data of models, so that it needs the token.
type access bool

// A call is one request under way.
type call struct {
	http.ResponseWriter
	*http.Request
	share   share
	leaving *atomic.Bool
	// For the log.
	status, rows int
	model        *Model
	err          error
}

// Header implements http.ResponseWriter; the request's is c.Request.Header.
func (c *call) Header() http.Header { return c.ResponseWriter.Header() }

// WriteHeader implements http.ResponseWriter.
func (c *call) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	if c.leaving.Load() { // so that the client knows that its next request needs another connection
		c.Header().Set("Connection", "close")
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *call) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	return c.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (c *call) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// handle registers what answers a method and path.
func (h *Handler) handle(pattern string, needs access, do func(*call) error) {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		path = pattern
	}
	h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		c := w.(*call)
		c.Request = r
		begin := time.Now()
		err := h.admit(c, needs)
		if err == nil && found && r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead) {
			c.Header().Set("Allow", method)
			err = refuse(http.StatusMethodNotAllowed, "%s wants %s", path, method)
		}
		if err == nil {
			err = h.do(c, do)
		}
		if err != nil {
			h.fail(c, err)
		}
		h.metrics.observe(path, c, time.Since(begin))
		h.record(c, time.Since(begin))
	})
}

// admit refuses requests that are addressed to another host, come from a page of another site or have no token.
func (h *Handler) admit(c *call, needs access) error {
	if h.opt.Hosts != nil {
		host := c.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !slices.ContainsFunc(h.opt.Hosts, func(own string) bool { return strings.EqualFold(own, strings.Trim(host, "[]")) }) {
			return refuse(http.StatusMisdirectedRequest, "this server is not %q", shortened([]byte(host)))
		}
	}
	if err := h.cross.Check(c.Request); err != nil {
		return refuse(http.StatusForbidden, "the request comes from a page of another site")
	}
	if h.opt.Token == "" || !bool(needs) {
		return nil
	}
	scheme, token, _ := strings.Cut(c.Request.Header.Get("Authorization"), " ")
	own := sha256.Sum256([]byte(strings.TrimSpace(token))) // so that times do not tell its length either
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(own[:], h.token[:]) != 1 {
		c.Header().Set("WWW-Authenticate", "Bearer")
		return refuse(http.StatusUnauthorized, "the request needs the header Authorization: Bearer TOKEN")
	}
	return nil
}

// do runs a part of the program, whose panics become errors.
func (h *Handler) do(c *call, do func(*call) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			h.opt.Log.Error("panic", "path", c.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("a fault of the program")
		}
	}()
	return do(c)
}

// fail answers with an error.
func (h *Handler) fail(c *call, err error) {
	c.err = err
	status := http.StatusInternalServerError
	var of httpError
	var panicked *rr.PanicError
	switch {
	case errors.As(err, &of):
		status = of.status
	case errors.Is(err, context.DeadlineExceeded):
		status, err = http.StatusServiceUnavailable, fmt.Errorf("the prediction did not end within %v", h.opt.Timeout)
	case errors.Is(err, context.Canceled): // the client has gone
		status = 499
	case errors.As(err, &panicked):
		err = errors.New("a fault of the program")
	}
	if c.status != 0 {
		return
	}
	if status == http.StatusServiceUnavailable {
		c.Header().Set("Retry-After", "1")
	}
	c.json(status, map[string]string{"error": err.Error()})
}

// json answers with a value.
func (c *call) json(status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.send(status, "application/json", text)
}

// send answers.
func (c *call) send(status int, contentType string, body []byte) error {
	head := c.Header()
	head.Set("Content-Type", contentType)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	c.WriteHeader(status)
	_, err := c.Write(body)
	if err != nil { // the client has gone
		c.err = err
	}
	return nil
}

func (h *Handler) record(c *call, took time.Duration) {
	fields := []any{"method", c.Method, "path", c.URL.Path, "status", c.status, "seconds", took.Seconds(), "client", c.RemoteAddr}
	if c.model != nil {
		fields = append(fields, "model", c.model.Name, "version", c.model.Version, "rows", c.rows)
	}
	switch {
	case c.err == nil:
		h.opt.Log.Info("request", fields...)
	case c.status >= 500:
		h.opt.Log.Error("request", append(fields, "error", c.err.Error())...)
	default:
		h.opt.Log.Info("request", append(fields, "error", c.err.Error())...)
	}
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{leaving: &h.leaving, ResponseWriter: w, Request: r, share: share{of: &h.memory}}
	defer c.share.release()
	ctx, cancel := context.WithTimeout(r.Context(), h.opt.Timeout)
	defer cancel()
	control := http.NewResponseController(w) // of a server; a recorder of tests has no deadlines
	control.SetReadDeadline(time.Now().Add(h.opt.Timeout))
	control.SetWriteDeadline(time.Now().Add(2 * h.opt.Timeout))
	h.mux.ServeHTTP(c, r.WithContext(ctx))
}

// Leave makes the server not ready, and has each connection end with its next answer. Serve calls it before it stops.
func (h *Handler) Leave() { h.leaving.Store(true) }

func (h *Handler) live(c *call) error {
	return c.json(http.StatusOK, map[string]bool{"live": true})
}

// ready is for those that distribute requests: there are models, and the server is not about to stop.
func (h *Handler) ready(c *call) error {
	ready := !h.leaving.Load() && len(h.store.Names()) > 0
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	return c.json(status, map[string]bool{"live": true, "ready": ready})
}

func (h *Handler) server(c *call) error {
	return c.json(http.StatusOK, map[string]any{"name": "mediant", "version": h.opt.Version, "extensions": []string{"binary_tensor_data"}})
}

// find returns the model of the path.
func (h *Handler) find(c *call) (*Model, error) {
	m, err := h.store.Find(c.PathValue("model"), c.PathValue("version"))
	if err != nil {
		return nil, httpError{http.StatusNotFound, err}
	}
	c.model = m
	return m, nil
}

func (h *Handler) modelReady(c *call) error {
	m, err := h.find(c)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, map[string]any{"name": m.Name, "ready": true})
}

// tensorMetadata describes a column.
type tensorMetadata struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

func metadataOf(columns []tables.Column) []tensorMetadata {
	var all []tensorMetadata
	for _, column := range columns {
		t := tensorMetadata{column.Name, datatypeOf(column.Kind), []int{-1}}
		if column.Kind == tables.Vector {
			t.Shape = []int{-1, -1}
		}
		all = append(all, t)
	}
	return all
}

func (h *Handler) metadata(c *call) error {
	m, err := h.find(c)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, map[string]any{
		"name": m.Name, "versions": h.store.Versions(m.Name), "platform": "mediant",
		"inputs": metadataOf(m.X.Columns()), "outputs": metadataOf(predictions.Options{}.Columns(m.Model)),
	})
}

// infer answers a request of the protocol.
func (h *Handler) infer(c *call) error {
	m, err := h.find(c)
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
	answer, length, err := h.predictTensors(c, m, body)
	if err != nil {
		return err
	}
	contentType := "application/json"
	if length > 0 {
		c.Header().Set(headerLength, strconv.Itoa(length))
		contentType = "application/octet-stream"
	}
	return c.send(http.StatusOK, contentType, answer)
}

// enter begins a request that has a body.
func (h *Handler) enter() error {
	select {
	case h.requests <- struct{}{}:
		return nil
	default:
		return errBusy
	}
}

// predictTensors takes a request of the protocol apart and answers it, when there is a worker for it.
func (h *Handler) predictTensors(c *call, m *Model, body []byte) (answer []byte, length int, err error) {
	if err := h.workers.enter(c.Context()); err != nil {
		return nil, 0, err
	}
	defer h.workers.leave()
	q, err := parseInfer(body, c.Request.Header.Get(headerLength), len(m.X.Columns())+mostParameters)
	if err != nil {
		return nil, 0, asBadRequest(err)
	}
	o, err := asked(m.Model, q.parameters.text)
	if err != nil {
		return nil, 0, err
	}
	columns := o.Columns(m.Model)
	of, asBinary, err := wanted(q, columns)
	if err != nil {
		return nil, 0, asBadRequest(err)
	}
	src, rows, err := table(m.Model, q.inputs, h.opt.MaxRows)
	if err != nil {
		return nil, 0, asBadRequest(err)
	}
	c.rows = rows
	if err := c.share.take(int64(rows) * int64(len(columns)) * (valueBytes + int64(longest(m)))); err != nil {
		return nil, 0, err
	}
	var counts encode.Counts
	o.Counts = &counts
	a := newAnswer(columns, rows)
	if err := o.Write(c.Context(), m.Model, src, a); err != nil {
		return nil, 0, asBadRequest(err)
	}
	h.metrics.predicted(m, rows)
	answer, length = a.encode(m, q.id, m.X.Warnings(counts), of, asBinary)
	return answer, length, nil
}

// longest is the length of the longest class.
func longest(m *Model) int {
	n := 0
	for _, class := range m.Y.Classes() {
		n = max(n, 6*len(class)) // as JSON escapes it
	}
	return n
}

// asBadRequest is an error of what a client sent, unless it is of another kind.
func asBadRequest(err error) error {
	var of httpError
	var panicked *rr.PanicError
	if errors.As(err, &of) || errors.As(err, &panicked) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return httpError{http.StatusBadRequest, err}
}

// text is a parameter as a URL would have it.
func (p parameters) text(name string) string {
	raw := p[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
