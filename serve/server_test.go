package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediant/internal/predictions"
)

// running is a server of a folder on a port of its own, which stop ends.
type running struct {
	url   string
	h     *Handler
	store *Store
	stop  func() error
}

func run(t *testing.T, s Server, opt Options, paths ...string) *running {
	t.Helper()
	store, err := Open(nil, nil, paths...)
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(store, opt)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener, h) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { stop() })
	return &running{"http://" + listener.Addr().String(), h, store, stop}
}

// TestReloadUnderLoad: while the file of a model is replaced again and again, each answer is the whole one of the model whose version it names.
func TestReloadUnderLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.mediant")
	put(t, path, "number")
	r := run(t, Server{Drain: time.Millisecond}, Options{MaxRequests: 100}, dir)
	want := map[string]*answer{}
	for _, model := range []string{"number", "other"} {
		put(t, path, model)
		r.store.Refresh()
		want[version(t, r.store, "m")] = predicted(t, model, rowsCSV, predictions.Options{})
	}
	var clients sync.WaitGroup
	stop := make(chan struct{})
	var answers atomic.Int64
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, body, header := ask(t, "POST", r.url+"/v2/models/m/infer", request(inputA, inputB64, inputColour))
				if status != 200 {
					t.Error(status, body)
					return
				}
				_, v, _ := strings.Cut(body, `"model_version":"`)
				of := want[v[:digits]]
				if of == nil {
					t.Error(body)
					return
				}
				wantOutputs(t, body, header, of)
				answers.Add(1)
			}
		})
	}
	for i := range 40 {
		put(t, path, []string{"number", "other"}[i%2])
		r.store.Refresh()
	}
	for answers.Load() < 20 && !t.Failed() {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	clients.Wait()
	if got := r.store.loaded.Load(); got < 40 {
		t.Errorf("%d loads", got)
	}
}

// TestShutdownLosesNothing: requests that go on while the server stops are answered, whatever they are in the midst of.
func TestShutdownLosesNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{Drain: 100 * time.Millisecond}, Options{}, dir)
	want := predicted(t, "number", rowsCSV, predictions.Options{})
	body := request(inputA, inputB64, inputColour)
	half := make([]net.Conn, 8) // whose bodies are half there when the server is to stop
	for i := range half {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:50])
		half[i] = conn
	}
	for len(r.h.requests) < len(half) {
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	for !r.h.leaving.Load() {
		time.Sleep(time.Millisecond)
	}
	if status, text, _ := ask(t, "GET", r.url+"/v2/health/ready", ""); status != 503 {
		t.Errorf("while it stops the server is ready: %d %s", status, text)
	}
	time.Sleep(200 * time.Millisecond) // it takes no new connections now
	for _, conn := range half {
		fmt.Fprint(conn, body[50:])
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 || !answer.Close {
			t.Errorf("%d %s, close %v, error %v", answer.StatusCode, text, answer.Close, err)
		}
		wantOutputs(t, string(text), answer.Header, want)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestShutdownEnds: a request that does not end is broken off, and that is an error.
func TestShutdownEnds(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{Drain: time.Millisecond, Shutdown: 50 * time.Millisecond}, Options{}, dir)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	for len(r.h.requests) < 1 {
		time.Sleep(time.Millisecond)
	}
	if err := r.stop(); err == nil || !strings.Contains(err.Error(), "broken off") {
		t.Errorf("error %v", err)
	}
}

// TestSlowClients: clients that send headers or bodies slowly, or half of a body, get a 408 or are cut off in time, and others are answered meanwhile.
func TestSlowClients(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{Drain: time.Millisecond, headerTime: 300 * time.Millisecond}, Options{Timeout: 300 * time.Millisecond, Workers: 1}, dir)
	dial := func(text string) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprint(conn, text)
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		return conn
	}
	var bodies, heads []net.Conn
	for range 20 {
		bodies = append(bodies, dial("POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"inputs\""))
		heads = append(heads, dial("POST /v2/models/number/infer HTT"))
	}
	if status, body, _ := ask(t, "POST", r.url+"/v2/models/number/infer", request(inputA, inputB64, inputColour)); status != 200 {
		t.Error(status, body)
	}
	for _, conn := range bodies {
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		wantError(t, answer.StatusCode, string(text), http.StatusRequestTimeout, "9 bytes came")
	}
	for _, conn := range heads {
		if text, err := io.ReadAll(conn); err != nil {
			t.Errorf("headers that do not come: %q, error %v", text, err)
		}
	}
	conn := dial("POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"inputs\"")
	conn.(*net.TCPConn).CloseWrite()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	wantError(t, answer.StatusCode, string(text), http.StatusBadRequest, "broke off after 9 bytes")
	if held := r.h.memory.held.Load(); held != 0 {
		t.Errorf("%d bytes are held after all", held)
	}
}

