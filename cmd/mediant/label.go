package main

import "github.com/spf13/cobra"

func newLabel() *cobra.Command {
	var f predictFlags
	f.as.FromU = true
	cmd := &cobra.Command{
		Use:   "label MODEL TABLE",
		Short: "Write h(U), a model's labels for the rows of a table that has U",
		Long: `Write h(U) for the rows of a table that has the columns of U: what the model makes of U alone, one
column per output, or, for classes, one column per class named "Y=label". With these labels for
Y any other learner can be trained on the rows of X (docs/other-learners.md); evaluate --predictions
then estimates its error. Rows keep their order; the columns of the table stand in front with --append.`,
		Example: `  mediant label model.mediant xu.csv --append -o labelled.csv`,
		Args:    arguments("the model file", "the table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], args[1], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.register(cmd.Flags())
	mostUsed(cmd.Flags(), "output", "append", "quiet")
	return cmd
}
