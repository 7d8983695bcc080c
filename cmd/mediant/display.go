package main

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mediant/internal/progress"
)

// Times of the display; tests shorten them.
var (
	displayAfter = 500 * time.Millisecond // commands that end before show nothing
	displayEvery = 100 * time.Millisecond
	displayOther = 300 * time.Millisecond // silence after which other work, perhaps beside it, takes the place of some that has not ended
)

// A display shows the stage of the work on the last line of a terminal, which is cleared before anything else is written there. It is the writer of standard error. It
// has no colours.
type display struct {
	to    *os.File
	begun time.Time

	mu      sync.Mutex
	work    reported                 // what is shown
	next    *reported                // other work that has reported, nil for none
	at      time.Time                // of the last report of what is shown
	bar     *progressbar.ProgressBar // of the work
	line    string                   // what is on the line of it, "" for nothing
	partial bool                     // something else is on the line, which goes on
	ended   bool
	stop    chan struct{} // of the goroutine that draws, nil before it runs
}

// A reported is what package progress reports.
type reported struct {
	stage       string
	done, total int64
}

// goesOn reports that r comes after another report of the same work.
func (r reported) goesOn(after reported) bool {
	return r.stage == after.stage && r.total == after.total && r.done >= after.done
}

// streams returns writers for standard output and error. If the latter is a terminal that can clear a line, it is a display.
func streams(stdout, stderr *os.File) (out, err io.Writer) {
	if name := os.Getenv("TERM"); name == "" || name == "dumb" || !term.IsTerminal(int(stderr.Fd())) {
		return stdout, stderr
	}
	d := &display{to: stderr, begun: time.Now()}
	if term.IsTerminal(int(stdout.Fd())) {
		return besideDisplay{stdout, d}, d
	}
	return stdout, d
}

// Write writes to standard error, on a line without a bar.
func (d *display) Write(p []byte) (int, error) { return d.writeTo(d.to, p) }

// besideDisplay is standard output on the terminal of a display.
type besideDisplay struct {
	to io.Writer
	d  *display
}

func (w besideDisplay) Write(p []byte) (int, error) { return w.d.writeTo(w.to, p) }

// writeTo writes on a line without a bar. None is shown until the line ends.
func (d *display) writeTo(w io.Writer, p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(p) > 0 {
		d.clear()
		d.partial = p[len(p)-1] != '\n'
	}
	return w.Write(p)
}

// showProgress has a command report to the display, if standard error is one and no flag says to be quiet.
func showProgress(cmd *cobra.Command, stderr io.Writer) {
	d, ok := stderr.(*display)
	if quiet := cmd.Flags().Lookup("quiet"); !ok || quiet != nil && quiet.Value.String() == "true" {
		return
	}
	d.stop = make(chan struct{})
	go d.draw()
	cmd.SetContext(progress.With(cmd.Context(), d.report))
}

// end clears the line of a display, if w is one; nothing is shown any more.
func end(w io.Writer) {
	d, ok := w.(*display)
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clear()
	if !d.ended && d.stop != nil {
		close(d.stop)
	}
	d.ended = true
}

// report takes what package progress reports.
func (d *display) report(stage string, done, total int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := reported{stage, done, total}
	if r.goesOn(d.work) || d.work.done >= d.work.total {
		d.take(r)
	} else {
		d.next = &r
		d.takeNext()
	}
}

// takeNext turns to other work if the one that is shown is silent.
func (d *display) takeNext() {
	if d.next != nil && time.Since(d.at) >= displayOther {
		d.take(*d.next)
	}
}

// take shows a report from now on.
func (d *display) take(r reported) {
	if !r.goesOn(d.work) || d.bar == nil {
		d.newBar(r.total)
		d.work.done = 0
	}
	if r.done > d.work.done && r.total > 0 { // only then, so that the rate of slow steps is not 0 between them
		d.bar.Set64(min(r.done, r.total))
	}
	d.work, d.next, d.at = r, nil, time.Now()
}

// draw shows the last report again and again.
func (d *display) draw() {
	ticker := time.NewTicker(displayEvery)
	defer ticker.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-ticker.C:
		}
		d.mu.Lock()
		d.takeNext()
		if !d.ended && !d.partial && d.bar != nil && time.Since(d.begun) >= displayAfter {
			d.show()
		}
		d.mu.Unlock()
	}
}

// countedSteps is the largest total whose count is shown beside its share.
const countedSteps = 1000

// newBar begins the bar of some work, so that its time runs.
func (d *display) newBar(total int64) {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(barWidth), progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(true), progressbar.OptionSetSpinnerChangeInterval(0),
	}
	if total <= 0 {
		total = -1 // as the library has what is unknown
	} else if total <= countedSteps {
		options = append(options, progressbar.OptionShowCount())
	}
	d.bar = progressbar.NewOptions64(total, options...)
	d.bar.StartWithoutRender()
}

const barWidth = 20

// show draws the bar on the line, cut to the terminal.
func (d *display) show() {
	width, _, err := term.GetSize(int(d.to.Fd()))
	if err != nil || width < 10 {
		width = 80
	}
	d.bar.RenderBlank() // with the time as it is now
	text := strings.Trim(d.bar.String(), "\r ")
	if d.work.done == 0 { // no time left is known
		text = strings.Replace(text, ":0s]", "]", 1)
	}
	stage := oneLine(d.work.stage)
	if room := width - 2 - utf8.RuneCountInString(text); utf8.RuneCountInString(stage) > room && room >= 10 {
		stage = string([]rune(stage)[:room-1]) + "…"
	}
	letters := []rune(stage + " " + text)
	if line := string(letters[:min(len(letters), width-1)]); line != d.line {
		d.to.WriteString("\r" + line + "\x1b[K")
		d.line = line
	}
}

// clear removes the line.
func (d *display) clear() {
	if d.line != "" {
		d.to.WriteString("\r\x1b[K")
		d.line = ""
	}
}
