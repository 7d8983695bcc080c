package mediant_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A drawing is that of docs/design.md: the packages that each package is drawn to import. Packages of its first paragraph serve all others.
type drawing struct {
	arrows map[string][]string
	bottom []string
}

// parseDrawing reads lines "a, b -> c, d" and "a, b", whose arrows go from a and from b to c and to d.
func parseDrawing(text string) drawing {
	d := drawing{arrows: map[string][]string{}}
	names := func(list string) []string {
		return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	}
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		for line := range strings.Lines(paragraph) {
			from, to, _ := strings.Cut(strings.TrimSpace(line), "->")
			for _, name := range names(from) {
				d.arrows[name] = append(d.arrows[name], names(to)...)
				if i == 0 {
					d.bottom = append(d.bottom, name)
				}
			}
		}
	}
	return d
}

// reaches reports whether there is a way of one arrow or more from a package to another.
func (d drawing) reaches(from, to string) bool {
	seen := map[string]bool{}
	var visit func(at string) bool
	visit = func(at string) bool {
		for _, next := range d.arrows[at] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		return false
	}
	return visit(from)
}

// faults compares a drawing with the imports of each package.
func (d drawing) faults(imports map[string][]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(d.arrows)) {
		if _, ok := imports[name]; !ok {
			found = append(found, name+" is drawn, and there is no such package")
		}
		if d.reaches(name, name) {
			found = append(found, "arrows from "+name+" come back to it")
		}
		for _, to := range d.arrows[name] {
			if !slices.Contains(imports[name], to) {
				found = append(found, name+" is drawn to import "+to+" and does not")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if _, ok := d.arrows[name]; !ok {
			found = append(found, name+" is not drawn")
			continue
		}
		for _, to := range imports[name] {
			serves := slices.Contains(d.bottom, to) && !slices.Contains(d.bottom, name)
			if _, ok := d.arrows[to]; ok && !serves && !d.reaches(name, to) {
				found = append(found, name+" imports "+to+", to which no arrows lead")
			}
		}
	}
	return found
}

// importsOf lists the packages of this module, without its name, and those of them that each imports.
func importsOf(t *testing.T) map[string][]string {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		var own []string
		for _, name := range strings.Fields(line) {
			if name == "mediant" || strings.HasPrefix(name, "mediant/") {
				own = append(own, strings.TrimPrefix(name, "mediant/"))
			}
		}
		imports[own[0]] = own[1:]
	}
	return imports
}

// drawn is the drawing in docs/design.md, in its section on packages.
func drawn(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "\n## 3. Packages\n")
	text, _, _ = strings.Cut(text, "\n## ")
	parts := strings.Split(text, "```")
	if len(parts) != 3 {
		t.Fatalf("the section on packages has %d blocks of code, want one", len(parts)/2)
	}
	return parts[1]
}

// TestDrawingHasEachOnce: each package is drawn with its arrows in one place. Two are what a merge leaves of two drawings.
func TestDrawingHasEachOnce(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(drawn(t)) {
		from, _, _ := strings.Cut(line, "->")
		for _, name := range strings.FieldsFunc(from, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
			if seen[name] {
				t.Errorf("%s is drawn twice", name)
			}
			seen[name] = true
		}
	}
}

// TestDesignIsShort: decisions with reasons, at most 3,500 words; what is measured, or holds within a package, has its own place.
func TestDesignIsShort(t *testing.T) {
	raw, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(raw))); n > 3500 {
		t.Errorf("docs/design.md has %d words", n)
	}
}

// TestDrawingOfPackages: docs/design.md draws every package, its arrows are imports, and all imports go along them.
func TestDrawingOfPackages(t *testing.T) {
	for _, fault := range parseDrawing(drawn(t)).faults(importsOf(t)) {
		t.Error(fault)
	}
}

// TestListOfPackages: the table in docs/library.md has the packages that others may import, and no other, tests and commands aside.
func TestListOfPackages(t *testing.T) {
	raw, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed, want []string
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "| `") {
			for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(strings.Split(line, "|")[1], -1) {
				listed = append(listed, strings.Trim(name, "`"))
			}
		}
	}
	for name := range importsOf(t) {
		first, _, _ := strings.Cut(name, "/")
		if !strings.Contains(name, "internal/") && first != "cmd" && first != "bench" && !strings.HasSuffix(name, "test") {
			want = append(want, name)
		}
	}
	slices.Sort(listed)
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("docs/library.md lists %q, the packages are %q", listed, want)
	}
}

// TestDrawingFaults: one of each kind is found, in a drawing of four packages on one that serves all.
func TestDrawingFaults(t *testing.T) {
	const drawn = "base\n\nleaf\na, b -> leaf\nc -> a, b"
	good := map[string][]string{"base": nil, "leaf": {"base"}, "a": {"leaf"}, "b": {"leaf", "base"}, "c": {"a", "b", "leaf"}}
	for _, c := range []struct {
		drawn   string
		name    string // whose imports are others
		imports []string
		want    []string
	}{
		{drawn: drawn},
		{drawn: drawn, name: "d", want: []string{"d is not drawn"}},
		{drawn: drawn + "\nd -> a", want: []string{"d is drawn, and there is no such package", "d is drawn to import a and does not"}},
		{drawn: drawn, name: "a", imports: []string{"leaf", "c"}, want: []string{"a imports c, to which no arrows lead"}},
		{drawn: drawn, name: "a", imports: []string{"leaf", "b"}, want: []string{"a imports b, to which no arrows lead"}},
		{drawn: drawn, name: "base", imports: []string{"leaf"}, want: []string{"base imports leaf, to which no arrows lead"}},
		{drawn: drawn, name: "c", imports: []string{"a"}, want: []string{"c is drawn to import b and does not"}},
		{drawn: drawn + "\nleaf -> a", name: "leaf", imports: []string{"a"}, want: []string{"arrows from a come back to it", "arrows from leaf come back to it"}},
	} {
		imports := maps.Clone(good)
		if c.name != "" {
			imports[c.name] = c.imports
		}
		if got := parseDrawing(c.drawn).faults(imports); !slices.Equal(got, c.want) {
			t.Errorf("%q, %s: %q, want %q", c.drawn, c.name, got, c.want)
		}
	}
}
