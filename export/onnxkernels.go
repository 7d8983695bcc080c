package export

import (
	"math"

	"mediant/kernels"
)

// gram adds the nodes of k(x_i, z_j) for N rows x and the rows of z.
func (b *onnxBuilder) gram(k kernels.Desc, x tensor, z array) (tensor, error) {
	h := k.Bandwidth
	switch k.Kind {
	case "gaussian":
		scale := 1 / (2 * h * h)
		return b.exp(b.mul(b.squaredDistances(x, z, scale), b.number(-scale))), nil
	case "rq":
		scale := 1 / (2 * k.Alpha * h * h)
		return b.exp(b.mul(b.log1p(b.mul(b.squaredDistances(x, z, scale*k.Alpha), b.number(scale))), b.number(-k.Alpha))), nil
	case "matern12":
		return b.matern(0.5, b.mul(b.sqrt(b.scan(x, z, b.squaredDifference)), b.number(1/h))), nil
	case "matern32", "matern52":
		order := 1.5
		if k.Kind == "matern52" {
			order = 2.5
		}
		return b.matern(order, b.mul(b.sqrt(b.squaredDistances(x, z, 2*order/(h*h))), b.number(math.Sqrt(2*order)/h))), nil
	case "matern":
		return b.generalMatern(k.Order, b.mul(b.sqrt(b.scan(x, z, b.squaredDifference)), b.number(math.Sqrt(2*k.Order)/h)), z.Rows), nil
	case "laplacian":
		return b.exp(b.mul(b.scan(x, z, b.difference), b.number(-1/h))), nil
	case "expchi2":
		return b.exp(b.mul(b.scan(b.atLeastZero(x), z, b.chiSquaredDistance), b.number(-1/h))), nil
	case "chi2":
		return b.scan(b.atLeastZero(x), z, b.harmonicMean), nil
	case "periodic":
		scale := 1 / (2 * k.Length * k.Length)
		return b.exp(b.mul(b.squaredDistances(b.circles(x, k.Period), circles(z, k.Period), scale), b.number(-scale))), nil
	case "linear":
		return b.dots(x, z), nil
	case "polynomial":
		return b.op("Pow", []tensor{b.add(b.dots(x, z), b.number(1)), b.number(float64(k.Degree))}), nil
	case "cosine":
		return b.cosine(x, z), nil
	case "scale":
		part, err := b.gram(k.Parts[0], x, z)
		if err != nil {
			return "", err
		}
		return b.mul(part, b.repeated(k.Factor, z.Rows)), nil
	case "sum", "product", "additive", "tensor":
		return b.combined(k, x, z)
	}
	return "", notONNX("the sections of the kernel %q", k.Kind)
}

// combined adds or multiplies the kernels of the parts, each of all columns or of its group.
func (b *onnxBuilder) combined(k kernels.Desc, x tensor, z array) (all tensor, err error) {
	for i, part := range k.Parts {
		own, of := x, z
		if k.Groups != nil {
			own, of = b.columns(x, k.Groups[i]), chosen(z, k.Groups[i])
		}
		next, err := b.gram(part, own, of)
		switch {
		case err != nil:
			return "", err
		case i == 0:
			all = next
		case k.Kind == "sum" || k.Kind == "additive":
			all = b.add(all, next)
		default:
			all = b.mul(all, next)
		}
	}
	return all, nil
}

// chosen are some columns of z.
func chosen(z array, columns []int) array {
	out := newArray(z.Rows, len(columns))
	for i := range z.Rows {
		for t, j := range columns {
			out.row(i)[t] = z.row(i)[j]
		}
	}
	return out
}

func transposed(a array) array {
	out := newArray(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.row(i) {
			out.row(j)[i] = v
		}
	}
	return out
}

func (b *onnxBuilder) dots(x tensor, z array) tensor { return b.matmul(x, b.matrix(transposed(z))) }

// log1p is log(1 + v) with the digits of a small v: log(u) v/(u - 1) for u = 1 + v rounded [Kahan; Goldberg, What every computer scientist should know about
// floating-point arithmetic, 1991, theorem 4].
func (b *onnxBuilder) log1p(v tensor) tensor {
	u := b.add(v, b.number(1))
	w := b.sub(u, b.number(1))
	none := b.op("Equal", []tensor{w, b.number(0)})
	return b.where(none, v, b.div(b.mul(b.op("Log", []tensor{u}), v), b.where(none, b.number(1), w)))
}

// matern is the Matérn kernel of an order with a closed form at r.
func (b *onnxBuilder) matern(order float64, r tensor) tensor {
	e := b.exp(b.op("Neg", []tensor{r}))
	if order == 0.5 {
		return e
	}
	polynomial := b.add(r, b.number(1))
	if order == 2.5 {
		polynomial = b.add(polynomial, b.div(b.mul(r, r), b.number(3)))
	}
	return b.mul(polynomial, e)
}

