package serve

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPage: each test that docs/security.md names is there, and each threat that something stands against names one, but where a page is named.
func TestSecurityPage(t *testing.T) {
	raw, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	for _, m := range named.FindAllStringSubmatch(string(raw), -1) {
		files, err := filepath.Glob(filepath.Join("..", m[1], "*_test.go"))
		if err != nil || files == nil {
			t.Errorf("there is no package %s", m[1])
		}
		found := false
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+m[2]+"(")
		}
		if !found {
			t.Errorf("%s has no %s", m[1], m[2])
		}
	}
	for line := range strings.Lines(string(raw)) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| threat") && !named.MatchString(line) &&
			!strings.Contains(cells[2], "nothing") && !strings.Contains(cells[2], "docs/") && !strings.Contains(cells[2], "like the tables") {
			t.Errorf("no test is named: %s", line)
		}
	}
}

// TestServingPage: the request that docs/serving.md shows is one, and its table of limits has the flags and defaults.
func TestServingPage(t *testing.T) {
	raw, err := os.ReadFile("../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "    {\"inputs\"")
	text, _, _ := strings.Cut(rest, "\n\n")
	q, err := parseInfer([]byte(`{"inputs"`+text), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.inputs) != 2 || q.parameters.text("interval") != "0.9" {
		t.Errorf("%+v", q)
	}
	o := Options{}.withDefaults()
	if o.MaxBody != 32<<20 || o.Memory != 256<<20 || o.MaxRows != 100_000 || o.MaxRequests != 1024 || o.Timeout.Minutes() != 1 {
		t.Errorf("the defaults are %+v, and the page says others", o)
	}
}
