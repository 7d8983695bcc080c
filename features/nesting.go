package features

// depthOf is the number of maps of maps inside one another, m included.
func depthOf(m Map) int {
	deepest := 0
	switch m := m.(type) {
	case *Concat:
		for _, part := range m.parts {
			deepest = max(deepest, depthOf(part))
		}
	case *Columns:
		deepest = depthOf(m.part)
	case *Chain:
		deepest = max(depthOf(m.first), depthOf(m.then))
	default:
		return 0
	}
	return deepest + 1
}
