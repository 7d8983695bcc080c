//go:build race

package moments

// raced says that the race detector is on, under which sync.Pool drops what it is given at random.
const raced = true
