package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant/effect"
)

// completeRows is the value of --complete-u.
type completeRows string

const (
	leaveOutIncomplete completeRows = "drop"
	weighComplete      completeRows = "weight"
)

var _ pflag.Value = (*completeRows)(nil)

func (c *completeRows) register(flags *pflag.FlagSet) {
	flags.Var(c, "complete-u", `leave out the rows of both tables in which a column of U is missing; "weight": those of the first table, and have the others stand for them by the inverse of the probability of being complete`)
	flags.Lookup("complete-u").NoOptDefVal = string(leaveOutIncomplete)
}

func (c *completeRows) isSet() bool { return *c != "" }

// String implements pflag.Value.
func (c *completeRows) String() string { return string(*c) }

// Type implements pflag.Value.
func (c *completeRows) Type() string { return "string" }

// Set implements pflag.Value. true and false are those of a flag that has no value.
func (c *completeRows) Set(text string) error {
	switch text {
	case "drop", "true":
		*c = leaveOutIncomplete
	case "weight":
		*c = weighComplete
	case "", "false":
		*c = ""
	default:
		return fmt.Errorf("must be drop or weight")
	}
	return nil
}

// arguments takes the word behind --complete-u for its value, which a flag that may stand alone leaves there.
func (c *completeRows) arguments(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && *c == leaveOutIncomplete && args[0] == string(weighComplete) {
		*c = weighComplete
		return nil
	}
	return arguments()(cmd, args)
}

// describeWeights says how complete rows stand for the others.
func describeWeights(b *strings.Builder, w *effect.CompleteWeights) {
	given := "the treatment"
	if len(w.By) > 0 {
		given += " and " + oneLine(listed(w.By))
	}
	fmt.Fprintf(b, "these rows are left out, and %d complete rows of the first table stand for all, by the inverse of the probability of being complete: the estimate is right if, given %s, the others are like them\n", w.Rows, given)
	fmt.Fprintf(b, "  largest weight %.3g, effective sample size %.0f\n", w.Largest, w.Effective)
}
