package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of flags, in the order of the help.
const (
	firstGroup   = "Most used flags"
	columnGroup  = "Roles of columns"
	readingGroup = "How tables are read"
	checkGroup   = "Checks of the tables"
	featureGroup = "Features"
	methodGroup  = "Method and penalties"
	riskGroup    = "Risk and diagnosis"
	outputGroup  = "Output"
	generalGroup = "General flags"
)

var flagGroups = []string{firstGroup, "Flags", columnGroup, readingGroup, checkGroup, featureGroup, methodGroup, riskGroup, outputGroup, generalGroup}

// groupKey is the annotation that has the group of a flag.
const groupKey = "mediant_group"

// inGroup puts all flags that are in no group into one.
func inGroup(flags *pflag.FlagSet, group string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			setGroup(f, group)
		}
	})
}

func setGroup(f *pflag.Flag, group string) {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[groupKey] = []string{group}
}

// mostUsed makes flags the first group, in this order.
func mostUsed(flags *pflag.FlagSet, names ...string) {
	for i, name := range names {
		f := flags.Lookup(name)
		setGroup(f, firstGroup)
		f.Annotations[groupKey] = append(f.Annotations[groupKey], string(rune('a'+i)))
	}
}

// groupOf is the group of a flag; those of commands with few flags have none of their own.
func groupOf(f *pflag.Flag) string {
	if group := f.Annotations[groupKey]; group != nil {
		return group[0]
	}
	switch f.Name {
	case "help", "version":
		return generalGroup
	}
	return "Flags"
}

// grouped returns the flags of a command by group, in the order of the help.
func grouped(cmd *cobra.Command) map[string][]*pflag.Flag {
	all := make(map[string][]*pflag.Flag)
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			all[groupOf(f)] = append(all[groupOf(f)], f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	slices.SortStableFunc(all[firstGroup], func(a, b *pflag.Flag) int {
		return strings.Compare(a.Annotations[groupKey][1], b.Annotations[groupKey][1])
	})
	return all
}

// flagUsages is what the help says of the flags of a command.
func flagUsages(cmd *cobra.Command) string {
	var b strings.Builder
	all := grouped(cmd)
	for _, group := range flagGroups {
		if len(all[group]) == 0 {
			continue
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, f := range all[group] {
			flags.AddFlag(f)
		}
		b.WriteString("\n" + group + ":\n" + strings.TrimRight(flags.FlagUsages(), " \n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// addFlagUsages makes flagUsages known to the templates of all commands, which are one map of cobra: a study runs commands side by side.
var addFlagUsages = sync.OnceFunc(func() { cobra.AddTemplateFunc("flagUsages", flagUsages) })

// useGroups has the help of a command and of all below it list flags by group.
func useGroups(root *cobra.Command) {
	addFlagUsages()
	before, rest, _ := strings.Cut(root.UsageTemplate(), "{{if .HasAvailableLocalFlags}}")
	_, after, _ := strings.Cut(rest, "{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}")
	root.SetUsageTemplate(before + "\n{{flagUsages .}}" + after)
}
