package check

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"mediant/internal/literal"
	"mediant/tables"
)

// LearnedRows says that later tables have rows that a model learned from.
const LearnedRows Code = "learned-rows"

// fingerprintRows is how many distinct rows of a table are kept at most.
const fingerprintRows = 4096

// Fingerprints, made by Learn, are hashes of the rows of a table, with the number of rows that have each. Where a table has more than 4,096
// distinct rows those are kept whose hash ends in zeros, so that equal rows are kept or not together, and which rows are kept
// depends on them alone and not on their order.
type Fingerprints struct{ counts distinct }

func newFingerprints(counts distinct) *Fingerprints { return &Fingerprints{counts} }

// Kept is the number of distinct rows that are kept, and Share theirs among all distinct rows.
func (f *Fingerprints) Kept() int { return f.counts.of.n }

// Share is the share of all distinct rows that are kept, a power of 1/2.
func (f *Fingerprints) Share() float64 { return math.Ldexp(1, -int(f.counts.level)) }

// Ties is the share of rows that have an equal one within the table, among those that are kept.
func (f *Fingerprints) Ties() float64 { return f.counts.repeated() }

// fingerprintsJSON is how they are written. Hashes ascend, 8 bytes each, and counts, 4 bytes each, are in their order, both
// little-endian; no counts: each is 1. The other fields are for people.
type fingerprintsJSON struct {
	Kept   int     `json:"kept"`
	Share  float64 `json:"share_kept"`
	Ties   float64 `json:"ties"`
	Level  uint    `json:"level"`
	Hashes string  `json:"hashes"`
	Counts string  `json:"counts,omitempty"`
}

