package kernels_test

import (
	"testing"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func TestLinearConforms(t *testing.T) { kerneltest.Run(t, kernels.Linear{}, 5) }
