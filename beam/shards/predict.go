package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"mediant"
	"mediant/baselines"
	"mediant/check"
	"mediant/internal/predictions"
	"mediant/mlp"
	"mediant/tables"
	"mediant/tables/formats"
)

func init() {
	register.DoFn1x2[string, string, string](&nameFn{})
	register.DoFn4x1[context.Context, string, func(*string) bool, func(string), error](&predictFn{})
	register.Emitter1[string]()
	register.Iter1[string]()
}

// PredictOptions say what is predicted of shards and where it is written.
type PredictOptions struct {
	Dialect
	// Folder gets a file for each shard, of its name with the ending Ending, .csv if it is empty, or one that formats.NewWriter knows. Two shards of one name fail the job.
	Folder, Ending string
	// Scores adds a column for each class of a classification, LabelOnly leaves it out of one that predicts probabilities, Errors adds one of standard errors for each output.
	Scores, LabelOnly, Errors bool
	// Accept are findings about later rows that are known, as check.ParseAcceptance reads them.
	Accept []string
}

// Predict predicts Y for each row of each shard, a PCollection of paths, by a model file, and writes what mediant predict writes of the shard. It returns the paths of the
// files, a PCollection<string>. A shard without rows gives a file without rows. A shard with a column in another unit than in training fails the job (mediant.Model.Later); warnings are logged.
func Predict(s beam.Scope, model File, paths beam.PCollection, opt PredictOptions) beam.PCollection {
	s = s.Scope("shards.Predict")
	if opt.Ending == "" {
		opt.Ending = ".csv"
	}
	named := beam.ParDo(s, &nameFn{Options: opt}, paths)
	return beam.ParDo(s, &predictFn{Model: model, Options: opt}, beam.GroupByKey(s, named))
}

// nameFn gives a shard the name of its output as a key.
type nameFn struct{ Options PredictOptions }

func (f *nameFn) ProcessElement(shard string) (string, string) {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(shard), ".gz"), ".zst")
	name = strings.TrimSuffix(name, path.Ext(name)) + f.Options.Ending
	return strings.TrimSuffix(f.Options.Folder, "/") + "/" + name, shard
}

// predictFn predicts the rows of a shard.
type predictFn struct {
	Model   File
	Options PredictOptions
}

func (f *predictFn) ProcessElement(ctx context.Context, out string, shards func(*string) bool, emit func(string)) error {
	var shard, other string
	shards(&shard)
	if shards(&other) {
		return fmt.Errorf("shards: %s and %s would both be written to %s", shard, other, out)
	}
	if shard == out {
		return fmt.Errorf("shards: %s would be overwritten by its predictions", shard)
	}
	m, err := load(ctx, f.Model, func(raw []byte) (*mediant.Model, error) {
		return mediant.Load(bytes.NewReader(raw), mlp.Format(), baselines.Format())
	})
	if err != nil {
		return err
	}
	if err := f.predict(ctx, m, shard, out); err != nil {
		return fmt.Errorf("shards: %s: %w", shard, err)
	}
	emit(out)
	return nil
}

func (f *predictFn) predict(ctx context.Context, m *mediant.Model, shard, out string) error {
	as := predictions.Options{Scores: f.Options.Scores, LabelOnly: f.Options.LabelOnly, Errors: f.Options.Errors}
	switch {
	case (as.Scores || as.LabelOnly) && m.Y.Classes() == nil:
		return errors.New("scores are of classes, and the model predicts numbers")
	case as.Errors && m.SE == nil:
		return errors.New("the model keeps no standard errors: fit it with --se")
	}
	write := func(rows func(to tables.Writer) error) error {
		return create(ctx, out, func(w io.Writer) error {
			to, err := formats.NewWriter(out, w, as.Columns(m))
			if err != nil {
				return err
			}
			return rows(to)
		})
	}
	src, closeFile, err := open(ctx, shard, m.X.Columns(), m.Reading, f.Options.Dialect, true)
	if errors.Is(err, tables.ErrNoRows) {
		return write(func(to tables.Writer) error { return to.Close() })
	}
	if err != nil {
		return err
	}
	defer closeFile()
	if err := f.compare(ctx, m, shard, src); err != nil {
		return err
	}
	return write(func(to tables.Writer) error { return as.Write(ctx, m, src, to) })
}

// compare says how the rows differ from those that the model learned from.
func (f *predictFn) compare(ctx context.Context, m *mediant.Model, shard string, src tables.Source) error {
	var accept []check.Acceptance
	for _, text := range f.Options.Accept {
		a, err := check.ParseAcceptance(text)
		if err != nil {
			return err
		}
		accept = append(accept, a)
	}
	found, err := m.Later(ctx, src, tables.Roles{X: m.Roles.X}, check.Later)
	if err != nil {
		return err
	}
	found = check.Settle(found, accept, false)
	for _, line := range check.LaterLines(found) {
		log.Warnf(ctx, "%s: %s", shard, line)
	}
	return check.Refused(found)
}
