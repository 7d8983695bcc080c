package export

import (
	"math"

	"mediant/features"
)

// features adds the nodes of a map.
func (b *onnxBuilder) features(m *mapping, x tensor) (tensor, error) {
	switch m.Kind {
	case "linear":
		return x, nil
	case "bias":
		return b.add(b.mul(b.columns(x, []int{0}), b.number(0)), b.number(1)), nil
	case "polynomial":
		return b.polynomial(m, x)
	case "fourier":
		return b.fourier(m, x), nil
	case "additive":
		return b.additive(m, x), nil
	case "sections":
		return b.sections(m, x)
	case "chi2":
		return b.chiSquaredFeatures(m, x), nil
	case "count sketch":
		return b.matmul(x, b.matrix(buckets(*m.Arrays[0], m.Out))), nil
	case "tensor sketch":
		return b.tensorSketch(m, x), nil
	case "metric":
		if of := m.Arrays[0]; of.Name == "root" {
			return b.matmul(x, b.matrix(*of)), nil
		}
		return b.mul(x, b.row(m.Arrays[0].data)), nil
	case "warp":
		return b.warp(m, x), nil
	case "clip":
		return b.op("Min", []tensor{b.op("Max", []tensor{x, b.row(m.Arrays[0].data)}), b.row(m.Arrays[1].data)}), nil
	case "patches":
		return b.patches(m, x), nil
	case "chain":
		between, err := b.features(m.Parts[0], x)
		if err != nil {
			return "", err
		}
		return b.features(m.Parts[1], between)
	case "columns":
		columns := make([]int, m.Arrays[0].Cols)
		for i, v := range m.Arrays[0].data {
			columns[i] = int(v)
		}
		return b.features(m.Parts[0], b.columns(x, columns))
	case "concat":
		var parts []tensor
		for _, part := range m.Parts {
			own, err := b.features(part, x)
			if err != nil {
				return "", err
			}
			parts = append(parts, own)
		}
		return b.concat(parts), nil
	case "nystrom":
		return "", notONNX("Nyström features within another map")
	}
	return "", notONNX("features of the kind %q", m.Kind)
}

// polynomial makes the monomials of each degree of those of the degree before.
func (b *onnxBuilder) polynomial(m *mapping, x tensor) (tensor, error) {
	of, err := features.NewPolynomial(m.In, m.Degree)
	if err != nil {
		return "", err
	}
	parent, factor, weight := of.Terms()
	last := b.add(b.mul(b.columns(x, []int{0}), b.number(0)), b.number(1))
	parts := []tensor{last}
	for from, to := 0, 1; to < len(parent); { // monomials of the degree before are from..to
		next := to
		for next < len(parent) && parent[next] < to {
			next++
		}
		parents := make([]int, next-to)
		for t := range parents {
			parents[t] = parent[to+t] - from
		}
		last = b.mul(b.columns(last, parents), b.columns(x, factor[to:next]))
		parts = append(parts, last)
		from, to = to, next
	}
	return b.mul(b.concat(parts), b.row(weight)), nil
}

// fourier is (cos(W'x), sin(W'x)) over the root of the number of frequencies.
func (b *onnxBuilder) fourier(m *mapping, x tensor) tensor {
	w := *m.Arrays[0]
	if m.Distribution == "structured" {
		w = structuredFrequencies(m)
	}
	return b.waves(x, w, b.number(1/math.Sqrt(float64(w.Cols))))
}

func (b *onnxBuilder) waves(x tensor, w array, scale tensor) tensor {
	phases := b.matmul(x, b.matrix(w))
	return b.concat([]tensor{b.mul(b.op("Cos", []tensor{phases}), scale), b.mul(b.op("Sin", []tensor{phases}), scale)})
}

// structuredFrequencies are those of features.NewStructured as a matrix: in each block of as many as the Hadamard matrix has rows, H D3 H D2 H D1 times lengths.
func structuredFrequencies(m *mapping) array {
	diagonals, scales := *m.Arrays[0], m.Arrays[1].data
	w, width := newArray(m.In, len(scales)), diagonals.Cols
	for j := range m.In {
		for at := 0; at < len(scales); at += width {
			unit := make([]float64, width)
			unit[j] = 1
			for k := range 3 {
				for i, sign := range diagonals.row(at/width*3 + k) {
					unit[i] *= sign
				}
				hadamard(unit)
			}
			for i := at; i < min(at+width, len(scales)); i++ {
				w.row(j)[i] = unit[i-at] * scales[i]
			}
		}
	}
	return w
}

