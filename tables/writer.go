package tables

import "context"

// A Writer writes batches of rows of columns that it was made for, as the packages of formats below this one make it. Number NaN and text "" are
// missing cells. An infinite number is an error that names its column and, counted from 0, its row.
type Writer interface {
	// Write writes the rows of b, laid out as in a Batch of the writer's columns.
	Write(b Batch) error
	// Close writes what is left; it does not close what is written to.
	Close() error
}

// Copy writes all of src, and closes w.
func Copy(ctx context.Context, w Writer, src Source) error {
	for b, err := range NewGuard("", src).Batches(ctx) {
		if err == nil {
			err = w.Write(b)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}
