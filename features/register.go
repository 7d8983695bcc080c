package features

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// A Registration describes the maps of type M to Marshal, Unmarshal, Spec and ParseSpec. Name, Marshal and Unmarshal must be set.
// A map has a method ID that is Identity.
//
// A map may have these optional methods: CheckRows(x mat.Matrix) error, the *kernels.RowError of the first
// entry that it cannot take; Fold (Folder); String() string, its name for people.
type Registration[M Map] struct {
	// Name is what Spec.Kind, ParseSpec (--phi NAME) and headers of model files call the maps.
	Name string
	// Argument is what help calls the text that follows in names of maps, after a colon (--phi NAME:ARGUMENT); "": none does.
	Argument string
	// Validate looks at Argument and Size of a Spec; nil: all are right.
	Validate func(s Spec) error
	// Fit makes the map for encoded rows, of which these are a sample: dense, or sparse (mat.RowNonZeroDoer). Equal seeds, purposes and
	// rows give equal maps; notes are for people. nil: no Spec makes the maps.
	Fit func(ctx context.Context, s Spec, rows mat.Matrix, seed uint64, purpose string) (m M, notes []string, err error)
	// Size returns the number of features of the map that Fit makes for rows of in columns; nil: it is Spec.Size, or 512 where that is 0.
	Size func(s Spec, in int) int
	// Marshal splits m into settings, which encoding/json writes, and finite numbers. It does not fail.
	Marshal func(m M) (settings any, weights []float64)
	// Unmarshal makes the map of in columns and out features from what Marshal returned; settings and weights may come from a damaged file. It may keep weights.
	Unmarshal func(in, out int, settings json.RawMessage, weights []float64) (M, error)
}

// Register makes the maps of type M known under their name, for model files too. It is to be called before any use of them, in an init
// function say. It panics if the name or the type is registered already, the name is that of a kernel with Fourier features, has a colon or space
// or is empty, or what must be set is not. Memory is reckoned with two numbers for each column and feature.
func Register[M Map](r Registration[M]) {
	if r.Marshal == nil || r.Unmarshal == nil {
		panic("features: register: " + r.Name + " without Marshal or Unmarshal")
	}
	if k, err := kernels.ByName(r.Name, 1); r.Name == "" || strings.ContainsAny(r.Name, ": \t\n") || err == nil && isSpectral(k) {
		panic(fmt.Sprintf("features: register: the name %q is that of a kernel, or no name", r.Name))
	}
	k := kind{
		name:  r.Name,
		split: func(m Map) (any, []float64) { return r.Marshal(m.(M)) },
		read: func(rd *reader, h header) (Map, error) {
			weights, err := rd.own(h)
			if err != nil {
				return nil, err
			}
			return r.Unmarshal(h.In, h.Out, h.Settings, weights)
		},
	}
	if r.Fit != nil {
		k.made = r.maker()
	}
	register[M](k)
}

// maker says how a Spec makes the maps.
func (r Registration[M]) maker() *maker {
	name := r.Name
	if r.Argument != "" {
		name += ":" + r.Argument
	}
	return &maker{
		kind: Kind(r.Name), heads: []string{r.Name}, argument: r.Argument, size: r.Size, validate: r.Validate,
		names: func() []string { return []string{name} },
		parse: func(_, rest string, more bool) (Spec, bool) {
			return Spec{Kind: Kind(r.Name), Argument: rest}, more == (rest != "")
		},
		bytes: func(_ Spec, z Size) float64 { return 8 * 2 * float64(z.In) * float64(z.Features) },
		fit: func(f *specFit) (Map, error) {
			m, notes, err := r.Fit(f.ctx, f.Spec, f.rows, f.seed, f.purpose)
			if err != nil {
				return nil, fmt.Errorf("features: %s: %w", f.Spec, err)
			}
			for _, note := range notes {
				f.note(note)
			}
			return m, f.checkWidth(m)
		},
	}
}

// A kind is all that there is to know of the maps of one type: the Registration of any map, and of those of this package.
type kind struct {
	name  string                                        // in headers and messages
	read  func(r *reader, h header) (Map, error)        // makes the map of a header
	split func(m Map) (settings any, weights []float64) // of another module's map; nil: it is a stored one
	made  *maker                                        // how a Spec makes it; nil: none does
}

