package shards

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"mediant/problem"
	"mediant/tables"
)

func init() {
	register.DoFn4x1[context.Context, string, func(string, piece), func(piece), error](&sumFn{})
	register.Combiner1[piece](&addFn{})
	register.DoFn4x1[context.Context, int, func(*piece) bool, func([]byte), error](&assembleFn{})
	register.Emitter2[string, piece]()
	register.Emitter1[piece]()
	register.Emitter1[[]byte]()
	register.Iter1[piece]()
	beam.RegisterCoder(reflect.TypeFor[piece](), encodePiece, decodePiece)
}

// SumsOptions say how shards are summed.
type SumsOptions struct {
	Dialect
	// Weights are the columns of weights of the tables of X and U and of U and Y, as tables.Weigh takes them; "" for none.
	Weights [2]string
	// FewRows allows sums over fewer than 10 rows for each feature.
	FewRows bool
}

// Sums sums the shards of a table of X and U and of a table of U and Y, PCollections of paths of which one may be the zero value, by a plan. It returns a PCollection<[]byte> of one element, what
// problem.Sums.WriteTo writes of the sums of all shards, merged (problem.MergeSums). Shards without rows add nothing; if none has any, or the same rows are there twice, the job fails.
//
// The totals of each table, fold and block are added under a key of their own, in workers before they are shuffled. A bundle holds one total of each, 16 bytes for each product of two features, and so
// does the last step.
func Sums(s beam.Scope, plan File, xu, uy beam.PCollection, opt SumsOptions) beam.PCollection {
	s = s.Scope("shards.Sums")
	var pieces []beam.PCollection
	for table, paths := range []beam.PCollection{xu, uy} {
		if !paths.IsValid() {
			continue
		}
		// Each table has a combine of its own, right behind its sums: with a Flatten between them prism would keep the totals of all shards.
		totals, runs := beam.ParDo2(s, &sumFn{Plan: plan, Table: table, Options: opt}, paths)
		pieces = append(pieces, runs, beam.DropKey(s, beam.CombinePerKey(s, &addFn{Plan: plan}, totals)))
	}
	all := beam.Flatten(s, pieces...)
	return beam.ParDo(s, &assembleFn{Plan: plan, FewRows: opt.FewRows}, beam.GroupByKey(s, beam.AddFixedKey(s, all)))
}

// plan reads a plan.
func (f File) plan(ctx context.Context) (problem.Plan, error) {
	return load(ctx, f, func(raw []byte) (problem.Plan, error) { return problem.ReadPlan(bytes.NewReader(raw)) })
}

// sumFn sums a shard.
type sumFn struct {
	Plan    File
	Table   int
	Options SumsOptions
}

func (f *sumFn) ProcessElement(ctx context.Context, path string, totals func(string, piece), runs func(piece)) error {
	plan, err := f.Plan.plan(ctx)
	if err != nil {
		return err
	}
	sums, err := f.sum(ctx, plan, path)
	if errors.Is(err, tables.ErrNoRows) {
		log.Warnf(ctx, "shards: %s: no rows", path)
		sums, err = &problem.Sums{}, nil
	}
	if err != nil {
		return fmt.Errorf("shards: %s: %w", path, err)
	}
	byFold := sums.XU
	if f.Table == problem.TableUY {
		byFold = sums.UY
	}
	for k, fold := range byFold {
		for j, total := range fold {
			p := piece{table: f.Table, fold: k, block: j, total: total}
			totals(p.key(), p)
		}
	}
	raw, err := json.Marshal(counts{sums.Runs, sums.Dropped})
	if err != nil {
		return err
	}
	runs(piece{table: ofRuns, raw: raw})
	return nil
}

// sum sums the rows of a shard.
func (f *sumFn) sum(ctx context.Context, plan problem.Plan, path string) (*problem.Sums, error) {
	columns, weights := plan.Columns(f.Table), f.Options.Weights[f.Table]
	if weights != "" {
		columns = append(slices.Clip(columns), tables.Column{Name: weights, Kind: tables.Numeric})
	}
	src, closeFile, err := open(ctx, path, columns, plan.Reading, f.Options.Dialect, false)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	if src, err = tables.Weigh(ctx, src, weights); err != nil {
		return nil, err
	}
	if f.Table == problem.TableUY {
		return plan.SumUY(ctx, src)
	}
	return plan.SumXU(ctx, src)
}

// addFn adds totals.
type addFn struct {
	Plan File
	plan problem.Plan
}

func (f *addFn) Setup(ctx context.Context) (err error) {
	f.plan, err = f.Plan.plan(ctx)
	return err
}

func (f *addFn) MergeAccumulators(a, b piece) (piece, error) {
	ta, err := a.of(f.plan)
	if err != nil {
		return piece{}, err
	}
	tb, err := b.of(f.plan)
	if err != nil {
		return piece{}, err
	}
	sum, err := ta.Plus(tb)
	return piece{table: a.table, fold: a.fold, block: a.block, total: sum}, err
}

// assembleFn makes one file of the pieces.
type assembleFn struct {
	Plan    File
	FewRows bool
}

func (f *assembleFn) ProcessElement(ctx context.Context, _ int, pieces func(*piece) bool, emit func([]byte)) error {
	plan, err := f.Plan.plan(ctx)
	if err != nil {
		return err
	}
	sums, err := assemble(plan, pieces)
	if err == nil {
		err = f.check(sums)
	}
	if err != nil {
		return fmt.Errorf("shards: %w", err)
	}
	var file bytes.Buffer
	if _, err := sums.WriteTo(&file); err != nil {
		return err
	}
	emit(file.Bytes())
	return nil
}

// check refuses sums over no rows, or over few.
func (f *assembleFn) check(sums *problem.Sums) error {
	if len(sums.Runs) == 0 {
		return errors.New("no shard has rows")
	}
	var rows [2]int
	for _, run := range sums.Runs {
		rows[run.Table] += run.Rows
	}
	for t, n := range rows {
		if n == 0 || f.FewRows {
			continue
		}
		if err := sums.Plan.FewRows(t, n); err != nil {
			return fmt.Errorf("%w (--few-rows)", err)
		}
	}
	return nil
}
