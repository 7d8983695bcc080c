package features

import "gonum.org/v1/gonum/mat"

// depthOf is the number of maps of maps inside one another, m included.
func depthOf(m Map) int {
	of, ok := m.(interface{ within() []Map })
	if !ok {
		return 0
	}
	deepest := 0
	for _, part := range of.within() {
		deepest = max(deepest, depthOf(part))
	}
	return deepest + 1
}

// fold folds m, if it can be folded to a map that can be stored.
func fold(m Map, coef *mat.Dense) (Map, *mat.Dense) {
	f, ok := m.(Folder)
	if !ok {
		return m, coef
	}
	raw, folded := f.Fold(coef)
	if kindOf(raw) == nil {
		return m, coef
	}
	return raw, folded
}
