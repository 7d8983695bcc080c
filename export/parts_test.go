package export

import (
	"strings"
	"testing"
)

// TestUnknownSettingOfAMap: a map whose description has a field that is not known here is refused, since its features would be others.
func TestUnknownSettingOfAMap(t *testing.T) {
	for field, want := range map[string]string{``: "are left", `,"centre":3`: `unknown field "centre"`} {
		p := predictor{Outputs: 1, MapText: []byte(`{"kind":"linear","in":2,"out":2` + field + `}`)}
		if err := p.fill(new([]float64)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", p.MapText, err, want)
		}
	}
}
