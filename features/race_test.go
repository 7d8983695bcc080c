//go:build race

package features_test

const raceDetector = true
