package literal

import (
	"strings"
)

// UnusualMarker reports whether a cell without spaces around it often marks missing values, which csv.Options.NA has to say.
func UnusualMarker(cell string) bool {
	const longest = len("not applicable")
	if cell == "" || len(cell) > longest || !markerStarts[cell[0]] {
		return false
	}
	return unusualMarkers[strings.ToLower(cell)]
}

var unusualMarkers, markerStarts = func() (set map[string]bool, starts [256]bool) {
	set = Words(`
		. .. ... - -- --- – — ? ?? * #n/a #na #null! #value! #div/0! #ref! #name? #num! <na> <nan> <null> (null) (missing) (empty) (blank)
		none nil n/a na n.a. n.a k.a. nan -nan 1.#qnan -1.#ind null nul \n missing unknown unk empty blank fehlt unbekannt inconnu desconocido
	`)
	set["not available"], set["not applicable"], set["k. a."], set["keine angabe"] = true, true, true, true
	for word := range set {
		starts[word[0]], starts[strings.ToUpper(word)[0]] = true, true
	}
	return set, starts
}()

// UsualMarker reports whether a cell without spaces around it is missing in a column of numbers although it is not empty.
func UsualMarker(s string) bool {
	switch s {
	case "NA", "N/A", "NaN", "nan", "null", "NULL":
		return true
	}
	return false
}
