package theory

import "context"

// Conditional mean independence cannot be tested from S_X and S_Y alone (docs/theory.md, 1). The paper does not say so, and its two
// distributions of appendix H both violate it. For any distribution let its twin have the same (X, U) and draw Y given U alone from
// p(y|u). (X, U) and (U, Y) are as before, Y and X are independent given U, and samples of the two tables are distributed alike.

// A twins says how the twin draws Y, from the conditional probability of y given u and that given (x, u).
type twins struct {
	draw func(givenU, givenXU float64) float64
}

var rightTwins = twins{draw: func(givenU, _ float64) float64 { return givenU }}

func (k twins) claim() Claim {
	return Claim{
		Name:      "Conditional mean independence cannot be tested from the two tables",
		Reference: "[Yamane21, section 2] has the condition; docs/theory.md, 1",
		Statement: "Every distribution has a twin with conditional mean independence and the same distributions of (X, U) and of (U, Y), and the two differ in E[Y|X] by this much.",
		Formulas: []string{
			`E(E[Y|X] - E[E[Y|U]|X])^2`,
		},
		Assumptions: "None.",
		Method:      "Exact sums on random finite distributions.",
		Run:         k.run,
	}
}

type twinTallies struct{ xu, uy, cmi, apart tally }

func (k twins) run(ctx context.Context, o Options) (Result, error) {
	var t twinTallies
	for i := range o.distributionCount() / 2 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		k.onDistribution(&t, newSampler(o, "twin", i).distribution(false))
	}
	return Result{Checks: t.checks()}, nil
}

func (t *twinTallies) checks() []Check {
	return []Check{
		t.xu.identity("(X, U) of the twin = (X, U)"),
		t.uy.identity("(U, Y) of the twin = (U, Y)"),
		t.cmi.identity("violation of the twin = 0"),
		t.apart.identity("E (E[Y|X] - E[Y|X] of the twin)² = E (E[Y|X] - E[E[Y|U]|X])²"),
	}
}

// of returns the twin.
func (k twins) of(l *Distribution) *Distribution {
	xu, uy := l.marginsOfTables()
	pu := l.MarginU()
	weight := make([]float64, 0, len(xu)*len(l.Y))
	for x := range l.X {
		for u := range l.U {
			for y := range l.Y {
				given, pair := 0.0, xu[x*len(l.U)+u]
				if pair > 0 {
					given = l.P(x, u, y) / pair
				}
				weight = append(weight, pair*k.draw(uy[u*len(l.Y)+y]/pu[u], given))
			}
		}
	}
	return NewDistribution(l.X, l.U, l.Y, weight)
}

func (k twins) onDistribution(t *twinTallies, l *Distribution) {
	twin := k.of(l)
	xu, uy := l.marginsOfTables()
	xu2, uy2 := twin.marginsOfTables()
	t.xu.equalAll(xu, xu2)
	t.uy.equalAll(uy, uy2)
	t.cmi.equal(twin.Violation(), 0, 1)
	t.apart.equal(riskOf(l, twin.MeanYGivenX()), excess(l), 1+l.Expect(func(_, _, y int) float64 { return squared(l.Y[y]) }))
}
