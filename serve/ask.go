package serve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediant"
	"mediant/internal/predictions"
)

// asks are the names of what can be asked of a prediction, as parameters of a request of the protocol or of a URL.
var asks = []string{"se", "scores", "label_only", "interval", "quantiles", "draws", "seed"}

// asked reads what is to be written of predictions of m, as the flags of predict have it: get returns the text of a parameter, "" where it is missing.
func asked(m *mediant.Model, get func(name string) string) (o predictions.Options, err error) {
	read := func(name string, parse func(text string) error, want string) {
		text := get(name)
		if text == "" || err != nil {
			return
		}
		if parse(text) != nil {
			err = badRequest("parameter %q is %q, must be %s", name, shortened([]byte(text)), want)
		}
	}
	truth := func(name string, to *bool) {
		read(name, func(text string) (err error) { *to, err = strconv.ParseBool(text); return err }, "true or false")
	}
	truth("se", &o.Errors)
	truth("scores", &o.Scores)
	truth("label_only", &o.LabelOnly)
	share := 0.
	read("interval", func(text string) (err error) { share, err = level(text); return err }, "a share above 0 and below 1")
	read("quantiles", func(text string) error {
		for one := range strings.SplitSeq(text, ",") {
			p, err := level(one)
			if err != nil || slices.Contains(o.Distribution.Quantiles, p) {
				return strconv.ErrRange
			}
			o.Distribution.Quantiles = append(o.Distribution.Quantiles, p)
		}
		return nil
	}, "different levels above 0 and below 1, with commas between")
	read("draws", func(text string) error {
		n, err := strconv.Atoi(text)
		if o.Distribution.Draws = n; err != nil || n < 0 || n > predictions.MostDraws {
			return strconv.ErrRange
		}
		return nil
	}, fmt.Sprintf("a number of draws, at most %d", predictions.MostDraws))
	read("seed", func(text string) (err error) {
		o.Distribution.Seed, err = strconv.ParseUint(text, 10, 64)
		return err
	}, "a whole number of at least 0")
	if err != nil {
		return o, err
	}
	o.Distribution.Nominal = share
	if err := o.Check(m); err != nil {
		return o, badRequest("%w", err)
	}
	if share > 0 {
		o.Distribution.Nominal, _ = predictions.Tuned(m, share)
	}
	return o, nil
}

func level(text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && !(p > 0 && p < 1) {
		err = strconv.ErrRange
	}
	return p, err
}
