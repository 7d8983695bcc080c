package features

import (
	"encoding/json"
	"strings"
)

// rowless are the kinds of maps that, but for the parts of maps of maps, are random or depend on columns alone, by bandwidths at most.
var rowless = map[string]bool{
	"additive": true, "bias": true, "chain": true, "chi2": true, "columns": true, "concat": true, "count sketch": true, "fourier": true, "linear": true,
	"polynomial": true, "tensor sketch": true,
}

// HoldsRows reports whether m may hold encoded rows that it was fitted to, as the landmarks of Nyström maps are: whoever has such a map has those rows. Patches of
// images, learned metrics, which are as many numbers as some rows, and maps of other modules count as if they did.
func HoldsRows(m Map) bool {
	s, err := storedOf(m)
	return err != nil || s.header().holdsRows()
}

func (h header) holdsRows() bool {
	if !rowless[h.Kind] {
		return true
	}
	for _, a := range h.Arrays {
		if strings.HasPrefix(a.Name, "landmark") {
			return true
		}
	}
	for _, raw := range h.Parts {
		var part header
		if json.Unmarshal(raw, &part) != nil || part.holdsRows() {
			return true
		}
	}
	return false
}