// generalMatern is the Matérn kernel of any order nu at r, n columns: the integral of package kernels (besselRule) by the same rule,
//
//	(1 + b/nu)^nu exp(-2b) S(a, b)/S(nu, 0),   a = nu + b, a + b = sqrt(nu² + r²)
//
// where S is the step times the sum of exp(±nu u - a (e^±u - 1) - b (e^∓u - 1)) over multiples u of the step, as far as they count for any r.
func (b *onnxBuilder) generalMatern(nu float64, r tensor, n int) tensor {
	q := b.sqrt(b.add(b.mul(r, r), b.number(nu*nu)))
	low := b.div(b.mul(r, b.div(r, b.add(q, b.number(nu)))), b.number(2))
	high := b.add(low, b.number(nu))
	longest := b.number(longestStep)
	step := b.div(b.number(1.0/stepsADeviation), b.sqrt(q))
	step = b.where(b.op("Less", []tensor{step, longest}), step, longest)
	count := 0
	for exponent := -12.; exponent < 6; exponent += .25 { // of r by powers of 10
		count = max(count, besselTerms(nu, math.Pow(10, exponent)))
	}
	places := newArray(1, count)
	for k := range count {
		places.data[k] = float64(k + 1)
	}
	outer := b.graph
	b.graph = &graph{names: outer.names}
	state, place := b.fresh("state"), b.fresh("place")
	b.input(declared(state, doubleType, dimension{name: "N"}, dimension{size: n}))
	b.input(declared(place, doubleType))
	u := b.mul(step, place)
	grow := b.exp(u)
	up, down, slope := b.sub(grow, b.number(1)), b.sub(b.number(1), b.div(b.number(1), grow)), b.mul(u, b.number(nu))
	right := b.add(b.sub(slope, b.mul(high, up)), b.mul(low, down))
	left := b.sub(b.sub(b.mul(high, down), b.mul(low, up)), slope)
	next := b.add(state, b.add(b.exp(right), b.exp(left)))
	b.output(declared(next, doubleType, dimension{name: "N"}, dimension{size: n}))
	body := b.finished("term")
	b.graph = outer
	ones := b.add(b.mul(r, b.number(0)), b.number(1))
	sum := b.op("Scan", []tensor{ones, b.numbers(places.data, count)}, intAttribute("num_scan_inputs", 1), graphAttribute("body", body))
	factor := b.exp(b.sub(b.mul(b.log1p(b.div(low, b.number(nu))), b.number(nu)), b.mul(low, b.number(2))))
	value := b.div(b.mul(factor, b.mul(step, sum)), b.number(besselSum(nu)))
	return b.where(b.op("Equal", []tensor{r, b.number(0)}), b.number(1), value)
}

// Of kernels.besselRule: the steps to a standard deviation of the integrand, the longest step, and the exponent of the last terms.
const (
	stepsADeviation = 2
	longestStep     = 0.14
	deepest         = 50
)

// besselTerms is how many terms on either side count at r.
func besselTerms(nu, r float64) int {
	q := math.Hypot(nu, r)
	low := r / (q + nu) * r / 2
	high, h := nu+low, min(longestStep, 1/(stepsADeviation*math.Sqrt(q)))
	for k := 1; ; k++ {
		u := float64(k) * h
		right := nu*u - high*math.Expm1(u) - low*math.Expm1(-u)
		left := -nu*u - low*math.Expm1(u) - high*math.Expm1(-u)
		if max(right, left) < -deepest {
			return k
		}
	}
}

// besselSum is S(nu, 0).
func besselSum(nu float64) float64 {
	h := min(longestStep, 1/(stepsADeviation*math.Sqrt(nu)))
	sum := 1.
	for k := 1; float64(k)*h*nu < deepest+nu; k++ {
		u := float64(k) * h
		sum += math.Exp(nu*u-nu*math.Expm1(u)) + math.Exp(-nu*u-nu*math.Expm1(-u))
	}
	return h * sum
}

// cosine is the cosine of the angle between rows, 0 where one of them is all zeros.
func (b *onnxBuilder) cosine(x tensor, z array) tensor {
	unit := newArray(z.Rows, z.Cols)
	for i := range z.Rows {
		norm := 0.
		for _, v := range z.row(i) {
			norm = math.Hypot(norm, v)
		}
		for j, v := range z.row(i) {
			if norm > 0 {
				unit.row(i)[j] = v / norm
			}
		}
	}
	norm := b.sqrt(b.sum(b.mul(x, x), 1, true))
	norm = b.where(b.op("Equal", []tensor{norm, b.number(0)}), b.number(1), norm)
	return b.dots(b.div(x, norm), unit)
}

