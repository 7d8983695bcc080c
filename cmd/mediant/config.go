package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant/internal/flagfile"
)

// configFlags are those of a file of flags.
type configFlags struct {
	path  string
	print bool
}

// notInFile are flags that a file cannot have.
var notInFile = []string{"config", "print-config", "help", "version"}

func (f *configFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.path, "config", "", "YAML file of flags, such as lambda: 0.1 or x: [age, income]; a flag of the command line wins over it")
	flags.BoolVar(&f.print, "print-config", false, "print the flags of this run as such a file, and end")
}

// use has a command, and all below it, take flags from the file before its arguments are looked at, since these depend on flags.
func (f *configFlags) use(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		f.use(sub)
	}
	check, run := cmd.Args, cmd.RunE
	if run == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := f.read(cmd.Flags()); err != nil {
			return err
		}
		if check == nil {
			return nil
		}
		return check(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.print {
			return printConfig(cmd, args)
		}
		return run(cmd, args)
	}
}

func (f *configFlags) read(flags *pflag.FlagSet) error {
	if f.path == "" {
		return nil
	}
	settings, err := flagfile.Read(f.path)
	if err != nil {
		return err
	}
	if err := flagfile.Apply(flags, f.path, settings, notInFile...); err != nil {
		return usageError{err}
	}
	return nil
}

// printConfig writes the flags of a command by group, those that are unset as comments with their defaults.
func printConfig(cmd *cobra.Command, args []string) error {
	var b strings.Builder
	b.WriteString("# mediant " + version + "; again: " + oneLine(strings.Join(append([]string{cmd.CommandPath()}, args...), " ")) + " --config FILE\n")
	all := grouped(cmd)
	for _, group := range flagGroups {
		var flags []*pflag.Flag
		for _, flag := range all[group] {
			if !slices.Contains(notInFile, flag.Name) {
				flags = append(flags, flag)
			}
		}
		if len(flags) == 0 {
			continue
		}
		text, err := flagfile.Format(flags)
		if err != nil {
			return err
		}
		b.WriteString("\n# " + group + "\n" + text)
	}
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}
