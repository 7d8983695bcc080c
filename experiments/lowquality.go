package experiments

import (
	"fmt"
	"strconv"

	"mediant/internal/draw"
	"mediant/tables"
)

// An ImageTask is one split of the low-quality-image task: X is the image averaged over 2×2 pixels,
// U the image, Y its digit.
type ImageTask struct {
	XU, UY tables.Source // disjoint images
	// XY are the images of XU with their digits, which only a supervised oracle may see, and Test other
	// coupled images.
	XY, Test tables.Source
}

// LowQuality draws rows + rows of disjoint training images at random from the seed; all test images
// are the test. Pixels are in [0, 1].
func LowQuality(m *MNIST, rows int, seed uint64) (*ImageTask, error) {
	if rows < 1 || 2*rows > m.Train.Len() {
		return nil, fmt.Errorf("experiments: 2×%d images from %d", rows, m.Train.Len())
	}
	order := draw.Rand(seed, "experiments/split", 0).Perm(m.Train.Len())
	first, second := order[:rows], order[rows:2*rows]
	all := make([]int, m.Test.Len())
	for i := range all {
		all[i] = i
	}
	var t ImageTask
	for _, table := range []struct {
		dst     *tables.Source
		of      Images
		images  []int
		x, u, y bool
	}{
		{&t.XU, m.Train, first, true, true, false},
		{&t.UY, m.Train, second, false, true, true},
		{&t.XY, m.Train, first, true, false, true},
		{&t.Test, m.Test, all, true, false, true},
	} {
		var columns []tables.ColumnData
		if table.x {
			columns = append(columns, table.of.pooled(table.images)...)
		}
		if table.u {
			columns = append(columns, table.of.pixels(table.images)...)
		}
		if table.y {
			columns = append(columns, table.of.digits(table.images))
		}
		var err error
		if *table.dst, err = tables.FromColumns(columns...); err != nil {
			return nil, err
		}
	}
	return &t, nil
}

// pixel returns pixel (r, c) of image i in [0, 1].
func (m Images) pixel(i, r, c int) float64 {
	return float64(m.Pixels[(i*m.Side+r)*m.Side+c]) / 255
}

// pixels returns one column a pixel.
func (m Images) pixels(images []int) []tables.ColumnData {
	return grid("u", m.Side, images, m.pixel)
}

// pooled returns one column for each 2×2 pixels.
func (m Images) pooled(images []int) []tables.ColumnData {
	return grid("x", m.Side/2, images, func(i, r, c int) float64 {
		return (m.pixel(i, 2*r, 2*c) + m.pixel(i, 2*r, 2*c+1) + m.pixel(i, 2*r+1, 2*c) + m.pixel(i, 2*r+1, 2*c+1)) / 4
	})
}

func grid(name string, side int, images []int, value func(i, r, c int) float64) []tables.ColumnData {
	columns := make([]tables.ColumnData, 0, side*side)
	for r := range side {
		for c := range side {
			values := make([]float64, len(images))
			for to, i := range images {
				values[to] = value(i, r, c)
			}
			columns = append(columns, tables.Numbers(fmt.Sprintf("%s%d.%d", name, r, c), values))
		}
	}
	return columns
}

func (m Images) digits(images []int) tables.ColumnData {
	labels := make([]string, len(images))
	for to, i := range images {
		labels[to] = strconv.Itoa(int(m.Labels[i]))
	}
	return tables.Strings("digit", labels)
}
