package outfile

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestTryFileOfOthers: files that only rename would have refused, in the end.
func TestTryFileOfOthers(t *testing.T) {
	for _, path := range []string{"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"} { // which containers mount
		var file, dir syscall.Stat_t
		if syscall.Stat(path, &file) != nil || syscall.Stat(filepath.Dir(path), &dir) != nil || file.Dev == dir.Dev {
			continue
		}
		wantError(t, Try(path), "mounted by itself", path)
		return
	}
	t.Skip("no file is mounted by itself")
}

// TestTryFileSparesPipes: a reader that waits at a named pipe is not woken by a trial, and reads what is written.
func TestTryFileSparesPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		got <- fmt.Sprint(string(b), err)
	}()
	time.Sleep(20 * time.Millisecond)
	if err := Try(path); err != nil {
		t.Fatal(err)
	}
	select {
	case text := <-got:
		t.Fatalf("the reader was woken: %q", text)
	case <-time.After(20 * time.Millisecond):
	}
	if err := Write(path, put("text")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "text<nil>" {
		t.Errorf("read %q", text)
	}
}
