package formats

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"

	"mediant/internal/slow"
	"mediant/internal/tabletest"
	"mediant/tables/idx"
)

// repeated writes a text so often.
type repeated struct {
	text  string
	times int
}

// gzipped, zstandard and plain are files of texts, one after another.
func gzipped(parts ...repeated) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	repeat(z, parts)
	z.Close()
	return b.Bytes()
}

func zstandard(parts ...repeated) []byte {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	repeat(z, parts)
	z.Close()
	return b.Bytes()
}

func plain(parts ...repeated) []byte {
	var b bytes.Buffer
	repeat(&b, parts)
	return b.Bytes()
}

func repeat(w io.Writer, parts []repeated) {
	for _, p := range parts {
		many := strings.Repeat(p.text, max(1, min(p.times, (1<<16)/len(p.text))))
		for left := p.times * len(p.text); left > 0; left -= len(many) {
			io.WriteString(w, many[:min(left, len(many))])
		}
	}
}

// counted are so many numbered texts.
func counted(format string, n int) repeated {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return repeated{b.String(), 1}
}

// npyHeader begins an array.
func npyHeader(descr, shape string) string {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

// zipped is an archive of files, deflated.
func zipped(names []string, parts ...repeated) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, _ := z.Create(name)
		repeat(w, parts)
	}
	z.Close()
	return b.Bytes()
}

func named(format string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i)
	}
	return names
}

const mega = 1 << 20

// hostile are files that stand for far more than they have, by name.
var hostile = map[string]func() []byte{
	// Text of any length in few bytes.
	"line.svm.gz":    func() []byte { return gzipped(repeated{"1 1:1", 1}, repeated{" ", 200 * mega}) },
	"line.svm.zst":   func() []byte { return zstandard(repeated{"1 1:1", 1}, repeated{"x", 200 * mega}) },
	"comment.svm.gz": func() []byte { return gzipped(repeated{"1 1:1 #", 1}, repeated{"x", 200 * mega}) },
	"rows.svm.gz":    func() []byte { return gzipped(repeated{"1 1:1\n", 10 * mega}) },
	"labels.svm.zst": func() []byte { return zstandard(repeated{"1\n2\n", 10 * mega}) },
	"blank.svm.zst":  func() []byte { return zstandard(repeated{"1\n\n", 20 * mega}) },
	"elements.svm":   func() []byte { return plain(repeated{"1 1:1\n2 1:1\n", mega}) },
	"wide.svm":       func() []byte { return plain(repeated{"1 ", 1}, counted("%[1]d:1 ", mega), repeated{"\n", 1}) },
	"line.csv.gz":    func() []byte { return gzipped(repeated{"a,b\n1,", 1}, repeated{"x", 200 * mega}) },
	"lines.csv.zst": func() []byte {
		return zstandard(repeated{"a,b\n", 1}, repeated{"1," + strings.Repeat("x", mega) + "\n", 150})
	},
	"members.csv.gz":    func() []byte { return bytes.Repeat(gzipped(repeated{"a,b\n", 1}, repeated{"x", mega}), 100) },
	"quotes.csv.gz":     func() []byte { return gzipped(repeated{"a,b\n1,\"", 1}, repeated{"\n", 200 * mega}) },
	"numbers.csv.zst":   func() []byte { return zstandard(repeated{"a,b\n", 1}, repeated{"1,2\n", 6 * mega}) },
	"blank.csv.zst":     func() []byte { return zstandard(repeated{"a,b\n", 1}, repeated{"1,2\n\n", 6 * mega}) },
	"comments.csv.zst":  func() []byte { return zstandard(repeated{"a,b\n", 1}, repeated{"1,2\n#\n", mega}) },
	"totals.csv.zst":    func() []byte { return zstandard(repeated{"a,b\n", 1}, repeated{"Total,2\nx,\n", mega / 2}) },
	"empty.csv.zst":     func() []byte { return zstandard(repeated{"a,b\n1,2\n", 1}, repeated{",\n", 4 * mega}) },
	"header.csv.gz":     func() []byte { return gzipped(repeated{",", 200 * mega}) },
	"lines.jsonl.zst":   func() []byte { return zstandard(repeated{`{"a":"` + strings.Repeat("x", mega) + "\"}\n", 150}) },
	"line.jsonl.gz":     func() []byte { return gzipped(repeated{`{"a":1,"b":"`, 1}, repeated{"x", 200 * mega}) },
	"spaces.jsonl.gz":   func() []byte { return gzipped(repeated{`{"a":1,`, 1}, repeated{" ", 200 * mega}) },
	"items.jsonl.gz":    func() []byte { return gzipped(repeated{`{"a":[`, 1}, repeated{"1,", 100 * mega}) },
	"names.jsonl.zst":   func() []byte { return zstandard(counted("{\"%d\":1}\n", mega)) },
	"members.jsonl.zst": func() []byte { return zstandard(repeated{`{"a":1,`, 1}, repeated{`"":1,`, 10 * mega}) },
	"texts.jsonl.gz":    func() []byte { return gzipped(repeated{`{"a":"`, 1}, repeated{"x", 3 * mega}, repeated{"\"}\n", 1}) },
	"rows.jsonl.zst":    func() []byte { return zstandard(repeated{"{\"a\":1}\n", mega / 4}) },

	// Many columns, or cells in a row.
	"header.csv": func() []byte { return plain(repeated{",", 8 * mega}) },
	"header.tsv": func() []byte { return plain(repeated{"\t", 8 * mega}) },
	"names.csv": func() []byte {
		return plain(counted("%d,", mega), repeated{"x\n", 1}, repeated{",", mega}, repeated{"\n", 1})
	},
	"quoted.csv": func() []byte { return plain(repeated{`"",`, 2 * mega}) },
	"ragged.csv": func() []byte {
		return plain(repeated{"a,b\n1,2\n", 1}, repeated{strings.Repeat(",", 2*mega) + "\n", 8})
	},
	"raggedquotes.csv": func() []byte {
		return plain(repeated{"a,b\n1,2\n", 1}, repeated{strings.Repeat(`"",`, mega) + "\n", 8})
	},
	"newlines.csv": func() []byte {
		return plain(repeated{"a,b,c\n1,2,\"", 1}, repeated{"\n", 8 * mega}, repeated{"\"\n", 1})
	},
	"comments.csv": func() []byte { return plain(repeated{"#,", 8 * mega}) },
	"one.jsonl":    func() []byte { return plain(repeated{"{", 1}, counted(`"%d":1,`, mega), repeated{`"x":1}`, 1}) },
	"same.jsonl":   func() []byte { return plain(repeated{`{"a":1`, 1}, repeated{`,"":1`, 2 * mega}) },
	"names.jsonl":  func() []byte { return plain(counted("{\"%d\":1}\n", mega)) },
	"nested.jsonl": func() []byte { return plain(repeated{`{"a":`, 1}, repeated{"[", 8 * mega}) },
	"wide.npy":     func() []byte { return plain(repeated{npyHeader("|u1", "(1, 8388608)"), 1}, repeated{"\x01", 8 * mega}) },
	"wide.npz": func() []byte {
		return zipped([]string{"a.npy"}, repeated{npyHeader("|u1", "(1, 104857600)"), 1}, repeated{"\x01", 100 * mega})
	},
	"rows.npz": func() []byte {
		return zipped([]string{"a.npy"}, repeated{npyHeader("<f8", "(26214400,)"), 1}, repeated{"\x00", 200 * mega})
	},
	"cells.npz": func() []byte {
		return zipped([]string{"a.npy"}, repeated{npyHeader("|S1048576", "(2, 100)"), 1}, repeated{"x", 200 * mega})
	},
	"texts.npz": func() []byte {
		return zipped([]string{"a.npy"}, repeated{npyHeader("|S1048576", "(200,)"), 1}, repeated{"x", 200 * mega})
	},
	"members.npz": func() []byte { return zipped(named("%d.npy", 100_000), repeated{npyHeader("|u1", "(1,)") + "\x01", 1}) },
}

