package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"mediant/internal/unfinished"
)

// grace is how long a command may take to end by itself after a signal. Few need it; what cannot look up from its work,
// such as a read that waits for a terminal, is ended then.
const grace = 500 * time.Millisecond

// patience is how much longer than grace a command may take after a signal, as it said by waitAfterSignal.
var patience atomic.Int64

// waitAfterSignal lets a command that ends by itself, as a server does once its requests are answered, have more time for it.
func waitAfterSignal(d time.Duration) { patience.Store(int64(d)) }

// An interruption is a signal that asks the program to end, as the cause of its context.
type interruption struct{ syscall.Signal }

func (interruption) Error() string { return "interrupted" }

// status is what shells make of a program that a signal ended.
func (i interruption) status() int { return 128 + int(i.Signal) }

// interruptible returns the status of run, whose context SIGINT (Ctrl-C), SIGTERM and SIGHUP cancel. If run has not
// ended after grace, or at a second signal, unfinished files are removed and run is left alone, for the caller to exit.
func interruptible(stderr io.Writer, run func(context.Context) int) int {
	signals := make(chan os.Signal, 2)
	defer signal.Stop(signals)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// A pipe that nobody reads is an error of the write to it, not the end of the program there and then.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan int, 1)
	go func() { done <- run(ctx) }()
	var why interruption
	select {
	case status := <-done:
		return status
	case s := <-signals:
		why.Signal, _ = s.(syscall.Signal)
		cancel(why)
	}
	select {
	case status := <-done:
		return status
	case <-signals:
	case <-time.After(grace + time.Duration(patience.Load())):
	}
	unfinished.Abandon()
	fmt.Fprintln(stderr, "mediant: "+why.Error())
	return why.status()
}
