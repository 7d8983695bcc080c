package bounds

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		err  error
		want string // "" for none
	}{
		"0":          {Penalty("A.B", 0), ""},
		"large":      {Penalty("A.B", 1e300), ""},
		"negative":   {Penalty("A.B", -1), "A.B is -1, must be finite and at least 0"},
		"NaN":        {Penalty("A.B", math.NaN()), "A.B is NaN"},
		"+Inf":       {Penalty("A.B", math.Inf(1)), "A.B is +Inf"},
		"none":       {Count("A.B", 0), ""},
		"fewer":      {Count("A.B", -1), "A.B is -1, must be at least 0"},
		"a value":    {Enum("A.B", 2, "1 or 2", 1, 2), ""},
		"no value":   {Enum("A.B", 3, "1 or 2", 1, 2), "A.B is 3, must be 1 or 2"},
		"no error":   {First(nil, nil), ""},
		"some error": {First(nil, broken, errors.New("other")), "broken"},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, c.err, c.want)
		}
	}
}
