//go:build !race

package moments

// raced says that the race detector is on.
const raced = false
