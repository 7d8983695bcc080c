package literal

import (
	"fmt"
	"unicode/utf8"
)

// quotedBytes bounds what an error repeats of a cell.
const quotedBytes = 40

// Quote puts a cell in an error, on one line and not too long.
func Quote(cell string) string {
	if len(cell) <= quotedBytes {
		return fmt.Sprintf("%q", cell)
	}
	cut := quotedBytes
	for cut > quotedBytes-utf8.UTFMax && !utf8.RuneStart(cell[cut]) {
		cut--
	}
	return fmt.Sprintf("%q...", cell[:cut])
}
