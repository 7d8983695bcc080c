package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mediant/internal/input"
)

// A member is a name of an object with its value: nil, a string, a json.Number, a bool, or a json.Delim, which opens a list or an object.
type member struct {
	name  string
	value json.Token
}

// object appends the members of the object that a line of a file of size bytes holds, lists and objects among its values left out. There are no more than
// the file may have columns.
func object(members []member, line []byte, size int64) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	open, err := d.Token()
	if err != nil {
		return nil, syntax(err)
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("begins with %v, want an object {...}", open)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, syntax(err)
		}
		value, err := d.Token()
		if err != nil {
			return nil, syntax(err)
		}
		if err := input.CheckColumns(len(members)+1, size); err != nil {
			return nil, err
		}
		members = append(members, member{name.(string), value})
		if open, ok := value.(json.Delim); ok {
			if err := skip(d, open); err != nil {
				return nil, syntax(err)
			}
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, syntax(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has more than one value")
	}
	return members, nil
}

// deepest is how far lists and objects may be nested, of which the decoder keeps track.
const deepest = 10_000

// skip reads on to the end of a list or an object that is open.
func skip(d *json.Decoder, open json.Delim) error {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > deepest {
				return errDeep
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

var errDeep = errors.New("lists and objects are nested too deeply")

// syntax says that a line is no JSON.
func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("is cut: an object does not end")
	}
	return fmt.Errorf("is not JSON: %w", err)
}