// endless is a body of a length, of JSON that goes on.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, bytes.Repeat([]byte("[0,"), len(p)/3+1))
	n = int(min(int64(n), e.left))
	e.left -= int64(n)
	return n, nil
}

// TestHugeBodies: bodies of a gigabyte are refused by their length, or where the limit is reached without one, in little memory.
func TestHugeBodies(t *testing.T) {
	server := start(t, Options{MaxBody: 1 << 20, Memory: 4 << 20}, "number")
	for _, known := range []bool{true, false} {
		peak := peakWhile(func() {
			body := io.Reader(&endless{1 << 30})
			q, err := http.NewRequest("POST", server.URL+"/v2/models/number/infer", struct{ io.Reader }{body})
			if err != nil {
				t.Fatal(err)
			}
			if known {
				q.ContentLength = 1 << 30
			}
			q.Header.Set("Expect", "100-continue") // so that the answer is read before the connection breaks
			answer, err := http.DefaultClient.Do(q)
			if err != nil { // the server closed the connection while we wrote
				if known {
					t.Error(err)
				}
				return
			}
			defer answer.Body.Close()
			text, _ := io.ReadAll(answer.Body)
			wantError(t, answer.StatusCode, string(text), http.StatusRequestEntityTooLarge, "more than 1048576 bytes, the limit")
		})
		if peak > 64<<20 {
			t.Errorf("length known %v: %d bytes of memory", known, peak)
		}
	}
	for _, c := range []struct{ body, want string }{
		{`{"inputs":[{"name":"a","shape":[1000000],"datatype":"FP64","data":[` + strings.Repeat("1,", 499_000) + `1]}]}`, "1000000 rows, more than 100000"},
		{`{"inputs":[` + strings.Repeat("{},", 300_000) + `{}]}`, "more than"},
	} {
		status, body, _ := ask(t, "POST", server.URL+"/v2/models/number/infer", strings.Replace(c.body, `{"inputs":[{"name":"a"`, `{"inputs":[`+inputB64+`,`+inputColour+`,{"name":"a"`, 1))
		wantError(t, status, body, map[bool]int{true: 413, false: 400}[strings.Contains(c.want, "rows")], c.want)
	}
}

// peakWhile returns how much the heap grew while f ran.
func peakWhile(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, uint64(0)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	f()
	close(done)
	watching.Wait()
	return max(peak, before) - before
}

// TestMemoryIsShared: bodies that together take more than there is are refused until others are gone; an answer that would is refused for good.
func TestMemoryIsShared(t *testing.T) {
	m := &memory{limit: 100}
	a, b := share{of: m}, share{of: m}
	if err := a.take(60); err != nil {
		t.Fatal(err)
	}
	if err := b.take(60); err != errBusy {
		t.Errorf("error %v, want that it is busy", err)
	}
	if err := a.take(60); err == nil || err == errBusy {
		t.Errorf("error %v, want one for good", err)
	}
	a.release()
	if err := b.take(60); err != nil {
		t.Error(err)
	}
	b.release()
	if m.held.Load() != 0 {
		t.Errorf("%d bytes are held", m.held.Load())
	}
}

// TestMaxRequests: more requests than there may be at a time are refused with 503, and health is not.
func TestMaxRequests(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{Drain: time.Millisecond, Shutdown: time.Millisecond}, Options{MaxRequests: 1}, dir)
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	for len(r.h.requests) < 1 {
		time.Sleep(time.Millisecond)
	}
	status, body, header := ask(t, "POST", r.url+"/v2/models/number/infer", request(inputA, inputB64, inputColour))
	wantError(t, status, body, 503, "busy")
	if header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if status, _, _ := ask(t, "GET", r.url+"/v2/health/live", ""); status != 200 {
		t.Errorf("live: %d", status)
	}
	conn.Close()
	for len(r.h.requests) > 0 {
		time.Sleep(time.Millisecond)
	}
	if status, body, _ := ask(t, "POST", r.url+"/v2/models/number/infer", request(inputA, inputB64, inputColour)); status != 200 {
		t.Error(status, body)
	}
}

// TestWorkersWait: a request waits for a worker, and no longer than its time.
func TestWorkersWait(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	r := run(t, Server{Drain: time.Millisecond}, Options{Workers: 1, Timeout: 200 * time.Millisecond}, dir)
	r.h.workers <- struct{}{}
	status, body, _ := ask(t, "POST", r.url+"/v2/models/number/infer", request(inputA, inputB64, inputColour))
	wantError(t, status, body, 503, "busy")
	time.AfterFunc(20*time.Millisecond, func() { <-r.h.workers })
	if status, body, _ := ask(t, "POST", r.url+"/v2/models/number/infer", request(inputA, inputB64, inputColour)); status != 200 {
		t.Error(status, body)
	}
}

