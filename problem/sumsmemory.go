package problem

import (
	"bufio"
	"io"

	"mediant/features"
	"mediant/internal/frame"
	"mediant/moments"
)

// A SumsSize is what sums take in memory, in bytes, of S_X and of S_Y: as a file or a pass has them, and once they are merged. Block is the largest part that is read or merged
// at a time.
type SumsSize struct {
	Held, Merged [2]float64
	Block        float64
}

// SizeOfSums returns what the sums of a file will take, from the beginning of the file.
func SizeOfSums(r io.Reader) (SumsSize, error) {
	in := frame.NewReader(bufio.NewReader(r))
	h, plan, err := readSumsHead(in)
	if err != nil {
		return SumsSize{}, err
	}
	var z SumsSize
	for t, there := range []bool{h.XU, h.UY} {
		if !there {
			continue
		}
		if err := plan.has(t); err != nil {
			return SumsSize{}, damaged("sums", err)
		}
		own := plan.SizeOfSums(t)
		z.Merged[t], z.Held[t], z.Block = own.Merged[t], own.Held[t], max(z.Block, own.Block)
		parts := 0. // a run that counts less is in integers, as several are
		for _, run := range h.Runs {
			if run.Table == t {
				parts += 1 / run.Factor()
			}
		}
		if parts > 1 {
			z.Held[t] = own.Merged[t]
		}
	}
	return z, nil
}

// SizeOfSums returns what sums of a table, TableXU or TableUY, by the plan take.
func (p Plan) SizeOfSums(table int) SumsSize {
	a, b := p.widths(table)
	blocks := float64(p.folds() * p.blocks())
	plain, merged := moments.Bytes(float64(a), float64(b)), moments.TotalBytes(float64(a), float64(b))
	z := SumsSize{Block: max(plain, merged)}
	z.Held[table], z.Merged[table] = blocks*plain, blocks*merged
	return z
}

// PassBytes returns what a pass over a table takes beside its sums: the program, the maps, and a batch.
func (p Plan) PassBytes(table int) float64 {
	f := Footprint{Setup: Setup{Psi: features.Fixed(p.Psi), Folds: p.folds() * p.blocks()}, Columns: float64(len(p.U.Columns()))}
	f.U = f.Setup.Psi.SizeOf(p.U, 1)
	if table == TableUY {
		f = f.OfU()
		f.Outputs, f.together, f.Columns = float64(p.Y.Len()), p.Y.Together(), f.Columns+float64(len(p.Y.Columns()))
		return f.Base()
	}
	f.Setup.Phi = features.Fixed(p.Phi)
	f.X = f.Setup.Phi.SizeOf(p.X, 1)
	f.Columns += float64(len(p.X.Columns()))
	return f.Base()
}

// Bytes returns the sums of both tables, as they are held.
func (z SumsSize) Bytes() float64 { return z.Held[TableXU] + z.Held[TableUY] }

// Plus returns the size of these sums and others once they are merged, and what merging takes at a time, both of them included. What only one of them has stays as it is.
func (z SumsSize) Plus(o SumsSize) (sum SumsSize, peak float64) {
	sum = SumsSize{Block: max(z.Block, o.Block)}
	peak = z.Bytes() + o.Bytes() + 3*sum.Block
	for t := range sum.Held {
		sum.Held[t], sum.Merged[t] = z.Held[t]+o.Held[t], max(z.Merged[t], o.Merged[t])
		if z.Held[t] > 0 && o.Held[t] > 0 {
			sum.Held[t] = sum.Merged[t]
			peak += sum.Merged[t]
		}
	}
	return sum, peak
}
