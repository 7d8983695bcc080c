package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takeOnce makes it wrong usage to set a flag twice that has one value, for the command and all below it: pflag would let the last one stand, and an
// argument that was meant would be lost. Lists may be repeated, and so may switches.
func takeOnce(cmd *cobra.Command) {
	wrap := func(flag *pflag.Flag) {
		switch value := flag.Value.(type) {
		case list, *onceValue:
		default:
			if flag.NoOptDefVal == "" {
				flag.Value = &onceValue{value, flag}
			}
		}
	}
	cmd.Flags().VisitAll(wrap)
	cmd.PersistentFlags().VisitAll(wrap)
	for _, sub := range cmd.Commands() {
		takeOnce(sub)
	}
}

// A list is a value that each argument adds to, as those of pflag are.
type list interface{ GetSlice() []string }

// A onceValue is the value of a flag that can be set once.
type onceValue struct {
	pflag.Value
	flag *pflag.Flag
}

func (v *onceValue) Set(text string) error {
	if v.flag.Changed {
		return fmt.Errorf("it is set to %q before, and takes one value", v.Value.String())
	}
	return v.Value.Set(text)
}