const (
	// manyColumns is from where on squared distances may come from products: rows are then far from each other, and each column would be a pass over N×M elements.
	manyColumns = 32
	// tolerance is for the error of a kernel value by products: a unit of 2^-53 for each of a few terms of the size of the norms, times the slope of the kernel.
	tolerance = 1e-13
)

// squaredDistances adds the nodes of |x_i - z_j|², for a function of it whose slope is at most slope.
func (b *onnxBuilder) squaredDistances(x tensor, z array, slope float64) tensor {
	centre, farthest := centreOf(z)
	if z.Cols < manyColumns || !(0x1p-50*farthest*slope < tolerance) {
		return b.scan(x, z, b.squaredDifference)
	}
	moved, norms := newArray(z.Rows, z.Cols), make([]float64, z.Rows)
	for i := range z.Rows {
		for j, v := range z.row(i) {
			d := v - centre[j]
			moved.row(i)[j] = 2 * d
			norms[i] += d * d
		}
	}
	x = b.sub(x, b.row(centre))
	sums := b.add(b.sum(b.mul(x, x), 1, true), b.row(norms))
	return b.rectified(b.sub(sums, b.dots(x, moved)))
}

// centreOf returns the mean of the rows of z, and the largest squared distance of a row from it.
func centreOf(z array) (centre []float64, farthest float64) {
	centre = make([]float64, z.Cols)
	for i := range z.Rows {
		for j, v := range z.row(i) {
			centre[j] += v / float64(z.Rows)
		}
	}
	for i := range z.Rows {
		sum := 0.
		for j, v := range z.row(i) {
			sum += (v - centre[j]) * (v - centre[j])
		}
		farthest = max(farthest, sum)
	}
	return centre, farthest
}

// scan adds up, column after column, a function of the elements of x_i and z_j: a Scan, which needs memory for N×M elements whatever the number of columns is.
func (b *onnxBuilder) scan(x tensor, z array, of func(x, z tensor) tensor) tensor {
	zeros := b.mul(b.columns(x, []int{0}), b.row(make([]float64, z.Rows)))
	outer := b.graph
	b.graph = &graph{names: outer.names}
	state, column, others := b.fresh("state"), b.fresh("column"), b.fresh("others")
	b.input(declared(state, doubleType, dimension{name: "N"}, dimension{size: z.Rows}))
	b.input(declared(column, doubleType, dimension{name: "N"}))
	b.input(declared(others, doubleType, dimension{size: z.Rows}))
	next := b.add(state, of(b.op("Unsqueeze", []tensor{column, b.ints(1)}), others))
	b.output(declared(next, doubleType, dimension{name: "N"}, dimension{size: z.Rows}))
	body := b.finished("column")
	b.graph = outer
	return b.op("Scan", []tensor{zeros, b.op("Transpose", []tensor{x}), b.matrix(transposed(z))}, intAttribute("num_scan_inputs", 2), graphAttribute("body", body))
}

func (b *onnxBuilder) squaredDifference(x, z tensor) tensor {
	d := b.sub(x, z)
	return b.mul(d, d)
}

func (b *onnxBuilder) difference(x, z tensor) tensor { return b.op("Abs", []tensor{b.sub(x, z)}) }

// chiSquaredDistance is (x - z)²/(x + z), 0/0 = 0.
func (b *onnxBuilder) chiSquaredDistance(x, z tensor) tensor {
	d, sum := b.sub(x, z), b.add(x, z)
	none := b.op("Equal", []tensor{sum, b.number(0)})
	return b.mul(d, b.div(d, b.where(none, b.number(1), sum)))
}

// harmonicMean is 2xz/(x + z), 0/0 = 0.
func (b *onnxBuilder) harmonicMean(x, z tensor) tensor {
	sum := b.add(x, z)
	none := b.op("Equal", []tensor{sum, b.number(0)})
	return b.mul(b.mul(x, b.number(2)), b.div(z, b.where(none, b.number(1), sum)))
}

// circles are the cosines, then the sines, of 2 pi x/period.
func (b *onnxBuilder) circles(x tensor, period float64) tensor {
	// Remainders are exact.
	remainder := b.op("Mod", []tensor{x, b.number(period)}, intAttribute("fmod", 1))
	angle := b.mul(b.div(remainder, b.number(period)), b.number(2*math.Pi))
	return b.concat([]tensor{b.op("Cos", []tensor{angle}), b.op("Sin", []tensor{angle})})
}

// circles is onnxBuilder.circles of constants.
func circles(z array, period float64) array {
	out := newArray(z.Rows, 2*z.Cols)
	for i := range z.Rows {
		for j, v := range z.row(i) {
			out.row(i)[z.Cols+j], out.row(i)[j] = math.Sincos(2 * math.Pi * (math.Mod(v, period) / period))
		}
	}
	return out
}
