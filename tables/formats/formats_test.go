package formats

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

// put writes files into a new folder, which becomes the current one.
func put(t *testing.T, contents map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range contents {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormatOf: what a file begins with tells before its ending does; all else is CSV.
func TestFormatOf(t *testing.T) {
	magic := format{begins: func(head string) bool { return strings.HasPrefix(head, "MAGIC") }, endings: []string{".magic"}}
	svm := format{endings: libsvmEndings}
	for _, c := range []struct {
		path, head string
		want       format
	}{
		{"a.svm", "1 1:1\n", svm}, {"b.svm", "MAGIC\n", magic}, {"c.csv", "MAGIC", magic}, {"d.csv", "a\n1\n", csvFormat}, {"e.magic", "a\n1\n", magic},
		{"dir/f.magic.gz", "", magic}, {"g.svm.zst", "", svm}, {".svm", "a\n1\n", csvFormat}, {"-", "MAGIC", magic}, {"-", "", csvFormat},
	} {
		if got, _ := formatOf(c.head, c.path, []format{svm, magic}); !slices.Equal(got.endings, c.want.endings) {
			t.Errorf("%s that begins %q has endings %q, want %q", c.path, c.head, got.endings, c.want.endings)
		}
	}
}

// TestOpen: each file is read in its own format, with new names, dates and what the file itself has for a header.
func TestOpen(t *testing.T) {
	put(t, map[string]string{"t.csv": "a,d\n1,2024-01-02\n", "u.svm": "1 2:3\n0 1:1\n", "x.svm.gz": tabletest.Gzipped(t, "0 4:2\n0 1:1\n"), "a,b.csv": "c\n1\n"})
	opt := Options{Options: csv.Options{Rename: map[string]string{"a": "z", "x ": "w"}, Dates: []string{"d"}, Text: []string{"u l*"}}}
	for _, c := range []struct {
		path, columns          string
		header, renamed, dates []string
	}{
		{"t.csv", "z d year d month d weekday d days", []string{"z", "d"}, []string{"a"}, []string{"d"}},
		{"u.svm", "u u label", nil, nil, nil},
		{"u.svm,x.svm.gz", "u u label w", nil, []string{"x"}, nil},
		{"a,b.csv", "c", []string{"c"}, nil, nil},
	} {
		file, err := Open(t.Context(), c.path, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tables.ColumnNames(file.Source.Columns()), " "); got != c.columns {
			t.Errorf("%s: columns %q, want %q", c.path, got, c.columns)
		}
		if !slices.Equal(file.Header, c.header) || !slices.Equal(file.Renamed, c.renamed) || !slices.Equal(file.Dates, c.dates) {
			t.Errorf("%s: header %q, renamed %q, dates %q, want %q, %q and %q", c.path, file.Header, file.Renamed, file.Dates, c.header, c.renamed, c.dates)
		}
		for b, err := range tables.NewGuard("", file.Source).Batches(t.Context()) {
			if err != nil || strings.HasPrefix(c.path, "u.svm") && (len(b.Text) != 1 || b.Text[0][0] != "1") {
				t.Errorf("%s: error %v, text %q, want labels as text", c.path, err, b.Text)
			}
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenRefuses: errors of each format and of files that do not fit together come through, and so does that of Room.
func TestOpenRefuses(t *testing.T) {
	put(t, map[string]string{"u.svm": "1 2:3\n0 1:1\n", "x.svm": "0 1:1\n", "bad.svm": "1 a\n", "bad.csv": "a,a\n1,2\n"})
	full := errors.New("full")
	var asked []string
	room := func(path string, bytes int64) error {
		if asked = append(asked, path); len(asked) > 1 || bytes <= 0 {
			return full
		}
		return nil
	}
	for _, c := range []struct {
		path string
		opt  Options
		want string
	}{
		{"bad.csv", Options{}, "csv: bad.csv:1: two columns"},
		{"bad.svm", Options{}, "libsvm: bad.svm:1:"},
		{"u.svm,none.svm", Options{}, "tables: open none.svm"},
		{"u.svm,u.svm", Options{}, `two columns are named "u"`},
		{"u.svm", Options{Options: csv.Options{Rename: map[string]string{"u": "u label"}}}, "another column has that name"},
		{"u.svm,x.svm", Options{Room: room}, "full"},
	} {
		if _, err := Open(t.Context(), c.path, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.path, err, c.want)
		}
	}
	if !slices.Equal(asked, []string{"u.svm", "x.svm"}) {
		t.Errorf("room was asked for %q", asked)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Open(ended, "u.svm", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestPeek: a glance tells of CSV alone.
func TestPeek(t *testing.T) {
	put(t, map[string]string{"t.csv": "a,b\n1,2\n3,4\n", "u.svm": "1 2:3\n"})
	if columns, rows := Peek("t.csv", Options{}); len(columns) != 2 || rows != 2 {
		t.Errorf("%v, %d rows, want 2 columns of 2 rows", columns, rows)
	}
	for _, path := range []string{"u.svm", "u.svm,u.svm", filepath.Join("no", "file")} {
		if columns, rows := Peek(path, Options{}); columns != nil || rows != 0 {
			t.Errorf("%s: %v, %d rows, want nothing", path, columns, rows)
		}
	}
}

// TestOpenRefusesByContent: a file of a format that is not read is refused by what it is, whatever its name says.
func TestOpenRefusesByContent(t *testing.T) {
	workbook := "PK\x03\x04\x14\x00\x00\x00\x00\x00" // cut short
	put(t, map[string]string{"a.csv": workbook, "a.parquet": workbook, "a.svm": workbook, "r.csv.gz": tabletest.Gzipped(t, "RDX3\nX\n")})
	for path, want := range map[string]string{"a.csv": "a zip file", "a.parquet": "a zip file", "a.svm": "a zip file", "r.csv.gz": "an R workspace (.rda)"} {
		if _, err := Open(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "tables: "+path+": the file is "+want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}

// TestOpenBytes: a table in memory is read as the same file is, in every format, and errors begin with its name.
func TestOpenBytes(t *testing.T) {
	const text = "a,b\n1,x\n2.5,y\n"
	for _, ending := range forms {
		put(t, nil)
		table, err := OpenBytes(t.Context(), "body", []byte(as(t, text, ending)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := tabletest.ReadAll(t, table.Source)
		if !slices.Equal(got.Numbers["a"], []float64{1, 2.5}) || !slices.Equal(got.Text["b"], []string{"x", "y"}) {
			t.Errorf("%s: %v", ending, got)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, content := range []string{"", "a,b\n", "PAR1 cut", "a,a\n1,2\n"} {
		if _, err := OpenBytes(t.Context(), "body", []byte(content), Options{}); err == nil || !strings.Contains(err.Error(), "body") {
			t.Errorf("%q: error %v", content, err)
		}
	}
}
