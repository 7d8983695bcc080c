package tables

// A Reading is how the files that a model learned from were read, as far as later ones must be read so too: see the fields of
// csv.Options of the same names.
type Reading struct {
	NA      []string          `json:"na,omitempty"`
	Dates   []string          `json:"dates,omitempty"`
	Aliases map[string]string `json:"aliases,omitempty"`
}

// IsZero reports a file that is read as it stands.
func (r Reading) IsZero() bool { return len(r.NA)+len(r.Dates)+len(r.Aliases) == 0 }
