package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"mediant/internal/slow"
)

// TestDockerfile runs the build that docs/deploy/Dockerfile has: a program that needs no other file, as an image from scratch has none.
func TestDockerfile(t *testing.T) {
	raw, err := os.ReadFile("../../docs/deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := strings.Split(string(raw), "\nFROM ")
	last := stages[len(stages)-1]
	if len(stages) != 3 || !strings.HasPrefix(last, "scratch\nCOPY --from=build /mediant /mediant\n") || strings.Contains(last, "\nRUN ") {
		t.Errorf("the last stage is %q, want scratch and one program", last)
	}
	if !strings.Contains(stages[1], "\nRUN go generate ./export/page\n") {
		t.Error("programs of the image could not write pages")
	}
	served(t, strings.Fields(strings.NewReplacer(`"`, "", ",", " ", "]", "").Replace(last[strings.Index(last, "CMD [")+5:])))
	slow.Only(t)
	if runtime.GOOS != "linux" {
		t.Skip("the image is for Linux")
	}
	build := regexp.MustCompile(`RUN (CGO_ENABLED=0 go build .*) -o /mediant (\./cmd/mediant)`).FindStringSubmatch(stages[1])
	if build == nil {
		t.Fatalf("no build in %q", stages[1])
	}
	program := filepath.Join(t.TempDir(), "mediant")
	cmd := exec.Command("sh", "-c", build[1]+" -o '"+program+"' "+build[2])
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, _ := file.ImportedLibraries()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP || len(libraries) > 0 {
			t.Errorf("the program needs a loader, and the libraries %q", libraries)
		}
	}
	if out, err := exec.Command(program, "version").Output(); err != nil || !strings.Contains(string(out), version) {
		t.Errorf("version: %q, %v", out, err)
	}
}

// TestUnit has systemd look at docs/deploy/mediant.service, where there is one.
func TestUnit(t *testing.T) {
	raw, err := os.ReadFile("../../docs/deploy/mediant.service")
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`ExecStart=(\S+) (.*)`).FindStringSubmatch(string(raw))
	if start == nil {
		t.Fatal("nothing is started")
	}
	served(t, strings.Fields(start[2]))
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	unit := filepath.Join(t.TempDir(), "mediant.service")
	write(t, unit, strings.Replace(string(raw), start[1], "/bin/true", 1))
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", unit).CombinedOutput(); err != nil || strings.Contains(string(out), "mediant.service") {
		t.Errorf("%v: %s", err, out)
	}
}

// served looks for the command and the flags of a command line.
func served(t *testing.T, line []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(line)
	switch {
	case line[0] != "serve":
		t.Errorf("%q does not serve", line)
	case err != nil || !cmd.HasParent():
		t.Logf("there is no command serve in this program: its flags are not looked at")
	default:
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