// A maker is how a Spec of one Kind is read, written, checked and made a map. What is nil has a default.
type maker struct {
	kind     Kind
	heads    []string                                             // of names that ParseSpec reads, up to the first colon
	names    func() []string                                      // as help lists them
	parse    func(head, rest string, more bool) (s Spec, ok bool) // of a name with that head, and what follows a colon if there is one
	write    func(s Spec) string                                  // the inverse; nil: the kind, and the argument
	takes    func(k kernels.Kernel) bool                          // the kernels that go with it; nil: it has none
	degree   bool                                                 // Spec.Degree is used
	argument string                                               // what help calls Spec.Argument; "": it is not used
	validate func(s Spec) error                                   // what else must be right
	size     func(s Spec, in int) int                             // the number of features, whatever Spec.Size is; nil: it is that
	least    func(s Spec, in int) int                             // of features, where Size is 0; nil: 512
	byRows   bool                                                 // no more features than rows
	bytes    func(s Spec, z Size) float64                         // of the map; nil: some numbers a feature
	fitBytes func(s Spec, z Size) float64                         // while it is fitted; nil: what all maps need
	useBytes func(s Spec, z Size) float64                         // of MapTo; nil: blocks of rows made dense
	fit      func(f *specFit) (Map, error)
}

// A table holds the kinds by name and by type, and the makers by Kind and by heads of names.
type table struct {
	sync.RWMutex
	byName map[string]*kind
	byType map[reflect.Type]*kind
	byKind map[Kind]*maker
	byHead map[string]*maker
}

var registry = table{
	byName: make(map[string]*kind), byType: make(map[reflect.Type]*kind), byKind: make(map[Kind]*maker), byHead: make(map[string]*maker),
}

// register adds the kind of the maps of type M.
func register[M Map](k kind) {
	registry.Lock()
	defer registry.Unlock()
	of := reflect.TypeFor[M]()
	if registry.byType[of] != nil || of.Kind() == reflect.Interface || registry.byName[k.name] != nil {
		panic(fmt.Sprintf("features: register: %q or %v is registered already, or an interface", k.name, of))
	}
	if k.made != nil {
		for _, head := range k.made.heads {
			if registry.byHead[head] != nil {
				panic(fmt.Sprintf("features: register: the name %q is registered already", head))
			}
		}
		for _, head := range k.made.heads {
			registry.byHead[head] = k.made
		}
		registry.byKind[k.made.kind] = k.made
	}
	registry.byName[k.name], registry.byType[of] = &k, &k
}

// kindOf returns the kind of a map, nil if its type is not registered.
func kindOf(m Map) *kind {
	registry.RLock()
	defer registry.RUnlock()
	return registry.byType[reflect.TypeOf(m)]
}

// kindNamed returns the kind that headers call so, nil if there is none.
func kindNamed(name string) *kind {
	registry.RLock()
	defer registry.RUnlock()
	return registry.byName[name]
}

// maker returns that of the spec's kind, one without anything if there is none.
func (s Spec) maker() *maker {
	if s.fixed != nil {
		return fixedMaker()
	}
	registry.RLock()
	defer registry.RUnlock()
	if m := registry.byKind[s.Kind]; m != nil {
		return m
	}
	return &maker{kind: s.Kind}
}

// makerOf returns the maker whose names have that head, nil if there is none.
func makerOf(head string) *maker {
	registry.RLock()
	defer registry.RUnlock()
	return registry.byHead[head]
}

// Names lists the names that ParseSpec reads, with placeholders for parameters ("matern:NU"): first auto, the default, then the others, sorted.
func Names() []string {
	registry.RLock()
	made := slices.Collect(maps.Values(registry.byKind))
	registry.RUnlock()
	var list []string
	for _, m := range made {
		list = append(list, m.names()...)
	}
	slices.Sort(list)
	return append([]string{auto}, slices.DeleteFunc(list, func(name string) bool { return name == auto })...)
}

// auto is the name of the zero Spec.
const auto = "auto"

func isSpectral(k kernels.Kernel) bool {
	_, ok := k.(kernels.Spectral)
	return ok
}
