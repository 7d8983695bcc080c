package report

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func darkPixels(img image.Image) int {
	n := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				n++
			}
		}
	}
	return n
}

func TestWriteFiles(t *testing.T) {
	d := sample()
	d.Sections = d.Sections[:3]
	dir := filepath.Join(t.TempDir(), "new", "out")
	if err := d.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"claim-1.png", "claim-1.svg", "claim-2.png", "claim-2.svg", "claim-3.png", "claim-3.svg",
		"report.html", "report.json", "report.md",
	}
	first := readDir(t, dir)
	if got := sortedKeys(first); !slices.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
	if !bytes.Equal(first["report.html"], htmlOf(t, d)) {
		t.Error("report.html is not what WriteHTML writes")
	}
	// Each image that the Markdown names is there.
	if n := strings.Count(string(first["report.md"]), "](claim-"); n != 3 {
		t.Errorf("report.md has %d images", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	second := readDir(t, dir)
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs the second time", name)
		}
	}
	if len(second) != len(first)+1 {
		t.Errorf("files are %q", sortedKeys(second))
	}
}

func TestWriteFilesSaysWhereItFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := sample().WriteFiles(file); err == nil || !strings.HasPrefix(err.Error(), "report: ") {
		t.Errorf("a file as the directory gave %v", err)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(file), "report.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := (&Document{}).WriteFiles(filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), "report.json") {
		t.Errorf("a directory in place of report.json gave %v", err)
	}
}

func readDir(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = b
	}
	return files
}

func sortedKeys(m map[string][]byte) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
