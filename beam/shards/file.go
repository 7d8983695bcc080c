package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"mediant/internal/outfile"
)

// A File is one that all workers read, such as a plan or a model, by its content: a worker that finds another content at the path refuses it.
type File struct {
	Path   string
	SHA256 string
}

// Pin returns a file with the content that it has now.
func Pin(ctx context.Context, path string) (File, error) {
	raw, err := readAll(ctx, path)
	if err != nil {
		return File{}, err
	}
	return File{path, digest(raw)}, nil
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func readAll(ctx context.Context, path string) ([]byte, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("shards: %w", err)
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("shards: %w", err)
	}
	defer in.Close()
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("shards: %s: %w", path, err)
	}
	return raw, nil
}

// loaded are the files that this process has read, which bundles share. Errors are not kept: a bundle that is run again reads again.
var loaded = struct {
	sync.Mutex
	files map[File]any
}{files: map[File]any{}}

// load returns what parse makes of a file.
func load[T any](ctx context.Context, f File, parse func(raw []byte) (T, error)) (T, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if v, ok := loaded.files[f]; ok {
		return v.(T), nil
	}
	var none T
	raw, err := readAll(ctx, f.Path)
	if err != nil {
		return none, err
	}
	if got := digest(raw); got != f.SHA256 {
		return none, fmt.Errorf("shards: %s: SHA-256 is %s, want %s, as it was when the job was started", f.Path, got, f.SHA256)
	}
	v, err := parse(raw)
	if err != nil {
		return none, fmt.Errorf("shards: %s: %w", f.Path, err)
	}
	loaded.files[f] = v
	return v, nil
}

// isRemote reports a path with a scheme.
func isRemote(path string) bool { return strings.Contains(path, "://") }

// fetch returns the path of a file on this machine, a copy if it is elsewhere, and what removes the copy.
func fetch(ctx context.Context, name string) (local string, remove func(), err error) {
	if !isRemote(name) {
		return name, func() {}, nil
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	out, err := os.CreateTemp("", "*-"+path.Base(name)) // the ending tells a format
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(out.Name()) }
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return out.Name(), remove, nil
}

// create writes a file whole or not at all: on this machine it is renamed when it is complete, elsewhere copied.
func create(ctx context.Context, name string, write func(io.Writer) error) error {
	if !isRemote(name) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		return outfile.Write(name, write)
	}
	whole, err := os.CreateTemp("", "*-"+path.Base(name))
	if err != nil {
		return err
	}
	defer os.Remove(whole.Name())
	defer whole.Close()
	if err := write(whole); err != nil {
		return err
	}
	if _, err := whole.Seek(0, io.SeekStart); err != nil {
		return err
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a writer that is not closed leaves no object
	out, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, whole); err != nil {
		return err
	}
	return out.Close()
}
