package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// A failure is the first panic of the goroutines of a loop.
type failure struct {
	once  sync.Once
	value any
}

// keep is deferred by a goroutine that is not the caller's, where a panic would end the process past any recover.
func (f *failure) keep() {
	value := recover()
	if value == nil {
		return
	}
	f.once.Do(func() {
		if err, ok := value.(runtime.Error); ok {
			value = &fault{err, debug.Stack()}
		}
		f.value = value
	})
}

// rethrow panics if a goroutine did.
func (f *failure) rethrow() {
	if f.value != nil {
		panic(f.value)
	}
}

// A fault is a runtime.Error of another goroutine, which the traceback of the caller's does not show.
type fault struct {
	cause runtime.Error
	stack []byte
}

var _ runtime.Error = (*fault)(nil)

// Error adds the stack to the message.
func (f *fault) Error() string { return fmt.Sprintf("%v, on another goroutine:\n%s", f.cause, f.stack) }

// RuntimeError marks it as a runtime.Error.
func (f *fault) RuntimeError() {}

// Unwrap returns the error as it was raised.
func (f *fault) Unwrap() error { return f.cause }
