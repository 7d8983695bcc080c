package input

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSpoolFails: what can be read once only and cannot be copied is an error that names it, and leaves nothing behind.
func TestSpoolFails(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nosuch"))
	if _, err := Spool(context.Background(), "standard input", strings.NewReader("a\n1\n")); err == nil || !strings.HasPrefix(err.Error(), "standard input: ") {
		t.Errorf("error %v without a folder to copy to", err)
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := Spool(context.Background(), "pipe", iotest.ErrReader(errors.New("broken"))); err == nil || err.Error() != "pipe: broken" {
		t.Errorf("error %v, want pipe: broken", err)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestWindowIsBounded: a small zstd file that claims a window of 64 MiB is refused before it takes the memory, and a large one is not.
func TestWindowIsBounded(t *testing.T) {
	const level22 = 16 << 3                                                      // 2^(10+16) bytes
	packed := "\x28\xb5\x2f\xfd\x00" + string([]byte{level22}) + "\x0b\x00\x00x" // of one byte
	for _, size := range []int64{0, 10, 7 << 20} {
		r, _, err := Gunzip(strings.NewReader(packed), size)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if refused := size < 7<<20; refused != (err != nil) || !refused && string(text) != "x" {
			t.Errorf("%d bytes: %q, error %v", size, text, err)
		}
	}
}
