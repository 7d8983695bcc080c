package asm

import (
	"fmt"
	"os"
)

// A Level is a set of processor instructions.
type Level int

// The levels: Portable is below all others, AVX2 below AVX512.
const (
	Portable Level = iota // Go
	NEON                  // what every arm64 has
	AVX2                  // AVX2 and FMA
	AVX512                // AVX-512 F and DQ besides
)

var levelNames = [...]string{"portable", "neon", "avx2", "avx512"}

// String returns the name by which MEDIANT_CPU knows the level.
func (l Level) String() string { return levelNames[l] }

// levelVariable is the environment variable that lowers the level.
const levelVariable = "MEDIANT_CPU"

var level = chosen(os.Getenv(levelVariable), detected())

// lower returns the highest level that is neither above a nor above b.
func lower(a, b Level) Level {
	if (a == NEON) != (b == NEON) {
		return Portable
	}
	return min(a, b)
}

// chosen returns the lower of the named level and the processor's. It panics if there is no such
// level: whoever sets the variable wants to know what he measures.
func chosen(name string, highest Level) Level {
	if name == "" {
		return highest
	}
	for l, n := range levelNames {
		if n == name {
			return lower(Level(l), highest)
		}
	}
	panic(fmt.Sprintf("asm: %s=%s, want one of %v", levelVariable, name, levelNames))
}

// Current returns the level in use.
func Current() Level { return level }

// SetLevel changes the level, to the lower of l and the processor's, and returns the level it was. It
// is for tests and benchmarks and must not be called while others compute.
func SetLevel(l Level) Level {
	old := level
	level = lower(l, detected())
	return old
}

// Levels returns those the processor has, Portable first.
func Levels() []Level {
	var all []Level
	for l := range Level(len(levelNames)) {
		if lower(l, detected()) == l {
			all = append(all, l)
		}
	}
	return all
}
