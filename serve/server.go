package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server says how Serve waits. The zero value is the default of each.
type Server struct {
	// TLS, if not nil, has the certificate of the server.
	TLS *tls.Config
	// Drain is how long requests are still taken after ctx ends, while each answer ends its connection, so that clients that keep connections notice; 0 is half a second.
	Drain time.Duration
	// Shutdown is how long requests under way may take after that; 0 is half a minute.
	Shutdown time.Duration

	headerTime time.Duration // for the headers of a request; tests shorten it
}

const (
	idleTime    = 2 * time.Minute // of a connection between two requests
	mostHeaders = 64 << 10        // bytes
)

// Serve answers requests of a listener, which it closes, until ctx ends, and then ends those that have arrived. The error is one of the listener, or that
// requests did not end in time.
func (s Server) Serve(ctx context.Context, listener net.Listener, h *Handler) error {
	orElse(&s.Drain, 500*time.Millisecond)
	orElse(&s.headerTime, 10*time.Second)
	orElse(&s.Shutdown, 30*time.Second)
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: s.headerTime, IdleTimeout: idleTime, MaxHeaderBytes: mostHeaders, TLSConfig: s.TLS,
		ErrorLog: slog.NewLogLogger(h.opt.Log.Handler(), slog.LevelWarn),
	}
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
	select {
	case err := <-failed:
		return err
	case <-time.After(s.Drain):
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Shutdown)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		server.Close()
		return errors.New("serve: requests did not end in time, and were broken off")
	}
	return nil
}