// hadamard multiplies x by the Hadamard matrix in Sylvester's order.
func hadamard(x []float64) {
	for stride := 1; stride < len(x); stride *= 2 {
		for i := range x {
			if i&stride == 0 {
				x[i], x[i+stride] = x[i]+x[i+stride], x[i]-x[i+stride]
			}
		}
	}
}

// additive is fourier for each group of columns, by one product: a frequency is 0 outside its group.
func (b *onnxBuilder) additive(m *mapping, x tensor) tensor {
	count := m.Out / 2
	w, scales := newArray(m.In, count), make([]float64, count)
	var order []int
	at := 0
	for g, own := range m.Arrays {
		for i, j := range m.Kernel.Groups[g] {
			copy(w.row(j)[at:], own.row(i))
		}
		for _, part := range []int{0, count} { // cosines, sines
			for t := range own.Cols {
				order = append(order, part+at+t)
			}
		}
		for t := range own.Cols {
			scales[at+t] = 1 / math.Sqrt(float64(own.Cols))
		}
		at += own.Cols
	}
	return b.ordered([]tensor{b.waves(x, w, b.row(scales))}, order)
}

// sections are the kernel of x and the landmarks.
func (b *onnxBuilder) sections(m *mapping, x tensor) (tensor, error) {
	if len(m.Arrays) == 1 {
		return b.gram(*m.Kernel, x, *m.Arrays[0])
	}
	z, values, columns, starts := newArray(m.Out, m.In), m.Arrays[0].data, m.Arrays[1].data, m.Arrays[2].data
	for i := range m.Out {
		for t := int(starts[i]); t < int(starts[i+1]); t++ {
			z.row(i)[int(columns[t])] = values[t]
		}
	}
	return b.gram(*m.Kernel, x, z)
}

// chiSquaredFeatures are those of features.ChiSquared: sqrt(x L), then for l = 1..n sqrt(2 x L kappa(l L)) times cos(l L log x) and sin(l L log x), for each column.
func (b *onnxBuilder) chiSquaredFeatures(m *mapping, x tensor) tensor {
	step := 1 / math.Sqrt(float64(m.Steps+1))
	x = b.atLeastZero(x)
	root := b.sqrt(x)
	// The logarithm of 0 is not needed: its factor is the root.
	angle := b.mul(b.op("Log", []tensor{b.where(b.op("Equal", []tensor{x, b.number(0)}), b.number(1), x)}), b.number(step))
	parts := []tensor{b.mul(root, b.number(math.Sqrt(step)))}
	for l := 1; l <= m.Steps; l++ {
		size := b.mul(root, b.number(math.Sqrt(2*step/math.Cosh(math.Pi*float64(l)*step))))
		own := b.mul(angle, b.number(float64(l)))
		parts = append(parts, b.mul(size, b.op("Cos", []tensor{own})), b.mul(size, b.op("Sin", []tensor{own})))
	}
	var order []int
	for j := range m.In {
		for part := range parts {
			order = append(order, part*m.In+j)
		}
	}
	return b.ordered(parts, order)
}

// buckets is a count sketch as a matrix of signs.
func buckets(of array, out int) array {
	w := newArray(len(of.data), out)
	for j, v := range of.data {
		w.row(j)[int(math.Abs(v))-1] = math.Copysign(1, v)
	}
	return w
}

// tensorSketch is the circular convolution of count sketches of (x, 1), one for each factor, by discrete Fourier transforms.
func (b *onnxBuilder) tensorSketch(m *mapping, x tensor) tensor {
	all := *m.Arrays[0]
	sketch := func(factor int) tensor {
		signs := buckets(array{data: all.row(factor)}, m.Out)
		last := signs.Rows - 1 // of the constant
		return b.add(b.matmul(x, b.numbers(signs.data[:last*m.Out], last, m.Out)), b.row(signs.row(last)))
	}
	if all.Rows == 1 {
		return sketch(0)
	}
	// Operator DFT of onnxruntime has six digits where the size is no power of two.
	cosines, sines, counts := transform(m.Out)
	c, d := b.matrix(cosines), b.matrix(sines)
	var re, im tensor
	for factor := range all.Rows {
		own := sketch(factor)
		ownRe, ownIm := b.matmul(own, c), b.matmul(own, d)
		if factor == 0 {
			re, im = ownRe, ownIm
			continue
		}
		re, im = b.sub(b.mul(re, ownRe), b.mul(im, ownIm)), b.add(b.mul(re, ownIm), b.mul(im, ownRe))
	}
	weights := b.row(counts)
	return b.add(b.matmul(b.mul(re, weights), b.op("Transpose", []tensor{c})), b.matmul(b.mul(im, weights), b.op("Transpose", []tensor{d})))
}

