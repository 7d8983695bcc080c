package shards

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&writeFn{})
}

// Write writes the one element of a PCollection<[]byte>, such as Sums returns, to a file, whole or not at all, from whichever worker has it.
func Write(s beam.Scope, path string, content beam.PCollection) {
	beam.ParDo0(s.Scope("shards.Write"), &writeFn{Path: path}, content)
}

type writeFn struct{ Path string }

func (f *writeFn) ProcessElement(ctx context.Context, content []byte) error {
	err := create(ctx, f.Path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return fmt.Errorf("shards: %w", err)
	}
	return nil
}
