//go:build unix

package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A serverProcess is a server as a process of its own.
type serverProcess struct {
	*program
	address string
	log     string // a file
}

// serving starts the program with a listener on a free port, unless args have one, and waits until it says where it listens.
func serving(t *testing.T, prepare func(*exec.Cmd), args ...string) *serverProcess {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	line := append([]string{"serve", "--drain", "50ms"}, args...)
	if !strings.Contains(strings.Join(args, " "), "--listen") {
		line = append(line, "--listen", "127.0.0.1:0")
	}
	s := &serverProcess{log: log.Name()}
	s.program = start(t, line, func(cmd *exec.Cmd) {
		cmd.Stderr = log
		if prepare != nil {
			prepare(cmd)
		}
	})
	t.Cleanup(func() { s.Process.Kill() })
	for end := time.Now().Add(30 * time.Second); s.address == ""; time.Sleep(5 * time.Millisecond) {
		for line := range strings.Lines(read(t, s.log)) {
			if _, rest, ok := strings.Cut(line, "msg=serving address="); ok {
				s.address = strings.Fields(rest)[0]
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not start: %s", read(t, s.log))
		}
	}
	return s
}

// end ends the server by a signal and wants status 0.
func (s *serverProcess) end(t *testing.T) {
	t.Helper()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := s.status(); status != statusDone {
		t.Errorf("status %d: %s", status, read(t, s.log))
	}
	if log := read(t, s.log); !strings.Contains(log, "msg=stopped") {
		t.Errorf("log %s", log)
	}
}

// post sends a table and wants status 200.
func post(t *testing.T, client *http.Client, url, token, body string) string {
	t.Helper()
	q, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%d %s, error %v", answer.StatusCode, text, err)
	}
	return string(text)
}

// distributed fits a model with a distribution and standard errors, and one of classes, and writes later rows of X.
func distributed(t *testing.T) {
	t.Helper()
	inFolder(t)
	write(t, "xu.csv", table("x,k,u", 200, func(i int) []any {
		return []any{float64(i*37%101) / 10, colour(i), float64(i*37%101)/20 + float64(i%7)/10}
	}))
	write(t, "uy.csv", table("u,y", 200, func(i int) []any { u := float64(i*53%97) / 16; return []any{u, u*u + float64(i%5)/5} }))
	write(t, "classes.csv", table("u,y", 200, func(i int) []any {
		return []any{float64(i*53%97) / 16, colour(i * 53 % 97 / 33)}
	}))
	write(t, "new.csv", table("id,k,x", 30, func(i int) []any { return []any{i, colour(i), float64(i) / 3} }))
	if err := os.Mkdir("models", 0o777); err != nil {
		t.Fatal(err)
	}
	const how = " --quiet --method 2step --phi gaussian --psi gaussian --features 16 --no-diagnosis"
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o models/number.mediant --distribution --se"+how)...)
	succeed(t, words("fit --xu xu.csv --uy classes.csv -o models/classes.mediant --loss log"+how)...)
}

func colour(i int) string { return []string{"red", "green", "blue"}[i%3] }

// TestServe: responses have the bytes that predict writes, and SIGTERM ends the server with status 0.
func TestServe(t *testing.T) {
	distributed(t)
	s := serving(t, nil, "models")
	body := read(t, "new.csv")
	for _, c := range []struct{ flags, query string }{
		{"number", "number"}, {"number --se --interval .8 --quantiles .1,.5 --draws 2 --seed 4", "number?se=true&interval=.8&quantiles=.1,.5&draws=2&seed=4"},
		{"classes", "classes"}, {"classes --label-only", "classes?label_only=true"},
	} {
		model, flags, _ := strings.Cut(c.flags, " ")
		want := invoke(append([]string{"predict", "models/" + model + ".mediant", "new.csv", "--quiet"}, words(flags)...)...)
		if want.status != statusDone {
			t.Fatal(want.stderr)
		}
		if got := post(t, http.DefaultClient, "http://"+s.address+"/v1/predict/"+c.query, "", body); got != want.stdout {
			t.Errorf("%s: %q, want %q", c.query, got, want.stdout)
		}
		invoke(append([]string{"predict", "models/" + model + ".mediant", "new.csv", "--quiet", "-o", "want.parquet"}, words(flags)...)...)
		if got := post(t, http.DefaultClient, "http://"+s.address+"/v1/predict/"+c.query, "", parquetOf(t)); got != read(t, "want.parquet") {
			t.Errorf("%s: other bytes of Parquet", c.query)
		}
	}
	if log := read(t, s.log); strings.Contains(log, "level=WARN") || !strings.Contains(log, "path=/v1/predict/number status=200") {
		t.Errorf("log %s", log)
	}
	s.end(t)
}

// parquetOf is new.csv as Parquet, as predict --append writes the columns of a table.
func parquetOf(t *testing.T) string {
	t.Helper()
	if got := invoke(words("predict models/number.mediant new.csv --append --quiet -o new.parquet")...); got.status != statusDone {
		t.Fatal(got.stderr)
	}
	return read(t, "new.parquet")
}

// TestServeEndsRequests: a request whose body is half there when SIGTERM comes is answered, and the status is 0; no answer is cut by the half second that other commands have.
func TestServeEndsRequests(t *testing.T) {
	distributed(t)
	s := serving(t, nil, "models")
	body := read(t, "new.csv")
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/predict/number HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:20])
	time.Sleep(100 * time.Millisecond) // for the headers
	s.Process.Signal(syscall.SIGTERM)
	time.Sleep(800 * time.Millisecond)
	fmt.Fprint(conn, body[20:])
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	if want := succeed(t, words("predict models/number.mediant new.csv --quiet")...); string(text) != want {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
	if status := s.status(); status != statusDone {
		t.Errorf("status %d", status)
	}
}

