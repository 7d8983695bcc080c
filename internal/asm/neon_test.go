package asm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The generator for arm64 needs no modules.
func TestGeneratedFilesOfARM64AreCurrent(t *testing.T) {
	fresh := t.TempDir()
	neon(t, "-to", fresh)
	files, err := filepath.Glob("*_arm64.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range files {
		if strings.HasPrefix(kept, "level_") {
			continue
		}
		if !bytes.Equal(body(t, filepath.Join(fresh, kept)), body(t, kept)) {
			t.Errorf("%s is not what the generator writes; run go generate", kept)
		}
	}
	if all, err := os.ReadDir(fresh); err != nil || len(all) != len(files)-1 {
		t.Errorf("the generator writes %d files (%v), the tree has %d", len(all), err, len(files)-1)
	}
}

func TestCountsOfTheDocumentAreCurrent(t *testing.T) {
	text, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	if counts := neon(t, "-counts"); !strings.Contains(string(text), counts) {
		t.Errorf("docs/benchmarks.md, section arm64, is not what the generator counts:\n%s", counts)
	}
}

// neon returns what the generator for arm64 prints.
func neon(t *testing.T, arguments ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the generator")
	}
	run := exec.Command("go", append([]string{"run", "./neon"}, arguments...)...)
	run.Dir = "_generate"
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("neon: %v\n%s", err, out)
	}
	return string(out)
}

// Instructions that Go's assembler has no names for are those that the comments beside their numbers name, by Go's
// disassembler.
func TestNumbersAreTheInstructionsBesideThem(t *testing.T) {
	if testing.Short() {
		t.Skip("assembles and disassembles")
	}
	files, err := filepath.Glob("*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		names := disassembled(t, file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			number, want, _ := strings.Cut(line, " // ")
			if got := names[file+":"+strconv.Itoa(i+1)]; strings.HasPrefix(number, "\tWORD ") && got != want {
				t.Errorf("%s:%d:%s is %q, want %q", file, i+1, number, got, want)
				break
			}
		}
	}
}

// disassembled returns the instructions of a file of assembly, in the words of Arm's manual, by file and line.
func disassembled(t *testing.T, file string) map[string]string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(t.TempDir(), "object")
	include := filepath.Join(strings.TrimSpace(string(root)), "pkg", "include")
	assemble := exec.Command("go", "tool", "asm", "-p", "asm", "-I", include, "-o", object, file)
	assemble.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
	if out, err := assemble.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	listing, err := exec.Command("go", "tool", "objdump", "-gnu", object).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	names := map[string]string{}
	for line := range strings.Lines(string(listing)) {
		place, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
		_, name, _ := strings.Cut(rest, "// ")
		names[place] = strings.TrimSpace(name)
	}
	return names
}
