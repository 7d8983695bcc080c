package theory_test

import (
	"fmt"

	"mediant/theory"
)

// X and U are independent fair coins and Y = X: U says nothing of Y, conditional mean independence is
// violated by c = 1/2, and the best prediction from X that two tables can show is the constant 1/2.
func ExampleDistribution() {
	coin := [][]float64{{0}, {1}}
	l := theory.NewDistribution(coin, coin, []float64{0, 1}, []float64{
		1, 0, // x = 0, u = 0: Y = 0
		1, 0, // x = 0, u = 1
		0, 1, // x = 1, u = 0: Y = 1
		0, 1, // x = 1, u = 1
	})
	h := l.MeanYGivenU()
	fmt.Println("E[Y|U]:   ", h)
	fmt.Println("E[h*|X]:  ", l.GivenX(func(_, u, _ int) float64 { return h[u] }))
	fmt.Println("E[Y|X]:   ", l.MeanYGivenX())
	fmt.Println("violation:", l.Violation(), l.HoldsCMI())
	// Output:
	// E[Y|U]:    [0.5 0.5]
	// E[h*|X]:   [0.5 0.5]
	// E[Y|X]:    [0 1]
	// violation: 0.5 false
}
