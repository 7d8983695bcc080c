package foreign

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediant/internal/input"
	"mediant/internal/slow"
)

// zipOf is a zip file of files with their contents.
func zipOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		name, content, _ := strings.Cut(name, "=")
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(content))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// refuse is Refuse of a file in memory.
func refuse(name, content string) error {
	head := content[:min(len(content), HeadBytes)]
	return Refuse(input.File{Name: name, File: strings.NewReader(content), Size: int64(len(content))}, head)
}

// TestRefuse: a file is refused by the name of its format, with a line for it, and text that begins alike is not.
func TestRefuse(t *testing.T) {
	big := strings.Repeat("\x00", 600)
	for _, c := range []struct{ name, content, want, line string }{
		{"a.csv", "\xff\xfe\x00\x00x\x00\x00\x00", "UTF-32", "iconv -f UTF-32 -t UTF-8 a.csv > a.converted.csv"},
		{"a.txt", "\x00\x00\xfe\xff\x00\x00\x00x", "UTF-32", "iconv -f UTF-32 -t UTF-8 a.txt > a.csv"},
		{"a.txt", "\xff\xfex\x00,\x00", "UTF-16", "iconv -f UTF-16 -t UTF-8 a.txt > a.csv"},
		{"a.txt", "\xfe\xff\x00x\x00,", "UTF-16", "iconv -f UTF-16 "},
		{"a.txt", "x\x00,\x00y\x00\n\x00", "UTF-16", "iconv -f UTF-16LE "},
		{"a.txt", "\x00x\x00,\x00y\x00\n", "UTF-16", "iconv -f UTF-16BE "},
		{"a.xlsx", zipOf(t, "docProps/app.xml", "[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (.xlsx)", "read_excel"},
		{"a.xlsb", zipOf(t, "xl/workbook.bin"), "an Excel workbook (.xlsb)", "read_excel"},
		{"a.docx", zipOf(t, "word/document.xml"), "a Word document (.docx)", "write the table as CSV"},
		{"a.ods", zipOf(t, "mimetype=application/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument spreadsheet (.ods)", "read_excel"},
		{"a.odt", zipOf(t, "mimetype=application/vnd.oasis.opendocument.text"), "a zip file", "unzip a.odt"},
		{"a.zip", zipOf(t, "a.csv"), "a zip file", "unzip a.zip"},
		{"cut.zip", zipOf(t, "xl/workbook.xml")[:40], "a zip file", "unzip"},
		{"a.7z", "7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive", "7z x a.7z"},
		{"a.rar", "Rar!\x1a\x07\x01\x00", "a RAR archive", "unrar x a.rar"},
		{"a.tar", "a.csv" + big[:252] + "ustar\x0000" + big, "a tar archive", "tar -xf a.tar"},
		{"a.csv.bz2", "BZh91AY&SYxx", "compressed with bzip2", "bunzip2 -c a.csv.bz2 > a.csv"},
		{"a.rds", "BZh91AY&SYxx", "an R object (.rds)", "readRDS"},
		{"a.RData", "\xfd7zXZ\x00\x00", "an R workspace (.rda)", "load(a[1])"},
		{"a.csv.xz", "\xfd7zXZ\x00\x00", "compressed with xz", "xz -dc a.csv.xz > a.csv"},
		{"a.csv.lzma", "]\x00\x00\x80\x00\xff", "compressed with lzma", "xz -dc -F lzma a.csv.lzma > a.csv"},
		{"a.csv.lz4", "\x04\x22\x4d\x18d", "compressed with lz4", "lz4 -dc a.csv.lz4 > a.csv"},
		{"a.csv.Z", "\x1f\x9d\x90a", "compressed with compress", "gzip -dc a.csv.Z > a.csv"},
		{"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + big, "an Excel workbook (.xls)", "read_excel"},
		{"a.dta", "<stata_dta><header><release>118</release>", "a Stata file (.dta)", "read_stata"},
		{"a.dta", "r\x02\x01\x00\x02\x00", "a Stata file (.dta)", "read_stata"},
		{"a.dta", "i\x01\x01\x00\x02\x00", "a Stata file (.dta)", "read_stata"},
		{"a.sav", "$FL2@(#) SPSS DATA FILE", "an SPSS file (.sav)", "haven::read_sav"},
		{"a.zsav", "$FL3@(#) SPSS DATA FILE", "an SPSS file (.sav)", "haven::read_sav"},
		{"a.por", "ASCII SPSS PORT FILE                    ", "an SPSS portable file (.por)", "read_por"},
		{"a.sas7bdat", sas7bdat + big, "a SAS data set (.sas7bdat)", "haven::read_sas"},
		{"a.xpt", "HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000000", "a SAS transport file (.xpt)", "haven::read_xpt"},
		{"a.xpt", "HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!000000", "a SAS transport file (.xpt)", "haven::read_xpt"},
		{"a.rds", "X\n\x00\x00\x00\x03\x00", "an R object (.rds)", "readRDS"},
		{"a.rds", "A\n3\n262656\n", "an R object (.rds)", "readRDS"},
		{"a.rda", "RDX3\nX\n\x00", "an R workspace (.rda)", "load(a[1])"},
		{"a.rda", "RDA2\nA\n2", "an R workspace (.rda)", "load(a[1])"},
		{"a.h5", "\x89HDF\r\n\x1a\n\x00", "an HDF5 file", "read_hdf"},
		{"a.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB file (.mat)", "matlab"},
		{"a.feather", "FEA1\x00\x00\x00\x00", "a Feather file of version 1", "read_feather"},
		{"a.orc", "ORC\x11\x00\x00", "an ORC file", "read_orc"},
		{"a.avro", "Obj\x01\x04\x14", "an Avro file", "fastavro"},
		{"a.db", "SQLite format 3\x00\x10\x00", "an SQLite database", "sqlite3"},
		{"a.duckdb", "\x00\x01\x02\x03\x04\x05\x06\x07DUCK@\x00", "a DuckDB database", "duckdb"},
		{"a.pkl", "\x80\x04\x95\x10\x00", "a pickle of Python", "read_pickle"},
		{"a.pkl", "\x80\x02cpandas", "a pickle of Python", "read_pickle"},
		{"a.csv", "PAR1\x15\x04", "a Parquet file", "read_parquet"},
		{"a.csv", "ARROW1\x00\x00", "a Feather or Arrow file", "read_feather"},
		{"a.pdf", "%PDF-1.4\n", "a PDF", "write the table as CSV"},
		{"a.html", "<!DOCTYPE html>\n<html><table>", "HTML", "read_html"},
		{"a.html", "  <table border=1>", "HTML", "read_html"},
		{"a.xml", "<?xml version=\"1.0\"?>\n<a/>", "XML", "read_xml"},
		{"a.json", `[{"x": 1, "u": 2}, {"x": 2, "u": 3}]`, "JSON", "read_json"},
		{"a.json", "\n[\n  {\n    \"x\": 1\n  }\n]\n", "JSON", "read_json"},
		{"a.json", "\ufeff{\"x\":1,\"u\":2}\n", "JSON", "read_json"},
		{"a.json", "[[1, 2], [2, 3]]\n", "JSON", "read_json"},
		{"a.json", "[{\"x\": \"a", "JSON", "read_json"},
		{input.Stdin, "\xfd7zXZ\x00", "compressed with xz", ": xz -dc FILE > FILE.csv"},
		{"-a b's.xz", "\xfd7zXZ\x00", "compressed with xz", `: xz -dc './-a b'\''s.xz' > './-a b'\''s.csv'`},
		{"IN.xz", "\xfd7zXZ\x00", "compressed with xz", ": xz -dc IN.xz > IN.csv"},
	} {
		if err := refuse(c.name, c.content); err == nil || !strings.HasPrefix(err.Error(), c.name+": the file is "+c.want+",") || !strings.Contains(err.Error(), c.line) {
			t.Errorf("%s that begins %.20q: error %v, want %q and %q in it", c.name, c.content, err, c.want, c.line)
		}
	}
	for _, content := range []string{"", "a,b\n1,2\n", "PK,u\n1,2\n", "[x],{u}\n1,2\n", "[[a,u\n1,2\n", "<x,u>\n1,2\n", "BZh,u\n1,2\n", "BZh9,1AY&SY\n1,2\n", "i,u\n1,2\n", "r\x01\n", "ORE,u\n1,2\n",
		"X\n1\n", "A\n1\n", "7z,u\n", "x", "]\n1\n", "$FL,u\n"} {
		if err := refuse("a.csv", content); err != nil {
			t.Errorf("%q: error %v, want none", content, err)
		}
	}
}

// TestLinesAreOneLine: the line for each format stands in one line of an error, and names the file.
func TestLinesAreOneLine(t *testing.T) {
	for _, f := range all {
		if strings.ContainsAny(f.with.line, "\n\r\t") || f.with.line != "" && !strings.Contains(f.with.line, "IN") {
			t.Errorf("%s: %q", f.name, f.with.line)
		}
	}
}

// TestLinesOfPythonAndR is TestLinesWork for data frames.
func TestLinesOfPythonAndR(t *testing.T) {
	slow.Only(t)
	frame := func(write string) string {
		return "python3 -c 'import sys, pandas; d = pandas.DataFrame({\"x\": [1.5, -2.25], \"u\": [\"a\", \"b c\"]}); " + write + "' "
	}
	const r = `Rscript -e 'd <- data.frame(x = c(1.5, -2.25), u = c("a", "b c")); `
	linesWork(t, []writtenFile{
		{"a b.xlsx", frame("d.to_excel(sys.argv[1], index=False)"), "openpyxl"},
		{"a.ods", frame("d.to_excel(sys.argv[1], index=False, engine=\"odf\")"), "odf"},
		{"a.dta", frame("d.to_stata(sys.argv[1], write_index=False, version=118)"), ""},
		{"old.dta", frame("d.to_stata(sys.argv[1], write_index=False, version=114)"), ""},
		{"a.pkl", frame("d.to_pickle(sys.argv[1])"), ""},
		{"a.h5", frame("d.to_hdf(sys.argv[1], \"d\")"), "tables"},
		{"a.json", frame("d.to_json(sys.argv[1], orient=\"records\")"), ""},
		{"a.html", frame("d.to_html(sys.argv[1], index=False)"), "lxml"},
		{"a.xml", frame("d.to_xml(sys.argv[1], index=False)"), "lxml"},
		{"a.db", frame("import sqlite3; d.to_sql(\"any table\", sqlite3.connect(sys.argv[1]), index=False)"), ""},
		{"a.orc", frame("d.to_orc(sys.argv[1])"), "pyarrow"},
		{"a.sav", r + "haven::write_sav(d, commandArgs(TRUE)[1])' ", "haven"},
		{"z.sav", r + "haven::write_sav(d, commandArgs(TRUE)[1], compress = \"zsav\")' ", "haven"},
		{"a.sas7bdat", r + "haven::write_sas(d, commandArgs(TRUE)[1])' ", "haven"},
		{"a.xpt", r + "haven::write_xpt(d, commandArgs(TRUE)[1])' ", "haven"},
		{"old.xpt", r + "haven::write_xpt(d, commandArgs(TRUE)[1], version = 5)' ", "haven"},
		{"a.rds", r + "saveRDS(d, commandArgs(TRUE)[1])' ", "R"},
		{"bz.rds", r + "saveRDS(d, commandArgs(TRUE)[1], compress = \"bzip2\")' ", "R"},
		{"plain.rds", r + "saveRDS(d, commandArgs(TRUE)[1], compress = FALSE)' ", "R"},
		{"a.rda", r + "save(d, file = commandArgs(TRUE)[1])' ", "R"},
	})
}

// TestLinesWork makes a file of each format that a program here can write, and runs the line of its error, which must give the table.
func TestLinesWork(t *testing.T) {
	linesWork(t, []writtenFile{
		{"a.csv.bz2", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | bzip2 > ", "bzip2"},
		{"a.csv.xz", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | xz > ", "xz"},
		{"a.csv.lzma", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | xz -F lzma > ", "xz"},
		{"a.csv.lz4", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | lz4 > ", "lz4"},
		{"wide.txt", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | iconv -f UTF-8 -t UTF-16 > ", "iconv"},
		{"wide.csv", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | iconv -f UTF-8 -t UTF-16BE > ", "iconv"},
		{"wider.txt", "printf 'x,u\\n1.5,a\\n-2.25,b c\\n' | iconv -f UTF-8 -t UTF-32 > ", "iconv"},
	})
}

// A writtenFile is one that a line writes, and what the line needs.
type writtenFile struct{ name, write, needs string }

func linesWork(t *testing.T, written []writtenFile) {
	const csv = "x,u\n1.5,a\n-2.25,b c\n"
	for _, c := range written {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if !canRun(c.write, c.needs) {
				t.Skipf("what writes such a file is not installed, as in the images of CI: %s", strings.TrimSpace("pandas "+c.needs))
			}
			shell(t, c.write+"'"+c.name+"'")
			content, err := os.ReadFile(c.name)
			if err != nil {
				t.Fatal(err)
			}
			in := input.File{Name: c.name, File: bytes.NewReader(content), Size: int64(len(content))}
			text, _, err := in.Text(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			head, _ := text.Peek(HeadBytes)
			refusal := Refuse(in, string(head))
			if refusal == nil {
				t.Fatal("the file is taken for text")
			}
			_, line, _ := strings.Cut(refusal.Error(), "converts it")
			_, line, _ = strings.Cut(line, ": ")
			shell(t, line)
			got, err := os.ReadFile(converted(c.name))
			if strip := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(string(got), "\ufeff"), `"`, ""), "\r", ""); err != nil || strip != csv {
				t.Errorf("%s made %q of %s, error %v, want %q", line, got, c.name, err, csv)
			}
		})
	}
}

// canRun reports whether the first program of a line is installed, and a module of Python.
func canRun(line, needs string) bool {
	switch {
	case needs == "R":
		_, err := exec.LookPath("Rscript")
		return err == nil
	case needs == "haven":
		return withDebian(exec.Command("Rscript", "-e", "library(haven)")).Run() == nil
	case !strings.HasPrefix(line, "python3"):
		_, err := exec.LookPath(needs)
		return err == nil
	}
	imports := "import pandas"
	if needs != "" {
		imports += ", " + needs
	}
	return python(imports).Run() == nil
}

// python is Debian's Python, which has pandas in CI, with a program.
func python(program string) *exec.Cmd {
	return withDebian(exec.Command("/usr/bin/python3", "-c", program))
}

// withDebian has a command find Debian's programs before others.
func withDebian(c *exec.Cmd) *exec.Cmd {
	c.Env = append(os.Environ(), "PATH="+strings.Join([]string{"/usr/bin", os.Getenv("PATH")}, string(filepath.ListSeparator)))
	return c
}

// shell runs a line.
func shell(t *testing.T, line string) {
	t.Helper()
	if out, err := withDebian(exec.Command("sh", "-c", line)).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
}
