// Command mediant-beam sums and predicts tables that are parted into files, as mediant sums and mediant predict do, in a job of Apache Beam. It is the program of the job's workers too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"mediant/beam/job"
	"mediant/rr"
)

const usage = `mediant-beam sums and predicts tables that are parted into files, in a job of Apache Beam.

  mediant-beam sums --plan u.plan --uy 'B/*.parquet' -o all.sums
  mediant-beam predict --model model.mediant --table 'new/*.parquet' -o predictions

Files are named by paths or gs://BUCKET/OBJECT, in lists with commas and globs; every worker must see them under that
name. sums writes the bytes that "mediant sums" writes of each file and then of all these sums; predict
writes, for each file, the bytes of "mediant predict".

The job runs in this process, or, with flags of Beam, elsewhere (docs/cluster.md):

  --runner universal --endpoint HOST:PORT    a job server of Flink, Spark or prism
  --environment_type PROCESS --environment_config '{"command": "/opt/mediant-beam"}'
                                             its workers are processes of this program
  --runner dataflow --project P --region R --staging_location gs://BUCKET/staging

Exit status: 0 done, 1 the data, a file or the job is at fault, 2 wrong usage.

Flags:
`

// A usageError is a command line that cannot be meant.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	rr.UseFastBLAS() // as mediant does
	rr.SetBusyWait(true)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintf(os.Stderr, "mediant-beam: %s\n", plain(job.Cause(err)))
	if errors.As(err, new(usageError)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// plain is a message without the packages that it comes from.
func plain(message string) string {
	for _, name := range []string{"shards: ", "problem: ", "mediant: "} {
		message = strings.TrimPrefix(message, name)
	}
	return message
}

// run runs a command line. Beam has its flags in flag.CommandLine, and passes workers flags alone.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	var o options
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	flags := flag.CommandLine
	flags.Init("mediant-beam", flag.ContinueOnError)
	flags.Usage = func() {}
	own := flag.NewFlagSet("", flag.ContinueOnError)
	o.register(own)
	own.VisitAll(func(f *flag.Flag) { flags.Var(f.Value, f.Name, f.Usage) })
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		io.WriteString(stdout, usage)
		own.SetOutput(stdout)
		own.PrintDefaults()
		return err
	} else if err != nil {
		return usageError{err}
	}
	if err := job.Init(o.logLevel); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usagef("unexpected argument %q", flags.Arg(0))
	}
	switch name {
	case "sums":
		return o.sums(ctx, stdout)
	case "predict":
		return o.predict(ctx, stdout)
	case "":
		return usagef("a command is missing: sums or predict (--help)")
	}
	return usagef("there is no command %q: sums or predict (--help)", name)
}
