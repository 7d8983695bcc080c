// Package progress tells a caller how far work has come, by a function in the context of the work. Of nested work the outermost that counts is reported, so that
// the passes over rows within one candidate of a search do not hide how many candidates there are.
package progress

import "context"

// A Func receives a stage of the work in plain words, and how much of the total is done, in units of the stage; a total of 0 is unknown. It is called from any goroutine, from several
// at a time, and often.
type Func func(stage string, done, total int64)

type key struct{}

// A listener is the value in a context.
type listener struct {
	report Func
	stage  string // of passes over rows, "" if none has a name
}

var silent = &listener{}

// With returns a context whose work is reported to f.
func With(ctx context.Context, f Func) context.Context {
	return context.WithValue(ctx, key{}, &listener{report: f})
}

func of(ctx context.Context) *listener {
	if l, ok := ctx.Value(key{}).(*listener); ok {
		return l
	}
	return silent
}

// Report reports.
func Report(ctx context.Context, stage string, done, total int64) {
	if l := of(ctx); l.report != nil {
		l.report(stage, done, total)
	}
}

// Step reports a stage that counts, and returns a context for the step that begins, within which nothing is reported.
func Step(ctx context.Context, stage string, done, total int) context.Context {
	l := of(ctx)
	if l.report == nil {
		return ctx
	}
	l.report(stage, int64(done), int64(total))
	return context.WithValue(ctx, key{}, silent)
}

// Stage returns a context in which passes over rows are reported as this stage.
func Stage(ctx context.Context, stage string) context.Context {
	l := of(ctx)
	if l.report == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, &listener{l.report, stage})
}

// Pass returns what a pass over rows reports to, and a context for what it reads from, within which nothing is reported. A pass that is in no stage reports nothing.
func Pass(ctx context.Context) (report func(done, total int), within context.Context) {
	l := of(ctx)
	if l.report == nil || l.stage == "" {
		return func(int, int) {}, ctx
	}
	return func(done, total int) { l.report(l.stage, int64(done), int64(total)) }, context.WithValue(ctx, key{}, silent)
}
