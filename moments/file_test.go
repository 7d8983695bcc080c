package moments

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func encode(t testing.TB, m *CoMoments) []byte {
	t.Helper()
	var buf bytes.Buffer
	n, err := m.WriteTo(&buf)
	if err != nil || n != int64(buf.Len()) {
		t.Fatalf("wrote %d of %d bytes: %v", n, buf.Len(), err)
	}
	return buf.Bytes()
}

func TestFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		m := NewCoMoments(NewID([]byte("phi")), NewID([]byte("psi")))
		if n > 0 {
			s := drawSample(t, n, rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 5).Draw(t, "q"))
			m.Add(s.a, s.b, s.weights)
		}
		var buf, again bytes.Buffer
		if _, err := m.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		raw := buf.String()
		got, err := Read(&buf)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := got.WriteTo(&again); err != nil || again.String() != raw {
			t.Errorf("read back other bytes (%v)", err)
		}
		if err := got.Merge(m); err != nil {
			t.Error(err)
		}
	})
}

func saved(t testing.TB) []byte {
	m := NewCoMoments(ID{1}, ID{2})
	m.Add(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7}), mat.NewDense(3, 1, []float64{1, 0, 2}), nil)
	return encode(t, m)
}

func TestReadRefusesDamage(t *testing.T) {
	raw := saved(t)
	for cut := range raw {
		if _, err := Read(bytes.NewReader(raw[:cut])); err == nil {
			t.Fatalf("accepted the first %d of %d bytes", cut, len(raw))
		}
	}
	for i := range raw {
		bad := bytes.Clone(raw)
		bad[i] ^= 0x40
		if _, err := Read(bytes.NewReader(bad)); err == nil {
			t.Fatalf("accepted a changed byte %d", i)
		}
	}
	if _, err := Read(strings.NewReader("id,x\n1,2\n and so on")); err == nil || !strings.Contains(err.Error(), "not a file of moments") {
		t.Errorf("a CSV file gives %v", err)
	}
}

// FuzzRead looks for a panic or co-moments that cannot be used. The checksum of each input is mended
// first, or nothing would get past it.
func FuzzRead(f *testing.F) {
	f.Add(saved(f))
	f.Add(encode(f, NewCoMoments(ID{}, ID{})))
	f.Add(encode(f, Mixed.NewCoMoments(ID{}, ID{})))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) >= sha256.Size {
			body := raw[:len(raw)-sha256.Size]
			sum := sha256.Sum256(body)
			raw = append(bytes.Clone(body), sum[:]...)
		}
		m, err := Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		if err := m.Merge(m); err == nil && m.Weight() > 0 {
			m.LeftTo(new(mat.SymDense), true)
		}
		encode(t, m)
	})
}