// TestToken: data need the token, health does not; nothing of it is logged.
func TestToken(t *testing.T) {
	const token = "open-sesame"
	var log syncBuffer
	server := start(t, Options{Token: token, Log: slog.New(slog.NewJSONHandler(&log, nil))}, "number")
	for _, c := range []struct {
		header string
		want   int
	}{{"", 401}, {"Bearer ", 401}, {"Bearer open-sesam", 401}, {"Bearer open-sesame2", 401}, {"Basic open-sesame", 401}, {"Bearer open-sesame", 200}, {"bearer open-sesame", 200}} {
		for _, path := range []string{"/v2", "/v2/models/number", "/metrics"} {
			status, body, header := ask(t, "GET", server.URL+path, "", "Authorization", c.header)
			if status != c.want {
				t.Errorf("%s with %q: %d, want %d", path, c.header, status, c.want)
			}
			if c.want == 401 {
				wantError(t, status, body, 401, "Authorization: Bearer")
				if header.Get("WWW-Authenticate") != "Bearer" {
					t.Error("no WWW-Authenticate")
				}
			}
		}
	}
	if status, body, _ := ask(t, "POST", server.URL+"/v2/models/number/infer", request(inputA, inputB64, inputColour)); status != 401 {
		t.Error(status, body)
	}
	for _, path := range []string{"/v2/health/live", "/v2/health/ready"} {
		if status, _, _ := ask(t, "GET", server.URL+path, ""); status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if text := log.String(); strings.Contains(text, token) || !strings.Contains(text, `"status":401`) {
		t.Errorf("log %s", text)
	}
}

// A syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestHosts: requests that a page of another site sends by a name that leads here are refused.
func TestHosts(t *testing.T) {
	server := start(t, Options{Hosts: []string{"127.0.0.1", "::1", "Model.example"}}, "number")
	for host, want := range map[string]int{"": 200, "127.0.0.1:99": 200, "[::1]:8080": 200, "model.example": 200, "attacker.example": 421, "127.0.0.1.attacker.example:80": 421} {
		q, err := http.NewRequest("GET", server.URL+"/v2", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %q: %d, want %d", host, answer.StatusCode, want)
		}
	}
}

// TestOtherSites: what a browser says to come from a page of another site is refused.
func TestOtherSites(t *testing.T) {
	server := start(t, Options{}, "number")
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200} {
		status, body, _ := ask(t, "POST", server.URL+"/v1/predict", rowsCSV, "Sec-Fetch-Site", site)
		if status != want {
			t.Errorf("%s: %d %s, want %d", site, status, body, want)
		}
	}
}

// TestPanic: a fault of the program is a 500 without its words, and the server goes on.
func TestPanic(t *testing.T) {
	store, err := Open(nil, nil, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var log syncBuffer
	h, err := New(store, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h.handle("GET /fault", false, func(*call) error { panic("the inside") })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/fault", nil))
	wantError(t, w.Code, w.Body.String(), 500, "fault of the program")
	if strings.Contains(w.Body.String(), "inside") || !strings.Contains(log.String(), "the inside") {
		t.Errorf("answer %s, log %s", w.Body, &log)
	}
}

// TestMetrics: counts by path and status, rows by model; names that clients make up are no labels.
func TestMetrics(t *testing.T) {
	server := start(t, Options{}, "number")
	for range 3 {
		ask(t, "POST", server.URL+"/v2/models/number/infer", request(inputA, inputB64, inputColour))
	}
	ask(t, "GET", server.URL+"/v2/models/made-up", "")
	ask(t, "GET", server.URL+"/made-up", "")
	_, body, _ := ask(t, "GET", server.URL+"/metrics", "")
	for _, line := range []string{
		`mediant_requests_total{path="/v2/models/{model}/infer",status="200"} 3`, `mediant_requests_total{path="/v2/models/{model}",status="404"} 1`, `mediant_requests_total{path="/",status="404"} 1`,
		`mediant_predicted_rows_total{model="number"} 12`, `mediant_models 1`, `mediant_model_files_total{result="loaded"} 1`, `mediant_held_bytes 0`, `mediant_request_seconds_count{path="/v2/models/{model}/infer"} 3`,
	} {
		if !strings.Contains(body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(body, "made-up") {
		t.Error("a name that a client made up is a label")
	}
}

// TestManyClients: results do not depend on what else is asked at the same time.
func TestManyClients(t *testing.T) {
	server := start(t, Options{}, "number", "classes", "plain")
	want := map[string]*answer{}
	for _, model := range []string{"number", "classes"} {
		want[model] = predicted(t, model, rowsCSV, predictions.Options{})
	}
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(c), 0))
			for range 10 {
				model := []string{"number", "classes"}[rnd.IntN(2)]
				status, body, header := ask(t, "POST", server.URL+"/v2/models/"+model+"/infer", request(inputA, inputB64, inputColour))
				if status != 200 {
					t.Error(status, body)
					return
				}
				wantOutputs(t, body, header, want[model])
			}
		})
	}
	clients.Wait()
}
