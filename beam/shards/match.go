package shards

import (
	"context"
	"errors"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"mediant/tables"
	"mediant/tables/csv"
	"mediant/tables/formats"
)

func init() {
	register.Function1x1(pathOf)
}

// Match returns the paths of all files that match a pattern (*, ?, [...]), a PCollection<string>, spread over workers. A pattern that no file matches fails the job.
// Workers expand them, so that the program that starts the job need not see the files.
func Match(s beam.Scope, patterns ...string) beam.PCollection {
	s = s.Scope("shards.Match")
	found := fileio.MatchAll(s, beam.CreateList(s, patterns), fileio.MatchEmptyDisallow())
	return beam.Reshuffle(s, beam.ParDo(s, pathOf, found))
}

func pathOf(file fileio.FileMetadata) string { return file.Path }

// Dialect is how shards of CSV are written, beside what a plan or model says (tables.Reading); zero values mean what they mean in csv.Options.
type Dialect struct {
	Comma, Decimal rune
}

// open opens a shard of which some columns matter. close must be called.
func open(ctx context.Context, path string, only []tables.Column, reading tables.Reading, d Dialect, keepRows bool) (src tables.Source, closeFile func(), err error) {
	local, remove, err := fetch(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	file, err := formats.Open(ctx, local, formats.Options{Options: csv.Options{
		Comma: d.Comma, Decimal: d.Decimal, Only: only, NA: reading.NA, Dates: reading.Dates, Aliases: reading.Aliases, KeepRows: keepRows,
	}})
	if err != nil {
		if info, statErr := os.Stat(local); errors.Is(err, tables.ErrNoRows) && statErr == nil && info.Size() == 0 {
			err = errors.New("an empty file") // which was to be written and was not, unlike a header without rows
		}
		remove()
		return nil, nil, err
	}
	return file.Source, func() { file.Close(); remove() }, nil
}
