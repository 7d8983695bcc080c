package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant/internal/names"
)

// unknownCommand refuses a command that there is not below another one, and says which may be meant.
func unknownCommand(above *cobra.Command, what, name string) error {
	var all []string
	for _, c := range above.Commands() {
		all = append(all, c.Name())
	}
	return usagef("unknown %s %q%s, see %s --help", what, name, names.DidYouMean(all, name), above.CommandPath())
}

// flagError is wrong usage of flags; of one that there is not it says which may be meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return usageError{err}
	}
	name := unknown.GetSpecifiedName()
	near := names.Nearest(flagNames(cmd), name)
	if near == "" {
		return usageError{fmt.Errorf("%w, see %s --help", err, cmd.CommandPath())}
	}
	return usageError{fmt.Errorf("%w (did you mean --%s?)", err, near)}
}

// flagNames are those of the flags of a command that help shows.
func flagNames(cmd *cobra.Command) (all []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			all = append(all, f.Name)
		}
	})
	return all
}

// belowOnly has a command that only has others below it refuse what is none of them.
func belowOnly(cmd *cobra.Command, what string) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, what, args[0])
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}