// transform is the discrete Fourier transform of n real numbers as matrices, cos and sin of 2 pi jk/n for k up to n/2, and the weights of these k in its inverse.
func transform(n int) (cosines, sines array, weights []float64) {
	half := n/2 + 1
	cosines, sines, weights = newArray(n, half), newArray(n, half), make([]float64, half)
	for j := range n {
		for k := range half {
			sines.row(j)[k], cosines.row(j)[k] = math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
		}
	}
	for k := range weights {
		weights[k] = 2 / float64(n)
		if k == 0 || 2*k == n { // without a conjugate
			weights[k] = 1 / float64(n)
		}
	}
	return cosines, sines, weights
}

// warp adds up, for each column, the weights of the thresholds below it. Columns with fewer thresholds than others have further ones of +Inf.
func (b *onnxBuilder) warp(m *mapping, x tensor) tensor {
	counts, most := m.Arrays[0].data, 0
	for _, c := range counts {
		most = max(most, int(c))
	}
	thresholds, weights := newArray(m.In, most), newArray(m.In, most)
	at := 0
	for j, c := range counts {
		for t := range thresholds.row(j) {
			thresholds.row(j)[t] = math.Inf(1)
		}
		at += copy(thresholds.row(j), m.Arrays[1].data[at:at+int(c)])
		copy(weights.row(j), m.Arrays[2].data[at-int(c):at])
	}
	below := b.op("Greater", []tensor{b.op("Unsqueeze", []tensor{x, b.ints(2)}), b.numbers(thresholds.data, 1, m.In, most)})
	return b.sum(b.mul(b.double(below), b.numbers(weights.data, 1, m.In, most)), 2, false)
}

// patches are those of features.Patches, for all places of all images at a time.
func (b *onnxBuilder) patches(m *mapping, x tensor) tensor {
	h := m.Patches
	whitening, shift, filters := *m.Arrays[0], m.Arrays[1].data, *m.Arrays[2]
	rows, cols := h.Image.Height-h.Side+1, h.Image.Width-h.Side+1
	places, dim := rows*cols, whitening.Rows
	var pixels []int
	cells := newArray(h.Grid*h.Grid, places) // weights of places, of sum 1 for each cell
	for r := range rows {
		for c := range cols {
			for plane := range h.Image.Planes {
				for i := range h.Side {
					for j := range h.Side {
						pixels = append(pixels, (plane*h.Image.Height+r+i)*h.Image.Width+c+j)
					}
				}
			}
			for cell := range cells.Rows {
				cells.row(cell)[r*cols+c] = h.weight(cell/h.Grid, r, rows) * h.weight(cell%h.Grid, c, cols)
			}
		}
	}
	for i := range cells.Rows {
		count := 0.
		for _, v := range cells.row(i) {
			count += v
		}
		for p := range cells.row(i) {
			cells.row(i)[p] /= count
		}
	}
	v := b.op("Reshape", []tensor{b.columns(x, pixels), b.ints(-1, places, dim)})
	v = b.sub(v, b.div(b.sum(v, 2, true), b.number(float64(dim))))
	variance := b.div(b.sum(b.mul(v, v), 2, true), b.number(float64(dim)))
	v = b.div(v, b.sqrt(b.add(variance, b.number(h.Contrast))))
	v = b.sub(b.matmul(v, b.matrix(whitening)), b.row(shift))
	z := b.matmul(v, b.matrix(filters))
	if m.Kernel != nil {
		norm := b.sqrt(b.sum(b.mul(v, v), 2, true))
		none := b.op("Equal", []tensor{norm, b.number(0)})
		distances := b.rectified(b.sub(b.number(2), b.div(b.add(z, z), b.where(none, b.number(1), norm))))
		z = b.where(none, b.number(0), b.exp(b.mul(distances, b.number(-1/(2*m.Kernel.Bandwidth*m.Kernel.Bandwidth)))))
	} else {
		t := b.number(h.Threshold)
		z = b.op("Concat", []tensor{b.rectified(b.sub(z, t)), b.rectified(b.sub(b.op("Neg", []tensor{z}), t))}, intAttribute("axis", 2))
	}
	pooled := b.matmul(b.matrix(cells), z)
	if h.Root {
		pooled = b.sqrt(pooled)
	}
	return b.op("Reshape", []tensor{pooled, b.ints(-1, m.Out)})
}

// weight is that of one of the places in a row or column of cells.
func (h *patches) weight(cell, place, places int) float64 {
	if !h.Overlap {
		if place*h.Grid/places == cell {
			return 1
		}
		return 0
	}
	// Half cells weigh 1, 3, 3, 1 from the one before the cell to the one behind it.
	switch half := place*2*h.Grid/places - 2*cell; half {
	case 0, 1:
		return .75
	case -1, 2:
		return .25
	}
	return 0
}
