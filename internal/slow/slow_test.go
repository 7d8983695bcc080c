package slow

import "testing"

// TestOnly: a test that is marked runs with the tag and not without.
func TestOnly(t *testing.T) {
	ran := false
	t.Run("marked", func(t *testing.T) { Only(t); ran = true })
	if ran != tagged {
		t.Errorf("ran %v, tagged %v", ran, tagged)
	}
}
