package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"mediant/internal/asm"
)

// packages are Debian's names of the peers. Without OpenBLAS numpy would make do with the reference BLAS.
var packages = []string{"python3-numpy", "python3-sklearn", "python3-pandas", "libopenblas0-pthread"}

var errNoPeers = fmt.Errorf("compare: no python3 with numpy, scipy, scikit-learn, pandas and OpenBLAS: install Debian's packages %v", packages)

// findPython returns a Python that has the peers, and installs them if it must and can.
func findPython(ctx context.Context, stderr io.Writer) (string, error) {
	if python, ok := pythonWithPeers(ctx); ok {
		return python, nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return "", errNoPeers
	}
	for _, args := range [][]string{{"update", "-q"}, append([]string{"install", "-q", "-y", "--no-install-recommends"}, packages...)} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = stderr, stderr
		if err := cmd.Run(); err != nil {
			return "", errors.Join(errNoPeers, fmt.Errorf("compare: apt-get %s: %w", args[0], err))
		}
	}
	if python, ok := pythonWithPeers(ctx); ok {
		return python, nil
	}
	return "", errNoPeers
}

// needed fails unless BLAS is OpenBLAS and the rest is there.
const needed = `
import numpy, scipy.linalg, sklearn, pandas, threadpoolctl
assert any(l["internal_api"] == "openblas" for l in threadpoolctl.threadpool_info())
`

// pythonWithPeers tries Debian's Python, and then the first of the search path.
func pythonWithPeers(ctx context.Context) (string, bool) {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.CommandContext(ctx, path, "-c", needed).Run() == nil {
			return path, true
		}
	}
	return "", false
}

// coreVariable makes OpenBLAS run the routines of the processor it names.
const coreVariable = "OPENBLAS_CORETYPE"

// architecture prints which routines OpenBLAS runs.
const architecture = `
import numpy, scipy.linalg, threadpoolctl
print(next(l.get("architecture", "?") for l in threadpoolctl.threadpool_info() if l["internal_api"] == "openblas"))
`

// chooseCore leaves the choice of routines to OpenBLAS, but where it does not know the processor and takes those of
// before AVX though there is more: the peers of this process are then set to one of them, and stderr says so.
func chooseCore(ctx context.Context, python string, stderr io.Writer) error {
	if err := os.Unsetenv(coreVariable); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, python, "-c", architecture).Output()
	if err != nil {
		return fmt.Errorf("compare: python: %w", err)
	}
	taken := strings.TrimSpace(string(out))
	core := betterCore(taken, asm.Current())
	if core == "" {
		return nil
	}
	fmt.Fprintf(stderr, "compare: OpenBLAS takes this processor for %s; it is set to run the routines of %s\n", taken, core)
	return os.Setenv(coreVariable, core)
}

// betterCore is the processor whose routines OpenBLAS should run if those it took have no AVX and the processor does;
// "" if they need not be others.
func betterCore(taken string, level asm.Level) string {
	if !slices.Contains([]string{"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Nano", "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat"}, taken) {
		return ""
	}
	return map[asm.Level]string{asm.AVX512: "SkylakeX", asm.AVX2: "Haswell"}[level]
}
