package corruption

import "slices"

// A Pair is a table of (X, U) and one of (U, Y) of different rows, with what is true of them.
type Pair struct {
	Name   string
	XU, UY *Sheet
	// Coupled has X, U and Y of rows that are in neither table.
	Coupled *Sheet
	// Treatment is the column of X whose effect is asked for, "" for a fit. Then Effect is that on Y, with its standard error.
	Treatment        string
	Effect, EffectSE float64
	Text             bool // columns of free text
}

// Clone is a deep copy.
func (p *Pair) Clone() *Pair {
	c := *p
	c.XU, c.UY, c.Coupled = p.XU.Clone(), p.UY.Clone(), p.Coupled.Clone()
	return &c
}

// U are the columns that both tables have.
func (p *Pair) U() []string {
	return slices.DeleteFunc(slices.Clone(p.XU.Names), func(name string) bool { return p.UY.Index(name) < 0 })
}

// X are those of the first table alone, or the treatment.
func (p *Pair) X() []string {
	if p.Treatment != "" {
		return []string{p.Treatment}
	}
	return slices.DeleteFunc(slices.Clone(p.XU.Names), func(name string) bool { return p.UY.Index(name) >= 0 })
}

// Y are those of the second table alone.
func (p *Pair) Y() []string {
	return slices.DeleteFunc(slices.Clone(p.UY.Names), func(name string) bool { return p.XU.Index(name) >= 0 })
}

// A Source makes a pair from a seed: its rows differ, what is true of it does not.
type Source struct {
	Name string
	Text bool // its pairs have free text, which takes longer
	Make func(seed uint64) (*Pair, error)
}
