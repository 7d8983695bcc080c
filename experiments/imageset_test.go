package experiments

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file, as .gz if its name ends so.
func put(t *testing.T, dir, name string, raw []byte) {
	t.Helper()
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(raw); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		raw = b.Bytes()
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
}

// record is a CIFAR record whose pixels are all of one value.
func record(pixel byte, labels ...byte) []byte {
	return append(labels, bytes.Repeat([]byte{pixel}, 3*32*32)...)
}

func TestReadCIFAR(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "cifar-10-batches-bin/data_batch_2.bin.gz", record(20, 2))
	put(t, dir, "cifar-10-batches-bin/data_batch_1.bin", append(record(10, 1), record(11, 9)...))
	put(t, dir, "cifar-10-batches-bin/test_batch.bin.gz", record(30, 3))
	put(t, dir, "train.bin.gz", record(7, 4, 99))
	put(t, dir, "test.bin", record(8, 19, 0))
	for _, d := range []string{dir, filepath.Join(dir, "cifar-10-batches-bin")} {
		data, err := ReadImages(context.Background(), CIFAR10, d)
		if err != nil {
			t.Fatal(err)
		}
		if got := data.Train.Labels; !bytes.Equal(got, []byte{1, 9, 2}) || data.Train.Pixels[3072] != 11 || len(data.Train.Pixels) != 3*3072 || data.Test.Labels[0] != 3 {
			t.Errorf("labels %v, %v", got, data.Test.Labels)
		}
		if data.Train.Planes != 3 || data.Train.Side != 32 || len(data.SHA256) != 64 {
			t.Errorf("%d planes of side %d, SHA-256 %q", data.Train.Planes, data.Train.Side, data.SHA256)
		}
	}
	data, err := ReadImages(context.Background(), CIFAR100, dir)
	if err != nil {
		t.Fatal(err)
	}
	if data.Train.Labels[0] != 99 || data.Test.Labels[0] != 0 || data.Train.Pixels[0] != 7 {
		t.Errorf("fine labels %v and %v", data.Train.Labels, data.Test.Labels)
	}
}

// idxFile is an idx file of bytes.
func idxFile(content []byte, dims ...uint32) []byte {
	raw := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		raw = binary.BigEndian.AppendUint32(raw, d)
	}
	return append(raw, content...)
}

func TestReadFashion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"train", "t10k"} {
		put(t, dir, name+"-images-idx3-ubyte.gz", idxFile(make([]byte, 2*4*4), 2, 4, 4))
		put(t, dir, name+"-labels-idx1-ubyte", idxFile([]byte{3, 9}, 2))
	}
	data, err := ReadImages(context.Background(), Fashion, dir)
	if err != nil {
		t.Fatal(err)
	}
	if data.Train.Len() != 2 || data.Train.Side != 4 || data.Test.Labels[1] != 9 {
		t.Errorf("read %+v", data)
	}
}

func TestReadImagesRefuses(t *testing.T) {
	for want, make := range map[string]func(dir string) ImageSet{
		"name the folder": func(string) ImageSet { return CIFAR10 },
		"no file data_batch*.bin or data_batch*.bin.gz": func(dir string) ImageSet { put(t, dir, "x", nil); return CIFAR10 },
		"want a multiple of 3073": func(dir string) ImageSet {
			put(t, dir, "data_batch_1.bin", record(1, 1)[:99])
			return CIFAR10
		},
		"a label is 10, want at most 9": func(dir string) ImageSet {
			put(t, dir, "data_batch_1.bin", record(1, 10))
			put(t, dir, "test_batch.bin", record(1, 1))
			return CIFAR10
		},
		"test_batch.bin":        func(dir string) ImageSet { put(t, dir, "data_batch_1.bin", record(1, 1)); return CIFAR10 },
		"dataset-fashion-mnist": func(dir string) ImageSet { put(t, dir, "x", nil); return Fashion },
		"images have sizes [1 3 3]": func(dir string) ImageSet {
			put(t, dir, "train-images-idx3-ubyte", idxFile(make3(9), 1, 3, 3))
			put(t, dir, "train-labels-idx1-ubyte", idxFile([]byte{1}, 1))
			return Fashion
		},
		"is cut or damaged": func(dir string) ImageSet {
			put(t, dir, "train-images-idx3-ubyte.gz", idxFile(make3(16), 1, 4, 4))
			raw, err := os.ReadFile(filepath.Join(dir, "train-images-idx3-ubyte.gz"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "train-images-idx3-ubyte.gz"), raw[:len(raw)-5], 0o666); err != nil {
				t.Fatal(err)
			}
			return Fashion
		},
		"no set of images": func(string) ImageSet { return "imagenet" },
	} {
		dir := filepath.Join(t.TempDir(), "data")
		set := make(dir)
		if _, err := os.Stat(dir); err != nil {
			dir = ""
		}
		if _, err := ReadImages(context.Background(), set, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func make3(n int) []byte { return bytes.Repeat([]byte{3}, n) }
