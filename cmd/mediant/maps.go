package main

import (
	"strings"

	"mediant/features"
	"mediant/kernels"
)

// mapNames lists what --phi takes.
func mapNames() string {
	others := kernels.Names(func(k kernels.Kernel) bool {
		_, spectral := k.(kernels.Spectral)
		return !spectral
	})
	return strings.Join(features.Names(), ", ") + " (the names of kernels alone are Fourier features; as KERNEL nystrom also takes " +
		strings.Join(others, ", ") + "; chi2 is for columns of text)"
}
