package encode

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOptions say how free text becomes numbers: which n-grams are counted, and into how many columns they
// are hashed. The zero value is the default.
type TextOptions struct {
	// Words is the largest number of consecutive words that are counted as one term, 0 is 1.
	Words int `json:"words"`
	// CharMin to CharMax are the lengths of runs of characters that are counted too, within words that have
	// a space added at both ends; both 0 are 3 and 5, both -1 none.
	CharMin int `json:"char_min"`
	CharMax int `json:"char_max"`
	// Buckets is the number of columns, a power of two; 0 is 2^17.
	Buckets int `json:"buckets"`
	// Stop lists words, in lower case, that are ignored.
	Stop []string `json:"stop,omitempty"`
}

const (
	defaultBuckets = 1 << 17
	maxBuckets     = 1 << 20
	maxGram        = 16
)

// withDefaults fills in what is 0.
func (o TextOptions) withDefaults() TextOptions {
	if o.Words == 0 {
		o.Words = 1
	}
	if o.CharMin == 0 && o.CharMax == 0 {
		o.CharMin, o.CharMax = 3, 5
	}
	if o.Buckets == 0 {
		o.Buckets = defaultBuckets
	}
	return o
}

// Validate returns an error that names the first option that is out of range.
func (o TextOptions) Validate() error { return o.withDefaults().check() }

// check returns an error for options out of range, after withDefaults.
func (o TextOptions) check() error {
	switch {
	case o.Words < 1 || o.Words > maxGram:
		return fmt.Errorf("encode: text: runs of %d words, want 1 to %d", o.Words, maxGram)
	case !o.hasChars() && (o.CharMin != -1 || o.CharMax != -1):
		return fmt.Errorf("encode: text: runs of %d to %d characters, want 1 to %d, or both -1", o.CharMin, o.CharMax, maxGram)
	case o.Buckets < 2 || o.Buckets > maxBuckets || bits.OnesCount(uint(o.Buckets)) != 1:
		return fmt.Errorf("encode: text: %d buckets, want a power of two from 2 to %d", o.Buckets, maxBuckets)
	}
	return nil
}

func (o TextOptions) hasChars() bool {
	return o.CharMin >= 1 && o.CharMin <= o.CharMax && o.CharMax <= maxGram
}

// andCharacters says whether runs of characters are counted too.
func (o TextOptions) andCharacters() string {
	if o.hasChars() {
		return " and runs of characters"
	}
	return ""
}

// parts is the number of kinds of terms.
func (o TextOptions) parts() int {
	if o.hasChars() {
		return 2
	}
	return 1
}

// A hasher finds the terms of a text. It is immutable.
type hasher struct {
	TextOptions
	stop map[string]bool
}

// newHasher takes options that passed check.
func newHasher(o TextOptions) *hasher {
	h := &hasher{TextOptions: o, stop: make(map[string]bool, len(o.Stop))}
	for _, w := range o.Stop {
		h.stop[w] = true
	}
	return h
}

// A tally counts the terms of one kind in a text: buckets ascend.
type tally struct {
	buckets []uint32
	counts  []int32
	hashed  []uint32 // before they are counted
}

// count makes hashed into buckets and counts.
func (t *tally) count() {
	slices.Sort(t.hashed)
	t.buckets, t.counts = t.buckets[:0], t.counts[:0]
	for _, b := range t.hashed {
		if last := len(t.buckets) - 1; last >= 0 && t.buckets[last] == b {
			t.counts[last]++
			continue
		}
		t.buckets, t.counts = append(t.buckets, b), append(t.counts, 1)
	}
}

// tallies are those of words and of characters, with memory to be used again.
type tallies struct {
	of     [2]tally
	parts  [2][]float64 // weights of their buckets
	words  []string
	padded []rune
}

// tally counts the terms of a text.
func (h *hasher) tally(text string, t *tallies) {
	t.split(text, h.stop)
	for i := range t.of {
		t.of[i].hashed = t.of[i].hashed[:0]
	}
	for i := range t.words {
		var sum termHash
		sum.start('w')
		for _, w := range t.words[i:min(len(t.words), i+h.Words)] {
			sum.add(w)
			t.of[0].hashed = append(t.of[0].hashed, sum.bucket(h.Buckets))
			sum.add(" ")
		}
		if h.hasChars() {
			h.characters(t.words[i], t)
		}
	}
	for i := range h.parts() {
		t.of[i].count()
	}
}

