package features

import "fmt"

// Fixed returns the Spec of an existing map, for use where a Spec is fitted, such as Setup.Phi. Encoded rows must have the
// number of columns that m takes. A model can be saved only if the type of m is registered.
func Fixed(m Map) Spec { return Spec{fixed: &fixed{m}} }

// A fixed map is behind a pointer, so that specs can be compared whatever it is.
type fixed struct{ Map }

// fixedMaker is that of specs with a fixed map.
func fixedMaker() *maker {
	return &maker{
		write: func(s Spec) string { return Describe(s.fixed.Map) },
		size: func(s Spec, _ int) int {
			_, out := s.fixed.Dims()
			return out
		},
		bytes: func(s Spec, z Size) float64 {
			if kindOf(s.fixed.Map) == nil { // and so says nothing of its size
				return 8 * float64(z.In) * float64(z.Features)
			}
			return Bytes(s.fixed.Map)
		},
		fit: func(f *specFit) (Map, error) { return f.fixed.Map, f.checkWidth(f.fixed.Map) },
		validate: func(s Spec) error {
			if s.LandmarkRows != nil || s != (Spec{fixed: s.fixed, Size: s.Size}) {
				return fmt.Errorf("features: a fixed map with other settings: %s", s)
			}
			return nil
		},
	}
}

// checkWidth returns an error unless the map takes rows like those at hand.
func (f *specFit) checkWidth(m Map) error {
	_, columns := f.rows.Dims()
	if in, _ := m.Dims(); in != columns {
		return fmt.Errorf("features: %s: the map takes %d columns, encoded rows have %d", f.Spec, in, columns)
	}
	return nil
}
