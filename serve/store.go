package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mediant"
	"mediant/internal/literal"
)

// ending is that of the model files of a folder.
const ending = ".mediant"

// digits is how many hexadecimal digits of the SHA-256 of a file are its version.
const digits = 12

// A Load reads a model file: func(r io.Reader) (*mediant.Model, error) { return mediant.Load(r, mlp.Format()) }.
type Load func(r io.Reader) (*mediant.Model, error)

// A Model is one version of a served model. It does not change.
type Model struct {
	*mediant.Model
	Name, Version string
	// Digest is the SHA-256 of the file, in hexadecimal.
	Digest string

	named bool // the version is the name of its file
	card  card
}

// A Store, made by Open, holds the models of files and folders. It is safe for concurrent use.
type Store struct {
	paths []string
	load  Load
	log   *slog.Logger

	refreshing sync.Mutex
	files      map[string]*file  // by path; held by who refreshes
	said       map[string]string // errors that were logged, by path, so that each is once
	now        atomic.Pointer[catalogue]

	loaded, failed, removed atomic.Int64 // files
}

// A file is a model file as it was when it was last read.
type file struct {
	info  fs.FileInfo
	model *Model // nil if it could not be loaded
	place place
}

// A place is where a file stands: the model's name, and its version unless that is the digest.
type place struct{ name, version string }

// A catalogue is the models at one time, by name, the versions of each in ascending order.
type catalogue map[string][]*Model

// Open loads the models of paths. A file is a model of the name of the file without its ending. In a folder, NAME.mediant is a model whose version is the first
// 12 digits of the SHA-256 of the file, and NAME/VERSION.mediant is a version of a model. By default requests get the last version in natural order, or
// NAME.mediant where there is one. Files and folders whose names begin with a dot are passed over. load is
// mediant.Load if it is nil, log may be nil.
//
// The error names a path that is not there, a file among paths that is no model, or two files of one model and version. Files of folders that are no models are
// logged and left out, as Refresh does.
func Open(load Load, log *slog.Logger, paths ...string) (*Store, error) {
	if len(paths) == 0 {
		return nil, errors.New("serve: no model file or folder")
	}
	s := &Store{paths: paths, load: load, log: log, files: map[string]*file{}, said: map[string]string{}}
	if s.load == nil {
		s.load = func(r io.Reader) (*mediant.Model, error) { return mediant.Load(r) }
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	places := make(map[place]string)
	for _, path := range paths {
		found, err := placesOf(path)
		if err != nil {
			return nil, fmt.Errorf("serve: %w", err)
		}
		for of, p := range found {
			if other, twice := places[p]; twice && other != of {
				return nil, fmt.Errorf("serve: %s and %s are both model %q%s", other, of, p.name, p.versionText())
			}
			places[p] = of
			if _, err := s.refreshFile(of, p); err != nil && of == path {
				return nil, fmt.Errorf("serve: %w", err)
			} else if err != nil {
				s.complain(of, err)
			}
		}
	}
	s.publish()
	return s, nil
}

func (p place) versionText() string {
	if p.version == "" {
		return ""
	}
	return fmt.Sprintf(", version %q", p.version)
}

// placesOf lists the model files of a path with their places.
func placesOf(path string) (map[string]place, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return map[string]place{path: {name: strings.TrimSuffix(filepath.Base(path), ending)}}, nil
	}
	found := make(map[string]place)
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		within := filepath.Join(path, e.Name())
		info, err := os.Stat(within) // of what a link leads to
		if err != nil || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !info.IsDir() {
			if name, is := strings.CutSuffix(e.Name(), ending); is && info.Mode().IsRegular() {
				found[within] = place{name: name}
			}
			continue
		}
		versions, err := os.ReadDir(within)
		if err != nil {
			continue
		}
		for _, v := range versions {
			of := filepath.Join(within, v.Name())
			version, is := strings.CutSuffix(v.Name(), ending)
			if info, err := os.Stat(of); err == nil && is && info.Mode().IsRegular() && !strings.HasPrefix(v.Name(), ".") {
				found[of] = place{e.Name(), version}
			}
		}
	}
	return found, nil
}

