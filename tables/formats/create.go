package formats

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mediant/tables"
	"mediant/tables/arrow"
	"mediant/tables/csv"
	"mediant/tables/jsonl"
	"mediant/tables/npy"
	"mediant/tables/parquet"
)

// writers are the formats besides CSV by the ending of a file.
var writers = map[string]func(w io.Writer, columns []tables.Column) (tables.Writer, error){
	".parquet": func(w io.Writer, columns []tables.Column) (tables.Writer, error) {
		return parquet.NewWriter(w, columns)
	},
	".arrow":   func(w io.Writer, columns []tables.Column) (tables.Writer, error) { return arrow.NewWriter(w, columns) },
	".feather": func(w io.Writer, columns []tables.Column) (tables.Writer, error) { return arrow.NewWriter(w, columns) },
	".npy":     func(w io.Writer, columns []tables.Column) (tables.Writer, error) { return npy.NewWriter(w, columns) },
	".jsonl":   func(w io.Writer, columns []tables.Column) (tables.Writer, error) { return jsonl.NewWriter(w, columns) },
	".ndjson":  func(w io.Writer, columns []tables.Column) (tables.Writer, error) { return jsonl.NewWriter(w, columns) },
}

// NewWriter returns a writer to w in the format that the ending of path names: .parquet, .arrow and .feather, .npy, .jsonl and .ndjson; any other is CSV. The
// columns' names must be distinct and not empty.
func NewWriter(path string, w io.Writer, columns []tables.Column) (tables.Writer, error) {
	if IsCSV(path) {
		return csv.NewWriter(w, columns)
	}
	return writers[strings.ToLower(filepath.Ext(path))](w, columns)
}

// CheckEnding refuses a path whose ending is that of files that Open reads and NewWriter does not write, such as .npz or .gz: it would be CSV.
func CheckEnding(path string) error {
	ending := strings.ToLower(filepath.Ext(path))
	packed := ending == ".gz" || ending == ".zst"
	if packed || IsCSV(path) && slices.ContainsFunc(all, func(f format) bool { return slices.Contains(f.endings, ending) }) {
		return fmt.Errorf("tables: %s: no table is written as %s; .parquet, .arrow, .npy, .jsonl and .csv are", path, ending)
	}
	return nil
}

// IsCSV reports whether NewWriter writes CSV to a file of this path.
func IsCSV(path string) bool { return writers[strings.ToLower(filepath.Ext(path))] == nil }
