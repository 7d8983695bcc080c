package kernels

import "gonum.org/v1/gonum/mat"

var _ Kernel = Linear{}

func init() {
	Register(Registration[Linear]{
		Name:     "linear",
		New:      func([]float64, float64) (Linear, error) { return Linear{}, nil },
		Describe: func(Linear) (Desc, error) { return Desc{}, nil },
		Restore:  func(Desc) (Linear, error) { return Linear{}, nil },
	})
}

// Linear is the kernel k(x, y) = x'y. It has no parameters; the zero value is ready for use.
type Linear struct{}

// GramTo implements Kernel; it is DotTo.
func (Linear) GramTo(dst *mat.Dense, x, y mat.Matrix) { DotTo(dst, x, y) }

// DiagTo stores |x_i|² in dst.
func (Linear) DiagTo(dst []float64, x mat.Matrix) { sqNormsTo(dst, x) }
