package arrow

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

// listLengths reads all batches if the schema has lists of numbers without a length in their type, and returns what is known of those, by their column.
func listLengths(ctx context.Context, r reader) (map[int]*columnar.ListLength, error) {
	lengths := map[int]*columnar.ListLength{}
	for i, c := range r.schema.Fields() {
		switch list := c.Type.(type) {
		case *arrow.ListType, *arrow.LargeListType, *arrow.ListViewType, *arrow.LargeListViewType:
			if kind, refused := kindOf(list.(arrow.ListLikeType).Elem()); refused == "" && kind == tables.Numeric {
				lengths[i] = new(columnar.ListLength)
			}
		}
	}
	for rows := 0; len(lengths) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, length := range lengths {
			lookAt(length, batch.Column(i).(array.ListLike), rows)
		}
		rows += int(batch.NumRows())
	}
	return lengths, nil
}

// lookAt looks at the lists of a batch that follows so many rows.
func lookAt(length *columnar.ListLength, lists array.ListLike, rows int) {
	for i := range lists.Len() {
		if lists.IsNull(i) {
			continue
		}
		if first, end := lists.ValueOffsets(i); length.Look(rows+i+1, int(end-first)) != nil {
			return
		}
	}
}

// addItem adds an item of list i, which is missing where there is no list.
func addItem(b *columnar.Buffer, lists array.ListLike, i, item int) error {
	if lists.IsNull(i) {
		b.Missing()
		return nil
	}
	first, end := lists.ValueOffsets(i)
	switch {
	case first == end:
		b.Missing()
		return nil
	case first < 0 || first+int64(item) >= end || end > int64(lists.ListValues().Len()):
		return errors.New("the file changed while it was read, or is damaged")
	}
	return add(b, lists.ListValues(), int(first)+item)
}
