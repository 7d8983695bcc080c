package corruption

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"mediant/internal/draw"
)

// A distribution draws rows of X, U and Y under which E[Y|U,X] = E[Y|U].
type distribution struct {
	name      string
	x, u, y   []string
	treatment string
	row       func(rnd *rand.Rand, arm float64) []any // arm is drawn for a trial alone
}

// Synthetic are pairs of so many rows in either table, with coupled rows.
func Synthetic(rows, coupled int) []Source {
	var all []Source
	for _, d := range []distribution{curve, survey, codes, skew, classes, trial} {
		all = append(all, Source{Name: d.name, Make: func(seed uint64) (*Pair, error) { return d.pair(rows, coupled, seed), nil }})
	}
	return all
}

func (d distribution) pair(rows, coupled int, seed uint64) *Pair {
	names := slices.Concat(d.x, d.u, d.y)
	of := func(purpose string, n int) *Sheet {
		rnd := draw.Rand(seed, "corruption/"+d.name+"/"+purpose, 0)
		s := &Sheet{Names: names}
		for range n {
			s.Rows = append(s.Rows, texts(d.row(rnd, float64(rnd.IntN(2)))))
		}
		return s
	}
	p := &Pair{Name: d.name, Treatment: d.treatment,
		XU:      of("xu", rows).Select(names[:len(d.x)+len(d.u)]),
		UY:      of("uy", rows).Select(names[len(d.x):]),
		Coupled: of("coupled", coupled)}
	if d.treatment != "" {
		p.Effect = trialEffect()
	}
	return p
}

func texts(row []any) []string {
	cells := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case string:
			cells[i] = v
		case int:
			cells[i] = strconv.Itoa(v)
		case float64:
			cells[i] = strconv.FormatFloat(v, 'f', digits(v), 64)
		}
	}
	return cells
}

// digits is how many decimals a value is written with: four significant digits.
func digits(v float64) int {
	if v == 0 {
		return 1
	}
	return max(0, min(5, 3-int(math.Floor(math.Log10(math.Abs(v))))))
}

// curve has numbers with a curved E[Y|U].
var curve = distribution{
	name: "curve", x: []string{"age", "dose", "load"}, u: []string{"temperature", "pulse", "rate"}, y: []string{"score"},
	row: func(rnd *rand.Rand, _ float64) []any {
		a, b, c := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
		t := .8*a + .6*rnd.NormFloat64()
		p := .6*t + .6*b + .5*rnd.NormFloat64()
		r := math.Exp(.4 * (.6*c + .4*a + .7*rnd.NormFloat64()))
		y := 30 + 3*t*t + 2*p + 4*r + rnd.NormFloat64()
		return []any{50 + 12*a, 5 + 2*b, 70 + 10*c, 20 + 4*t, int(math.Round(72 + 9*p)), r, y}
	},
}

// survey has levels and numbers.
var survey = distribution{
	name: "survey", x: []string{"region", "sex", "years"}, u: []string{"mood", "income", "smoker", "visits", "city"}, y: []string{"cost"},
	row: func(rnd *rand.Rand, _ float64) []any {
		region, sex, years := rnd.IntN(5), rnd.IntN(2), 18+rnd.IntN(60)
		latent := float64(region-2)/2 + .02*float64(years-48) + .7*rnd.NormFloat64()
		mood := min(3, max(0, int(math.Floor(latent+2))))
		income := int(12000 + math.Exp(10.3+.3*latent+.25*float64(sex)+.35*rnd.NormFloat64()))
		smokes := rnd.Float64() < .25+.3*float64(sex)
		visits := poisson(rnd, math.Exp(.02*float64(years-48)+.5))
		city := min(3, max(0, int(math.Floor(.8*float64(region)+.8*rnd.NormFloat64()))))
		cost := 200 - 25*float64(mood*mood)/3 + 12*float64(visits) - 40*math.Log(float64(income)/40000) + []float64{0, 15, -10, 30}[city] + 20*rnd.NormFloat64()
		if smokes {
			cost += 45
		}
		return []any{[]string{"north", "south", "east", "west", "centre"}[region], []string{"f", "m"}[sex], years,
			[]string{"poor", "fair", "good", "very good"}[mood], income, map[bool]string{true: "yes", false: "no"}[smokes], visits,
			[]string{"Genève", "Zürich", "Basel", "Neuchâtel"}[city], cost}
	},
}

