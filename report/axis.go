package report

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// An axis places values along a line. Its positions are the values, or their decimal logarithms:
// plot itself only ever sees linear axes, which cannot refuse or overflow.
type axis struct {
	log      bool
	names    []string // at 0, 1, ...; nil for numbers
	down     bool     // names are at 0, -1, ...
	min, max float64  // positions; min > max until a value was added
}

func newAxis(log bool) axis { return axis{log: log, min: math.Inf(1), max: math.Inf(-1)} }

// farthest keeps differences of positions finite, nearest keeps parts of them normal numbers.
const (
	farthest = 1e300
	nearest  = 1e-290
)

// holds tells whether v has a position.
func (a *axis) holds(v float64) bool {
	return !math.IsNaN(v) && math.Abs(v) <= farthest && (!a.log || v > 0)
}

func (a *axis) position(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

// add widens the axis to positions p.
func (a *axis) add(p ...float64) {
	for _, p := range p {
		a.min, a.max = min(a.min, p), max(a.max, p)
	}
}

// margin is left free at both ends, as a part of the axis.
const margin = 0.04

// settle gives the axis a length and margins once all values are in. A linear axis of values on one
// side of 0 starts at 0 if that is near (less than 0.4 of the length off), and never crosses it.
func (a *axis) settle() {
	if a.min > a.max {
		a.min, a.max = 0, 1
	}
	// Closer than this, values could not be distinguished by tick labels of 10 digits.
	size := max(math.Abs(a.min), math.Abs(a.max))
	if a.max-a.min <= max(1e-9*size, nearest) {
		half := 0.5
		if !a.log && size > 100*nearest {
			half = 0.1 * size
		}
		a.min, a.max = a.min-half, a.max+half
	}
	low, high, length := a.min, a.max, a.max-a.min
	a.min -= margin * length
	a.max += margin * length
	if a.log || a.names != nil {
		return
	}
	if low >= 0 && low < 0.4*length {
		a.min = 0
	}
	if high <= 0 && -high < 0.4*length {
		a.max = 0
	}
}

// ticks are the labelled ones, at most about most, and small ones between them.
func (a *axis) ticks(most int) []plot.Tick {
	switch {
	case a.names != nil:
		return a.nameTicks(most)
	case !a.log:
		return linearTicks(a.min, a.max, most)
	default:
		return logTicks(a.min, a.max, most)
	}
}

// every is 1, or the distance of the names that are shown if there are more than most.
func (a *axis) every(most int) float64 {
	return float64((len(a.names) + most - 1) / most)
}

// nameTicks leaves out names evenly if there are too many.
func (a *axis) nameTicks(most int) []plot.Tick {
	var t []plot.Tick
	every := int(a.every(most))
	for i, name := range a.names {
		x := float64(i)
		if a.down {
			x = -x
		}
		if x < a.min || x > a.max || i%every != 0 {
			continue
		}
		if strings.TrimSpace(name) == "" {
			name = "·" // plot takes a tick without a label for a small one
		}
		t = append(t, plot.Tick{Value: x, Label: name})
	}
	return t
}

// linearTicks are multiples of 1, 2 or 5 times a power of 10.
func linearTicks(low, high float64, most int) []plot.Tick {
	step, digits := niceStep((high - low) / float64(most))
	var t []plot.Tick
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	for i := first; i <= last; i++ {
		v := i * step
		t = append(t, plot.Tick{Value: v, Label: tickLabel(v, digits, max(math.Abs(low), math.Abs(high)))})
	}
	return t
}

// niceStep is the least nice number that is not below step, and the power of 10 of its last digit.
func niceStep(step float64) (nice float64, power int) {
	power = int(math.Floor(math.Log10(step)))
	unit := math.Pow10(power)
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= step*(1-1e-9) {
			return m * unit, power
		}
	}
	return 10 * unit, power + 1
}

// tickLabel writes a multiple of 10^power on an axis that reaches out to largest: all labels of an
// axis have the same number of decimals.
func tickLabel(v float64, power int, largest float64) string {
	if v == 0 {
		return "0"
	}
	if largest >= 1e6 || largest < 1e-3 {
		return minus(scientific(v, max(0, int(math.Floor(math.Log10(math.Abs(v))+1e-9))-power)))
	}
	return minus(strconv.FormatFloat(v, 'f', max(0, -power), 64))
}

// minus is as wide as a plus, where a hyphen is lost.
func minus(s string) string {
	if s[0] == '-' {
		return "\u2212" + s[1:]
	}
	return s
}

// logTicks labels powers of 10 if two or more fit, else 1, 2 and 5 times them, else round numbers.
func logTicks(low, high float64, most int) []plot.Tick {
	first, last := int(math.Ceil(low-1e-9)), int(math.Floor(high+1e-9))
	if last-first >= 1 {
		return decadeTicks(low, high, first, last, most)
	}
	var t []plot.Tick
	for k := first - 1; k <= last+1; k++ {
		for _, m := range []float64{1, 2, 5} {
			if p := float64(k) + math.Log10(m); p >= low && p <= high {
				v := m * math.Pow10(k)
				t = append(t, plot.Tick{Value: p, Label: minus(FormatNumber(v))})
			}
		}
	}
	if len(t) >= 2 {
		return t
	}
	t = linearTicks(math.Pow(10, low), math.Pow(10, high), most)
	for i := range t {
		t[i].Value = math.Log10(t[i].Value)
	}
	return t
}

func decadeTicks(low, high float64, first, last, most int) []plot.Tick {
	var t []plot.Tick
	every := (last-first)/most + 1
	plain := first >= -3 && last <= 5
	for k := first - 1; k <= last; k++ {
		if k >= first && (k-first)%every == 0 {
			t = append(t, plot.Tick{Value: float64(k), Label: decadeLabel(k, plain)})
		} else if k >= first {
			t = append(t, plot.Tick{Value: float64(k)})
		}
		for m := 2.0; m < 10 && every == 1; m++ {
			if p := float64(k) + math.Log10(m); p >= low && p <= high {
				t = append(t, plot.Tick{Value: p})
			}
		}
	}
	return t
}

func decadeLabel(k int, plain bool) string {
	if plain {
		return strconv.FormatFloat(math.Pow10(k), 'f', -1, 64)
	}
	return "1e" + minus(strconv.Itoa(k))
}
