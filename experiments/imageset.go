package experiments

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mediant/features"
	"mediant/tables/idx"
)

// An ImageSet is a set of small images of the paper's experiments, by the name that the command knows.
type ImageSet string

const (
	Digits   ImageSet = "mnist"
	Fashion  ImageSet = "fashion"
	CIFAR10  ImageSet = "cifar10"
	CIFAR100 ImageSet = "cifar100"
)

// ImageSets lists all sets, in the order of the paper.
var ImageSets = []ImageSet{Digits, Fashion, CIFAR10, CIFAR100}

// Title is the set's name for people.
func (s ImageSet) Title() string {
	switch s {
	case Digits:
		return "MNIST"
	case Fashion:
		return "Fashion-MNIST"
	case CIFAR10:
		return "CIFAR-10"
	case CIFAR100:
		return "CIFAR-100"
	}
	return string(s)
}

// Classes returns the number of classes.
func (s ImageSet) Classes() int {
	if s == CIFAR100 {
		return 100
	}
	return 10
}

// An ImageData is a set's training and test images.
type ImageData struct {
	Set         ImageSet
	Train, Test Images
	// SHA256 is that of all pixels and labels, which tells whose results can be compared.
	SHA256 string
}

// ReadImages reads a set from dir: idx files of MNIST and Fashion-MNIST, the original binary files of CIFAR,
// in dir itself or in the folder of its archive, all plain or .gz. An empty dir stands for the Go module
// that has MNIST, and for the folder in which Debian's package dataset-fashion-mnist puts that. Files of
// another size or with labels out of range are refused, and all of them must be there but for some of the
// batches of CIFAR.
func ReadImages(ctx context.Context, set ImageSet, dir string) (*ImageData, error) {
	d := &ImageData{Set: set}
	var err error
	switch set {
	case Digits:
		var m *MNIST
		if m, err = ReadMNIST(ctx, dir); err == nil {
			d.Train, d.Test = m.Train, m.Test
		}
	case Fashion:
		if dir == "" {
			dir = fashionFolder
		}
		if d.Train, err = readIDXImages(dir, "train"); err == nil {
			d.Test, err = readIDXImages(dir, "t10k")
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w (Debian has the files in its package dataset-fashion-mnist)", err)
		}
	case CIFAR10:
		err = d.readCIFAR(cifarLayout{dir, "cifar-10-batches-bin", "data_batch*.bin", "test_batch.bin", 1})
	case CIFAR100:
		err = d.readCIFAR(cifarLayout{dir, "cifar-100-binary", "train*.bin", "test.bin", 2})
	default:
		err = fmt.Errorf("no set of images is called %q", set)
	}
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", set.Title(), err)
	}
	return d, d.check()
}

// fashionFolder is where Debian's package puts Fashion-MNIST.
const fashionFolder = "/usr/share/datasets/fashion-mnist"

// check refuses labels out of range, and names the data.
func (d *ImageData) check() error {
	hash := sha256.New()
	for _, m := range []Images{d.Train, d.Test} {
		if most := slices.Max(m.Labels); int(most) >= d.Set.Classes() {
			return fmt.Errorf("experiments: %s: a label is %d, want at most %d", d.Set.Title(), most, d.Set.Classes()-1)
		}
		hash.Write(m.Pixels)
		hash.Write(m.Labels)
	}
	d.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return nil
}

// readIDXImages reads the images and labels whose files begin so.
func readIDXImages(dir, name string) (Images, error) {
	var m Images
	dims, pixels, err := readIDXFile(filepath.Join(dir, name+"-images-idx3-ubyte"))
	if err != nil {
		return m, err
	}
	count, labels, err := readIDXFile(filepath.Join(dir, name+"-labels-idx1-ubyte"))
	if err != nil {
		return m, err
	}
	if len(dims) != 3 || dims[1] != dims[2] || dims[1]%2 != 0 || len(count) != 1 || count[0] != dims[0] {
		return m, fmt.Errorf("%s: images have sizes %v and labels %v, want n×2s×2s and n", name, dims, count)
	}
	return Images{Planes: 1, Side: dims[1], Pixels: pixels, Labels: labels}, nil
}

