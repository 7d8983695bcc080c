package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mediant/internal/slow"
)

// npzProgram writes xu.npz and uy.npz of the tables in CSV: an array for each column, under its name.
const npzProgram = `
import numpy as np, pandas as pd
for name in "xu", "uy":
    table = pd.read_csv(name + ".csv", float_precision="round_trip")
    text = table.select_dtypes("object")
    table[text.columns] = text.fillna("")
    np.savez_compressed(name + ".npz", **{c: table[c].to_numpy(dtype=str if c in text else None) for c in table})
`

// TestTablesInEveryFormat: fit without flags gives the same bytes in every format for the real tables in the folder MEDIANT_TABLES, of which each has a folder
// of its own with xu.csv and uy.csv. It prints the checksums of the models.
func TestTablesInEveryFormat(t *testing.T) {
	slow.Only(t)
	root := os.Getenv("MEDIANT_TABLES")
	if root == "" {
		t.Skip("MEDIANT_TABLES names no folder of tables: the real ones are not part of this repository")
	}
	tables, err := filepath.Glob(filepath.Join(root, "*", "xu.csv"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("%s has no tables (%v)", root, err)
	}
	endings := []string{"csv", "csv.zst", "parquet", "arrow", "jsonl"}
	numpy := exec.Command(systemPython, "-c", "import pandas").Run() == nil
	for _, path := range tables {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"xu", "uy"} {
				write(t, name+".csv", read(t, filepath.Join(folder, name+".csv")))
				for _, ending := range endings[1:] {
					convert(t, name+".csv", name+"."+ending)
				}
			}
			all := endings
			if numpy {
				if out, err := exec.Command(systemPython, "-c", npzProgram).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				all = append(all[:len(all):len(all)], "npz")
			}
			var first string
			for _, ending := range all {
				if got := invoke("fit", "--xu", "xu."+ending, "--uy", "uy."+ending, "-o", "m.mediant"); got.status != statusDone {
					t.Fatal(got.stderr)
				}
				sum := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, "m.mediant"))))
				t.Logf("%-8s %s", ending, sum)
				if first == "" {
					first = sum
				}
				if sum != first {
					t.Errorf("%s gives another model than CSV", ending)
				}
			}
		})
	}
}
