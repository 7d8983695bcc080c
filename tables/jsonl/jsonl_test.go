package jsonl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/internal/columnar"
	"mediant/tables/internal/columnartest"
)

func TestObjects(t *testing.T) {
	long := strings.Repeat("ü", 100000)
	for _, c := range []struct {
		name, text string
		want       [][]string
	}{
		{"numbers", "{\"x\": 1, \"u\": -2.5e3}\n{\"x\": 3, \"u\": 0}\n", [][]string{{"x", "number", "1", "3"}, {"u", "number", "-2500", "0"}}},
		{"another order", "{\"x\":1,\"u\":2}\n{\"u\":4,\"x\":3}", [][]string{{"x", "number", "1", "3"}, {"u", "number", "2", "4"}}},
		{"missing", "{\"x\":1}\n{\"u\":\"a\"}\r\n{\"x\":null,\"u\":null}\n", [][]string{{"x", "number", "1", "", ""}, {"u", "text", "", "a", ""}}},
		{"text and truth values", "{\"a\":\"1\",\"b\":true}\n{\"a\":\"\\u00fc\",\"b\":false}", [][]string{{"a", "text", "1", "ü"}, {"b", "text", "true", "false"}}},
		{"mark and blank lines", "\ufeff{\"x\":1}\n\n  \n{\"x\":2}\n\n", [][]string{{"x", "number", "1", "2"}}},
		{"only null", "{\"x\":null}", [][]string{{"x", "number", ""}}},
		{"a long line", "{\"a\":\"" + long + "\"}\n{\"a\":\"b\"}\n", [][]string{{"a", "text", long, "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := newFile(context.Background(), columnartest.Text("f.jsonl", c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, columnartest.Cells(t, f)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestManyRows(t *testing.T) {
	rows := 2*columnar.BlockRows + 7
	f, err := newFile(context.Background(), columnartest.Text("f.jsonl", strings.Repeat("{\"x\":1}\n{\"y\":2}\n", rows)))
	if err != nil {
		t.Fatal(err)
	}
	got := columnartest.Cells(t, f)
	if len(got[0]) != 2+2*rows || got[0][2+2*rows-2] != "1" || got[1][2+2*rows-1] != "2" {
		t.Errorf("%d cells", len(got[0]))
	}
}

// Blocks of many columns have few rows: a name takes a few bytes once, and each of its cells eight.
func TestManyColumns(t *testing.T) {
	const columns = 10000
	var text strings.Builder
	for i := range columns {
		fmt.Fprintf(&text, "{\"%d\":1}\n", i)
	}
	f, err := newFile(context.Background(), columnartest.Text("f.jsonl", text.String()))
	if err != nil {
		t.Fatal(err)
	}
	wants := make([]columnar.Want, columns)
	for i := range wants {
		wants[i].Field = i
	}
	for b, err := range f.Blocks(context.Background(), wants) {
		if err != nil || b.Rows > columnar.RowsAtATime(columns) {
			t.Fatalf("%d rows, error %v", b.Rows, err)
		}
		break
	}
}

// A column of both kinds, and one that is nested, are for the caller to refuse, or to read as text.
func TestKinds(t *testing.T) {
	f, err := newFile(context.Background(), columnartest.Text("f.jsonl", "{\"a\":1.50,\"b\":[1,{\"c\":2}]}\n{\"a\":\"x\",\"b\":{}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []columnar.Field{
		{Name: "a", Kind: tables.Text, Mixed: "has a number on line 1 and text on line 2"},
		{Name: "b", Refused: "has a list or an object on line 1, want numbers, strings or truth values"},
	}
	if diff := cmp.Diff(want, f.Fields()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"a", "text", "1.50", "x"}}, columnartest.Cells(t, f)); diff != "" {
		t.Error(diff)
	}
}

// Whole numbers that float64 cannot hold are known by the block.
func TestRounded(t *testing.T) {
	for text, want := range map[string][2]bool{
		"9007199254740993":     {true, false},
		"-9007199254740993":    {true, false},
		"9007199254740992":     {false, false},
		"9007199254740994":     {false, false},
		"9007199254740993.0":   {false, true},
		"1e30":                 {false, true},
		"0":                    {false, false},
		"12345678901234567890": {true, false},
	} {
		f, err := newFile(context.Background(), columnartest.Text("f.jsonl", "{\"a\":"+text+"}"))
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range f.Blocks(context.Background(), []columnar.Want{{Field: 0}}) {
			if v := b.Values[0]; err != nil || v.Rounded != want[0] || v.Fraction != want[1] {
				t.Errorf("%s: rounded %v, fraction %v, %v", text, v.Rounded, v.Fraction, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[1,2]":                      "f.jsonl:1: begins with [, want an object",
		"1\n":                        "f.jsonl:1: begins with 1",
		"{\"x\":1}\n{\"x\":":         "f.jsonl:2: is cut",
		"{\"x\":1}\n{\"x\":1}{}":     "f.jsonl:2: has more than one value",
		"{\"x\":1}\n\n{\"x\":NaN}":   "f.jsonl:3: is not JSON",
		"{\"x\":1,\"x\":2}":          "f.jsonl:1: has \"x\" twice",
		"{\"x\":1}\n{\"a\":\"\xff\"": "f.jsonl:2: is not UTF-8",
		"{\"x\":[1,2}":               "f.jsonl:1: is not JSON",
		"{\"x\":1 \"u\":2}":          "f.jsonl:1: is not JSON",
		"{\"x\":" + strings.Repeat("[", deepest+2):         "f.jsonl:1: is not JSON: lists and objects are nested too deeply",
		"{}\n{\"x\":\"" + strings.Repeat("a", longestLine): "f.jsonl:2: has more than 16777216 bytes",
	} {
		_, err := newFile(context.Background(), columnartest.Text("f.jsonl", text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.99q: the error is %v, want %q", text, err, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("{\"x\":1,\"a\":\"b\",\"c\":null}\n{\"x\":2.5,\"d\":true}\n")
	f.Add("{\"x\":[{}]}")
	f.Fuzz(func(t *testing.T, text string) {
		tabletest.Bounded(t, len(text), func() {
			file, err := newFile(context.Background(), columnartest.Text("f.jsonl", text))
			if err == nil {
				if err := columnartest.Drain(file); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
