package encode

import (
	"encoding/binary"
	"fmt"
	"math"
)

// textJSON is a textColumn in a model's header.
type textJSON struct {
	TextOptions
	Documents int `json:"documents"`
	// Frequencies has, for each bucket that is in use, how many buckets it comes after the one before (the
	// first after -1) and in how many texts it occurs, as unsigned varints.
	Frequencies []byte `json:"frequencies"`
}

func (c *textColumn) json() *textJSON {
	if c == nil {
		return nil
	}
	out := &textJSON{TextOptions: c.TextOptions, Documents: c.documents}
	last := -1
	for b, n := range c.frequencies {
		if n > 0 {
			out.Frequencies = binary.AppendUvarint(out.Frequencies, uint64(b-last))
			out.Frequencies = binary.AppendUvarint(out.Frequencies, uint64(n))
			last = b
		}
	}
	return out
}

// column makes what json wrote, and refuses what it would not write.
func (j *textJSON) column() (*textColumn, error) {
	if j == nil {
		return nil, nil
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	if j.Documents < 0 || j.Documents > math.MaxInt32 {
		return nil, fmt.Errorf("%d texts", j.Documents)
	}
	frequencies := make([]int, j.Buckets)
	at, rest := -1, j.Frequencies
	for len(rest) > 0 {
		gap, m := binary.Uvarint(rest)
		if m <= 0 || gap < 1 || gap > uint64(j.Buckets-1-at) {
			return nil, fmt.Errorf("frequencies of terms are cut or beyond %d buckets", j.Buckets)
		}
		n, k := binary.Uvarint(rest[m:])
		if k <= 0 || n < 1 || n > 2*uint64(j.Documents) { // words and characters may share a bucket
			return nil, fmt.Errorf("a term in %d of %d texts", n, j.Documents)
		}
		at, rest = at+int(gap), rest[m+k:]
		frequencies[at] = int(n)
	}
	return newTextColumn(newHasher(j.TextOptions), j.Documents, frequencies), nil
}
