package shards_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"mediant/beam/job"
	"mediant/beam/shards"
)

// TestRemoteFiles: plans, shards and sums of another file system are those of this machine, no copy is left, and shards without rows alone are refused and leave nothing.
func TestRemoteFiles(t *testing.T) {
	p := newParty(t)
	copies := t.TempDir()
	t.Setenv("TMPDIR", copies)
	names, err := filepath.Glob(p.path("*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		memfs.Write("memfs://bucket/"+filepath.Base(name), raw)
	}
	plan, err := shards.Pin(t.Context(), "memfs://bucket/u.plan")
	if err != nil {
		t.Fatal(err)
	}
	sum := func(xu, uy, out string) error {
		return job.Run(t.Context(), job.Attempts{Times: 1}, func(s beam.Scope) {
			shards.Write(s, out, shards.Sums(s, plan, shards.Match(s, xu), shards.Match(s, uy), shards.SumsOptions{}))
		})
	}
	files := memfs.New(t.Context())
	if err := sum("memfs://bucket/xu-*", "memfs://bucket/uy-*", "memfs://bucket/all.sums"); err != nil {
		t.Fatal(err)
	}
	in, err := files.OpenRead(t.Context(), "memfs://bucket/all.sums")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, p.want) {
		t.Errorf("%d bytes, want %d (%v)", len(got), len(p.want), err)
	}
	if err := sum("memfs://bucket/uy-none.csv", "memfs://bucket/uy-none.csv", "memfs://bucket/none.sums"); err == nil || !strings.Contains(err.Error(), "no shard has rows") {
		t.Errorf("of no rows: %v", err)
	}
	if found, err := files.List(t.Context(), "memfs://bucket/none*"); err != nil || len(found) > 0 {
		t.Errorf("files %v (%v)", found, err)
	}
	if left, err := os.ReadDir(copies); err != nil || len(left) > 0 {
		t.Errorf("copies %v (%v)", left, err)
	}
}
