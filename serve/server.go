package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server says how Serve waits. The zero value is the default of each.
type Server struct {
	// TLS, if not nil, has the certificate of the server.
	TLS *tls.Config
	// Drain is how long connections are still taken after ctx ends, while each answer ends its connection, so that clients that keep connections notice; 0 is half a second.
	Drain time.Duration
	// Shutdown is how long requests under way may take after that; 0 is half a minute.
	Shutdown time.Duration

	headerTime time.Duration // for the headers of a request; tests shorten it
}

const (
	// ticks are the parts of Server.Drain, each of which begins anew where the machine has no time for this process, in which it takes no requests either.
	ticks       = 20
	idleTime    = 2 * time.Minute // of a connection between two requests
	mostHeaders = 64 << 10        // bytes
)

// Serve answers requests of a listener, which it closes, until ctx ends, and then all that have arrived by then. The error is one of the listener, or that
// requests did not end in time.
//
// http.Server.Shutdown is not enough for that: it drops requests of connections that were accepted just before.
func (s Server) Serve(ctx context.Context, listener net.Listener, h *Handler) error {
	orElse(&s.Drain, 500*time.Millisecond)
	orElse(&s.headerTime, 10*time.Second)
	orElse(&s.Shutdown, 30*time.Second)
	var open connections
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: s.headerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeaders, TLSConfig: s.TLS, ConnState: open.note,
		ErrorLog: slog.NewLogLogger(h.opt.Log.Handler(), slog.LevelWarn),
	}
	defer server.Close()
	failed := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			failed <- server.ServeTLS(listener, "", "")
		} else {
			failed <- server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	h.Leave()
	for range ticks {
		select {
		case err := <-failed:
			return err
		case <-time.After(s.Drain / ticks):
		}
	}
	listener.Close()
	end := time.Now().Add(s.Shutdown)
	for tick := 0; ; tick++ {
		fresh, active := open.count()
		switch {
		case active == 0 && (fresh == 0 || tick >= ticks): // one from which nothing comes is none to wait for
			return nil
		case time.Now().After(end):
			return errors.New("serve: requests did not end in time, and were broken off")
		}
		time.Sleep(s.Drain / ticks)
	}
}

// connections are those that are open, with their states.
type connections struct {
	mu    sync.Mutex
	state map[net.Conn]http.ConnState
}

// note is for http.Server.ConnState.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == nil {
		c.state = make(map[net.Conn]http.ConnState)
	}
	if state == http.StateClosed || state == http.StateHijacked {
		delete(c.state, conn)
		return
	}
	c.state[conn] = state
}

// count counts the connections from which nothing has come yet, and those with a request.
func (c *connections) count() (fresh, active int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, state := range c.state {
		switch state {
		case http.StateNew:
			fresh++
		case http.StateActive:
			active++
		}
	}
	return fresh, active
}
