package check

import (
	"os"
	"strings"
	"testing"
)

// TestEveryCodeIsDocumented: docs/check.md has a heading or a line of a table for each code.
func TestEveryCodeIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/check.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range codes {
		if !strings.Contains(string(text), "### "+string(code)+"\n") && !strings.Contains(string(text), "| `"+string(code)+"` |") {
			t.Errorf("docs/check.md has nothing on %s", code)
		}
	}
}
