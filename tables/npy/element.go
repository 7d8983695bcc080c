package npy

import (
	"bytes"
	"errors"
	"math"
	"unicode/utf8"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

// columnKind is that of a column of such elements.
func (e element) columnKind() tables.Kind {
	switch e.kind {
	case 'b', 'U', 'S':
		return tables.Text
	}
	return tables.Numeric
}

// add decodes an element.
func (e element) add(to *columnar.Buffer, cell []byte) error {
	switch e.kind {
	case 'f':
		to.Number(e.float(cell))
	case 'i':
		to.Integer(e.integer(cell))
	case 'u':
		to.Unsigned(e.unsigned(cell))
	case 'b':
		to.Truth(cell[0] != 0)
	case 'S':
		s := bytes.TrimRight(cell, "\x00")
		if !utf8.Valid(s) {
			return errors.New("is not UTF-8")
		}
		to.Text(string(s))
	default:
		s, err := e.text(cell)
		if err != nil {
			return err
		}
		to.Text(s)
	}
	return nil
}

func (e element) unsigned(cell []byte) uint64 {
	switch e.size {
	case 1:
		return uint64(cell[0])
	case 2:
		return uint64(e.order.Uint16(cell))
	case 4:
		return uint64(e.order.Uint32(cell))
	}
	return e.order.Uint64(cell)
}

func (e element) integer(cell []byte) int64 {
	unused := 64 - 8*e.size // bits that the sign goes through
	return int64(e.unsigned(cell)<<unused) >> unused
}

func (e element) float(cell []byte) float64 {
	switch e.size {
	case 2:
		return columnar.Half(uint16(e.unsigned(cell)))
	case 4:
		return float64(math.Float32frombits(uint32(e.unsigned(cell))))
	}
	return math.Float64frombits(e.unsigned(cell))
}

// text decodes UTF-32, padded with zeros.
func (e element) text(cell []byte) (string, error) {
	var s []byte
	for at := 0; at < len(cell); at += 4 {
		r := e.order.Uint32(cell[at:])
		if r == 0 {
			break
		}
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", errors.New("is not Unicode")
		}
		s = utf8.AppendRune(s, rune(r))
	}
	return string(s), nil
}