// TestMemoryOfHostileFiles: no reader takes more memory than ten times its file and 64 MB, whatever the file stands for.
func TestMemoryOfHostileFiles(t *testing.T) {
	slow.Only(t)
	for _, columns := range []func(*testing.T) map[string][]byte{arrows, parquets} {
		for name, data := range columns(t) {
			hostile[name] = func() []byte { return data }
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		t.Run(name, func(t *testing.T) {
			data := hostile[name]()
			path := tabletest.WriteFile(t, name, string(data))
			tabletest.Peak(t, len(data), func(ctx context.Context) {
				rows, err := rowsOf(ctx, path)
				t.Logf("%d bytes: %d rows, error %.300v", len(data), rows, err)
			})
		})
	}
	for _, content := range []int{100 * mega, 20 * mega} {
		data := gzipped(repeated{"\x00\x00\x08\x01" + string(binary.BigEndian.AppendUint32(nil, uint32(content))), 1}, repeated{"\x00", content})
		tabletest.Peak(t, len(data), func(context.Context) {
			if _, _, err := idx.Read(bytes.NewReader(data)); (err == nil) != (content < 24*mega) {
				t.Errorf("idx of %d bytes: %v", content, err)
			}
		})
	}
}

// TestLargeFilesAreRead: what people have is read, though it has many columns, long cells or few bytes.
func TestLargeFilesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		rows int
	}{
		"genes.csv":     {plain(counted("gene%d,", 20_000), repeated{"y\n", 1}, repeated{strings.Repeat("0.25,", 20_000) + "1\n", 20}), 20},
		"flags.csv.gz":  {gzipped(counted("f%d,", 2000), repeated{"y\n", 1}, repeated{strings.Repeat("0,", 2000) + "1\n", 2000}), 2000},
		"texts.csv.zst": {zstandard(repeated{"t,y\n", 1}, repeated{strings.Repeat("text ", 2000) + ",1\n", 3000}), 3000},
		"texts.jsonl":   {plain(repeated{`{"t":"` + strings.Repeat("text ", 2000) + "\"}\n", 3000}), 3000},
		"rows.svm.gz":   {gzipped(repeated{"1 1:1 3:0.5 7:2 9:1\n2 2:1\n", 50_000}), 100_000},
		"words.parquet": {parquetOf(t, 6000, func(i int) codedText { return codedText{strings.Repeat(string(rune('a'+i%20)), 5000), float64(i)} }), 6000},
		"flags.parquet": {wideCodes(t, 60, 50_000), 50_000},
		"long.npy":      {plain(repeated{npyHeader("|S5000", "(3000, 1)"), 1}, repeated{"x", 5000 * 3000}), 3000},
	} {
		rows, err := rowsOf(t.Context(), tabletest.WriteFile(t, name, string(c.data)))
		if rows != c.rows || err != nil {
			t.Errorf("%s: %d rows, want %d, error %v", name, rows, c.rows, err)
		}
	}
}

type codedText struct {
	T string  `parquet:"t,dict"`
	X float64 `parquet:"x"`
}

// rowsOf reads a file twice, as programs do: once to open it and once for its rows.
func rowsOf(ctx context.Context, path string) (rows int, err error) {
	src, err := Open(ctx, path, Options{})
	if err != nil {
		return 0, err
	}
	defer src.Close()
	for b, err := range src.Source.Batches(ctx) {
		if err != nil {
			return rows, err
		}
		rows += b.Rows
	}
	return rows, nil
}
