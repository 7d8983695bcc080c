package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
)

// An httpError is an error with the status that a client gets.
type httpError struct {
	status int
	error
}

func (e httpError) Unwrap() error { return e.error }

func refuse(status int, format string, args ...any) error {
	return httpError{status, fmt.Errorf(format, args...)}
}

// badRequest is refuse with the status of what the client should have sent otherwise.
func badRequest(format string, args ...any) error {
	return refuse(http.StatusBadRequest, format, args...)
}

// errBusy is a request that the server has no room for now.
var errBusy = refuse(http.StatusServiceUnavailable, "the server is busy: try again")

// A memory is what all requests may hold at a time, in bytes.
type memory struct {
	limit int64
	held  atomic.Int64
}

// A share is what one request holds of a memory.
type share struct {
	of   *memory
	held int64
}

// take takes n bytes more; release gives them back with all others.
func (s *share) take(n int64) error {
	if n > s.of.limit-s.held {
		return refuse(http.StatusRequestEntityTooLarge, "the request and its answer take more than the %d bytes that the server has for them: send fewer rows at a time", s.of.limit)
	}
	if s.of.held.Add(n) > s.of.limit {
		s.of.held.Add(-n)
		return errBusy
	}
	s.held += n
	return nil
}

func (s *share) release() {
	s.of.held.Add(-s.held)
	s.held = 0
}

// bodyChunk is how a body grows in memory.
const bodyChunk = 64 << 10

// readBody reads a body of at most most bytes into memory of s, as it arrives.
func readBody(w http.ResponseWriter, r *http.Request, most int64, s *share) ([]byte, error) {
	if r.ContentLength > most {
		return nil, tooLong(most)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, refuse(http.StatusUnsupportedMediaType, "the body has the encoding %q: send it as it is", coding)
	}
	var body []byte
	in := http.MaxBytesReader(w, r.Body, most)
	for {
		if len(body) == cap(body) {
			more := max(bodyChunk, cap(body))
			if r.ContentLength > 0 { // no more than there is, and no more at once than has come
				more = min(more, int(r.ContentLength)+1-len(body))
			}
			if err := s.take(int64(more)); err != nil {
				return nil, err
			}
			grown := make([]byte, len(body), len(body)+max(more, 1))
			copy(grown, body)
			body = grown
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var long *http.MaxBytesError
		switch {
		case err == io.EOF:
			return body, nil
		case errors.As(err, &long):
			return nil, tooLong(most)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, refuse(http.StatusRequestTimeout, "the body did not arrive in time: %d bytes came", len(body))
		case err != nil:
			return nil, badRequest("the body broke off after %d bytes", len(body))
		}
	}
}

func tooLong(most int64) error {
	return refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes, the limit", most)
}

// A gate lets so many through at a time.
type gate chan struct{}

// enter waits for a place until ctx ends.
func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errBusy
	}
}

func (g gate) leave() { <-g }
