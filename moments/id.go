package moments

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// ID identifies what the columns of one side of co-moments mean: the SHA-256 of the canonical bytes of the encoder and map
// that made them (for Y: of the output names and classes). Sums are added, compared or solved together only when their
// identities agree.
type ID [sha256.Size]byte

// NewID returns the identity of the concatenated canonical bytes.
func NewID(canonical ...[]byte) ID {
	h := sha256.New()
	for _, c := range canonical {
		// The length first, so that ("ab","c") and ("a","bc") differ.
		fmt.Fprintf(h, "%d:", len(c))
		h.Write(c)
	}
	return ID(h.Sum(nil))
}

// String returns the first 12 hexadecimal digits, enough to tell identities apart in a message.
func (id ID) String() string { return hex.EncodeToString(id[:6]) }

// MarshalText writes all 64 hexadecimal digits.
func (id ID) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(id[:])), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(string(text))
	if err != nil || len(raw) != len(id) {
		return fmt.Errorf("moments: %q is not an identity of %d hexadecimal digits", text, 2*len(id))
	}
	copy(id[:], raw)
	return nil
}
