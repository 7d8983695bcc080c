// Package checkpoint keeps the state of passes over rows in a folder, so that work that was killed goes on where it was. Work finds the folder in its context:
// it is of a program, and nothing between the program and a pass has to know of it.
package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mediant/internal/frame"
	"mediant/internal/outfile"
)

// A Setting is something that a run depends on, such as a flag or a file.
type Setting struct{ Name, Value string }

// A Folder, made by Open, has the state of one run. The methods of a nil Folder keep nothing. It is safe for concurrent use.
type Folder struct {
	dir   string
	every time.Duration
	mu    sync.Mutex
	begun map[string]int // passes of each key
}

// runFile says of which run a folder is, and is the last file to go.
const (
	runFile   = "run.json"
	stateFile = "state-"
)

// Open opens or makes a folder for a run that the settings name, in which the state of a pass is written every so often. It is an error if the folder is of a run with
// other settings, has other files, or cannot be written.
func Open(dir string, run []Setting, every time.Duration) (*Folder, error) {
	if err := outfile.TryFolder(dir); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	f := &Folder{dir: dir, every: every, begun: make(map[string]int)}
	text, err := os.ReadFile(f.path(runFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, f.begin(run)
	case err != nil:
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	var before []Setting
	if err := json.Unmarshal(text, &before); err != nil {
		return nil, fmt.Errorf("checkpoint: %s is damaged: remove the folder to start again: %w", f.path(runFile), err)
	}
	if err := same(before, run); err != nil {
		return nil, fmt.Errorf("checkpoint: %s is of another run: %w: remove the folder, or name another one", dir, err)
	}
	return f, f.removeUnfinished()
}

// begin writes of which run the folder is.
func (f *Folder) begin(run []Setting) error {
	if err := f.removeUnfinished(); err != nil {
		return err
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("checkpoint: %s has other files, such as %s: name a folder that is new or empty", f.dir, entries[0].Name())
	}
	text, err := json.MarshalIndent(run, "", " ")
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return f.write(runFile, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// same returns an error that names the first setting that is not the same.
func same(before, now []Setting) error {
	values := make(map[string]string)
	for _, s := range before {
		values[s.Name] = s.Value
	}
	for _, s := range now {
		was, known := values[s.Name]
		if !known {
			return fmt.Errorf("it has no %s, which here is %q", s.Name, s.Value)
		}
		if was != s.Value {
			return fmt.Errorf("%s is %q there and %q here", s.Name, was, s.Value)
		}
		delete(values, s.Name)
	}
	for _, s := range before {
		if was, left := values[s.Name]; left {
			return fmt.Errorf("%s is %q there and unset here", s.Name, was)
		}
	}
	return nil
}

// removeUnfinished removes what a killed run was writing.
func (f *Folder) removeUnfinished() error {
	return f.remove(outfile.IsTemporary)
}

// remove removes the files of some names.
func (f *Folder) remove(which func(name string) bool) error {
	entries, err := os.ReadDir(f.dir)
	for _, e := range entries {
		if which(e.Name()) {
			err = errors.Join(err, os.Remove(f.path(e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *Folder) write(name string, write func(io.Writer) error) error {
	if err := outfile.Write(f.path(name), write); err != nil {
		return fmt.Errorf("checkpoint: %w; what was saved before is still there", err)
	}
	return nil
}

// Remove empties the folder, once the run is done.
func (f *Folder) Remove() error {
	if err := f.remove(func(name string) bool { return strings.HasPrefix(name, stateFile) }); err != nil {
		return err
	}
	return f.remove(func(name string) bool { return name == runFile })
}

// Leave ends a run that failed. A folder without a state is emptied, so that the run can be tried again with other settings.
func (f *Folder) Leave() {
	entries, err := os.ReadDir(f.dir)
	if err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), stateFile) }) {
		f.Remove()
	}
}

type key struct{}

// With returns a context whose passes keep their state in the folder; nil: they keep none.
func With(ctx context.Context, f *Folder) context.Context { return context.WithValue(ctx, key{}, f) }

// Of returns the folder of a context; nil if there is none.
func Of(ctx context.Context) *Folder {
	f, _ := ctx.Value(key{}).(*Folder)
	return f
}

// A Pass is one pass over rows, or other work that has a state. The methods of a nil Pass do nothing.
type Pass struct {
	folder       *Folder
	name         string
	begun, saved time.Time
}

// Pass begins a pass that computes what a text says. A run that is repeated begins the passes of a text in the same order, and so finds the state of each.
func (f *Folder) Pass(what string) *Pass {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun[what]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", what, f.begun[what]))
	now := time.Now()
	return &Pass{f, fmt.Sprintf("%s%x", stateFile, sum[:12]), now, now}
}

// magic is how a file of a state begins.
const magic = "MDTSTAT1"

// Resume reads the state that was saved last, if there is one. The error is read's, or says that the file is damaged.
func (p *Pass) Resume(read func(io.Reader) error) (found bool, err error) {
	if p == nil {
		return false, nil
	}
	file, err := os.Open(p.folder.path(p.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	defer file.Close()
	in := frame.NewReader(file)
	if head := in.Bytes(len(magic)); in.Err() == nil && string(head) != magic {
		err = errors.New("it is not one, or of another version")
	}
	if err == nil && in.Err() == nil {
		err = read(in)
	}
	if err == nil {
		err = in.End()
	}
	if err != nil {
		return false, fmt.Errorf("checkpoint: %s is no state of a pass: remove the folder to start again: %w", file.Name(), err)
	}
	return true, nil
}

// Due reports whether the state is to be saved again.
func (p *Pass) Due() bool { return p != nil && time.Since(p.saved) >= p.folder.every }

// Long reports whether the pass has taken so long that its result is worth saving: a tenth of the time between two states.
func (p *Pass) Long() bool { return p != nil && time.Since(p.begun) >= p.folder.every/10 }

// Save replaces the state, all or nothing.
func (p *Pass) Save(write func(io.Writer) error) error {
	if p == nil {
		return nil
	}
	p.saved = time.Now()
	return p.folder.write(p.name, func(w io.Writer) error {
		out := frame.NewWriter(w)
		out.Bytes([]byte(magic))
		if err := write(out); err != nil {
			return err
		}
		_, err := out.End()
		return err
	})
}

// Result returns what work returns, or what it returned in a run before, which is kept as JSON. Passes within work keep no state of their own.
func Result[T any](ctx context.Context, what string, work func(ctx context.Context) (T, error)) (T, error) {
	pass := Of(ctx).Pass(what)
	if pass == nil {
		return work(ctx)
	}
	var result T
	found, err := pass.Resume(func(r io.Reader) error {
		in := frame.NewReader(r)
		text := in.Bytes(int(in.Number()))
		if err := in.End(); err != nil {
			return err
		}
		return json.Unmarshal(text, &result)
	})
	if found || err != nil {
		return result, err
	}
	if result, err = work(With(ctx, nil)); err != nil {
		return result, err
	}
	return result, pass.Save(func(w io.Writer) error {
		text, err := json.Marshal(result)
		if err != nil {
			return err
		}
		out := frame.NewWriter(w)
		out.Number(uint64(len(text)))
		out.Bytes(text)
		_, err = out.End()
		return err
	})
}
