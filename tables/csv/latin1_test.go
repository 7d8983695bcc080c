package csv

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLatin1: text in Latin-1, in a name, a cell of text or one of numbers, is refused with the line that converts it.
func TestLatin1(t *testing.T) {
	for name, content := range map[string]string{
		"name": "x,caf\xe9\n1,2\n", "cell": "x,u\ncaf\xe9,1\nb,2\n", "later cell": "x,u\nb,1\n\xfcber,2\n", "number": "x,u\n1,2\n1\xa0000,3\n",
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(t.Context(), path, Options{})
		if err == nil {
			file.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "iconv -f WINDOWS-1252 -t UTF-8") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
