package columnar

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Date is a day, counted from 1970-01-01, as text.
func Date(days int64) string {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly)
}

// Timestamp is a point in time as text: a day alone, or with the time of day and its fraction; utc adds the zone.
func Timestamp(t time.Time, utc bool) string {
	layout := "2006-01-02T15:04:05.999999999"
	if utc {
		layout += "Z"
	}
	return t.UTC().Format(layout)
}

// Clock is a time of day as text.
func Clock(since time.Duration) string {
	return time.Unix(0, 0).UTC().Add(since).Format("15:04:05.999999999")
}

// RefuseScale says why no numbers are read of a decimal of that scale, "" if they are: a damaged file can claim one that would write billions of digits.
func RefuseScale(scale int) (refused string) {
	const most = 1000 // float64 holds none beyond 10^±324, and decimals of 256 bits have 76 digits
	if scale < -most || scale > most {
		return fmt.Sprintf("is of decimals of scale %d, want at most %d", scale, most)
	}
	return ""
}

// Decimal is unscaled / 10^scale in digits.
func Decimal(unscaled *big.Int, scale int) string {
	if scale < 0 {
		return new(big.Int).Mul(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil)).String()
	}
	digits := new(big.Int).Abs(unscaled).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	whole, rest := digits[:len(digits)-scale], strings.TrimRight(digits[len(digits)-scale:], "0")
	if rest != "" {
		whole += "." + rest
	}
	if unscaled.Sign() < 0 {
		return "-" + whole
	}
	return whole
}
