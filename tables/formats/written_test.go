package formats

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/slow"
	"mediant/tables"
	"mediant/tables/csv"
)

// cellsOf are the columns of a file as text: names with kinds, and cells, "" where missing.
func cellsOf(t *testing.T, path string, opt Options) map[string]string {
	t.Helper()
	file, err := Open(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got := map[string]string{}
	for b, err := range tables.NewGuard("", file.Source).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var next [2]int
		for _, c := range file.Source.Columns() {
			at, name := next[c.Kind], c.Name+" "+c.Kind.String()
			next[c.Kind]++
			for i := range b.Rows {
				cell := ""
				if c.Kind == tables.Text {
					cell = b.Text[at][i]
				} else if v := b.Num.At(i, at); !math.IsNaN(v) {
					cell = fmt.Sprint(v)
				}
				got[name] += cell + "|"
			}
		}
	}
	return got
}

// rowsOfAll are the cells of testdata/written.mjs.
func rowsOfAll() map[string]string {
	return map[string]string{
		"whole numeric": "1||-3|4|", "id text": "1234567890123450159|2|3|4|", "small numeric": "0|255|7|1|", "f32 numeric": "0.5|-1.25||3|", "f64 numeric": "0.1||-2.5|1e+100|",
		"flag text": "true|false||true|", "word text": "a|ü \"q\",|||", "level text": "lo|hi||lo|", "day text": "2024-02-29|1969-12-31||2000-01-01|",
		"moment text": "2024-02-29T12:34:56.789|1969-12-31T23:59:59||2000-01-01T00:00:00|", "utc text": "2024-02-29T12:34:56.789Z|1969-12-31T23:59:59Z||2000-01-01T00:00:00Z|",
		"clock text": "01:02:03|23:59:59.000001||00:00:00|", "dec numeric": "12.34|-0.05||100|", "wide numeric": "1.2345678901234125e+13|-1||0.5|",
		"emb[0] numeric": "1|3||5|", "emb[1] numeric": "2|4||6|",
	}
}

