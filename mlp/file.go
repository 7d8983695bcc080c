package mlp

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"mediant/losses"
	"mediant/rr"
)

var _ rr.Storer = (*network)(nil)

// networkKind is what model files call a network.
const networkKind = "network"

// networkHeader is a network but for its parameters.
type networkHeader struct {
	Widths []int  `json:"widths"` // of the input, of each hidden layer, of the output
	Output string `json:"output"`
}

// Format is the format of networks, of Learner and of Joint, in model files, for mediant.Load.
func Format() rr.Format { return rr.Format{Kind: networkKind, Read: readNetwork} }

// Dims implements rr.Storer.
func (n *network) Dims() (in, out int) { return n.widths[0], n.widths[n.layers()] }

// Store implements rr.Storer.
func (n *network) Store() (kind string, header any, numbers []float64) {
	return networkKind, networkHeader{n.widths, n.output.String()}, n.theta
}

// Loss is the log loss of a network that was trained by the cross-entropy, nil for others.
func (n *network) Loss() losses.Canonical {
	if n.output == Softmax {
		return losses.Log{}
	}
	return nil
}

// String names a network for people: "network 5-20-20-20-1".
func (n *network) String() string {
	text := networkKind + " " + strings.Trim(strings.ReplaceAll(fmt.Sprint(n.widths), " ", "-"), "[]")
	if n.output != Identity {
		text += ", " + n.output.String()
	}
	return text
}

func readNetwork(text json.RawMessage, numbers []float64) (rr.Storer, error) {
	var h networkHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, err
	}
	n := &network{widths: h.Widths, theta: numbers}
	if len(h.Widths) < 2 {
		return nil, fmt.Errorf("a network of %d layers, want at least 2 with that of the input", len(h.Widths))
	}
	for l, width := range h.Widths {
		if width < 1 || width > math.MaxInt32 { // so that start cannot overflow before it is beyond all numbers
			return nil, fmt.Errorf("layer %d has %d units, want at least 1", l, width)
		}
		if at := n.start(l); at > len(numbers) {
			return nil, fmt.Errorf("the first %d layers have %d parameters, of %d", l, at, len(numbers))
		}
	}
	if want := n.start(n.layers()); want != len(numbers) {
		return nil, fmt.Errorf("%d parameters, want %d", len(numbers), want)
	}
	o := slices.Index(outputNames, h.Output)
	if o < 0 {
		return nil, fmt.Errorf("output %q, want one of %s", h.Output, strings.Join(outputNames, ", "))
	}
	n.output = Output(o)
	return n, nil
}
