// Package outfile writes files all or nothing, and finds out beforehand whether it could.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mediant/internal/unfinished"
)

// Write replaces the file of this name by what write writes, all or nothing: it goes to a
// temporary file in the same directory, which is synced and renamed at the end, and removed after
// an error. A file that was there keeps its permissions. A symbolic link stays one, and its target is written,
// whether it is there yet or not. What is not a regular file (/dev/stdout, a named pipe) cannot be replaced and is
// written to directly.
func Write(path string, write func(io.Writer) error) error {
	path, info, err := resolve(path)
	if err != nil {
		return fmt.Errorf("outfile: write: %w", err)
	}
	if info != nil && info.IsDir() {
		return isFolder(path)
	}
	if info != nil && !info.Mode().IsRegular() {
		return writeDirectly(path, write)
	}
	return replaceFile(path, info, write)
}

// Try finds out, before there is something to write, whether Write could write a file of this name: the
// error is the one that it would return. What is there stays as it is.
func Try(path string) error {
	path, info, err := resolve(path)
	if err != nil {
		return fmt.Errorf("outfile: write: %w", err)
	}
	switch {
	case info == nil:
	case info.IsDir():
		return isFolder(path)
	case info.Mode()&fs.ModeNamedPipe != 0: // whoever reads it would take a trial for the end
		err = mayWrite(path)
	case !info.Mode().IsRegular():
		return writeDirectly(path, func(w io.Writer) error {
			if _, err := w.Write(nil); err != nil {
				return fmt.Errorf("outfile: write: %w", err)
			}
			return nil
		})
	default:
		err = mayReplace(path)
	}
	if err == nil && (info == nil || info.Mode().IsRegular()) {
		err = tryTemp(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("outfile: write %s: %w", path, err)
	}
	return nil
}

// TryFolder is Try for files of these names in a folder, which is made if need be, and removed again.
func TryFolder(dir string, names ...string) error {
	var made []string
	defer func() {
		for i := range made {
			os.Remove(made[len(made)-1-i])
		}
	}()
	for _, d := range missing(filepath.Clean(dir)) {
		if err := os.Mkdir(d, 0o777); err != nil {
			return fmt.Errorf("outfile: write: %w", err)
		}
		made = append(made, d)
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("outfile: write: %w", err)
	case !info.IsDir():
		return fmt.Errorf("outfile: write %s: is a file, want a directory", dir)
	}
	if err := tryTemp(dir); err != nil {
		return fmt.Errorf("outfile: write %s: %w", dir, err)
	}
	for _, name := range names {
		if err := Try(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// missing lists a folder and those above it that are not there, from the top.
func missing(dir string) []string {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
		return nil
	}
	return append(missing(filepath.Dir(dir)), dir)
}

func isFolder(path string) error {
	return fmt.Errorf("outfile: write %s: is a directory, want a file", path)
}

// maxLinks is a bound on symbolic links in a row, as systems have one.
const maxLinks = 40

// resolve follows symbolic links, also those to what is not there yet; info is nil if there is no such file yet.
func resolve(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		path, err = dangling(path)
		return path, nil, err
	}
	if err != nil {
		return path, nil, err
	}
	if !info.Mode().IsRegular() {
		return path, info, nil // such as /dev/stdout on a pipe, which has no name
	}
	target, err := filepath.EvalSymlinks(path)
	return target, info, err
}

// dangling returns where a file that is not there would come into being.
func dangling(path string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link: the end of the chain
		}
		if filepath.IsAbs(target) {
			path = target
			continue
		}
		dir, _ := filepath.Split(path)
		if dir, err = filepath.EvalSymlinks(dir + "."); err != nil { // since ".." of the target starts from there
			return path, err
		}
		path = dir + string(filepath.Separator) + target
	}
	return path, fmt.Errorf("%s: too many symbolic links", path)
}

func writeDirectly(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("outfile: write: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func replaceFile(path string, old fs.FileInfo, write func(io.Writer) error) (err error) {
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("outfile: write %s: %w", path, err)
	}
	done := false
	defer func() { // runs if write panics, too
		if !done {
			f.Close()
			unfinished.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = unfinished.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("outfile: write %s: %w", path, err)
	}
	done = true
	return nil
}

// tryTemp makes a temporary file, writes a byte, which a full disk refuses, and removes the file.
func tryTemp(dir string) error {
	f, err := createTemp(dir)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte{'\n'})
	return errors.Join(err, f.Close(), unfinished.Remove(f.Name()))
}

// temporaryName is that of a file that is being written.
const temporaryName = ".mediant-%d.tmp"

// IsTemporary reports whether a file without its folder has a name that Write gives to one that is not finished, which a program that is killed leaves behind.
func IsTemporary(name string) bool {
	var i int
	_, err := fmt.Sscanf(name, temporaryName, &i)
	return err == nil && name == fmt.Sprintf(temporaryName, i)
}

// maxTemps is a bound on temporary files that other processes may have in a directory.
const maxTemps = 1000

// createTemp is os.CreateTemp, but with the permissions of an ordinary new file.
func createTemp(dir string) (*os.File, error) {
	f, err := unfinished.Create(func() (*os.File, error) {
		for i := 0; ; i++ {
			name := filepath.Join(dir, fmt.Sprintf(temporaryName, i))
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if !errors.Is(err, fs.ErrExist) || i == maxTemps {
				return f, err
			}
		}
	})
	var failed *fs.PathError
	if errors.As(err, &failed) { // of whose temporary name nobody knows
		err = &fs.PathError{Op: "create a file in", Path: dir, Err: failed.Err}
	}
	return f, err
}
