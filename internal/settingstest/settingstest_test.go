package settingstest

import (
	"errors"
	"testing"
)

type inner struct{ Count int }

type settings struct {
	inner
	Inner inner
	Share float64
	Seed  uint64
	Name  string
	note  string
}

// TestRunTriesEachField, those of structs within, and no unexported one.
func TestRunTriesEachField(t *testing.T) {
	tried := make(map[string]int)
	Run(t, Case[settings]{
		Good:   settings{note: "kept"},
		Legal:  []string{"Seed"},
		Fields: map[string][]any{"Inner.Count": {7}},
		Use: func(s settings) error {
			for name, bad := range map[string]bool{"Inner.Count": s.Inner.Count != 0, "Share": s.Share != 0, "Name": s.Name != ""} {
				if bad {
					tried[name]++
					return errors.New(name)
				}
			}
			if s.Seed != 0 {
				tried["Seed"]++
			}
			if s.note != "kept" {
				t.Error("an unexported field was changed")
			}
			return nil
		},
	})
	for name, want := range map[string]int{"Inner.Count": 3, "Share": 4, "Name": 1, "Seed": 1} {
		if tried[name] != want {
			t.Errorf("%s was tried %d times, want %d", name, tried[name], want)
		}
	}
}
