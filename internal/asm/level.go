package asm

import (
	"fmt"
	"os"
)

// A Level is a set of processor instructions.
type Level int

// The levels, from lowest to highest.
const (
	Portable Level = iota // Go
	AVX2                  // AVX2 and FMA
	AVX512                // AVX-512 F and DQ besides
)

var levelNames = [...]string{"portable", "avx2", "avx512"}

// String returns the name by which MEDIANT_CPU knows the level.
func (l Level) String() string { return levelNames[l] }

// levelVariable is the environment variable that lowers the level.
const levelVariable = "MEDIANT_CPU"

var level = chosen(os.Getenv(levelVariable), detected())

// chosen returns the lower of the named level and the processor's. It panics if there is no such
// level: whoever sets the variable wants to know what he measures.
func chosen(name string, highest Level) Level {
	if name == "" {
		return highest
	}
	for l, n := range levelNames {
		if n == name {
			return min(Level(l), highest)
		}
	}
	panic(fmt.Sprintf("asm: %s=%s, want one of %v", levelVariable, name, levelNames))
}

// Current returns the level in use.
func Current() Level { return level }

// SetLevel changes the level, to the processor's highest at most, and returns the level it was. It
// is for tests and benchmarks and must not be called while others compute.
func SetLevel(l Level) Level {
	old := level
	level = min(l, detected())
	return old
}
