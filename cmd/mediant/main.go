// Command mediant learns to predict Y from X out of two tables that share only U: one of (X, U), one
// of (U, Y). Run it with --help for its commands.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"mediant/rr"
)

// Version is that of the program; releases set it when they are built.
var version = "0.1.0-dev"

// Exit statuses, the same for every command, but for interruptions (interruption.status).
const (
	statusDone  = 0 // done
	statusData  = 1 // the data or a file is at fault
	statusUsage = 2 // wrong usage
)

func main() {
	rr.UseFastBLAS()
	rr.SetBusyWait(true)
	stdout, stderr := streams(os.Stdout, os.Stderr)
	status := interruptible(stderr, func(ctx context.Context) int { return run(ctx, os.Args[1:], stdout, stderr) })
	end(stderr)
	os.Exit(status)
}

// run executes one command line and returns the exit status. Errors take one line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(args...)
	root.SetArgs(args)
	printed := &watchedWriter{w: stdout}
	root.SetOut(printed)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = printed.err
	}
	if err == nil {
		return statusDone
	}
	var why interruption
	interrupted := errors.As(context.Cause(ctx), &why)
	if interrupted || errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintln(stderr, "mediant: "+oneLine(plain(err.Error())))
	switch {
	case interrupted:
		return why.status()
	case errors.As(err, new(usageError)):
		return statusUsage
	}
	return statusData
}

// A watchedWriter keeps its first error, since not all that is printed is printed by who looks at errors.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// packagePrefix is where an error says which package it is from, which is of no use to who reads a
// command's message.
var packagePrefix = regexp.MustCompile(`(^|: )((mediant|tables|arrow|csv|idx|jsonl|libsvm|npy|parquet|spool|copies|outfile|checkpoint|check|encode|features|encoder|kernels|moments|solvers|collect|crossfit|problem|rr|risk|diagnose|inference|effect|instrument|search|distribution|baselines|glm|losses|metric|mlp|privacy|theory|corruption|experiments|report|modelreport|export|page|serve): )+`)

func plain(message string) string {
	return fieldFlags.Replace(packagePrefix.ReplaceAllString(message, "$1"))
}

// A usageError is a command line that cannot be meant.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine puts an error, which may quote cells of a file, on a line of its own.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// newRoot returns the program for a command line.
func newRoot(args ...string) *cobra.Command {
	var threads int
	root := &cobra.Command{
		Use:   "mediant",
		Short: "Predict Y from X with models fitted to a table of (X, U) and a table of (U, Y)",
		Long: `Mediant learns to predict Y from X when X and Y were never observed together, only
(X, U) in one table and (U, Y) in another. Its methods are 2Step-RR and Joint-RR of Yamane,
Honda, Yger and Sugiyama (ICML 2021), with kernel features and closed-form solutions.

Columns are matched by name. By default U = columns of both tables, X = columns only in
the first, Y = columns only in the second.

  mediant fit --xu A.csv --uy B.csv -o model.mediant
  mediant predict model.mediant new.csv -o out.csv
  mediant evaluate model.mediant --xy coupled.csv

Exit status: 0 done, 1 the data or a file is at fault, 2 wrong usage,
128 + signal (Ctrl-C: 130) interrupted.`,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if threads < 0 {
				return usagef("--threads is %d, must be at least 1 (0: all processors)", threads)
			}
			limitThreads(threads)
			showProgress(cmd, cmd.ErrOrStderr())
			return nil
		},
	}
	belowOnly(root, "command")
	root.PersistentFlags().IntVar(&threads, "threads", 0, "processors to use, at most those there are; results do not depend on it (0: all)")
	var config configFlags
	config.register(root.PersistentFlags())
	inGroup(root.PersistentFlags(), generalGroup)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetHelpCommand(newHelp())
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		stdout := cmd.OutOrStdout()
		defer cmd.SetOut(stdout)
		var b bytes.Buffer // cobra would tell stderr that stdout cannot be written, and go on
		cmd.SetOut(&b)
		print(cmd, args)
		stdout.Write(b.Bytes())
	})
	root.AddCommand(newFit(), newPredict(), newLabel(), newServe(), newEvaluate(), newCheck(), newPlan(), newSums(), newInspect(), newExport(), newEffect(), newInstrument(), newDemo(), newVerify(), newReproduce(), newStudy(), newVersion())
	useGroups(root)
	config.use(root)
	if completing(args) { // cobra keeps what completes a flag, and so all commands, as long as the program runs; and it parses what there is of a command line twice
		completeFlags(root, &config)
		findShort(root)
	} else {
		takeOnce(root)
	}
	return root
}

// processors is the most that --threads can ask for; tests replace it.
var processors = runtime.NumCPU

// limitThreads sets the number of processors that are used, 0 as it is. More than there are would change no result, and
// cost memory for each.
func limitThreads(threads int) {
	was := runtime.GOMAXPROCS(0)
	if threads == 0 {
		threads = was
	}
	if threads = min(threads, processors()); threads != was {
		runtime.GOMAXPROCS(threads)
	}
}

// arguments asks for exactly the named positional arguments.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef("%s is missing", names[len(args)])
		}
		if len(args) > len(names) {
			return usagef("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

func versionLine() string {
	return fmt.Sprintf("%s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "mediant %s\n", versionLine())
			return err
		},
	}
}

// newHelp is cobra's help command, but an unknown topic is wrong usage.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
			}
			topic, rest, err := root.Find(args)
			if err != nil || topic == root || len(rest) > 0 {
				return unknownCommand(root, "command", strings.Join(args, " "))
			}
			topic.InitDefaultHelpFlag() // so that it is listed
			return topic.Help()
		},
	}
}
