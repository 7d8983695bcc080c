package serve

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"
)

// Options are the limits and the access of a Handler. The zero value is the default of each.
type Options struct {
	// MaxBody is the largest body of a request in bytes; 0 is 32 MiB.
	MaxBody int64
	// MaxRows is the most rows of a request; 0 is 100,000.
	MaxRows int
	// Memory bounds the bytes of all bodies and answers that are held at a time; 0 is 256 MiB. What one prediction needs beside them comes on top, at most ten
	// times its body and some 100 MB, for each of Workers.
	Memory int64
	// Workers is the number of predictions at a time, each of which may use all processors; others wait. 0 is the number of processors.
	Workers int
	// MaxRequests is the number of requests at a time, those included that wait or send slowly; more are refused. 0 is 1,024.
	MaxRequests int
	// Timeout is the time from the headers of a request to its answer, and again for sending that; 0 is one minute.
	Timeout time.Duration
	// Token is what clients must send as "Authorization: Bearer TOKEN", but for health and for the page itself, which has no data. "" lets everyone in.
	Token string
	// Hosts are the names, without port, that requests may be addressed to; nil allows all. A server for this machine alone has those of it here, so that a page of another
	// site whose name leads to this machine cannot read answers.
	Hosts []string
	// Version is that of the program, for the metadata of the server.
	Version string
	// Log gets a record for each request; nil is none.
	Log *slog.Logger
}

// Validate returns an error that names a field out of range.
func (o Options) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{{"MaxBody", o.MaxBody}, {"MaxRows", int64(o.MaxRows)}, {"Memory", o.Memory}, {"Workers", int64(o.Workers)}, {"MaxRequests", int64(o.MaxRequests)}, {"Timeout", int64(o.Timeout)}} {
		if f.value < 0 {
			return fmt.Errorf("serve: Options.%s is %d, must be at least 0", f.name, f.value)
		}
	}
	if o = o.withDefaults(); o.Memory < o.MaxBody {
		return fmt.Errorf("serve: Options.Memory is %d, must hold a body of Options.MaxBody, %d bytes", o.Memory, o.MaxBody)
	}
	for _, c := range []byte(o.Token) {
		if c <= ' ' || c > '~' {
			return fmt.Errorf("serve: Options.Token has a space or a character beyond ASCII, which no header can carry")
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	orElse(&o.MaxBody, 32<<20)
	orElse(&o.MaxRows, 100_000)
	orElse(&o.Memory, 256<<20)
	orElse(&o.Workers, runtime.GOMAXPROCS(0))
	orElse(&o.MaxRequests, 1024)
	orElse(&o.Timeout, time.Minute)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func orElse[T comparable](value *T, other T) {
	var zero T
	if *value == zero {
		*value = other
	}
}
