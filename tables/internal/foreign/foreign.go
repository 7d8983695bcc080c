// Package foreign recognises files in formats that are not read, by how they begin, and has the command line that converts each.
package foreign

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mediant/internal/input"
)

// HeadBytes of a file tell its format.
const HeadBytes = 512

// Refuse returns an error, which begins with the name of the file, if a file that begins with head, decompressed, is in a format that is not read; nil if it
// may be text.
func Refuse(in input.File, head string) error {
	for _, f := range all {
		if f.begins(head) {
			if f.inside != nil {
				f = f.inside(in)
			}
			return f.refusal(in.Name)
		}
	}
	return nil
}

// A format is one that is not read.
type format struct {
	name   string
	begins func(head string) bool
	with   command
	inside func(in input.File) format // the format of what an archive holds, nil for what is none
}

// A command converts a file: a line for a shell, in which IN and OUT stand for the files.
type command struct {
	line  string
	needs string // what has to be installed, beyond the first word of the line; "" for nothing
}

// frame is a line of Python that writes a data frame as CSV.
func frame(expression, needs string) command {
	return command{"python3 -c 'import sys, pandas; pandas." + expression + ".to_csv(sys.argv[2], index=False)' IN OUT", "pandas" + needs}
}

// data is a line of R that writes a data frame as CSV.
func data(expression string) command {
	return command{"Rscript -e 'a <- commandArgs(TRUE); write.csv(" + expression + ", a[2], row.names = FALSE)' IN OUT", ""}
}

// haven is data for a function of R's package haven. pandas needs another module for SPSS, reads no transport file of SAS of version 8, and fails on some SAS data sets.
func haven(function string) command {
	return command{data("haven::" + function + "(a[1])").line, "the package haven"}
}

const arg = "(sys.argv[1])"

// all are the formats; the first that fits counts.
var all = []format{
	{name: "UTF-32", begins: starts("\xff\xfe\x00\x00", "\x00\x00\xfe\xff"), with: iconv("UTF-32")},
	{name: "UTF-16", begins: starts("\xff\xfe", "\xfe\xff"), with: iconv("UTF-16")},
	{name: "UTF-16", begins: everySecondZero(1), with: iconv("UTF-16LE")},
	{name: "UTF-16", begins: everySecondZero(0), with: iconv("UTF-16BE")},

	{name: "a zip file", begins: starts("PK\x03\x04", "PK\x05\x06"), inside: zipped},
	{name: "a 7z archive", begins: starts("7z\xbc\xaf\x27\x1c"), with: command{line: "7z x IN"}},
	{name: "a RAR archive", begins: starts("Rar!\x1a\x07"), with: command{line: "unrar x IN"}},
	{name: "a tar archive", begins: at(257, "ustar"), with: command{line: "tar -xf IN"}},
	{name: "compressed with bzip2", begins: bzip2, inside: packed("compressed with bzip2", "bunzip2 -c IN > OUT")},
	{name: "compressed with xz", begins: starts("\xfd7zXZ\x00"), inside: packed("compressed with xz", "xz -dc IN > OUT")},
	{name: "compressed with lzma", begins: starts("]\x00\x00"), with: command{line: "xz -dc -F lzma IN > OUT"}},
	{name: "compressed with lz4", begins: starts("\x04\x22\x4d\x18"), with: command{line: "lz4 -dc IN > OUT"}},
	{name: "compressed with compress", begins: starts("\x1f\x9d"), with: command{line: "gzip -dc IN > OUT"}},

	{name: "an Excel workbook (.xls)", begins: starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), with: frame("read_excel"+arg, " and xlrd")},
	{name: "a Stata file (.dta)", begins: stata, with: frame("read_stata"+arg, "")},
	{name: "an SPSS file (.sav)", begins: starts("$FL2", "$FL3"), with: haven("read_sav")},
	{name: "an SPSS portable file (.por)", begins: starts("ASCII SPSS PORT FILE"), with: haven("read_por")},
	{name: "a SAS data set (.sas7bdat)", begins: starts(sas7bdat), with: haven("read_sas")},
	{name: "a SAS transport file (.xpt)", begins: starts("HEADER RECORD*******LIB"), with: haven("read_xpt")},
	{name: "an R object (.rds)", begins: starts("X\n\x00\x00\x00", "A\n2\n", "A\n3\n"), with: rds},
	{name: "an R workspace (.rda)", begins: starts("RDX2\n", "RDX3\n", "RDA2\n", "RDA3\n"), with: rda},

	{name: "an HDF5 file", begins: starts("\x89HDF\r\n\x1a\n"), with: frame("read_hdf"+arg, " and tables")},
	{name: "a MATLAB file (.mat)", begins: starts("MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file"),
		with: command{`matlab -batch 's = load("IN"); f = fieldnames(s); writematrix(s.(f{1}), "OUT")'`, ""}},
	{name: "a Feather file of version 1", begins: starts("FEA1"), with: frame("read_feather"+arg, " and pyarrow")},
	{name: "an ORC file", begins: starts("ORC"), with: frame("read_orc"+arg, " and pyarrow")},
	{name: "an Avro file", begins: starts("Obj\x01"),
		with: command{`python3 -c 'import sys, fastavro, pandas; pandas.DataFrame(fastavro.reader(open(sys.argv[1], "rb"))).to_csv(sys.argv[2], index=False)' IN OUT`, "pandas and fastavro"}},
	{name: "an SQLite database", begins: starts("SQLite format 3\x00"), with: command{sqlite, "pandas; it writes the first table"}},
	{name: "a DuckDB database", begins: at(8, "DUCK"), with: command{`duckdb -csv IN 'FROM TABLE' > OUT`, "the name of the table for TABLE"}},
	{name: "a pickle of Python", begins: pickle, with: frame("read_pickle"+arg, "; it runs what code the file holds")},
	{name: "a Parquet file", begins: starts("PAR1"), with: frame("read_parquet"+arg, " and pyarrow")},
	{name: "a Feather or Arrow file", begins: starts("ARROW1"), with: frame("read_feather"+arg, " and pyarrow")},
	{name: "a PDF", begins: starts("%PDF-")},

	{name: "HTML, perhaps the page of an error", begins: html, with: frame("read_html(sys.argv[1])[0]", " and lxml; it writes the first table")},
	{name: "XML", begins: xml, with: frame("read_xml"+arg, " and lxml")},
	{name: "JSON", begins: isJSON, with: frame("read_json"+arg, "")},
}

