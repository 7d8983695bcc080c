package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonPackage runs the tests of python/mediant with this program, where scikit-learn is installed.
func TestPythonPackage(t *testing.T) {
	if exec.Command(systemPython, "-c", "import sklearn").Run() != nil {
		t.Skip("scikit-learn is not installed (Debian: python3-sklearn)")
	}
	program := filepath.Join(t.TempDir(), "mediant")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	// Read here so that a cached result is for these files.
	for _, name := range []string{"mediant/__init__.py", "test_mediant.py"} {
		if _, err := os.ReadFile(filepath.Join("../../python", name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(systemPython, "test_mediant.py")
	cmd.Dir = "../../python"
	cmd.Env = append(os.Environ(), "MEDIANT="+program, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
