package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"mediant/internal/checkpoint"
)

// checkpointFlags are those of commands whose passes can go on after they were killed.
type checkpointFlags struct {
	dir   string
	every time.Duration
	flags *pflag.FlagSet // of the command
}

func (f *checkpointFlags) register(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVar(&f.dir, "checkpoint", "", "folder for the state of passes over rows: a run that was killed goes on if it is started again with the same flags and files")
	flags.DurationVar(&f.every, "checkpoint-every", time.Minute, "how often the state is written")
	inGroup(flags, generalGroup)
}

// check looks at the flags before anything is read; inputs are the files that the run reads.
func (f *checkpointFlags) check(inputs ...string) error {
	switch {
	case f.dir == "":
		return nil
	case f.every <= 0:
		return usagef("--checkpoint-every is %v, must be above 0", f.every)
	case slices.Contains(inputs, "-"):
		return usagef("--checkpoint has no meaning with standard input, which cannot be read again")
	}
	return nil
}

// free are flags that do not change what a run computes.
var free = []string{"checkpoint", "checkpoint-every", "output", "threads", "quiet", "json", "report", "config"}

// within does work whose passes keep their state in the folder, if there is one, and empties it once the work is done. inputs are the files that the run reads.
func (f *checkpointFlags) within(ctx context.Context, inputs []string, work func(ctx context.Context) error) error {
	if f.dir == "" {
		return work(ctx)
	}
	run, err := runSettings(f.flags, inputs)
	if err != nil {
		return err
	}
	folder, err := checkpoint.Open(f.dir, run, f.every)
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	if err := work(checkpoint.With(ctx, folder)); err != nil {
		folder.Leave()
		return err
	}
	return folder.Remove()
}

// runSettings are what the results of a run depend on: the program, flags, and files by name, size and time of change.
func runSettings(flags *pflag.FlagSet, inputs []string) ([]checkpoint.Setting, error) {
	program, err := programSum()
	if err != nil {
		return nil, err
	}
	all := []checkpoint.Setting{{Name: "program", Value: versionLine() + ", SHA-256 " + program}}
	flags.Visit(func(flag *pflag.Flag) {
		if !slices.Contains(free, flag.Name) {
			all = append(all, checkpoint.Setting{Name: "--" + flag.Name, Value: flag.Value.String()})
		}
	})
	for _, path := range slices.Compact(slices.Sorted(slices.Values(inputs))) {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		all = append(all, checkpoint.Setting{Name: path, Value: fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))})
	}
	return all, nil
}

// programSum is the SHA-256 of the program, since builds of one version may compute different things.
func programSum() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
}
