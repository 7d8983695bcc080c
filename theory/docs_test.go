package theory

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// theoryText is docs/theory.md, and section 14 of it.
func theoryText(t *testing.T) (whole, places string) {
	t.Helper()
	b, err := os.ReadFile("../docs/theory.md")
	if err != nil {
		t.Fatal(err)
	}
	whole = string(b)
	_, after, ok := strings.Cut(whole, "\n## 14. ")
	places, _, ok2 := strings.Cut(after, "\n## 15. ")
	if !ok || !ok2 {
		t.Fatal("docs/theory.md has no section 14")
	}
	return whole, places
}

// Each claim says where it stands: in the paper or another source, and in sections of docs/theory.md that are there.
func TestReferencesExist(t *testing.T) {
	whole, _ := theoryText(t)
	sections := regexp.MustCompile(`docs/theory\.md, ([0-9][0-9. and,]*)`)
	number := regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
	for _, c := range Claims() {
		m := sections.FindStringSubmatch(c.Reference)
		if m == nil {
			t.Errorf("%s: %q names no section of docs/theory.md", c.Name, c.Reference)
			continue
		}
		for _, n := range number.FindAllString(m[1], -1) {
			if !strings.Contains(whole, "\n## "+n+". ") && !strings.Contains(whole, "\n### "+n+" ") {
				t.Errorf("%s: docs/theory.md has no section %s", c.Name, n)
			}
		}
	}
}

// Section 14 names each claim on the paper as its check, and no other.
func TestPlacesNameTheirChecks(t *testing.T) {
	_, places := theoryText(t)
	claims, _, _ := strings.Cut(places, "### 14.2")
	named := make(map[string]bool)
	for line := range strings.Lines(claims) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|")
		if len(cells) != 7 {
			continue
		}
		// Names may hold a semicolon themselves.
		named[strings.TrimSpace(cells[4])] = true
	}
	all := ""
	for n := range named {
		all += n + "\n"
	}
	for _, c := range Claims() {
		if strings.Contains(c.Reference, "[Yamane21, ") && !strings.Contains(all, c.Name) {
			t.Errorf("section 14.1 does not name %q", c.Name)
		}
		all = strings.ReplaceAll(all, c.Name, "")
	}
	if rest := strings.Fields(strings.NewReplacer("checked by", "", "---", "", "the same", "", ";", "").Replace(all)); len(rest) > 0 {
		t.Errorf("section 14.1 names checks that are none: %v", rest)
	}
}

// Section 14.2 has every formula that verify evaluates.
func TestPlacesHaveTheFormulas(t *testing.T) {
	_, places := theoryText(t)
	_, formulas, _ := strings.Cut(places, "### 14.2")
	for _, item := range printedItems() {
		if !strings.Contains(formulas, item.title) || !strings.Contains(formulas, item.place) {
			t.Errorf("section 14.2 has no %q", item.place+", "+item.title)
		}
	}
}

// The table of contents has every heading with its link, in order, as GitHub forms it: lower case, spaces as hyphens, no other marks.
func TestContentsLinkToSections(t *testing.T) {
	whole, _ := theoryText(t)
	var want, got []string
	mark := regexp.MustCompile(`[^\pL\pN_ -]`)
	for _, m := range regexp.MustCompile(`(?m)^###? ([0-9].*)$`).FindAllStringSubmatch(whole, -1) {
		want = append(want, strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	for _, m := range regexp.MustCompile(`(?m)^ *- \[.*\]\(#(.*)\)$`).FindAllStringSubmatch(whole, -1) {
		got = append(got, m[1])
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("contents link to %q, the headings are %q", got, want)
	}
}

// Formulas are numbered without a gap in each section, and references to them name formulas that are there.
func TestFormulasAreNumbered(t *testing.T) {
	whole, _ := theoryText(t)
	section, next := "", 1
	known := make(map[string]bool)
	heading, number := regexp.MustCompile(`^## ([0-9]+)\. `), regexp.MustCompile(`^    .* \(([0-9]+\.[0-9]+)\)$`)
	lines := strings.Split(whole, "\n")
	for i, line := range lines {
		if m := heading.FindStringSubmatch(line); m != nil {
			section, next = m[1], 1
		}
		m := number.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "    ") && lines[i+1] == "" && section != "" {
				t.Errorf("the formula that ends with %q has no number", line)
			}
			continue
		}
		if want := fmt.Sprintf("%s.%d", section, next); m[1] != want {
			t.Errorf("formula (%s) should be (%s)", m[1], want)
		}
		known[m[1]] = true
		next++
	}
	for _, m := range regexp.MustCompile(`\(([1-9][0-9]?\.[1-9][0-9]?)\)`).FindAllStringSubmatch(whole, -1) {
		if !known[m[1]] {
			t.Errorf("there is no formula (%s)", m[1])
		}
	}
}