var (
	rds = data("readRDS(a[1])")
	rda = data("get(load(a[1])[1])")
)

// sas7bdat is how such a file begins.
const sas7bdat = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"

const sqlite = `python3 -c 'import sys, sqlite3, pandas; c = sqlite3.connect(sys.argv[1]); t = c.execute("select name from sqlite_master where type = \"table\"").fetchone()[0]; ` +
	`pandas.read_sql(f"select * from \"{t}\"", c).to_csv(sys.argv[2], index=False)' IN OUT`

func iconv(from string) command { return command{line: "iconv -f " + from + " -t UTF-8 IN > OUT"} }

// starts is how formats begin.
func starts(signatures ...string) func(head string) bool {
	return func(head string) bool {
		return slices.ContainsFunc(signatures, func(s string) bool { return strings.HasPrefix(head, s) })
	}
}

// at is a format that has a word in one place.
func at(offset int, word string) func(head string) bool {
	return func(head string) bool { return len(head) > offset && strings.HasPrefix(head[offset:], word) }
}

// everySecondZero is ASCII in UTF-16 without a byte order mark, whose zeros stand at odd or even places.
func everySecondZero(odd int) func(head string) bool {
	return func(head string) bool {
		for i := range min(len(head), 64) &^ 1 {
			if zero := head[i] == 0; zero != (i%2 == odd) {
				return false
			}
		}
		return len(head) >= 4
	}
}

// bzip2 has a level, and a first block, or the end.
func bzip2(head string) bool {
	return len(head) > 4 && strings.HasPrefix(head, "BZh") && '1' <= head[3] && head[3] <= '9' && starts("1AY&SY", "\x17rE8P\x90")(head[4:])
}

// stata has its release, from 8 on, an order of bytes, and the type of files that there is; later ones have tags.
func stata(head string) bool {
	if strings.HasPrefix(head, "<stata_dta>") {
		return true
	}
	return len(head) > 3 && 105 <= head[0] && head[0] <= 115 && (head[1] == 1 || head[1] == 2) && head[2] == 1 && head[3] == 0
}

// pickle is of protocol 2 or later.
func pickle(head string) bool {
	return len(head) > 2 && head[0] == 0x80 && 2 <= head[1] && head[1] <= 5
}

