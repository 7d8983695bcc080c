package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

//go:generate go test -run TestManPages -update .

// update has TestManPages write the pages.
var update = flag.Bool("update", false, "write docs/man")

// manPages are the pages of the program and its commands by the names of their files. They have no date, which would change them without another cause.
func manPages(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		if cmd.Name() == "help" || cmd.HasParent() && !cmd.IsAvailableCommand() {
			return
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		cmd.DisableAutoGenTag = true
		var page bytes.Buffer
		none := time.Time{}
		if err := doc.GenMan(cmd, &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "Mediant " + version, Manual: "Mediant", Date: &none}, &page); err != nil {
			t.Fatal(err)
		}
		pages[name+".1"] = strings.Replace(page.String(), none.Format("Jan 2006"), "", 1)
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(newRoot())
	return pages
}

// TestManPages: docs/man has the pages of the commands as they are. go generate ./cmd/mediant writes them.
func TestManPages(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "man")
	pages := manPages(t)
	if *update {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for name, page := range pages {
		want = append(want, name)
		path := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != page {
			t.Errorf("%s is not what the command says now (error %v): go generate ./cmd/mediant", path, err)
		}
		if !strings.HasPrefix(page, ".nh\n.TH \"") || strings.Contains(page, "Auto generated") {
			t.Errorf("%s begins %.80q", name, page)
		}
	}
	slices.Sort(want)
	var got []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages are %q, want %q", got, want)
	}
}
