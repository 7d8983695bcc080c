package columnar

import (
	"context"
	"errors"
	"fmt"

	"mediant/internal/input"
)

// Located puts format and file in front of an error, unless a context ended the pass, and makes one of a panic of a format's library, which a damaged file
// causes. It is deferred itself, around calls of the library alone.
func Located(format, name string, err *error) {
	if v := recover(); v != nil {
		if full, ok := v.(error); ok && errors.Is(full, input.ErrRoom) {
			*err = full
		} else {
			*err = fmt.Errorf("the file is damaged: %v", v)
		}
	}
	if *err != nil && !errors.Is(*err, context.Canceled) && !errors.Is(*err, context.DeadlineExceeded) {
		*err = fmt.Errorf("%s: %s: %w", format, name, *err)
	}
}