// characters adds the runs of characters of a word. A word with its spaces that is shorter than the longest
// runs is counted once as it is for all of them.
func (h *hasher) characters(word string, t *tallies) {
	t.padded = append(append(append(t.padded[:0], ' '), []rune(word)...), ' ')
	shortest := min(h.CharMin, len(t.padded))
	for lo := range len(t.padded) - shortest + 1 {
		var sum termHash // of a run that is made longer and longer
		sum.start('c')
		for i, r := range t.padded[lo:min(len(t.padded), lo+h.CharMax)] {
			sum.rune(r)
			if i+1 >= shortest {
				t.of[1].hashed = append(t.of[1].hashed, sum.bucket(h.Buckets))
			}
		}
	}
}

// split finds the words of a text: runs of letters, marks and digits, in lower case.
func (t *tallies) split(text string, stop map[string]bool) {
	t.words = t.words[:0]
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if !stop[w] {
			t.words = append(t.words, w)
		}
	}
}

// A termHash is FNV-1a in 64 bits [Fowler, Noll and Vo], mixed at the end so that its low bits depend on all
// others. It has no seed: a term has the same column in every model.
type termHash uint64

func (s *termHash) start(kind byte) {
	*s = 0xcbf29ce484222325
	s.byte(kind)
}

func (s *termHash) byte(b byte) { *s = (*s ^ termHash(b)) * 0x100000001b3 }

func (s *termHash) add(text string) {
	for i := range len(text) {
		s.byte(text[i])
	}
}

func (s *termHash) rune(r rune) {
	if r < utf8.RuneSelf && r >= 0 {
		s.byte(byte(r))
		return
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		s.byte(c)
	}
}

// bucket is the hash modulo a power of two, after the finaliser of splitmix64.
func (s termHash) bucket(buckets int) uint32 {
	z := uint64(s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return uint32(z & uint64(buckets-1))
}

// A textCount learns the number of texts that have a term in each bucket.
type textCount struct {
	*hasher
	documents   int
	frequencies []int
	memory      tallies
}

func newTextCount(o TextOptions) *textCount {
	return &textCount{hasher: newHasher(o), frequencies: make([]int, o.Buckets)}
}

// add counts a text that occurs the given number of times.
func (c *textCount) add(text string, times int) {
	c.documents += times
	c.tally(text, &c.memory)
	for i := range c.parts() {
		for _, b := range c.memory.of[i].buckets {
			c.frequencies[b] += times
		}
	}
}

// A textColumn turns free text into a sparse row by hashed TF-IDF: for words and for runs of characters
// apart, a bucket that occurs t times in the text and in d of the N texts of training has
//
//	(1 + ln t) (1 + ln((1+N)/(1+d)))
//
// and each of the two parts is scaled to length 1, both together too [Salton and Buckley, Term-weighting
// approaches in automatic text retrieval, 1988; Weinberger et al., Feature hashing for large scale multitask
// learning, ICML 2009, without the signs]. A text without terms is 0. It is immutable.
type textColumn struct {
	*hasher
	documents   int
	frequencies []int
	idf         []float64
}

func newTextColumn(h *hasher, documents int, frequencies []int) *textColumn {
	c := &textColumn{hasher: h, documents: documents, frequencies: frequencies, idf: make([]float64, len(frequencies))}
	for b, d := range frequencies {
		// Words and characters of one text may share a bucket, which then counts it twice.
		d = min(d, documents)
		c.idf[b] = 1 + math.Log(float64(1+documents)/float64(1+d))
	}
	return c
}

// appendRow appends the nonzeros of a text in the order of their columns, the first of which is at first.
func (c *textColumn) appendRow(columns []int, values []float64, text string, first int, t *tallies) ([]int, []float64) {
	c.tally(text, t)
	parts := &t.parts
	for i := range c.parts() {
		parts[i] = c.weights(parts[i][:0], &t.of[i])
	}
	a, b := t.of[0].buckets, t.of[1].buckets
	if c.parts() < 2 {
		b = nil
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var at uint32
		var v float64
		takeA := j == len(b) || i < len(a) && a[i] <= b[j]
		takeB := i == len(a) || j < len(b) && b[j] <= a[i]
		if takeA {
			at, v = a[i], parts[0][i]
			i++
		}
		if takeB {
			at, v = b[j], v+parts[1][j]
			j++
		}
		columns, values = append(columns, first+int(at)), append(values, v)
	}
	return columns, values
}

// weights appends those of the buckets of one part to out, which is empty.
func (c *textColumn) weights(out []float64, t *tally) []float64 {
	sum := 0.0
	for i, b := range t.buckets {
		w := c.idf[b]
		if n := t.counts[i]; n > 1 {
			w *= 1 + math.Log(float64(n))
		}
		out = append(out, w)
		sum += w * w
	}
	scale := 1 / math.Sqrt(sum*float64(c.parts()))
	for i := range out {
		out[i] *= scale
	}
	return out
}
