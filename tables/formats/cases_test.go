package formats

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

func zstded(t *testing.T, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

// as are the bytes of a table in CSV in the format of an ending.
func as(t *testing.T, text, ending string) string {
	t.Helper()
	switch ending {
	case "csv":
		return text
	case "csv.gz":
		return tabletest.Gzipped(t, text)
	case "csv.zst":
		return zstded(t, text)
	}
	if err := os.WriteFile("whole.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := csv.Open(t.Context(), "whole.csv", csv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var b bytes.Buffer
	w, err := NewWriter("f."+ending, &b, src.Columns())
	if err == nil {
		err = tables.Copy(context.Background(), w, src)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var forms = []string{"csv", "csv.gz", "csv.zst", "parquet", "arrow", "jsonl"}

// TestSpreadsheetBytes: a byte order mark is no part of the first name and CR none of the last (gocarina/gocsv#63, golang/go#9588), packed or not, quoted or not, and in
// files with several delimiters.
func TestSpreadsheetBytes(t *testing.T) {
	want := map[string]string{"x1 numeric": "1|2|", "u1 numeric": "2|1|"}
	for name, text := range map[string]string{
		"plain.csv": "x1,u1\n1,2\n2,1\n", "both.csv": "\ufeffx1,u1\r\n1,2\r\n2,1\r\n", "quoted.csv": "\ufeff\"x1\",\"u1\"\r\n\"1\",\"2\"\r\n2,1", "semicolons.csv": "\ufeffx1;u1\r\n1;2\r\n2;1\r\n",
		"sep.csv": "\ufeffsep=;\r\nx1;u1\r\n1;2\r\n2;1\r\n", "tabs.tsv": "\ufeffx1\tu1\r\n1\t2\r\n2\t1\r\n", "mixed.csv": "\ufeffx1,u1\n1,2\r\n2,1\n",
		"gz.csv.gz": tabletest.Gzipped(t, "\ufeffx1,u1\r\n1,2\r\n2,1\r\n"), "zst.csv.zst": zstded(t, "\ufeffx1,u1\r\n1,2\r\n2,1\r\n"), "o.jsonl": "\ufeff{\"x1\":1,\"u1\":2}\r\n{\"x1\":2,\"u1\":1}\r\n",
	} {
		put(t, map[string]string{name: text})
		if diff := cmp.Diff(want, cellsOf(t, name, Options{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestEuropeanNumbers: decimal commas between semicolons, with a delimiter at the ends of lines, are read with the options for them and refused without, so that no
// number is ten times another and no column is shifted (dotnet/machinelearning#2263, pandas-dev/pandas#14124).
func TestEuropeanNumbers(t *testing.T) {
	want := map[string]string{"a numeric": "1.5|-0.75|", "b numeric": "2.25|10|", "c numeric": "0.5|1.25|"}
	for _, delimiter := range []string{";", "\t", "|"} {
		for _, end := range []string{"\n", "\r\n", delimiter + "\n", delimiter + "\r\n"} {
			text := strings.NewReplacer(";", delimiter, "\n", end).Replace("a;b;c\n1,5;2,25;0,5\n-0,75;10;1,25\n")
			for _, packed := range []string{"csv", "csv.gz", "csv.zst"} {
				put(t, map[string]string{"f." + packed: as(t, text, packed)})
				opt := Options{Options: csv.Options{Decimal: ','}}
				if delimiter != ";" {
					opt.Comma = rune(delimiter[0])
				}
				if diff := cmp.Diff(want, cellsOf(t, "f."+packed, opt)); diff != "" {
					t.Errorf("%q between, %q at the end: %s", delimiter, end, diff)
				}
				if file, err := Open(t.Context(), "f."+packed, Options{}); err == nil {
					t.Errorf("%q between, %q at the end: without options the columns are %v", delimiter, end, file.Source.Columns())
				}
			}
		}
	}
}

// TestBigIdentifiers: identifiers beyond 2^53 keep their digits, and a column that is fractional in its last row alone is numbers, in every format
// (pandas-dev/pandas#48170, tidyverse/readr#976).
func TestBigIdentifiers(t *testing.T) {
	var text, lines strings.Builder
	text.WriteString("id,x\n")
	for i := range 160 {
		x := fmt.Sprint(i * 5 % 7)
		if i == 159 {
			x = "0.5"
		}
		fmt.Fprintf(&text, "%d,%s\n", 1234567890123450000+i, x)
		fmt.Fprintf(&lines, "{\"id\":%d,\"x\":%s}\n", 1234567890123450000+i, x)
	}
	for _, ending := range append(forms, "jsonl of numbers") {
		content := lines.String()
		if ending != "jsonl of numbers" {
			put(t, nil)
			content = as(t, text.String(), ending)
		}
		put(t, map[string]string{"f": content})
		got := cellsOf(t, "f", Options{})
		ids, sum := map[string]bool{}, 0.
		for id := range strings.SplitSeq(strings.TrimSuffix(got["id text"], "|"), "|") {
			ids[id] = true
		}
		for cell := range strings.SplitSeq(strings.TrimSuffix(got["x numeric"], "|"), "|") {
			var x float64
			fmt.Sscan(cell, &x)
			sum += x
		}
		if len(ids) != 160 || !ids["1234567890123450159"] || sum != 477.5 {
			t.Errorf("%s: %d identifiers, sum %g", ending, len(ids), sum)
		}
	}
}

// TestCutFiles: a file that is cut is no shorter table, and one without rows is none, in every format that can tell (pingcap/tidb#68064).
func TestCutFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("u\n")
	for i := range 400 {
		u := i % 100
		if i < 164 {
			u++
		}
		fmt.Fprintln(&text, u)
	}
	for _, ending := range append(forms[1:], "npy") {
		put(t, nil)
		whole := as(t, text.String(), ending)
		name := "f." + ending
		put(t, map[string]string{name: whole})
		sum, rows := 0., 0
		for column, cells := range cellsOf(t, name, Options{}) {
			for cell := range strings.SplitSeq(strings.TrimSuffix(cells, "|"), "|") {
				var u float64
				fmt.Sscan(cell, &u)
				sum, rows = sum+u, rows+1
			}
			if !strings.HasSuffix(column, " numeric") {
				t.Errorf("%s: column %s", ending, column)
			}
		}
		if sum != 19964 || rows != 400 {
			t.Errorf("%s: %d rows, sum %g", ending, rows, sum)
		}
		for _, size := range []int{1, 3, 11, len(whole) / 3, len(whole) / 2, len(whole) - 8, len(whole) - 3} {
			put(t, map[string]string{name: whole[:size]})
			if _, err := Open(t.Context(), name, Options{}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %d bytes of %d: error %v", ending, size, len(whole), err)
			}
		}
	}
	for name, content := range map[string]string{"empty.csv": "", "header.csv": "x,u\n", "empty.csv.gz": tabletest.Gzipped(t, ""), "header.csv.zst": zstded(t, "x,u\n"), "empty.jsonl": "\n"} {
		put(t, map[string]string{name: content})
		if _, err := Open(t.Context(), name, Options{}); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "no rows") {
			t.Errorf("%s: error %v, want no rows", name, err)
		}
	}
}
