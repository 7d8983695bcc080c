//go:build ignore

// Command generate compiles the program of the page, and puts it, compressed, and the script of this version of Go that starts it into a folder.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	to := flag.String("o", "built", "folder to write to")
	flag.Parse()
	if err := generate(*to); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(to string) error {
	program := filepath.Join(to, "page.wasm")
	defer os.Remove(program)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "mediant/export/page/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	packed, err := os.Create(filepath.Join(to, "page.wasm.gz"))
	if err != nil {
		return err
	}
	defer packed.Close()
	z, err := gzip.NewWriterLevel(packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(raw); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "wasm_exec.js"), script, 0o644)
}
