package main

import "github.com/spf13/cobra"

// newReproduce has the experiments of the paper.
func newReproduce() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat the experiments of the paper",
	}
	belowOnly(cmd, "experiment")
	cmd.AddCommand(newReproduceSynthetic())
	cmd.AddCommand(newReproduceImages())
	return cmd
}
