package idx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"

	"testing/iotest"
)

const (
	idxImages = "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03abcdef"
	idxLabels = "\x00\x00\x08\x01\x00\x00\x00\x03\x05\x00\xff"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		file string
		dims []int
		data string
	}{{idxImages, []int{2, 1, 3}, "abcdef"}, {idxLabels, []int{3}, "\x05\x00\xff"}} {
		for _, file := range []string{tt.file, tabletest.Gzipped(t, tt.file)} {
			dims, data, err := Read(strings.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.dims, dims); d != "" || string(data) != tt.data {
				t.Errorf("sizes %v and bytes %q, want %v and %q", dims, data, tt.dims, tt.data)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	packed := tabletest.Gzipped(t, idxLabels)
	for name, tt := range map[string]struct{ file, want string }{
		"empty":            {"", "no header"},
		"short magic":      {"\x00\x00\x08", "no header"},
		"other magic":      {"PNG!....", "50 4e 47 21"},
		"floats":           {"\x00\x00\x0d\x01\x00\x00\x00\x01abcd", "00 00 0d 01"},
		"no dimensions":    {"\x00\x00\x08\x00a", "dimensions"},
		"five dimensions":  {"\x00\x00\x08\x05" + strings.Repeat("\x00\x00\x00\x01", 5) + "a", "dimensions"},
		"cut header":       {idxImages[:9], "header is cut"},
		"no rows":          {"\x00\x00\x08\x01\x00\x00\x00\x00", "at least 1"},
		"huge":             {"\x00\x00\x08\x01\xff\xff\xff\xff", "at most"},
		"huge together":    {"\x00\x00\x08\x02\x00\x01\x00\x00\x00\x01\x00\x00", "at most"},
		"large but absent": {"\x00\x00\x08\x01\x40\x00\x00\x00abc", "cut: 3 bytes, want 1073741824"},
		"cut":              {idxImages[:len(idxImages)-1], "cut: 5 bytes, want 6"},
		"too long":         {idxImages + "g", "more than the 6 bytes"},
		"cut gzip header":  {packed[:5], "cut or damaged"},
		"cut gzip":         {packed[:len(packed)-8], "cut or damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			dims, data, err := Read(strings.NewReader(tt.file))
			wantError(t, err, tt.want)
			if dims != nil || data != nil {
				t.Errorf("%v and %d bytes with the error", dims, len(data))
			}
		})
	}
	_, _, err := Read(iotest.ErrReader(errors.New("broken")))
	wantError(t, err, "broken")
	_, _, err = Read(io.MultiReader(strings.NewReader(idxImages[:18]), iotest.ErrReader(errors.New("broken"))))
	wantError(t, err, "broken")
}

// TestCompressed: content of far more bytes than the compressed file stands for is refused.
func TestCompressed(t *testing.T) {
	for _, size := range []int{20 << 20, 40 << 20} {
		file := "\x00\x00\x08\x01" + string(binary.BigEndian.AppendUint32(nil, uint32(size))) + strings.Repeat("\x00", size)
		_, data, err := Read(strings.NewReader(tabletest.Gzipped(t, file)))
		if size > 24<<20 {
			wantError(t, err, "cut or damaged", "compressed bytes stand for more than 25")
		} else if err != nil || len(data) != size {
			t.Errorf("%d bytes of %d, error %v", len(data), size, err)
		}
		if _, data, err := Read(strings.NewReader(file)); err != nil || len(data) != size {
			t.Errorf("not compressed: %d bytes of %d, error %v", len(data), size, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(idxImages))
	f.Add([]byte(idxLabels))
	f.Add([]byte(tabletest.Gzipped(f, idxLabels)))
	f.Fuzz(func(t *testing.T, file []byte) {
		var dims []int
		var data []byte
		var err error
		tabletest.Bounded(t, len(file), func() { dims, data, err = Read(bytes.NewReader(file)) })
		if err != nil {
			wantError(t, err)
			return
		}
		size := 1
		for _, d := range dims {
			size *= d
		}
		if len(data) != size {
			t.Errorf("%d bytes for sizes %v", len(data), dims)
		}
	})
}

// wantError checks that the error is one line of this package with all the parts.
func wantError(t tabletest.T, err error, parts ...string) {
	t.Helper()
	tabletest.WantError(t, err, "idx", parts...)
}
