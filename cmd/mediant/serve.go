package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/baselines"
	"mediant/mlp"
	"mediant/rr"
	"mediant/serve"
)

// tokenVariable is the environment variable that has the token of clients.
const tokenVariable = "MEDIANT_TOKEN"

// serveFlags are the flags of serve.
type serveFlags struct {
	listen            string
	token             string // a file
	cert, key         string
	body, held        string
	opt               serve.Options
	server            serve.Server
	reload            time.Duration
	logFormat, logMin string
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve DIR|MODEL...",
		Short: "Answer predictions over HTTP",
		Long: `Answer predictions of models over HTTP, by the Open Inference Protocol (version 2, with JSON and
binary tensors), and for tables in CSV, JSON or Parquet, with the numbers that predict writes:

  curl --data-binary @new.csv 'localhost:8080/v1/predict?model=NAME&interval=.9'

A page at / has a slider or list for each column. In a folder, NAME.mediant is a model, and NAME/VERSION.mediant
a version of one. Files that are renamed into place are loaded without a pause: a request keeps the model that it
began with.

Without --listen only programs on this machine reach the server. Clients need a token if --token-file or the
environment variable ` + tokenVariable + ` has one. SIGTERM and SIGINT (Ctrl-C) stop the server once the requests under way are
answered. docs/serving.md has the requests, docs/security.md what protects the server.`,
		Example: `  mediant serve models/
  mediant serve model.mediant --listen :8443 --tls-cert cert.pem --tls-key key.pem --token-file token`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("the folder or model file is missing")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", `address to listen on; port 0 takes a free one, and "fd:3" a socket that the parent opened, as systemd does`)
	flags.StringVar(&f.token, "token-file", "", "file with the token that clients must send as Authorization: Bearer TOKEN (default: that of "+tokenVariable+", if it is set)")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate chain in PEM; with --tls-key the server speaks HTTPS alone")
	flags.StringVar(&f.key, "tls-key", "", "private key of --tls-cert")
	flags.StringSliceVar(&f.opt.Hosts, "host", nil, "names that requests may be addressed to (default: any, but those of this machine where only it can connect)")
	flags.StringVar(&f.body, "max-body", "32MiB", "largest body of a request")
	flags.IntVar(&f.opt.MaxRows, "max-rows", 100_000, "most rows of a request")
	flags.IntVar(&f.opt.MaxRequests, "max-requests", 1024, "most requests at a time; more are refused")
	flags.IntVar(&f.opt.Workers, "workers", 0, "predictions at a time, for which other requests wait (0: one per processor)")
	flags.StringVar(&f.held, "max-held", "256MiB", "most bytes of bodies and answers at a time")
	flags.DurationVar(&f.opt.Timeout, "timeout", time.Minute, "time of a request")
	flags.DurationVar(&f.reload, "reload", time.Second, "how often model files are looked at (0: never)")
	flags.DurationVar(&f.server.Drain, "drain", 500*time.Millisecond, "at the end: how long requests are still taken, so that clients that keep connections notice")
	flags.DurationVar(&f.server.Shutdown, "shutdown", 30*time.Second, "at the end: how long requests under way may take after that")
	flags.StringVar(&f.logFormat, "log", "text", "form of the log on standard error, text or json")
	flags.StringVar(&f.logMin, "log-level", "info", "info has a line for each request, warn and error have fewer")
	return cmd
}

