package mediant

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"mediant/rr"
)

// The layout of a model file, all numbers little-endian:
//
//	magic                    8 bytes, "MEDIANT\n"
//	format version           uint32
//	length of the header     uint32
//	header                   JSON
//	number of weights        uint64
//	weights                  float64 each
//	SHA-256 of all the above 32 bytes
//
// The header says everything but the weights, so that `head` and a text viewer show what a file is. It has a section for each package that
// has something to keep, under its name and the version of what it writes, and with the number of its weights, which follow each other as the sections
// do. In format 1 all was one section, without a version.
const (
	modelMagic  = "MEDIANT\n"
	modelFormat = 2
)

// Save writes the model; equal models give equal bytes. The error is that of Header, or that of w.
func (m *Model) Save(w io.Writer) error {
	h, weights, err := m.split()
	if err != nil {
		return err
	}
	return write(w, h, weights)
}

func write(w io.Writer, h header, weights []float64) error {
	text, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return fmt.Errorf("mediant: model header: %w", err)
	}
	buf := bufio.NewWriter(w)
	sum := sha256.New()
	out := io.MultiWriter(buf, sum)
	head := append([]byte(modelMagic), binary.LittleEndian.AppendUint32(nil, modelFormat)...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	head = append(head, text...)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(weights)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	var bits [8]byte
	for _, v := range weights {
		binary.LittleEndian.PutUint64(bits[:], math.Float64bits(v))
		if _, err := out.Write(bits[:]); err != nil {
			return err
		}
	}
	if _, err := buf.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buf.Flush()
}

// errDamaged begins every message about a file that is a model but cannot be used.
var errDamaged = errors.New("mediant: damaged model file")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// Load reads a model that this version or an earlier one saved. formats read predictors of other packages, such as
// mlp.Format(). Sections that this version does not know are kept and saved again. A file that is not a model, is truncated or
// damaged, or has an unknown version is an error, never a panic. Memory stays within a few times the size of the file.
func Load(r io.Reader, formats ...rr.Format) (*Model, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	text, weights, format, err := unpack(raw)
	if err != nil {
		return nil, err
	}
	if format == 1 {
		return readFormat1(text, weights, formats)
	}
	return readSections(text, weights, formats)
}

// unpack checks the frame of a model file.
func unpack(raw []byte) (text []byte, weights []float64, format uint32, err error) {
	const fixed = len(modelMagic) + 4 + 4
	if len(raw) < len(modelMagic) || string(raw[:len(modelMagic)]) != modelMagic {
		return nil, nil, 0, errors.New("mediant: not a mediant model file")
	}
	if len(raw) < fixed+8+sha256.Size {
		return nil, nil, 0, damaged("cut after %d bytes", len(raw))
	}
	if format = binary.LittleEndian.Uint32(raw[len(modelMagic):]); format < 1 || format > modelFormat {
		return nil, nil, 0, fmt.Errorf("mediant: unsupported model file: format %d, this program reads 1 to %d", format, modelFormat)
	}
	body := raw[:len(raw)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], raw[len(body):]) {
		return nil, nil, 0, damaged("cut or changed: wrong checksum")
	}
	length := int(binary.LittleEndian.Uint32(raw[len(modelMagic)+4:]))
	rest := body[fixed:]
	if length > len(rest)-8 {
		return nil, nil, 0, damaged("a header of %d bytes", length)
	}
	text, rest = rest[:length], rest[length:]
	count := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	if count != uint64(len(rest)/8) || len(rest)%8 != 0 {
		return nil, nil, 0, damaged("%d weights in %d bytes", count, len(rest))
	}
	weights = make([]float64, count)
	for i := range weights {
		weights[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		if math.IsNaN(weights[i]) || math.IsInf(weights[i], 0) {
			return nil, nil, 0, damaged("weight %d is not finite", i)
		}
	}
	return text, weights, format, nil
}