// zipped is the format of a zip file by the files in it.
func zipped(in input.File) format {
	workbook := format{name: "an Excel workbook (.xlsx)", with: frame("read_excel"+arg, " and openpyxl")}
	archive, err := zip.NewReader(in.File, in.Size)
	if err == nil {
		for _, f := range archive.File {
			switch {
			case f.Name == "xl/workbook.bin":
				return format{name: "an Excel workbook (.xlsb)", with: frame("read_excel"+arg, " and pyxlsb")}
			case strings.HasPrefix(f.Name, "xl/"), strings.HasPrefix(f.Name, "xl\\"):
				return workbook
			case strings.HasPrefix(f.Name, "word/"):
				return format{name: "a Word document (.docx)"}
			case f.Name == "mimetype" && strings.Contains(content(f), "opendocument.spreadsheet"):
				return format{name: "an OpenDocument spreadsheet (.ods)", with: frame("read_excel"+arg, " and odfpy")}
			}
		}
	}
	return format{name: "a zip file", with: command{line: "unzip IN"}}
}

// content is how a small file of an archive begins.
func content(f *zip.File) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	text, _ := io.ReadAll(io.LimitReader(r, HeadBytes)) // damaged: what there is
	return string(text)
}

// packed is a compressed file, of R if its name says so.
func packed(name, line string) func(in input.File) format {
	return func(in input.File) format {
		switch strings.ToLower(filepath.Ext(in.Name)) {
		case ".rds":
			return format{name: "an R object (.rds)", with: rds}
		case ".rda", ".rdata":
			return format{name: "an R workspace (.rda)", with: rda}
		}
		return format{name: name, with: command{line: line}}
	}
}

// text is a head without a byte order mark and white space.
func text(head string) string {
	return strings.TrimLeft(strings.TrimPrefix(head, "\xef\xbb\xbf"), " \t\r\n")
}

func html(head string) bool {
	begin := text(head)
	return slices.ContainsFunc([]string{"<!doctype html", "<html", "<table", "<head"}, func(tag string) bool {
		return len(begin) >= len(tag) && strings.EqualFold(begin[:len(tag)], tag)
	})
}

func xml(head string) bool { return strings.HasPrefix(text(head), "<?xml") }

// isJSON reports a text that begins as an object, or as a list of objects, lists or strings, up to its first value. A name
// that only begins with brackets, as [[a, is none.
func isJSON(head string) bool {
	begin := text(head)
	next := func(of string) bool {
		rest := strings.TrimLeft(begin[1:], " \t\r\n")
		return rest != "" && strings.IndexByte(of, rest[0]) >= 0
	}
	switch {
	case len(begin) < 2:
		return false
	case begin[0] == '{' && !next(`"`), begin[0] == '[' && !next(`{["`), begin[0] != '{' && begin[0] != '[':
		return false
	}
	for values := json.NewDecoder(strings.NewReader(begin)); ; {
		token, err := values.Token()
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
		if _, bracket := token.(json.Delim); !bracket {
			return true
		}
	}
}

// refusal is the error for a file of the format.
func (f format) refusal(name string) error {
	if f.with.line == "" {
		return fmt.Errorf("%s: the file is %s, which is not read; write the table as CSV", name, f.name)
	}
	needs := ""
	if f.with.needs != "" {
		needs = " (with " + f.with.needs + ")"
	}
	return fmt.Errorf("%s: the file is %s, which is not read; this line converts it%s: %s", name, f.name, needs, f.with.of(name))
}

// of is the line for a file.
func (c command) of(name string) string {
	if name == input.Stdin {
		name = "FILE"
	}
	return strings.NewReplacer("IN", quoted(name), "OUT", quoted(converted(name))).Replace(c.line)
}

// converted is a name for the CSV file, which is not that of the file itself.
func converted(name string) string {
	stem := name
	for _, ending := range []string{".bz2", ".xz", ".lzma", ".lz4", ".Z", ".gz", ".zst"} {
		stem = strings.TrimSuffix(stem, ending)
	}
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	if stem+".csv" == name {
		return stem + ".converted.csv"
	}
	return stem + ".csv"
}

// quoted is a path as one word of a shell, and none that begins as a flag.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-/+:@%,", r) || r > 0x7f
	}
	if !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