// TestWrittenByOthers: the same rows written by DuckDB, polars, arrow-rs and the JavaScript library of Arrow (testdata/written.mjs has the versions) have the same cells,
// whatever encodings, compressions, string views, dictionaries and row groups they use.
func TestWrittenByOthers(t *testing.T) {
	for _, name := range []string{"duckdb-snappy.parquet", "duckdb-lz4.parquet", "polars-zstd.parquet", "polars-brotli.parquet", "polars.arrow", "polars-stream.arrow", "arrow-rs-gzip.parquet",
		"arrow-rs-lz4.parquet", "arrow-js.arrow", "arrow-js-stream.arrow"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "written", name)
			want := rowsOfAll()
			if strings.HasPrefix(name, "polars") {
				want["zone text"] = want["utc text"]
			}
			if diff := cmp.Diff(want, cellsOf(t, path, Options{Options: csv.Options{Ignore: []string{"list", "rec"}}})); diff != "" {
				t.Error(diff)
			}
			for _, nested := range []string{"list", "rec"} {
				other := map[string]string{"list": "rec", "rec": "list"}[nested]
				if _, err := Open(t.Context(), path, Options{Options: csv.Options{Ignore: []string{other}}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("column %q is ", nested)) {
					t.Errorf("%s: the error is %v", nested, err)
				}
			}
		})
	}
	text := Options{Options: csv.Options{Ignore: []string{"list", "rec", "emb"}}}
	for _, name := range []string{"duckdb.csv.zst", "duckdb.jsonl"} {
		want := rowsOfAll()
		delete(want, "emb[0] numeric")
		delete(want, "emb[1] numeric")
		want["moment text"] = "2024-02-29 12:34:56.789|1969-12-31 23:59:59||2000-01-01 00:00:00|"
		want["utc text"] = "2024-02-29 12:34:56.789+00|1969-12-31 23:59:59+00||2000-01-01 00:00:00+00|"
		got := cellsOf(t, filepath.Join("testdata", "written", name), text)
		for _, nested := range []string{"list text", "rec text", "emb text"} { // CSV has no types
			delete(got, nested)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestWrittenInTheModule: files of pyarrow, of older Parquet libraries in C++ and Java, and of Impala, which are among the tests of the module parquet-go, have the cells
// that DuckDB 1.5.6 reads from them.
func TestWrittenInTheModule(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	folder := filepath.Join(strings.TrimSpace(string(out)), "testdata")
	if _, missing := os.Stat(folder); err != nil || missing != nil {
		t.Skip("the module's tests are not here")
	}
	for name, c := range map[string]struct {
		ignore string
		want   map[string]string
	}{
		"lz4_raw_compressed.parquet":   {"", map[string]string{"c0 numeric": "1.5936048e+09|1.5936048e+09|1.593604801e+09|1.593604801e+09|", "c1 text": "abc|def|abc|def|", "v11 numeric": "42|7.7|42.125|7.7|"}},
		"null_columns.parquet":         {"value", map[string]string{"name text": "test1|test2|test3|test4|"}},
		"binary_min_val_exact.parquet": {"col", map[string]string{}},
		"datapage_v2.snappy.parquet":   {"e", map[string]string{"a text": "abc|abc|abc||abc|", "b numeric": "1|2|3|4|5|", "c numeric": "2|3|4|5|2|", "d text": "true|true|true|false|true|"}},
		"alltypes_plain.snappy.parquet": {"", map[string]string{"id numeric": "6|7|", "bool_col text": "true|false|", "tinyint_col numeric": "0|1|", "smallint_col numeric": "0|1|", "int_col numeric": "0|1|",
			"bigint_col numeric": "0|10|", "float_col numeric": "0|1.100000023841858|", "double_col numeric": "0|10.1|", "date_string_col text": "04/01/09|04/01/09|", "string_col text": "0|1|",
			"timestamp_col text": "2009-04-01T00:00:00|2009-04-01T00:01:00|"}},
		"repeated_no_annotation.parquet": {"phoneNumbers", map[string]string{"id numeric": "1|2|3|4|5|6|"}},
		"int64_decimal.parquet":          {"", map[string]string{"value numeric": "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|"}},
	} {
		path := filepath.Join(folder, name)
		opt := Options{Options: csv.Options{Ignore: []string{c.ignore}}}
		if len(c.want) == 0 {
			if _, err := Open(t.Context(), path, opt); err == nil || !strings.HasSuffix(err.Error(), "no columns") {
				t.Errorf("%s: the error is %v", name, err)
			}
		} else if diff := cmp.Diff(c.want, cellsOf(t, path, opt)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	lists := cellsOf(t, filepath.Join(folder, "issue276_4_per_page.parquet"), Options{}) // lists over pages
	if got := lists["int64_array[12] numeric"]; len(lists) != 14 || got != "12|13|14|15|16|" {
		t.Errorf("%d columns, the last %s", len(lists), got)
	}
}

// pandasProgram writes tables of pandas and arrays of NumPy with the rows of TestWrittenByPandas.
const pandasProgram = `
import numpy as np, pandas as pd
df = pd.DataFrame({
    "whole": pd.array([1, None, -3, 4], dtype="Int64"), "id": np.array([1234567890123450159, 2, 3, 4]), "f32": np.array([0.5, -1.25, np.nan, 3], dtype="float32"),
    "f64": [0.1, None, -2.5, 1e100], "flag": pd.array([True, False, None, True], dtype="boolean"), "word": ["a", 'ü "q",', None, "x"],
    "level": pd.Categorical(["lo", "hi", None, "lo"]), "moment": pd.to_datetime(["2024-02-29 12:34:56", "1969-12-31 23:59:59", None, "2000-01-01"]),
})
df.to_csv("p.csv", index=False)
df.to_csv("p.csv.gz", index=False)
df.to_csv("p.tsv", index=False, sep="\t")
df.to_json("p.jsonl", orient="records", lines=True, date_format="iso")
df.to_json("p.jsonl.gz", orient="records", lines=True, date_format="iso", force_ascii=False)
m = np.array([[1, 2], [3, 4], [5, 6.5]])
np.save("c.npy", m)
np.save("f.npy", np.asfortranarray(m))
np.save("big.npy", m.astype(">f4"))
np.save("t.npy", m.T)
np.save("i.npy", np.array([-1, 2], dtype="int16"))
np.savez("a.npz", u=m, flag=np.array([True, False, True]), word=np.array(["a", "ü", ""]), raw=np.array([b"x", b"yz", b""]), k=np.array([1, 2, 255], dtype="uint8"), half=np.array([.5, 1, np.nan], dtype="float16"))
np.savez_compressed("z.npz", u=m)
`

// TestWrittenByPandas runs where Debian's pandas is installed.
func TestWrittenByPandas(t *testing.T) {
	slow.Only(t)
	const python = "/usr/bin/python3" // that Debian's packages are for
	if exec.Command(python, "-c", "import pandas").Run() != nil {
		t.Skip("pandas is not installed")
	}
	t.Chdir(t.TempDir())
	cmd := exec.Command(python, "-c", pandasProgram)
	cmd.Stderr = new(bytes.Buffer)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, cmd.Stderr)
	}
	rows := map[string]string{
		"whole numeric": "1||-3|4|", "id text": "1234567890123450159|2|3|4|", "f32 numeric": "0.5|-1.25||3|", "f64 numeric": "0.1||-2.5|1e+100|", "flag text": "True|False||True|",
		"word text": "a|ü \"q\",||x|", "level text": "lo|hi||lo|", "moment text": "2024-02-29 12:34:56|1969-12-31 23:59:59||2000-01-01 00:00:00|",
	}
	for _, name := range []string{"p.csv", "p.csv.gz", "p.tsv"} {
		if diff := cmp.Diff(rows, cellsOf(t, name, Options{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	rows["flag text"], rows["moment text"] = "true|false||true|", "2024-02-29T12:34:56.000|1969-12-31T23:59:59.000||2000-01-01T00:00:00.000|"
	for _, name := range []string{"p.jsonl", "p.jsonl.gz"} {
		if diff := cmp.Diff(rows, cellsOf(t, name, Options{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, want := range map[string]map[string]string{
		"c.npy":   {"c[0] numeric": "1|3|5|", "c[1] numeric": "2|4|6.5|"},
		"f.npy":   {"f[0] numeric": "1|3|5|", "f[1] numeric": "2|4|6.5|"},
		"big.npy": {"big[0] numeric": "1|3|5|", "big[1] numeric": "2|4|6.5|"},
		"t.npy":   {"t[0] numeric": "1|2|", "t[1] numeric": "3|4|", "t[2] numeric": "5|6.5|"},
		"i.npy":   {"i numeric": "-1|2|"},
		"a.npz": {"u[0] numeric": "1|3|5|", "u[1] numeric": "2|4|6.5|", "flag text": "true|false|true|", "word text": "a|ü||", "raw text": "x|yz||", "k numeric": "1|2|255|",
			"half numeric": "0.5|1||"},
		"z.npz": {"u[0] numeric": "1|3|5|", "u[1] numeric": "2|4|6.5|"},
	} {
		if diff := cmp.Diff(want, cellsOf(t, name, Options{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
