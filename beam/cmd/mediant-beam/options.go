package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mediant/beam/job"
	"mediant/beam/shards"
)

// options are the flags of both commands.
type options struct {
	plan, xu, uy       string
	weightsXU          string
	weightsUY          string
	fewRows            bool
	model, table, as   string
	scores, errors     bool
	labelOnly          bool
	accept             string
	out                string
	delimiter, decimal string
	attempts           job.Attempts
	logLevel           string
	quiet              bool
}

func (o *options) register(flags *flag.FlagSet) {
	flags.StringVar(&o.plan, "plan", "", "sums: `file` of a plan")
	flags.StringVar(&o.xu, "xu", "", "sums: `files` of X and U")
	flags.StringVar(&o.uy, "uy", "", "sums: `files` of U and Y")
	flags.StringVar(&o.weightsXU, "weights-xu", "", "sums: `column` of weights in the table of X and U")
	flags.StringVar(&o.weightsUY, "weights-uy", "", "sums: `column` of weights in the table of U and Y")
	flags.BoolVar(&o.fewRows, "few-rows", false, "sums: sum fewer than 10 rows for each feature, too")
	flags.StringVar(&o.model, "model", "", "predict: `file` of a model")
	flags.StringVar(&o.table, "table", "", "predict: `files` that have the columns of X")
	flags.StringVar(&o.as, "as", "csv", "predict: `format` of the predictions: csv, parquet, arrow or jsonl")
	flags.BoolVar(&o.scores, "scores", false, "predict: for classes, add the raw scores of a model by squared error, one column per class")
	flags.BoolVar(&o.labelOnly, "label-only", false, "predict: for classes, leave out the probabilities")
	flags.BoolVar(&o.errors, "se", false, "predict: add one column of standard errors per output")
	flags.StringVar(&o.accept, "accept", "", "predict: findings to treat as notes, `codes` with commas between")
	flags.StringVar(&o.out, "o", "", "`path` to write: of sums a file, of predict a folder")
	flags.StringVar(&o.delimiter, "delimiter", "", "delimiter of CSV, one `character` or \"tab\"")
	flags.StringVar(&o.decimal, "decimal", "", "decimal mark of CSV, \".\" or \",\"")
	flags.IntVar(&o.attempts.Times, "attempts", 2, "`times` that a job is run until it does not fail")
	flags.DurationVar(&o.attempts.Limit, "attempt-limit", 0, "`time` after which an attempt is given up as failed, such as 2h (0: none)")
	flags.StringVar(&o.logLevel, "log_level", "", "what Beam logs here: debug, info, warn or error (default: what workers warn of alone)")
	flags.BoolVar(&o.quiet, "quiet", false, "print nothing but errors")
}

// sums runs the command sums.
func (o *options) sums(ctx context.Context, stdout io.Writer) error {
	switch {
	case o.plan == "":
		return usagef("--plan is missing")
	case o.xu == "" && o.uy == "":
		return usagef("--xu or --uy is missing")
	case o.model != "" || o.table != "":
		return usagef("--model and --table have no meaning for sums")
	}
	dialect, err := o.check()
	if err != nil {
		return err
	}
	plan, err := shards.Pin(ctx, absolute(o.plan))
	if err != nil {
		return err
	}
	out := absolute(o.out)
	err = job.Run(ctx, o.attempts, func(s beam.Scope) {
		var paths [2]beam.PCollection
		for t, list := range []string{o.xu, o.uy} {
			if list != "" {
				paths[t] = shards.Match(s, patterns(list)...)
			}
		}
		shards.Write(s, out, shards.Sums(s, plan, paths[0], paths[1], shards.SumsOptions{
			Dialect: dialect, Weights: [2]string{o.weightsXU, o.weightsUY}, FewRows: o.fewRows,
		}))
	})
	return o.done(stdout, err, "sums")
}

// predict runs the command predict.
func (o *options) predict(ctx context.Context, stdout io.Writer) error {
	switch {
	case o.model == "":
		return usagef("--model is missing")
	case o.table == "":
		return usagef("--table is missing")
	case o.plan != "" || o.xu != "" || o.uy != "":
		return usagef("--plan, --xu and --uy have no meaning for predict")
	case !strings.Contains(" csv parquet arrow jsonl ", " "+o.as+" "):
		return usagef("--as is %q, must be csv, parquet, arrow or jsonl", o.as)
	}
	dialect, err := o.check()
	if err != nil {
		return err
	}
	model, err := shards.Pin(ctx, absolute(o.model))
	if err != nil {
		return err
	}
	opt := shards.PredictOptions{Dialect: dialect, Folder: absolute(o.out), Ending: "." + o.as, Scores: o.scores, LabelOnly: o.labelOnly, Errors: o.errors}
	if o.accept != "" {
		opt.Accept = strings.Split(o.accept, ",")
	}
	err = job.Run(ctx, o.attempts, func(s beam.Scope) {
		shards.Predict(s, model, shards.Match(s, patterns(o.table)...), opt)
	})
	return o.done(stdout, err, "predictions")
}

// check looks at the flags of both commands.
func (o *options) check() (d shards.Dialect, err error) {
	if o.out == "" {
		return d, usagef("-o is missing")
	}
	if o.attempts.Times < 1 {
		return d, usagef("--attempts is %d, must be at least 1", o.attempts.Times)
	}
	if o.attempts.Limit < 0 {
		return d, usagef("--attempt-limit is %v, must be at least 0", o.attempts.Limit)
	}
	for _, list := range []string{o.xu, o.uy, o.table} {
		for _, p := range strings.Split(list, ",") {
			if list != "" && strings.TrimSpace(p) == "" {
				return d, usagef("%q has nothing before or behind a comma", list)
			}
		}
	}
	for _, of := range []struct {
		flag, text string
		to         *rune
	}{{"--delimiter", o.delimiter, &d.Comma}, {"--decimal", o.decimal, &d.Decimal}} {
		text := of.text
		if text == "tab" {
			text = "\t"
		}
		if utf8.RuneCountInString(text) > 1 {
			return d, usagef("%s %q is not one character", of.flag, of.text)
		}
		if text != "" {
			*of.to, _ = utf8.DecodeRuneInString(text)
		}
	}
	return d, nil
}

// done says what was written.
func (o *options) done(stdout io.Writer, err error, what string) error {
	if err != nil || o.quiet {
		return err
	}
	state := "written"
	if !job.Waits() {
		state = "to be written"
	}
	_, err = fmt.Fprintf(stdout, "%-11s %s to %s\n", what, state, o.out)
	return err
}

// patterns takes a list with commas apart.
func patterns(list string) []string {
	var all []string
	for _, p := range strings.Split(list, ",") {
		all = append(all, absolute(strings.TrimSpace(p)))
	}
	return all
}

// absolute is the name of a file that does not depend on the folder that a process works in.
func absolute(path string) string {
	if strings.Contains(path, "://") {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
