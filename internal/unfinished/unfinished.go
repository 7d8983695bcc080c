// Package unfinished keeps account of files that are being written under a temporary name, and of temporary folders, so that a program that
// must end at once leaves none behind.
package unfinished

import (
	"os"
	"sync"
)

var (
	mu    sync.Mutex // held while a file comes into being, gets its name or is removed
	names = make(map[string]bool)
)

// Create calls create, which makes a file under a temporary name, and keeps account of it until Rename or Remove.
func Create(create func() (*os.File, error)) (*os.File, error) {
	mu.Lock()
	defer mu.Unlock()
	f, err := create()
	if err != nil {
		return nil, err
	}
	names[f.Name()] = true
	return f, nil
}

// Rename gives the finished file its name.
func Rename(name, to string) error {
	mu.Lock()
	defer mu.Unlock()
	err := os.Rename(name, to)
	if err == nil {
		delete(names, name)
	}
	return err
}

// Remove removes the file.
func Remove(name string) error {
	mu.Lock()
	defer mu.Unlock()
	err := os.Remove(name)
	if err == nil {
		delete(names, name)
	}
	return err
}

// CreateFolder calls create, which makes a temporary folder, and keeps account of it until RemoveFolder.
func CreateFolder(create func() (string, error)) (string, error) {
	mu.Lock()
	defer mu.Unlock()
	name, err := create()
	if err == nil {
		names[name] = true
	}
	return name, err
}

// RemoveFolder removes the folder with all that is in it.
func RemoveFolder(name string) error {
	mu.Lock()
	defer mu.Unlock()
	err := os.RemoveAll(name)
	if err == nil {
		delete(names, name)
	}
	return err
}

// abandonTries is how often a folder is removed: work that goes on may put files there in the meantime.
const abandonTries = 10

// Abandon removes all files that are unfinished, and all folders, and lets no other be made or finished: what would, waits for ever.
// The caller ends the program.
func Abandon() {
	mu.Lock()
	for name := range names {
		for range abandonTries {
			if os.RemoveAll(name) == nil {
				break
			}
		}
	}
}
