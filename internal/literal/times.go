package literal

import (
	"math"
	"strings"
)

// setTime reads a time of day such as 12:00, 12:00:00.5Z, 1:30 PM or 12:00+02:00; "" is midnight.
func (d *Date) setTime(s string) bool {
	if s == "" {
		return true
	}
	clock, zone := s, 0.0
	if before, ok := strings.CutSuffix(s, "Z"); ok {
		clock = before
	} else if at := strings.LastIndexAny(s, "+-"); at >= 0 {
		hours, minutes, ok := zoneOf(s[at+1:])
		if !ok {
			return false
		}
		clock, zone = s[:at], float64(3600*hours+60*minutes)
		if s[at] == '-' {
			zone = -zone
		}
	}
	clock = Trim(clock)
	half := 0 // of the day: 1 AM, 2 PM
	for i, word := range []string{"AM", "PM"} {
		if n := len(clock) - 2; n > 0 && strings.EqualFold(clock[n:], word) {
			clock, half = Trim(clock[:n]), i+1
		}
	}
	fields := strings.Split(clock, ":")
	if len(fields) < 2 || len(fields) > 3 {
		return false
	}
	var v [3]float64
	for i, f := range fields {
		n, ok := Scan(f, '.')
		if !ok || !IsDigit(f[0]) || n.Exponent || n.intDigits > 2 || i > 0 && n.intDigits != 2 || i < 2 && !n.integer {
			return false
		}
		v[i] = Value(f, '.')
	}
	if v[1] >= 60 || v[2] >= 61 || v[0] > 24 || v[0] == 24 && v[1]+v[2] > 0 || half > 0 && (v[0] < 1 || v[0] > 12) {
		return false
	}
	if half > 0 {
		v[0] = math.Mod(v[0], 12) + float64(12*(half-1))
	}
	d.seconds = 3600*v[0] + 60*v[1] + v[2] - zone
	return true
}

// zoneOf reads 02:00, 0200 or 02.
func zoneOf(s string) (hours, minutes int, ok bool) {
	digits := strings.Replace(s, ":", "", 1)
	if n := len(digits); digitsEnd(digits, 0) != n || n != 2 && n != 4 {
		return 0, 0, false
	}
	two := func(s string) int { return int(10*(s[0]-'0') + s[1] - '0') }
	hours = two(digits)
	if len(digits) == 4 {
		minutes = two(digits[2:])
	}
	return hours, minutes, hours <= 14 && minutes < 60
}
