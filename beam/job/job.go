// Package job runs Beam pipelines in a program that is launcher and worker in one.
package job

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all runners, and the file systems local and gs
)

// Runners pass these to a worker process (--environment_type PROCESS) beside --id, which Beam registers.
var (
	provisionEndpoint = flag.String("provision_endpoint", "", "set by a runner that starts a worker process")
	_                 = flag.String("artifact_endpoint", "", "set by a runner that starts a worker process")
)

// Init is to be called once the flags are parsed. In a process that a runner started as a worker it serves the runner and does not return, unless with an error. Elsewhere Beam and
// prism log what is of a level, debug, info, warn or error, or more, to stderr; if it is empty, what workers of this process warn of alone, since Run returns what fails.
func Init(logLevel string) error {
	if *provisionEndpoint != "" {
		if err := provision(context.Background()); err != nil {
			return fmt.Errorf("job: worker: %w", err)
		}
	}
	if logLevel != "" {
		log.LogLevel = logLevel
	}
	log.LogKind = "text"
	beam.Init()
	if logLevel == "" {
		slog.SetDefault(slog.New(warnings{}))
	}
	return nil
}

// warnings is a slog.Handler that writes warnings of workers and of Run, a line each.
type warnings struct{}

// What workers log has ofWorker in front, from prism, what Run logs has ofRun.
const ofWorker, ofRun = "[SDK] ", "job: "

func (warnings) Enabled(_ context.Context, level slog.Level) bool { return level == slog.LevelWarn }

func (warnings) Handle(_ context.Context, r slog.Record) error {
	if text, ok := strings.CutPrefix(r.Message, ofWorker); ok || strings.HasPrefix(text, ofRun) {
		fmt.Fprintln(os.Stderr, text)
	}
	return nil
}

func (w warnings) WithAttrs([]slog.Attr) slog.Handler { return w }
func (w warnings) WithGroup(string) slog.Handler      { return w }

// provision asks the runner for what Beam's own containers pass to a worker by flags: with --environment_type PROCESS there is no container, and nothing is to be fetched but that, since
// the process is of the program itself.
func provision(ctx context.Context) error {
	id := strings.Trim(flag.Lookup("id").Value.String(), "'") // prism of Beam 2.77 quotes it as for a shell
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *provisionEndpoint)
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"worker": "true", "id": id, "options": options,
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(), "control_endpoint": info.GetControlEndpoint().GetUrl(),
	} {
		if value == "" { // of a runner that sets the flag itself
			continue
		}
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	return os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
}

// Attempts at a job: prism, unlike Flink and Dataflow, has no second attempt at a bundle.
type Attempts struct {
	Times int           // that a job is run until it does not fail, at least 1
	Limit time.Duration // that an attempt may take before it is given up as failed; 0 is no limit
}

// Run builds a pipeline and runs it on the runner that flags name, prism in this process by default. One that fails is built and run again, so many times. One that is given up may go on on its
// runner: it is not waited for.
func Run(ctx context.Context, attempts Attempts, build func(s beam.Scope)) error {
	name := *runners.Runner
	if name == "" {
		name = "prism"
	}
	undo, err := prepare(name)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	defer undo()
	for i := 1; ; i++ {
		p, s := beam.NewPipelineWithRoot()
		build(s)
		err := attempts.run(ctx, name, p)
		if err == nil || i >= attempts.Times || ctx.Err() != nil {
			return err
		}
		slog.Warn(fmt.Sprintf("%sattempt %d of %d failed: %s", ofRun, i, attempts.Times, Cause(err)))
	}
}

func (a Attempts) run(ctx context.Context, runner string, p *beam.Pipeline) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	if a.Limit > 0 { // prism in this process panics at a deadline, not if it is cancelled
		defer time.AfterFunc(a.Limit, cancel).Stop()
	}
	_, err := beam.Run(limited, runner, p)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("job: given up after %v", a.Limit)
	}
	return err
}

// wholeBundles keeps prism from parting bundles that take long. Workers add up what a bundle gives before prism has it, and prism holds all of that in memory, several times.
const wholeBundles = "prism_disable_sdf_split"

// prepare sets what Beam would do otherwise: it would compile a program for workers, and leave a temporary file behind where they are in this process.
func prepare(runner string) (undo func(), err error) {
	if runner == "prism" && *jobopts.Endpoint == "" && *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "LOOPBACK"
	}
	if own := jobopts.GetExperiments(); !slices.Contains(own, wholeBundles) {
		*jobopts.Experiments = strings.Join(append(own, wholeBundles), ",")
	}
	if !jobopts.IsLoopback() {
		if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" { // which clusters have
			*jobopts.WorkerBinary, err = os.Executable()
		}
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "job-*")
	if err != nil {
		return nil, err
	}
	const variable = "TMPDIR"
	before, was := os.LookupEnv(variable)
	undo = func() {
		if was {
			os.Setenv(variable, before)
		} else {
			os.Unsetenv(variable)
		}
		os.RemoveAll(dir)
	}
	return undo, os.Setenv(variable, dir)
}

// Waits reports whether Run returns when the job has ended, not when it has been started (--async) or translated (--dry_run of Dataflow).
func Waits() bool {
	return !*jobopts.Async && flag.Lookup("dry_run").Value.String() != "true"
}

// Cause is one line of the error of a job, which has stacks and plans of execution: where a worker panicked that, else the last.
func Cause(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for _, line := range lines {
		if at := strings.Index(line, "panic: "); at >= 0 {
			return line[at:]
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
