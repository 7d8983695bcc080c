package experiments

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mediant/internal/outfile"
)

// An ImageLog is a folder with what the repetitions of a set came to: results.jsonl has a line for each
// and the same bytes for the same seeds, seconds.jsonl its times. So a run goes on where it was
// interrupted.
type ImageLog struct{ Dir string }

// A timedLine is a line of seconds.jsonl.
type timedLine struct {
	Seed    uint64       `json:"seed"`
	Seconds ImageSeconds `json:"seconds"`
}

const (
	resultsFile = "results.jsonl"
	secondsFile = "seconds.jsonl"
)

// Read returns the results so far, none if there is no file. Times come from the last line of a seed, 0 if
// there is none. A last line that was cut by an interruption is left out, and Append overwrites it.
func (l ImageLog) Read() ([]*ImageResult, error) {
	var all []*ImageResult
	_, err := eachLine(filepath.Join(l.Dir, resultsFile), func(line []byte) error {
		r := new(ImageResult)
		all = append(all, r)
		return strict(line, r)
	})
	if err != nil {
		return nil, err
	}
	seconds := make(map[uint64]ImageSeconds)
	_, err = eachLine(filepath.Join(l.Dir, secondsFile), func(line []byte) error {
		var t timedLine
		err := strict(line, &t)
		seconds[t.Seed] = t.Seconds
		return err
	})
	for _, r := range all {
		r.Seconds = seconds[r.Seed]
	}
	return all, err
}

// strict reads one value and refuses what it does not know.
func strict(line []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// eachLine calls do for each whole line of the file, and returns their length together.
func eachLine(path string, do func(line []byte) error) (whole int64, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return whole, nil
		}
		if err == nil {
			err = do(line)
		}
		if err != nil {
			return whole, fmt.Errorf("experiments: %s:%d: %w", path, number, err)
		}
		whole += int64(len(line))
	}
}

// Try finds out, before there is a result, whether Append could write: the error is the one that it would return.
func (l ImageLog) Try() error {
	if err := outfile.TryFolder(l.Dir); err != nil {
		return err
	}
	for _, name := range []string{secondsFile, resultsFile} {
		file, err := os.OpenFile(filepath.Join(l.Dir, name), os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		file.Close()
	}
	return nil
}

// Append adds a result, its times first, so that a result that is there is complete.
func (l ImageLog) Append(r *ImageResult) error {
	if err := os.MkdirAll(l.Dir, 0o777); err != nil {
		return err
	}
	if err := appendLine(filepath.Join(l.Dir, secondsFile), timedLine{r.Seed, r.Seconds}); err != nil {
		return err
	}
	return appendLine(filepath.Join(l.Dir, resultsFile), r)
}

// appendLine writes v as a line behind the whole lines of the file.
func appendLine(path string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	whole, err := eachLine(path, func([]byte) error { return nil })
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(append(line, '\n'), whole)
	if err == nil {
		err = file.Truncate(whole + int64(len(line)) + 1)
	}
	return errors.Join(err, file.Sync(), file.Close())
}
