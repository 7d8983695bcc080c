package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestRestore: the percentage is that of the work while it runs, and what it was after it; GOGC goes before.
func TestRestore(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	t.Setenv("GOGC", "")
	before := percent()
	held := make([]float64, inUse/8)
	runtime.GC()
	for name, of := range map[string]struct {
		set  func() func()
		want int
	}{"matrices": {OfMatrices, matrices}, "most": {Most, 200}} {
		t.Run(name, func(t *testing.T) {
			restore := of.set()
			if percent() != of.want {
				t.Errorf("the percentage is %d, want %d", percent(), of.want)
			}
			if restore(); percent() != before {
				t.Errorf("it stays %d, want %d", percent(), before)
			}
			t.Setenv("GOGC", "50")
			restore = of.set()
			if percent() != before {
				t.Errorf("with GOGC it is %d, want %d", percent(), before)
			}
			restore()
		})
	}
	t.Run("pointers", func(t *testing.T) {
		t.Setenv("GOGC", "")
		texts := make([]string, scanned/16+1)
		for i := range texts {
			texts[i] = "text"
		}
		runtime.GC()
		restore := OfMatrices()
		if percent() != before {
			t.Errorf("with many pointers it is %d, want %d", percent(), before)
		}
		restore()
		runtime.KeepAlive(texts)
	})
	runtime.KeepAlive(held)
	held = nil
	runtime.GC()
	restore := OfMatrices()
	if percent() != before {
		t.Errorf("of a small heap it is %d, want %d", percent(), before)
	}
	restore()
}