// MarshalJSON writes the same bytes for the same rows in any order.
func (f *Fingerprints) MarshalJSON() ([]byte, error) {
	hashes := make([]uint64, 0, f.counts.of.n)
	for h := range f.counts.of.all() {
		hashes = append(hashes, h)
	}
	slices.Sort(hashes)
	var raw, counts []byte
	tied := false
	for _, h := range hashes {
		n := f.counts.of.rows(h)
		tied = tied || n > 1
		raw = binary.LittleEndian.AppendUint64(raw, h)
		counts = binary.LittleEndian.AppendUint32(counts, uint32(min(n, math.MaxUint32)))
	}
	j := fingerprintsJSON{Kept: f.Kept(), Share: f.Share(), Ties: f.Ties(), Level: f.counts.level, Hashes: base64.StdEncoding.EncodeToString(raw)}
	if tied {
		j.Counts = base64.StdEncoding.EncodeToString(counts)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Fingerprints) UnmarshalJSON(text []byte) error {
	var j fingerprintsJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(j.Hashes)
	if err != nil {
		return fmt.Errorf("check: fingerprints: %w", err)
	}
	counts, err := base64.StdEncoding.DecodeString(j.Counts)
	if err != nil {
		return fmt.Errorf("check: fingerprints: %w", err)
	}
	n := len(raw) / 8
	if len(raw) != 8*n || n > fingerprintRows || j.Level > 63 || len(counts) != 0 && len(counts) != 4*n {
		return fmt.Errorf("check: fingerprints: %d bytes of hashes and %d of counts at level %d", len(raw), len(counts), j.Level)
	}
	own := distinct{of: newHashCounts(n), level: j.Level, most: fingerprintRows}
	last := uint64(0)
	for i := range n {
		h, rows := binary.LittleEndian.Uint64(raw[8*i:]), uint32(1)
		if len(counts) > 0 {
			rows = binary.LittleEndian.Uint32(counts[4*i:])
		}
		if i > 0 && h <= last || h&(1<<j.Level-1) != 0 || rows == 0 {
			return fmt.Errorf("check: fingerprints: hash %d is out of order, not of level %d or of no row", i+1, j.Level)
		}
		own.of.add(h, int(rows))
		last = h
	}
	f.counts = own
	return nil
}

// rowKeys makes a key of the values of some columns of a row, whatever their places in a table.
type rowKeys struct {
	selection *tables.Selection
	keys      []uint64
}

func newRowKeys(have []tables.Column, names []string) (*rowKeys, error) {
	kinds := make(map[string]tables.Kind, len(have))
	for _, c := range have {
		kinds[c.Name] = c.Kind
	}
	want := make([]tables.Column, len(names))
	for i, name := range names {
		want[i] = tables.Column{Name: name, Kind: kinds[name]}
	}
	s, err := tables.Select(have, want)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	return &rowKeys{selection: s}, nil
}

// of returns the keys of the rows of a batch, valid until the next call.
func (k *rowKeys) of(b tables.Batch) []uint64 {
	k.keys = slices.Grow(k.keys[:0], b.Rows)[:b.Rows]
	clear(k.keys)
	for c := range k.selection.Len() {
		kind, place := k.selection.Place(c)
		for i := range k.keys {
			k.keys[i] = mixed(k.keys[i]*3 + cellKey(b, kind, place, i) + 0x9e3779b97f4a7c15)
		}
	}
	return k.keys
}

func cellKey(b tables.Batch, kind tables.Kind, place, i int) uint64 {
	switch kind {
	case tables.Text:
		return hashText(literal.LabelKey(b.Text[place][i])) // 1.0 and TRUE are 1 and true
	case tables.Vector:
		h := uint64(0)
		places, values := b.Sparse[place].Row(i)
		for t, j := range places {
			h = mixed(h*3 + uint64(j)<<1 + 1 + roundedBits(values[t]))
		}
		return h
	}
	return roundedBits(b.Num.At(i, place))
}

// roundedBits are the bits of a number to 41 binary digits, twelve decimal ones: programs that read a table and write it again
// may keep 15 decimal digits of 17. A value is then rounded to the other side once in some hundreds.
func roundedBits(v float64) uint64 {
	const dropped = 1 << 12
	if math.IsNaN(v) {
		return math.MaxUint64
	}
	return (math.Float64bits(v+0) + dropped/2) &^ (dropped - 1) // -0 as 0
}

// sharedDoubt is the probability, at most, that independent tables are said to share rows.
const sharedDoubt = 5e-4

// splitRows is the largest number of equal rows, in both tables together, that are compared.
const splitRows = 8

// shared reports how many of the rows of a later table, of those that were looked at, have an equal one among the
// fingerprints, and whether these are more than chance and ties explain, whatever the distributions of the two tables are.
//
// Say a value stands in a rows of one table and b of the other on average. Counts are nearly Poisson, and for i + j = k
//
//	P(i, j) = exp(-a-b) a^i b^j / i! j! <= exp(-a-b) C(k, i) (i/k a^k + j/k b^k) / k!
//
// by the inequality of means, so that, summed over values and over i from 1 to k-1, at most 2^(k-1) - 1 times as many values
// are expected in k rows of both tables together as in k rows of one alone. Rows that were learned from turn that round.
func (f *Fingerprints) shared(later *distinct) (hits, of int, many bool) {
	level := max(f.counts.level, later.level)
	kept := func(h uint64) bool { return h&(1<<level-1) == 0 }
	var both, one [splitRows + 1]int
	for h, n := range later.of.all() {
		if !kept(h) {
			continue
		}
		of += n
		k := n + f.counts.of.rows(h)
		if k > n {
			hits += n
		}
		if k <= splitRows && k > n {
			both[k]++
		} else if k <= splitRows {
			one[k]++
		}
	}
	for h, n := range f.counts.of.all() {
		if kept(h) && n <= splitRows && later.of.rows(h) == 0 {
			one[n]++
		}
	}
	for k := 2; k <= splitRows; k++ {
		if both[k] == 0 {
			continue
		}
		c := float64(int(1)<<(k-1) - 1)
		chance := mathext.RegIncBeta(float64(both[k]), float64(one[k]+1), c/(c+1)) // of as many of both + one, or more
		if chance < sharedDoubt/float64((k-1)*(k-1)) {
			many = true
		}
	}
	return hits, of, many
}

// finding is what is to be said of later rows that are among the fingerprints: nothing unless more are equal than ties explain,
// an Error where these are one row in a hundred or more, else a Warning.
func (f *Fingerprints) finding(later *distinct, rows int, table Table) *Finding {
	hits, of, many := f.shared(later)
	if !many {
		return nil
	}
	share := float64(hits) / float64(of)
	about := ""
	if of < rows {
		about = "about "
	}
	n := int(math.Round(share * float64(rows)))
	found := &Finding{Code: LearnedRows, Severity: Error, Table: table, Rows: n, Of: rows, gravity: share,
		What:   fmt.Sprintf("%s%d of %d rows %s equal to rows that the model learned from, more than ties explain", about, n, rows, verb(n, "is", "are")),
		Effect: "an error that is estimated on them is too small",
		Remedy: "use held-out rows"}
	if share < .01 {
		found.Severity = Warning
	}
	return found
}
