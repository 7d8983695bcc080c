package main

import "github.com/spf13/cobra"

// newReproduce has the experiments of the paper.
func newReproduce() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat the experiments of the paper",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown experiment %q, see mediant reproduce --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReproduceSynthetic())
	cmd.AddCommand(newReproduceImages())
	return cmd
}
