package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// packages are Debian's names of the peers. Without OpenBLAS numpy would make do with the reference BLAS.
var packages = []string{"python3-numpy", "python3-sklearn", "libopenblas0-pthread"}

var errNoPeers = fmt.Errorf("compare: no python3 with numpy, scipy, scikit-learn and OpenBLAS: install Debian's packages %v", packages)

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
import numpy, scipy.linalg, sklearn, threadpoolctl
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
