package arrow

import (
	"encoding/binary"
	"errors"
	"testing"

	"mediant/tables/internal/columnartest"
)

// A buffer that is compressed with a window larger than any level in use has, and larger than what it stands for, is refused.
func TestWindow(t *testing.T) {
	for _, c := range []struct {
		length  int64
		window  byte // 2^(10 + window) bytes
		refused bool
	}{{1, 13, false}, {1, 14, true}, {1 << 30, 16, false}, {-1, 20, false}} {
		data := append(binary.LittleEndian.AppendUint64(nil, uint64(c.length)), "\x28\xb5\x2f\xfd\x00"+string([]byte{c.window << 3})+"\x0b\x00\x00x"...)
		f := &file{in: columnartest.Input("f.arrow", data)}
		if err := f.window(0); errors.Is(err, errDamaged) != c.refused {
			t.Errorf("length %d, window 2^%d: error %v", c.length, 10+c.window, err)
		}
	}
}
