package serve

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediant/internal/predictions"
	"mediant/internal/slow"
)

// TestLoad: clients that never rest, while the file of the model is replaced and the server restarted behind one socket, get only right answers and lose none.
func TestLoad(t *testing.T) {
	underLoad(t, 8, 2*time.Second, 20, 2)
}

// TestLoadForAMinute is TestLoad with 64 connections.
func TestLoadForAMinute(t *testing.T) {
	slow.Only(t)
	underLoad(t, 64, time.Minute, 240, 5) // some of which two in a row are seen as one
}

// underLoad asks over loopback for a time.
func underLoad(t *testing.T, connections int, during time.Duration, reloads, restarts int) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.mediant")
	right := map[string]string{} // answers by version
	models := []string{"number", "other"}
	for _, model := range models {
		put(t, path, model)
		s, err := Open(nil, nil, dir)
		if err != nil {
			t.Fatal(err)
		}
		right[version(t, s, "m")] = written(t, model, ".csv", predictions.Options{Errors: true})
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	url := "http://" + socket.Addr().String() + "/v1/predict/m?se=1"

	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	var work sync.WaitGroup
	var loads atomic.Int64
	work.Go(func() { // one server after the other, on copies of the socket
		for n := range restarts + 1 {
			file, err := socket.(*net.TCPListener).File()
			if err != nil {
				t.Error(err)
				return
			}
			listener, err := net.FileListener(file)
			file.Close()
			if err != nil {
				t.Error(err)
				return
			}
			store, err := Open(nil, nil, dir)
			if err != nil {
				t.Error(err)
				return
			}
			h, err := New(store, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			running, stop := context.WithTimeout(context.Background(), during/time.Duration(restarts+1))
			if n == restarts { // until the last client has its answer
				running, stop = context.WithCancel(context.Background())
				go func() { <-ctx.Done(); time.Sleep(during / 10); stop() }()
			}
			go store.Watch(running, 20*time.Millisecond)
			if err := (Server{Drain: 100 * time.Millisecond}).Serve(running, listener, h); err != nil {
				t.Error(err)
			}
			stop()
			loads.Add(store.loaded.Load())
		}
	})
	work.Go(func() {
		for i := range reloads {
			put(t, path, models[i%2])
			time.Sleep(during * 9 / 10 / time.Duration(reloads))
		}
	})
	var answers, wrong, lost atomic.Int64
	var times []time.Duration
	var mu sync.Mutex
	for range connections {
		work.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				begin := time.Now()
				answer, err := client.Post(url, "text/csv", strings.NewReader(rowsCSV))
				if err != nil {
					lost.Add(1)
					t.Log(err)
					continue
				}
				text, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				switch {
				case err != nil:
					lost.Add(1)
					t.Log(err)
				case answer.StatusCode != 200 || string(text) != right[answer.Header.Get("Mediant-Model-Version")]:
					wrong.Add(1)
					t.Logf("%d %s", answer.StatusCode, text)
				}
				answers.Add(1)
				mu.Lock()
				times = append(times, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	work.Wait()
	slices.Sort(times)
	t.Logf("%d answers of %d connections in %v, %d wrong, %d lost; %d files loaded, %d restarts; half of the answers within %v, 99 %% within %v", answers.Load(), connections, during, wrong.Load(), lost.Load(),
		loads.Load(), restarts, times[len(times)/2], times[len(times)*99/100])
	if wrong.Load() > 0 || lost.Load() > 0 || answers.Load() < int64(connections) {
		t.Error("answers were wrong or lost")
	}
	if least := int64(reloads) / 2; loads.Load() < least {
		t.Errorf("%d files were loaded, want at least %d of %d", loads.Load(), least, reloads)
	}
}

// TestHostileClients: while others send gigabytes, half of bodies and nonsense, one client gets its answers, and memory stays bounded.
func TestHostileClients(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "number.mediant"), "number")
	const most, all = 1 << 20, 8 << 20
	r := run(t, Server{Drain: time.Millisecond, Shutdown: time.Second}, Options{MaxBody: most, Memory: all, Timeout: 5 * time.Second}, dir)
	address := strings.TrimPrefix(r.url, "http://")
	want := written(t, "number", ".csv", predictions.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	peak := peakWhile(func() {
		var work sync.WaitGroup
		for i := range 12 {
			work.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(i), 1))
				for ctx.Err() == nil {
					conn, err := net.Dial("tcp", address)
					if err != nil {
						continue
					}
					conn.SetDeadline(time.Now().Add(time.Second))
					switch i % 4 {
					case 0: // a body without end
						io.WriteString(conn, "POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
						chunk := []byte("10000\r\n" + strings.Repeat("[", 1<<16) + "\r\n")
						for err == nil {
							_, err = conn.Write(chunk)
						}
					case 1: // half of a body
						io.WriteString(conn, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\na,b,colour\n1,")
						time.Sleep(50 * time.Millisecond)
					case 2: // nonsense
						text := make([]byte, 1000)
						for j := range text {
							text[j] = byte(rnd.Uint32())
						}
						conn.Write(text)
					case 3: // many small values
						body := `{"inputs":[{"name":"a","shape":[500000],"datatype":"FP64","data":[` + strings.Repeat("0,", most/2-100) + `0]}]}`
						io.WriteString(conn, "POST /v2/models/number/infer HTTP/1.1\r\nHost: x\r\nContent-Length: "+string(appendJSON(nil, len(body)))+"\r\n\r\n"+body)
						io.ReadAll(conn)
					}
					conn.Close()
				}
			})
		}
		for ctx.Err() == nil {
			status, body, _ := ask(t, "POST", r.url+"/v1/predict", rowsCSV)
			if status == 503 { // all of the memory is theirs for a moment
				continue
			}
			if status != 200 || body != want {
				t.Errorf("%d %s", status, body)
			}
		}
		work.Wait()
	})
	if peak > 20*all {
		t.Errorf("%d bytes of memory, %d may be held", peak, all)
	}
}
