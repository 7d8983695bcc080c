package csv

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mediant/internal/input"
	"mediant/internal/tabletest"
)

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"x,u\n1,2\n", "\ufeffa;b;\r\n1,5;2;\r\n", "a\n\"\"\n1e400\n", "a,b\n\"x\ny\",1_0\n", "a\n\n1\n",
		"id\n1234567890123450001\n", "l\n1\nx\n", "\xff\xfea", "a,\n1,", "a\r1\r", "\"a\"\n\"", ",\n,\n", ".\n0A\n0",
		tabletest.Gzipped(f, "a,b\n1,x\n"), tabletest.Gzipped(f, "a\n1\n")[:20],
		"# a\nsep=;\n", "sep=;\n#a;d\n1;2\n", "a,d\n(kg),%\n1,2024-01-02\n.,01/13/2024\n,\na,d\nTotal,1\nn = 3\n", "l,d\na,1\n#\nTotal,1\n\"Note: \",\n",
	} {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(3))
		f.Add([]byte(s), byte(0x3c))
	}
	f.Fuzz(func(t *testing.T, content []byte, how byte) {
		opt := Options{}
		if how&1 != 0 {
			opt.Decimal = ','
		}
		if how&2 != 0 {
			opt.Comma = ';'
		}
		opt.KeepRows, opt.Lenient = how&4 != 0, how&16 != 0
		if how&8 != 0 {
			opt.NA = []string{".", "-99", "a=1"}
		}
		if how&32 != 0 {
			opt.Dates = []string{"d"}
		}
		read := func(buffer int) (tabletest.Table, error) {
			opt.ReaderBuffer = buffer
			c, err := newFile(context.Background(), input.File{Name: "f", File: bytes.NewReader(content), Size: int64(len(content))}, opt)
			if err != nil {
				wantError(t, err)
				return tabletest.Table{}, err
			}
			got := tabletest.ReadAll(t, c)
			if d := cmp.Diff(got, tabletest.ReadAll(t, c), cmpopts.EquateNaNs()); d != "" {
				t.Errorf("in the second pass (-first +second):\n%s", d)
			}
			for name, x := range got.Numbers {
				for _, v := range x {
					if math.IsInf(v*v, 0) || v == 0 && math.Signbit(v) {
						t.Errorf("column %q has %g", name, v)
					}
				}
			}
			return got, nil
		}
		var a, b tabletest.Table
		var errA, errB error
		tabletest.Bounded(t, len(content), func() {
			a, errA = read(1)
			b, errB = read(0)
		})
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Errorf("errors %v and %v", errA, errB)
		}
		if d := cmp.Diff(a, b, cmpopts.EquateNaNs()); d != "" {
			t.Error(d)
		}
	})
}

func BenchmarkCSV(b *testing.B) {
	var s strings.Builder
	for j := range 100 {
		fmt.Fprintf(&s, "c%d,", j)
	}
	s.WriteString("label\n")
	for i := range 2000 {
		for j := range 100 {
			fmt.Fprintf(&s, "%.6g,", math.Sin(float64(100*i+j)))
		}
		fmt.Fprintf(&s, "l%d\n", i%10)
	}
	path := tabletest.WriteFile(b, "f.csv", s.String())
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(s.Len()))
		for b.Loop() {
			c, err := Open(context.Background(), path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			c.Close()
		}
	})
	b.Run("pass", func(b *testing.B) {
		c, err := Open(context.Background(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		b.SetBytes(int64(s.Len()))
		for b.Loop() {
			for _, err := range c.Batches(context.Background()) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