func (f *serveFlags) run(ctx context.Context, paths []string, stderr io.Writer) error {
	log, err := f.log(stderr)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return err
	}
	rr.SetBusyWait(false) // other requests can use the processors between two predictions
	store, err := serve.Open(func(r io.Reader) (*mediant.Model, error) { return mediant.Load(r, mlp.Format(), baselines.Format()) }, log, paths...)
	if err != nil {
		return err
	}
	listener, err := listen(f.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	local := isLocal(listener.Addr())
	if local && f.opt.Hosts == nil {
		f.opt.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	if !local {
		f.warn(log, listener.Addr())
	}
	f.opt.Log, f.opt.Version = log, version
	h, err := serve.New(store, f.opt)
	if err != nil {
		return err
	}
	if f.reload > 0 {
		go store.Watch(ctx, f.reload)
	}
	log.Info("serving", "address", listener.Addr().String(), "models", strings.Join(store.Names(), " "), "tls", f.server.TLS != nil, "token", f.opt.Token != "")
	waitAfterSignal(f.server.Drain + f.server.Shutdown)
	err = f.server.Serve(ctx, listener, h)
	log.Info("stopped")
	return err
}

// check reads what flags name, and refuses those out of range.
func (f *serveFlags) check() (err error) {
	for _, size := range []struct {
		flag, text string
		to         *int64
	}{{"--max-body", f.body, &f.opt.MaxBody}, {"--max-held", f.held, &f.opt.Memory}} {
		if *size.to, err = parseSize(size.flag, size.text); err != nil {
			return err
		}
	}
	for _, d := range []struct {
		flag string
		of   time.Duration
		zero bool
	}{{"--timeout", f.opt.Timeout, false}, {"--reload", f.reload, true}, {"--drain", f.server.Drain, false}, {"--shutdown", f.server.Shutdown, false}} {
		if d.of < 0 || d.of == 0 && !d.zero {
			return usagef("%s is %v, must be a time above 0", d.flag, d.of)
		}
	}
	for _, n := range []struct {
		flag      string
		of, least int
	}{{"--max-rows", f.opt.MaxRows, 1}, {"--max-requests", f.opt.MaxRequests, 1}, {"--workers", f.opt.Workers, 0}} {
		if n.of < n.least {
			return usagef("%s is %d, must be at least %d", n.flag, n.of, n.least)
		}
	}
	if f.opt.Memory < f.opt.MaxBody {
		return usagef("--max-held %s cannot hold a body of --max-body %s", f.held, f.body)
	}
	if (f.cert == "") != (f.key == "") {
		return usagef("--tls-cert and --tls-key go together")
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return err
		}
		f.server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	return f.readToken()
}

// readToken takes the token from its file or the environment; the command line, which others on the machine see, has none.
func (f *serveFlags) readToken() error {
	from := tokenVariable
	text, there := os.LookupEnv(tokenVariable)
	if f.token != "" {
		raw, err := os.ReadFile(f.token)
		if err != nil {
			return err
		}
		from, text, there = f.token, string(raw), true
	}
	f.opt.Token = strings.TrimSpace(text)
	if there && f.opt.Token == "" {
		return fmt.Errorf("%s: there is no token", from)
	}
	if err := f.opt.Validate(); err != nil { // of all that is left
		return fmt.Errorf("%s: the token has a space or a character beyond ASCII", from)
	}
	return nil
}

// log is that of --log and --log-level.
func (f *serveFlags) log(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logMin)); err != nil {
		return nil, usagef("--log-level is %q, must be info, warn or error", f.logMin)
	}
	opt := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, opt)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opt)), nil
	}
	return nil, usagef("--log is %q, must be text or json", f.logFormat)
}

// warn says what others on the network could do.
func (f *serveFlags) warn(log *slog.Logger, at net.Addr) {
	switch {
	case f.opt.Token == "":
		log.Warn("other machines can reach the server, and whoever does can use the models: --token-file", "address", at.String())
	case f.server.TLS == nil:
		log.Warn("other machines can reach the server, and the token and all data are sent as they are: --tls-cert, --tls-key", "address", at.String())
	default:
		log.Warn("other machines can reach the server", "address", at.String())
	}
}

// listen opens an address, or takes a socket that is open.
func listen(address string) (net.Listener, error) {
	number, inherited := strings.CutPrefix(address, "fd:")
	if !inherited {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("--listen: %w", err)
		}
		return listener, nil
	}
	fd, err := strconv.ParseUint(number, 10, 16)
	if err != nil || fd < 3 {
		return nil, usagef("--listen %s: want fd: and the number of an open socket, from 3 on", address)
	}
	file := os.NewFile(uintptr(fd), address)
	if file == nil {
		return nil, fmt.Errorf("--listen %s: there is no such file descriptor", address)
	}
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	return listener, nil
}

// isLocal reports an address that other machines cannot connect to.
func isLocal(a net.Addr) bool {
	at, isTCP := a.(*net.TCPAddr)
	return !isTCP || at.IP.IsLoopback() // such as a socket of Unix
}