// codes has whole numbers that are ranks and marks of states.
var codes = distribution{
	name: "codes", x: []string{"q1", "q2", "q3", "group"}, u: []string{"s1", "s2", "s3", "member"}, y: []string{"total"},
	row: func(rnd *rand.Rand, _ float64) []any {
		likert := func(latent float64, top int) int {
			return min(top, max(1, int(math.Round(float64(top+1)/2+float64(top)/4*latent))))
		}
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		group := 1 + rnd.IntN(3)
		mix := func(wa, wb float64) float64 { return wa*a + wb*b + .5*rnd.NormFloat64() }
		s1, s2, s3 := likert(mix(.8, .2)+.3*float64(group-2), 7), likert(mix(.3, .7), 7), likert(mix(-.4, .6), 5)
		member := 0
		if mix(.5, -.5) > .3 {
			member = 1
		}
		y := 2*float64(s1) + .5*float64((s2-4)*(s2-4)) - float64(s3) + 3*float64(member) + 1.5*rnd.NormFloat64()
		return []any{likert(mix(.9, 0), 5), likert(mix(0, .9), 5), likert(mix(.6, .6), 5), group, s1, s2, s3, member, int(math.Round(y + 10))}
	},
}

// skew has positive numbers with long tails and zeros.
var skew = distribution{
	name: "skew", x: []string{"bill", "wait", "size"}, u: []string{"charge", "stay", "ratio", "visits"}, y: []string{"spend"},
	row: func(rnd *rand.Rand, _ float64) []any {
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		charge := math.Exp(7.5 + .5*a + .4*rnd.NormFloat64())
		stay := int(math.Exp(.8+.5*b+.6*rnd.NormFloat64()) - .5)
		ratio := math.Exp(-1.5 + .4*a + .4*b + .3*rnd.NormFloat64())
		visits := poisson(rnd, math.Exp(.3*b))
		y := .02*charge + 6*math.Sqrt(float64(stay)) + 40*ratio + 2*float64(visits) + 5*math.Exp(.5*rnd.NormFloat64())
		return []any{math.Exp(4 + .6*a + .2*rnd.NormFloat64()), math.Exp(1 + .6*b), math.Exp(a + b), charge, stay, ratio, visits, y}
	},
}

// classes has three classes as Y.
var classes = distribution{
	name: "classes", x: []string{"band1", "band2", "band3"}, u: []string{"red", "green", "blue", "soil"}, y: []string{"kind"},
	row: func(rnd *rand.Rand, _ float64) []any {
		a, b, c := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
		r, g, bl := a+.4*rnd.NormFloat64(), b+.4*rnd.NormFloat64(), .5*a+.5*c+.4*rnd.NormFloat64()
		soil := "dry"
		if c+.5*rnd.NormFloat64() > .4 {
			soil = "wet"
		}
		scores := [3]float64{2 * r, 2 * g, 1 - r*r}
		if soil == "wet" {
			scores[2] += 1.5
		}
		kind, best := 0, math.Inf(-1)
		for k, s := range scores {
			if s -= math.Log(-math.Log(rnd.Float64())); s > best { // the logit model
				kind, best = k, s
			}
		}
		return []any{100 + 15*a, 80 + 15*b, 60 + 10*c, 110 + 16*r, 85 + 12*g, 64 + 9*bl, soil, []string{"cotton crop", "grey soil", "red soil"}[kind]}
	},
}

// trial has a treatment that works through the surrogates U, and an older cohort with Y.
var trial = distribution{
	name: "trial", x: []string{"arm", "born"}, u: []string{"pressure", "sugar", "walks"}, y: []string{"days"}, treatment: "arm",
	row: func(rnd *rand.Rand, arm float64) []any {
		age := rnd.NormFloat64()
		bp := .5*age - .5*arm + .8*rnd.NormFloat64()
		sugar := math.Exp(.3*(.4*age-.6*arm) + .25*rnd.NormFloat64())
		walks := rnd.Float64() < .4+.2*arm
		y := 300 - 30*bp - 6*bp*bp - 25*sugar + 15*rnd.NormFloat64()
		if walks {
			y += 20
		}
		return []any{int(arm), int(1960 - 10*age), 130 + 12*bp, 5.4 * sugar, map[bool]string{true: "yes", false: "no"}[walks], y}
	},
}

// trialEffect is the mean of Y under treatment less that without, the same noise in both; its standard error is about 0.02.
var trialEffect = sync.OnceValue(func() float64 {
	const draws = 200_000
	sum := 0.0
	for i := range draws {
		y := func(arm float64) float64 {
			row := trial.row(draw.Rand(1, "corruption/effect", i), arm)
			return row[len(row)-1].(float64)
		}
		sum += y(1) - y(0)
	}
	return sum / draws
})

// poisson draws by the product of uniforms.
func poisson(rnd *rand.Rand, mean float64) int {
	limit, k := math.Exp(-mean), 0
	for p := rnd.Float64(); p > limit; p *= rnd.Float64() {
		k++
	}
	return k
}
