package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagsTakenOnce goes through every flag of every command: set twice, one with a single value is wrong usage, and a list is not.
func TestFlagsTakenOnce(t *testing.T) {
	lists := strings.Fields("accept rename dates na x u y ignore controls text dims predictions clip quantiles replicates replicates-xu replicates-uy")
	values := map[string]string{"string": "a", "int": "1", "uint64": "1", "float64": "1", "columns": "a", "A=B": "a=b", "stringArray": "a", "stringSlice": "a", "intSlice": "1", "float64Slice": ".5", "duration": "1s"}
	seen := make(map[string]bool)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		look := func(flag *pflag.Flag) {
			if flag.NoOptDefVal != "" {
				return
			}
			value, ok := values[flag.Value.Type()]
			if !ok {
				t.Fatalf("%s --%s: no value of type %s", cmd.CommandPath(), flag.Name, flag.Value.Type())
			}
			if err := cmd.ParseFlags([]string{"--" + flag.Name, value}); err != nil {
				t.Fatalf("%s --%s %s: %v", cmd.CommandPath(), flag.Name, value, err)
			}
			seen[flag.Name] = true
			list := flag.Value.Type() == "stringSlice"
			for _, name := range lists {
				list = list || name == flag.Name
			}
			if err := cmd.ParseFlags([]string{"--" + flag.Name, value}); (err == nil) != list {
				t.Errorf("%s --%s twice: %v", cmd.CommandPath(), flag.Name, err)
			}
		}
		cmd.LocalFlags().VisitAll(look)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	root := newRoot()
	takeOnce(root)
	visit(root)
	for _, name := range append(lists, "xu", "uy", "method", "seed", "threads", "memory") {
		if !seen[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}
