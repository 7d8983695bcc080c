package cells

import (
	"fmt"

	"mediant/internal/input"
	"mediant/tables"
)

// CheckBatch refuses a table whose batches take more memory than a file of size bytes can stand for: a cell that is empty has a byte at most.
func CheckBatch(columns []tables.Column, rows int, size int64) error {
	const numberBytes, textBytes = 8, 16
	row := 0
	for _, c := range columns {
		if row += numberBytes; c.Kind == tables.Text {
			row += textBytes - numberBytes
		}
	}
	if err := input.NewRoom(size).Take(row * min(rows, tables.BlockRows)); err != nil {
		return fmt.Errorf("a batch of %d columns %w", len(columns), err)
	}
	return nil
}
