package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant/check"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/names"
	"mediant/kernels"
	"mediant/tables/formats"
)

// completionTime is how long the shell waits for names of columns.
const completionTime = 100 * time.Millisecond

// completing reports that a shell asks for what could come next.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// columnsOf says of which files the columns are that a flag names; "*" is the last argument, of commands whose table is one.
var columnsOf = map[string][]string{
	"x": {"xu"}, "u": {"xu", "uy"}, "y": {"uy"}, "ignore": {"xu", "uy"}, "text": {"xu", "uy"}, "weights-xu": {"xu"}, "weights-uy": {"uy"}, "cluster": {"xu", "uy"}, "cluster-xu": {"xu"}, "cluster-uy": {"uy"}, "treatment": {"xu"}, "controls": {"xu", "uy"},
	"predictions": {"xu"}, "coverage-by": {"xu"}, "fold": {"xu"}, "dates": {"xu", "uy", "xy", "xuy", "*"}, "rename": {"xu", "uy", "xy", "xuy", "*"}, "na": {"xu", "uy", "xy", "xuy", "*"},
}

// offersOf are the values of flags that have a few.
var offersOf = map[string]func() []string{
	"method": of(methods...), "penalty": keys(penalties), "task": keys(tasks), "landmarks": keys(landmarkRules), "copies": keys(copyRules), "form": of("1", "2"), "arithmetic": of("auto", "float64", "mixed"),
	"decimal": of(".", ","), "decimal-xu": of(".", ","), "decimal-uy": of(".", ","), "delimiter": delimiters, "delimiter-xu": delimiters, "delimiter-uy": delimiters,
	"char-ngrams": of("3-5", "none"), "phi": mapValues, "psi": mapValues, "accept": findingCodes, "set": imageSets,
	"log": of("text", "json"), "log-level": of("info", "warn", "error"),
}

func of(values ...string) func() []string { return func() []string { return values } }

// keys are those of a map but the empty one.
func keys[V any](m map[string]V) func() []string {
	return func() []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(k string) bool { return k == "" })
	}
}

var delimiters = of(",", ";", "tab", "|")

func imageSets() (all []string) {
	for _, set := range experiments.ImageSets {
		all = append(all, string(set))
	}
	return all
}

func findingCodes() (all []string) {
	for _, code := range check.Codes() {
		all = append(all, string(code))
	}
	return all
}

// mapValues are the names of maps, with those of kernels in their place, up to a parameter.
func mapValues() (all []string) {
	spectral := kernels.Names(func(k kernels.Kernel) bool { _, ok := k.(kernels.Spectral); return ok })
	for _, name := range features.Names() {
		family, parameter, _ := strings.Cut(name, ":")
		switch {
		case parameter == "KERNEL" && family == "nystrom":
			for _, kernel := range kernels.Names(nil) {
				all = append(all, upToParameter(family+":"+kernel))
			}
		case parameter == "KERNEL":
			for _, kernel := range spectral {
				all = append(all, upToParameter(family+":"+kernel))
			}
		default:
			all = append(all, upToParameter(name))
		}
	}
	return all
}

// upToParameter cuts off a parameter, which is in capitals.
func upToParameter(name string) string {
	if at := strings.LastIndex(name, ":"); at >= 0 && strings.ToUpper(name[at:]) == name[at:] {
		return name[:at+1]
	}
	return name
}

// completeFlags has the shell offer values of flags, for a command and all below it; files are offered for all that name files.
func completeFlags(cmd *cobra.Command, config *configFlags) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		files, isColumns := columnsOf[f.Name]
		values, isEnum := offersOf[f.Name]
		var complete cobra.CompletionFunc
		switch {
		case isEnum:
			complete = func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
				return offered(values(), begun)
			}
		case isColumns:
			complete = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				config.read(cmd.Flags()) // a file that cannot be read says so when the command runs
				offers, directive := offeredColumns(columns(cmd, args, files), begun)
				if f.Name == "rename" || f.Name == "na" { // COLUMN=...
					for i := range offers {
						offers[i] += "="
					}
					directive |= cobra.ShellCompDirectiveNoSpace
				}
				return offers, directive
			}
		case slices.Contains([]string{"int", "uint64", "float64"}, f.Value.Type()):
			complete = cobra.NoFileCompletions
		default:
			return
		}
		cmd.RegisterFlagCompletionFunc(f.Name, complete)
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub, config)
	}
}

// findShort has cobra find flags whose names are one letter, such as --x, which it looks for among shorthands alone.
func findShort(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		if len(f.Name) > 1 || flags.ShorthandLookup(f.Name) != nil {
			return
		}
		flags.AddFlag(&pflag.Flag{Name: f.Name + " ", Shorthand: f.Name, Value: f.Value, Hidden: true})
		if complete, ok := cmd.GetFlagCompletionFunc(f.Name); ok {
			cmd.RegisterFlagCompletionFunc(f.Name+" ", complete)
		}
	})
	for _, sub := range cmd.Commands() {
		findShort(sub)
	}
}

// offered are the values that begin as what is typed.
func offered(values []string, begun string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	var fit []string
	for _, v := range values {
		if strings.HasPrefix(v, begun) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 1 && strings.HasSuffix(fit[0], ":") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return fit, directive
}

// offeredColumns are the columns that begin as what is typed behind the last comma of a list; those that the list has are left out.
func offeredColumns(columns []string, begun string) ([]string, cobra.ShellCompDirective) {
	before, last, taken := "", begun, []string(nil)
	if at := strings.LastIndex(begun, ","); at >= 0 && !slices.ContainsFunc(columns, func(c string) bool { return strings.HasPrefix(c, begun) }) {
		before, last = begun[:at+1], begun[at+1:]
		taken = names.Split(begun[:at])
	}
	var all []string
	for _, c := range columns {
		if strings.ContainsAny(c, "\t\r\n") || slices.Contains(taken, c) || !strings.HasPrefix(c, last) {
			continue
		}
		if before != "" && strings.ContainsAny(c, `,"`) {
			c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		all = append(all, before+c)
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// columns are the names of the columns of files that the command line names, none where they take too long.
func columns(cmd *cobra.Command, args, files []string) []string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), completionTime)
	defer cancel()
	opt := formats.Options{}
	for flag, to := range map[string]*rune{"delimiter": &opt.Comma, "decimal": &opt.Decimal} {
		if f := cmd.Flags().Lookup(flag); f != nil {
			*to, _ = oneRune(flag, f.Value.String())
		}
	}
	if f := cmd.Flags().Lookup("rename"); f != nil {
		opt.Rename = f.Value.(*renames).names
	}
	var paths []string
	for _, file := range files {
		if f := cmd.Flags().Lookup(file); f != nil {
			paths = append(paths, f.Value.String())
		}
		if file == "*" && len(args) > 0 {
			paths = append(paths, args[len(args)-1])
		}
	}
	found := make(chan []string, 1)
	go func() { // a slow disk, or a list in a large file, is not waited for
		var all []string
		for _, path := range paths {
			for _, name := range formats.Heads(ctx, path, opt) {
				if !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
		found <- all
	}()
	select {
	case all := <-found:
		return all
	case <-ctx.Done():
		return nil
	}
}
