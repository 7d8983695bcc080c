package problem

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/frame"
	"mediant/moments"
	"mediant/tables"
)

// The layout of a file of a plan or of sums, all numbers little-endian, with a SHA-256 of all behind:
//
//	magic                    8 bytes, "MDTPLAN" or "MDTSUMS" and the version
//	length of the header     uint64
//	header                   JSON
//
// A plan goes on with the numbers of both maps and the centres of both grids, float64 each, whose numbers the header has; sums with a plan, a whole file of its own, and with
// the totals of S_X and of S_Y, by fold and block, each as moments writes them.
const (
	planMagic, sumsMagic = "MDTPLAN1", "MDTSUMS1"
	// longestHeader bounds headers, in which levels of text are the most.
	longestHeader = 1 << 30
)

// planHeader is a plan but for its numbers.
type planHeader struct {
	Roles       tables.Roles    `json:"roles"`
	X           *encode.Encoder `json:"x,omitempty"`
	U           *encode.Encoder `json:"u"`
	Y           *encode.Targets `json:"y,omitempty"`
	Phi         *mapHeader      `json:"phi,omitempty"`
	Psi         *mapHeader      `json:"psi"`
	Folds       int             `json:"folds"`
	Blocks      int             `json:"blocks"`
	Seed        uint64          `json:"seed"`
	NoIntercept bool            `json:"no_intercept,omitempty"`
	GridXU      *gridHeader     `json:"grid_xu,omitempty"`
	GridUY      *gridHeader     `json:"grid_uy,omitempty"`
	Reading     *tables.Reading `json:"reading,omitempty"`
}

type mapHeader struct {
	Map     json.RawMessage `json:"map"`
	Numbers int             `json:"numbers"`
}

// gridHeader has the units of the columns of both sides; their centres are numbers.
type gridHeader struct {
	UnitA []int `json:"unit_a"`
	UnitB []int `json:"unit_b"`
}

// WriteTo writes the plan, for ReadPlan; equal plans give equal bytes. The error names a map that is not registered.
func (p Plan) WriteTo(w io.Writer) (int64, error) {
	h := planHeader{Roles: p.Roles, X: p.X, U: p.U, Y: p.Y, Folds: p.Folds, Blocks: p.Blocks, Seed: p.Seed, NoIntercept: p.NoIntercept}
	if !p.Reading.IsZero() {
		h.Reading = &p.Reading
	}
	var numbers []float64
	for _, of := range []struct {
		m  features.Map
		to **mapHeader
	}{{p.Phi, &h.Phi}, {p.Psi, &h.Psi}} {
		if of.m == nil {
			continue
		}
		header, weights, err := features.Marshal(of.m)
		if err != nil {
			return 0, err
		}
		*of.to = &mapHeader{header, len(weights)}
		numbers = append(numbers, weights...)
	}
	for t, to := range []**gridHeader{&h.GridXU, &h.GridUY} {
		if g := p.Grids[t]; g != nil {
			*to = &gridHeader{g.UnitA, g.UnitB}
			numbers = append(append(numbers, g.CentreA...), g.CentreB...)
		}
	}
	text, err := json.Marshal(h)
	if err != nil {
		return 0, fmt.Errorf("problem: plan: %w", err)
	}
	out := frame.NewWriter(w)
	out.Bytes([]byte(planMagic))
	out.Number(uint64(len(text)))
	out.Bytes(text)
	out.Floats(numbers)
	return out.End()
}

// ReadPlan reads a plan that WriteTo wrote. A file that is truncated, damaged, of another kind or of an unknown version is an error, never a panic. Memory
// stays within a few times the size of the file.
func ReadPlan(r io.Reader) (Plan, error) {
	in := frame.NewReader(bufio.NewReader(r))
	if err := magicOf(in, planMagic, "plan"); err != nil {
		return Plan{}, err
	}
	return readPlan(in)
}

// IsPlan reports whether a file begins as one of a plan, of any version; 7 bytes are enough.
func IsPlan(head []byte) bool { return bytes.HasPrefix(head, []byte(planMagic[:len(planMagic)-1])) }

// magicOf reads the magic of a file and says what is wrong with it.
func magicOf(in *frame.Reader, want, name string) error {
	got := string(in.Bytes(len(want)))
	switch stem := want[:len(want)-1]; {
	case got == want:
		return nil
	case strings.HasPrefix(got, stem):
		return fmt.Errorf("problem: a %s file of version %q, this program reads %q", name, got[len(stem):], want[len(stem):])
	}
	return fmt.Errorf("problem: not a %s file", name)
}

// damaged is an error about a file that begins as it should.
func damaged(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it was cut")
	}
	return fmt.Errorf("problem: damaged %s file: %w", name, err)
}

// readHeader reads a header into v.
func readHeader(in *frame.Reader, v any) error {
	length := in.Number()
	if length > longestHeader {
		return fmt.Errorf("a header of %d bytes", length)
	}
	text := in.Bytes(int(length))
	if err := in.Err(); err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// readPlan reads what follows the magic.
func readPlan(in *frame.Reader) (Plan, error) {
	fail := func(err error) (Plan, error) { return Plan{}, damaged("plan", err) }
	var h planHeader
	if err := readHeader(in, &h); err != nil {
		return fail(err)
	}
	p := Plan{Encoding: Encoding{Roles: h.Roles, X: h.X, U: h.U, Y: h.Y}, Folds: h.Folds, Blocks: h.Blocks, Seed: h.Seed, NoIntercept: h.NoIntercept}
	if h.Reading != nil {
		p.Reading = *h.Reading
	}
	for _, of := range []struct {
		from *mapHeader
		to   *features.Map
	}{{h.Phi, &p.Phi}, {h.Psi, &p.Psi}} {
		if of.from == nil {
			continue
		}
		if of.from.Numbers < 0 {
			return fail(fmt.Errorf("a map of %d numbers", of.from.Numbers))
		}
		numbers := in.Floats(of.from.Numbers)
		if err := in.Err(); err != nil {
			return fail(err)
		}
		m, err := features.Unmarshal(of.from.Map, numbers)
		if err != nil {
			return fail(err)
		}
		*of.to = m
	}
	for t, from := range []*gridHeader{h.GridXU, h.GridUY} {
		if from != nil {
			p.Grids[t] = &moments.Grid{CentreA: in.Floats(len(from.UnitA)), CentreB: in.Floats(len(from.UnitB)), UnitA: from.UnitA, UnitB: from.UnitB}
		}
	}
	if err := in.End(); err != nil {
		return fail(err)
	}
	if err := p.Validate(); err != nil {
		return fail(err)
	}
	return p, nil
}
