package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// headerLength is the header of the extension for binary tensors: where the JSON ends and they begin.
const headerLength = "Inference-Header-Content-Length"

// What a request may have at most, besides an input for each column.
const (
	mostParameters = 64
	mostDims       = 8
)

// An inferRequest is a request of the protocol.
type inferRequest struct {
	id         string
	parameters parameters
	inputs     []*tensor
	outputs    []wantedOutput
}

// A wantedOutput is an output by name.
type wantedOutput struct {
	name       string
	parameters parameters
}

// A tensor is an input, with its data as they came.
type tensor struct {
	name, datatype string
	shape          []uint64
	parameters     parameters
	data           json.RawMessage // nil if binary
	binary         []byte
	hasBinary      bool
}

// parameters are JSON values by name.
type parameters map[string]json.RawMessage

// boolean returns a parameter that is true or false, which it is not if it is missing.
func (p parameters) boolean(name string) (value, there bool, err error) {
	raw, there := p[name]
	if there && json.Unmarshal(raw, &value) != nil {
		err = fmt.Errorf("parameter %q is %s, must be true or false", name, shortened(raw))
	}
	return value, there, err
}

// shortened is a text for a message.
func shortened(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return fmt.Sprintf("%.*s...", most, raw)
	}
	return string(raw)
}

// parseInfer takes a body apart. length is the value of headerLength, "" if there is none, and most the number of inputs and of outputs that there may be.
func parseInfer(body []byte, length string, most int) (*inferRequest, error) {
	text, rest := body, []byte(nil)
	if length != "" {
		n, err := strconv.ParseUint(length, 10, 63)
		if err != nil || n > uint64(len(body)) {
			return nil, fmt.Errorf("header %s is %q for a body of %d bytes", headerLength, length, len(body))
		}
		text, rest = body[:n], body[n:]
	}
	d := &decoder{json.NewDecoder(bytes.NewReader(text)), most}
	q, err := d.request()
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("more follows the JSON object")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, jsonError(err)
	}
	for _, t := range q.inputs {
		if rest, err = t.takeBinary(rest); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes follow the binary data of the inputs", len(rest))
	}
	return q, nil
}

// jsonError puts errors of package json into words for a client.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON is cut")
	case errors.As(err, &syntax):
		return fmt.Errorf("the body is not JSON: %w at byte %d", err, syntax.Offset)
	}
	return err
}

// takeBinary cuts the data of a binary tensor from the front of what follows the JSON.
func (t *tensor) takeBinary(rest []byte) ([]byte, error) {
	raw, there := t.parameters["binary_data_size"]
	switch {
	case !there && t.data == nil:
		return nil, fmt.Errorf("input %q has no data", t.name)
	case !there:
		return rest, nil
	case t.data != nil:
		return nil, fmt.Errorf("input %q has data in JSON and binary data", t.name)
	}
	size, err := strconv.ParseUint(string(raw), 10, 63)
	if err != nil {
		return nil, fmt.Errorf("input %q: binary_data_size is %s, must be a number of bytes", t.name, shortened(raw))
	}
	if size > uint64(len(rest)) {
		return nil, fmt.Errorf("input %q has %d bytes of binary data, and %d are left in the body (header %s)", t.name, size, len(rest), headerLength)
	}
	t.binary, t.hasBinary = rest[:size], true
	return rest[size:], nil
}

// A decoder reads a request by tokens, so that one is refused where it is wrong, before it takes memory.
type decoder struct {
	*json.Decoder
	most int // of inputs, and of outputs
}

// object calls member for each member of an object, which reads its value. It is an error if one comes twice.
func (d *decoder) object(what string, member func(name string) error) error {
	if err := d.open('{', what, "object"); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string) // as every name of a member
		if seen[name] {
			return fmt.Errorf("%s has %q twice", what, shortened([]byte(name)))
		}
		if len(seen) == mostParameters {
			return fmt.Errorf("%s has more than %d members", what, mostParameters)
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// array calls element for each element of an array of at most most, which reads it.
func (d *decoder) array(what string, most int, element func() error) error {
	if err := d.open('[', what, "array"); err != nil {
		return err
	}
	for n := 0; d.More(); n++ {
		if n == most {
			return fmt.Errorf("%s has more than %d elements", what, most)
		}
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (d *decoder) open(begin json.Delim, what, want string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token != begin {
		return fmt.Errorf("%s is no %s", what, want)
	}
	return nil
}

// value reads a value of a type.
func (d *decoder) value(what string, to any) error {
	err := d.Decode(to)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s is %s, want %s", what, wrong.Value, map[string]string{"string": "a string", "uint64": "a whole number of at least 0"}[wrong.Type.Kind().String()])
	}
	return err
}

// skip reads a value of no meaning here.
func (d *decoder) skip() error { return d.Decode(new(json.RawMessage)) }

func (d *decoder) request() (*inferRequest, error) {
	q := &inferRequest{}
	return q, d.object("the request", func(name string) error {
		switch name {
		case "id":
			return d.value("id", &q.id)
		case "parameters":
			return d.parameters("the request", &q.parameters)
		case "inputs":
			return d.array("inputs", d.most, func() error {
				t := &tensor{}
				q.inputs = append(q.inputs, t)
				return d.input(t)
			})
		case "outputs":
			return d.array("outputs", d.most, func() error {
				q.outputs = append(q.outputs, wantedOutput{})
				return d.output(&q.outputs[len(q.outputs)-1])
			})
		}
		return d.skip()
	})
}

func (d *decoder) input(t *tensor) error {
	return d.object("an input", func(name string) error {
		switch name {
		case "name":
			return d.value("the name of an input", &t.name)
		case "datatype":
			return d.value("the datatype of an input", &t.datatype)
		case "shape":
			return d.array("a shape", mostDims, func() error {
				t.shape = append(t.shape, 0)
				return d.value("a dimension of a shape", &t.shape[len(t.shape)-1])
			})
		case "parameters":
			return d.parameters("an input", &t.parameters)
		case "data":
			return d.Decode(&t.data)
		}
		return d.skip()
	})
}

func (d *decoder) output(o *wantedOutput) error {
	return d.object("an output", func(name string) error {
		switch name {
		case "name":
			return d.value("the name of an output", &o.name)
		case "parameters":
			return d.parameters("an output", &o.parameters)
		}
		return d.skip()
	})
}

func (d *decoder) parameters(of string, to *parameters) error {
	*to = make(parameters)
	return d.object("parameters of "+of, func(name string) error {
		var raw json.RawMessage
		err := d.Decode(&raw)
		(*to)[name] = bytes.TrimSpace(raw)
		return err
	})
}