func readIDXFile(path string) ([]int, []byte, error) {
	raw, err := readPlainOrGzip(path)
	if err != nil {
		return nil, nil, err
	}
	return idx.Read(bytes.NewReader(raw))
}

// maxImageFile bounds the decompressed size of a file: five times that of the largest there is.
const maxImageFile = 1 << 30

// readPlainOrGzip reads path, or path.gz if that is there instead.
func readPlainOrGzip(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || strings.HasSuffix(path, ".gz") {
		return raw, err
	}
	file, zipErr := os.Open(path + ".gz")
	if zipErr != nil {
		return nil, err // which names the plain file
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", path, err)
	}
	raw, err = io.ReadAll(io.LimitReader(r, maxImageFile))
	if err != nil {
		return nil, fmt.Errorf("%s.gz is cut or damaged: %w", path, err)
	}
	return raw, nil
}

// A cifarLayout says where the records of a CIFAR are: some bytes of labels, of which the last counts, and
// three planes of 32×32 pixels.
type cifarLayout struct {
	dir, folder, train, test string
	labels                   int
}

const (
	cifarSide   = 32
	cifarPlanes = 3
)

func (d *ImageData) readCIFAR(l cifarLayout) error {
	if l.dir == "" {
		return fmt.Errorf("name the folder of its binary files, %s and %s, plain or .gz", l.train, l.test)
	}
	if info, err := os.Stat(filepath.Join(l.dir, l.folder)); err == nil && info.IsDir() {
		l.dir = filepath.Join(l.dir, l.folder)
	}
	batches, err := l.batches()
	if err != nil {
		return err
	}
	for _, path := range batches {
		if err := l.read(&d.Train, path); err != nil {
			return err
		}
	}
	return l.read(&d.Test, filepath.Join(l.dir, l.test))
}

// batches lists the training files in order, each once.
func (l cifarLayout) batches() ([]string, error) {
	var all []string
	for _, pattern := range []string{l.train, l.train + ".gz"} {
		found, err := filepath.Glob(filepath.Join(l.dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			all = append(all, strings.TrimSuffix(path, ".gz"))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 0 {
		return nil, fmt.Errorf("no file %s or %[1]s.gz in %s", l.train, l.dir)
	}
	return all, nil
}

// read adds the records of a file.
func (l cifarLayout) read(m *Images, path string) error {
	raw, err := readPlainOrGzip(path)
	if err != nil {
		return err
	}
	size := l.labels + cifarPlanes*cifarSide*cifarSide
	if len(raw) == 0 || len(raw)%size != 0 {
		return fmt.Errorf("%s has %d bytes, want a multiple of %d", path, len(raw), size)
	}
	m.Planes, m.Side = cifarPlanes, cifarSide
	for record := range slices.Chunk(raw, size) {
		m.Labels = append(m.Labels, record[l.labels-1])
		m.Pixels = append(m.Pixels, record[l.labels:]...)
	}
	return nil
}

// Shape is that of one image, and of one averaged over 2×2 pixels.
func (m Images) Shape() (whole, pooled features.ImageShape) {
	planes := max(1, m.Planes)
	return features.ImageShape{Planes: planes, Height: m.Side, Width: m.Side},
		features.ImageShape{Planes: planes, Height: m.Side / 2, Width: m.Side / 2}
}

// rowsTo stores image i, or its mirror image, as numbers in [0, 1], in whole and averaged over 2×2 pixels in
// pooled; either may be nil.
func (m Images) rowsTo(whole, pooled []float64, i int, mirrored bool) {
	planes, half := max(1, m.Planes), m.Side/2
	image := m.Pixels[i*planes*m.Side*m.Side:][:planes*m.Side*m.Side]
	clear(pooled)
	for p := range planes {
		for r := range m.Side {
			line := image[(p*m.Side+r)*m.Side:][:m.Side]
			for c, v := range line {
				if mirrored {
					c = m.Side - 1 - c
				}
				if whole != nil {
					whole[(p*m.Side+r)*m.Side+c] = float64(v) / 255
				}
				if pooled != nil {
					pooled[(p*half+r/2)*half+c/2] += float64(v) / (4 * 255)
				}
			}
		}
	}
}