// refreshFile loads a file unless it is the one that was read before. If it cannot be loaded the model that was there stays.
func (s *Store) refreshFile(path string, at place) (changed bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	was := s.files[path]
	if was != nil && os.SameFile(was.info, info) && was.info.ModTime().Equal(info.ModTime()) && was.info.Size() == info.Size() {
		return false, nil
	}
	own := &file{info: info, place: at}
	if was != nil {
		own.model = was.model
	}
	s.files[path] = own
	sum := sha256.New()
	all := io.TeeReader(f, sum)
	m, err := s.load(all)
	if err == nil {
		_, err = io.Copy(io.Discard, all) // what the loader left
	}
	if err != nil {
		s.failed.Add(1)
		return false, fmt.Errorf("%s: %w", path, err)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	own.model = &Model{Model: m, Name: at.name, Version: cmp.Or(at.version, digest[:digits]), named: at.version != "", Digest: digest}
	s.loaded.Add(1)
	return true, nil
}

// Refresh loads files that are new or were replaced, and forgets models whose files are gone. A file is loaded before it takes the place of another, and
// requests under way keep the model that they began with. The old model stays where a file cannot be loaded, which is logged once; so are models that come and go.
func (s *Store) Refresh() {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	there := make(map[string]bool)
	for _, path := range s.paths {
		found, err := placesOf(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder that cannot be read now
			s.complain(path, err)
			for of := range s.files {
				there[of] = there[of] || of == path || strings.HasPrefix(of, path+string(filepath.Separator))
			}
		}
		for of, p := range found {
			there[of] = true
			changed, err := s.refreshFile(of, p)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				there[of] = false
			case err != nil:
				s.complain(of, err)
			case changed:
				delete(s.said, of)
				s.log.Info("model loaded", "file", of, "model", p.name, "version", s.files[of].model.Version)
			}
		}
	}
	for of, f := range s.files {
		if there[of] {
			continue
		}
		delete(s.files, of)
		if f.model != nil {
			s.removed.Add(1)
			s.log.Info("model removed", "file", of, "model", f.model.Name, "version", f.model.Version)
		}
	}
	s.publish()
}

// complain logs why there is no new model of a path, unless that is known.
func (s *Store) complain(path string, err error) {
	if s.said[path] != err.Error() {
		s.log.Error("model not loaded", "path", path, "error", err)
	}
	s.said[path] = err.Error()
}

// publish makes the models of all files those of requests from now on.
func (s *Store) publish() {
	c := make(catalogue)
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if m := s.files[path].model; m != nil && c.version(m.Name, m.Version) == nil {
			c[m.Name] = append(c[m.Name], m)
		}
	}
	for _, versions := range c {
		slices.SortStableFunc(versions, func(a, b *Model) int { return compareVersions(a, b) })
	}
	s.now.Store(&c)
}

// Watch calls Refresh at intervals until ctx ends.
func (s *Store) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Refresh()
		}
	}
}

// compareVersions is the natural order of names; a file without one, which stands for the model as such, is last.
func compareVersions(a, b *Model) int {
	switch {
	case a.named && b.named:
		return literal.NaturalCompare(a.Version, b.Version)
	case a.named:
		return -1
	case b.named:
		return 1
	}
	return 0
}

func (c catalogue) version(name, version string) *Model {
	for _, m := range c[name] {
		if m.Version == version {
			return m
		}
	}
	return nil
}

// Find returns a version of a model, the last one in natural order if version is "". The error says that there is none.
func (s *Store) Find(name, version string) (*Model, error) {
	c := *s.now.Load()
	versions := c[name]
	switch {
	case versions == nil:
		return nil, fmt.Errorf("there is no model %q", name)
	case version == "":
		return versions[len(versions)-1], nil
	}
	if m := c.version(name, version); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("model %q has no version %q", name, version)
}

// Names are those of the models, sorted.
func (s *Store) Names() []string { return slices.Sorted(maps.Keys(*s.now.Load())) }

// Versions are those of a model, the one that requests get by default last.
func (s *Store) Versions(name string) []string {
	var all []string
	for _, m := range (*s.now.Load())[name] {
		all = append(all, m.Version)
	}
	return all
}