// TestServeReloads: a file that is renamed into place is served.
func TestServeReloads(t *testing.T) {
	distributed(t)
	s := serving(t, nil, "models", "--reload", "10ms")
	url, body := "http://"+s.address+"/v1/predict/number", read(t, "new.csv")
	post(t, http.DefaultClient, url, "", body)
	succeed(t, words("fit --xu xu.csv --uy uy.csv -o models/number.mediant --quiet --phi linear --psi linear --method 2step")...)
	want := succeed(t, words("predict models/number.mediant new.csv --quiet")...)
	for end := time.Now().Add(20 * time.Second); post(t, http.DefaultClient, url, "", body) != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("log %s", read(t, s.log))
		}
	}
	s.end(t)
}

// TestServeToken: from a file or the environment, which the command line and the log never show.
func TestServeToken(t *testing.T) {
	distributed(t)
	write(t, "token", "from-file\n")
	body := read(t, "new.csv")
	for _, c := range []struct {
		token string
		args  []string
	}{{"from-environment", []string{"models"}}, {"from-file", []string{"models", "--token-file", "token"}}} {
		s := serving(t, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, tokenVariable+"=from-environment") }, c.args...)
		post(t, http.DefaultClient, "http://"+s.address+"/v1/predict/number", c.token, body)
		answer, err := http.Post("http://"+s.address+"/v1/predict/number", "text/csv", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 401 || strings.Contains(read(t, s.log), c.token) {
			t.Errorf("without a token %d, log %s", answer.StatusCode, read(t, s.log))
		}
		s.end(t)
	}
}

// TestServeTLS: HTTPS by a certificate, with a warning where other machines can connect.
func TestServeTLS(t *testing.T) {
	distributed(t)
	pool := certificate(t)
	s := serving(t, nil, "models", "--listen", "0.0.0.0:0", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	_, port, _ := net.SplitHostPort(s.address)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	want := succeed(t, words("predict models/number.mediant new.csv --quiet")...)
	if got := post(t, client, "https://127.0.0.1:"+port+"/v1/predict/number", "", read(t, "new.csv")); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if log := read(t, s.log); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "--token-file") {
		t.Errorf("log %s", log)
	}
	client.CloseIdleConnections()
	s.end(t)
}

// certificate writes a certificate of this machine to cert.pem and key.pem.
func certificate(t *testing.T) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, "cert.pem", string(cert))
	write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

// TestServeInherits: a socket that the parent opened, which stays open over a restart.
func TestServeInherits(t *testing.T) {
	distributed(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	url := "http://" + listener.Addr().String() + "/v1/predict/number"
	for range 2 {
		s := serving(t, func(cmd *exec.Cmd) { cmd.ExtraFiles = append(cmd.ExtraFiles, socket) }, "models", "--listen", "fd:4")
		post(t, http.DefaultClient, url, "", read(t, "new.csv"))
		http.DefaultClient.CloseIdleConnections()
		s.end(t)
	}
}

// TestServeRefuses: wrong flags and files, before a port is taken.
func TestServeRefuses(t *testing.T) {
	distributed(t)
	write(t, "empty", "\n")
	write(t, "two words", "a b")
	write(t, "broken.mediant", strings.Repeat("x", 100))
	for _, c := range []struct {
		line   []string
		status int
		want   string
	}{
		{words("serve"), statusUsage, "is missing"}, {words("serve models --workers -1"), statusUsage, "--workers"}, {words("serve models --max-body 1x"), statusUsage, "--max-body"},
		{words("serve models --max-held 1MiB"), statusUsage, "--max-held"}, {words("serve models --timeout 0"), statusUsage, "--timeout"}, {words("serve models --max-rows 0"), statusUsage, "--max-rows"},
		{words("serve models --tls-cert cert.pem"), statusUsage, "--tls-key"}, {words("serve models --tls-cert none --tls-key none"), statusData, "none"}, {words("serve models --log xml"), statusUsage, "--log"},
		{words("serve models --log-level loud"), statusUsage, "--log-level"}, {words("serve models --token-file empty"), statusData, "no token"}, {[]string{"serve", "models", "--token-file", "two words"}, statusData, "has a space"},
		{words("serve models --token-file none"), statusData, "none"}, {words("serve none"), statusData, "none"}, {words("serve broken.mediant"), statusData, "broken.mediant"}, {words("serve models --listen fd:x"), statusUsage, "fd:"},
		{words("serve models --listen fd:1"), statusUsage, "fd:"}, {words("serve models --listen nowhere"), statusData, "--listen"}, {words("serve models --token secret"), statusUsage, "--token"},
	} {
		got := invoke(c.line...)
		last := got.stderr[strings.LastIndex(strings.TrimSuffix(got.stderr, "\n"), "\n")+1:]
		if got.status != c.status || !strings.HasPrefix(last, "mediant: ") || !strings.Contains(last, c.want) {
			t.Errorf("%q: status %d, %q, want %d with %q", c.line, got.status, got.stderr, c.status, c.want)
		}
	}
	if isLocal(&net.TCPAddr{IP: net.IPv4zero}) || !isLocal(&net.TCPAddr{IP: net.IPv6loopback}) {
		t.Error("which addresses are those of this machine alone")
	}
}
