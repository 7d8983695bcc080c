package mediant

import (
	"context"

	"mediant/internal/progress"
)

// WithProgress returns a context in which work of this module's packages is reported to f: the stage in plain words ("choosing features of X"), and how much of
// its total is done, in units of the stage such as rows, bytes or candidates. A total of 0 is unknown. A stage that has ended may not be reported as done; stages follow no fixed order, and
// their names may change. f is called from any goroutine, from several at a time and often, and must return soon. Results do not depend on it.
func WithProgress(ctx context.Context, f func(stage string, done, total int64)) context.Context {
	return progress.With(ctx, f)
}
