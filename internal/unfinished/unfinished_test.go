package unfinished

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestAbandon: what is unfinished goes, what is finished or removed is left alone, and nothing comes into being after.
func TestAbandon(t *testing.T) {
	defer func() { // for other tests in this process
		clear(names)
		mu.Unlock()
	}()
	dir := t.TempDir()
	create := func(name string) string {
		f, err := Create(func() (*os.File, error) { return os.Create(filepath.Join(dir, name)) })
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		return f.Name()
	}
	create("half")
	if err := Rename(create("whole.tmp"), filepath.Join(dir, "whole")); err != nil {
		t.Fatal(err)
	}
	removed := create("removed")
	if err := Remove(removed); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(removed, nil, 0o600); err != nil { // of another program
		t.Fatal(err)
	}
	if _, err := Create(func() (*os.File, error) { return os.Open(filepath.Join(dir, "nosuch")) }); err == nil {
		t.Error("an error of create is lost")
	}
	late := create("late")
	folder := func(name string) string {
		name, err := CreateFolder(func() (string, error) { return filepath.Join(dir, name), os.Mkdir(filepath.Join(dir, name), 0o700) })
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, "f"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	folder("folder")
	gone := folder("gone")
	if err := RemoveFolder(gone); err != nil || names[gone] {
		t.Errorf("removed folder: %v, still kept account of: %v", err, names[gone])
	}
	if err := os.Mkdir(gone, 0o700); err != nil { // of another program
		t.Fatal(err)
	}
	if _, err := CreateFolder(func() (string, error) { return "", os.ErrExist }); err == nil {
		t.Error("an error of create is lost")
	}
	Abandon()
	renamed := make(chan error, 1)
	go func() { renamed <- Rename(late, filepath.Join(dir, "renamed")) }()
	select {
	case err := <-renamed:
		t.Errorf("a file was finished after all were abandoned: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"gone", "removed", "whole"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
	mu.Unlock()
	<-renamed
	mu.Lock()
}
