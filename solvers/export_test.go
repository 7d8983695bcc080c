package solvers

import "sync"

// ForgetFactors drops the factors whose memory would be used again.
func ForgetFactors() { spare = sync.Pool{New: func() any { return new(Factor) }} }
