package input

import (
	"context"
	"errors"
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
