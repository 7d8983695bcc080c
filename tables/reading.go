package tables

// A Reading has the options with which the training files of a model were read and later files must be read: see the fields of csv.Options with
// these names.
type Reading struct {
	NA      []string          `json:"na,omitempty"`
	Dates   []string          `json:"dates,omitempty"`
	Aliases map[string]string `json:"aliases,omitempty"`
}

// IsZero reports whether no option is set.
func (r Reading) IsZero() bool { return len(r.NA)+len(r.Dates)+len(r.Aliases) == 0 }
