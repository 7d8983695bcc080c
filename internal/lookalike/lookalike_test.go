package lookalike

import "testing"

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"low": "low", "l\u043ew": "low", "l\u03bfw": "low", "\u0440\u0430\u0440\u0435r": "paper", "": "",
		"genève": "genève", "größe": "größe", "α": "α", "μm": "μm", "день": "дehь",
	} {
		if got := Fold(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
