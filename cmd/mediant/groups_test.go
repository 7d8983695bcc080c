package main

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagGroups: each flag of a command with many is in a group of its own choice, and the first group has what people need first, ten at most.
func TestFlagGroups(t *testing.T) {
	root := newRoot()
	for command, first := range map[string]string{
		"fit":        "xu uy output x u y ignore method distribution json",
		"effect":     "xu uy treatment control u y ignore probability seed json",
		"instrument": "xu uy controls kernel output x u y ignore json",
		"evaluate":   "xy xu uy predictions against fold u y xuy json",
		"predict":    "output append interval quantiles draws label-only scores se quiet",
		"label":      "output append quiet",
		"check":      "xu uy x u y ignore treatment accept all json",
	} {
		cmd, _, err := root.Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		cmd.InitDefaultHelpFlag()
		all := grouped(cmd)
		var got []string
		for _, f := range all[firstGroup] {
			got = append(got, f.Name)
		}
		if want := words(first); !slices.Equal(got, want) || len(got) > 10 {
			t.Errorf("%s: the first flags are %q, want %q", command, got, want)
		}
		help := succeed(t, command, "--help")
		listed := 0
		for group, flags := range all {
			if !slices.Contains(flagGroups, group) || group == "Flags" {
				t.Errorf("%s: %d flags are in the group %q, such as --%s", command, len(flags), group, flags[0].Name)
			}
			if !strings.Contains(help, "\n"+group+":\n") {
				t.Errorf("%s: the help lacks the group %s", command, group)
			}
			listed += len(flags)
		}
		if got := strings.Count(help, "\n      --") + strings.Count(help, "\n  -"); got != listed {
			t.Errorf("%s: the help lists %d flags, want %d", command, got, listed)
		}
		if at := strings.Index(help, firstGroup+":"); at < 0 || at > strings.Index(help, generalGroup+":") {
			t.Errorf("%s: the most used flags do not come first", command)
		}
	}
}

// TestEveryFlagIsListed: the help of each command has each of its flags once.
func TestEveryFlagIsListed(t *testing.T) {
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		help := succeed(t, append(slices.Clone(path), "--help")...)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if n := strings.Count(help, " --"+f.Name+" "); !f.Hidden && n < 1 {
				t.Errorf("the help of %s lacks --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub, append(slices.Clone(path), sub.Name()))
		}
	}
	visit(newRoot(), nil)
}

// TestSuggestions: a misspelt command, flag or column is wrong usage or a fault of the data, in one line that has the nearest.
func TestSuggestions(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "income,age,ward\n1,2,0\n2,1,1\n3,4,1\n")
	write(t, "uy.csv", "age,score\n1,2\n2,3\n4,9\n")
	for line, want := range map[string]string{
		"fti":                   `unknown command "fti" (did you mean "fit"?), see mediant --help`,
		"xyz":                   `unknown command "xyz", see mediant --help`,
		"help predcit":          `(did you mean "predict"?)`,
		"reproduce imgaes":      `unknown experiment "imgaes" (did you mean "images"?), see mediant reproduce --help`,
		"study covrage":         `(did you mean "coverage"?)`,
		"fit --metod 2step":     `unknown flag: --metod (did you mean --method?)`,
		"fit --Lambda=3":        `(did you mean --lambda?)`,
		"predict --thread 3":    `(did you mean --threads?)`,
		"fit --xyzzy":           `unknown flag: --xyzzy, see mediant fit --help`,
		"fit --xu xu.csv --x 3": "--uy is missing",
	} {
		if got := invoke(words(line)...); got.status != statusUsage || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
	for flags, want := range map[string]string{
		"--x incmoe":               `no column "incmoe" (did you mean "income"?)`,
		"--y Scores":               `no column "Scores" (did you mean "score"?)`,
		"--weights-xu wardd":       `no column "wardd" (did you mean "ward"?)`,
		"--rename agee=b":          `no column "agee" in any of the tables (did you mean "age"?)`,
		"--dates agge":             `no column "agge" (did you mean "age"?)`,
		"--na agge=3":              `no column "agge" (did you mean "age"?)`,
		"--accept later-unit:scor": `no column "scor" in either table (did you mean "score"?)`,
		"--ignore temperature":     `no column "temperature"; there are`,
	} {
		line := "fit --xu xu.csv --uy uy.csv -o m " + flags
		if got := invoke(words(line)...); got.status == statusDone || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
	fitLinear(t, words("--x income --u age --y score")...)
	write(t, "new.csv", "incone\n1\n")
	if got := invoke("predict", "m.mediant", "new.csv"); !strings.Contains(got.stderr, `no column "income" (did you mean "incone"?)`) {
		t.Errorf("%+v", got)
	}
}

// TestCommandsSideBySide: a study makes commands on several goroutines, and cobra has one map of template functions for all. The run time ends the program
// where it sees two of them write to it.
func TestCommandsSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1_000_000 {
				addFlagUsages()
			}
		})
	}
	all.Wait()
}
