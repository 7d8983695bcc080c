package kernels

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// A Registration describes the kernels of type K to Describe, Desc.New, ByName and the bandwidth rules. Name,
// Describe and Restore must be set. Two descriptions are of one kernel if they are equal, and a kernel and the one of
// its description are the same to the last bit.
//
// A kernel may have these optional methods: Parts() []Kernel or Part() Kernel, the kernels it is
// made of; Width() int, the least number of columns of rows; CheckRows(x mat.Matrix) error, the *RowError of the first entry that it
// cannot take; String() string, its name for people.
type Registration[K Kernel] struct {
	// Name is what ByName and descriptions call the kernels.
	Name string
	// Parameters are names, in help, of the numbers that follow in names of kernels, each after a colon: "rq:ALPHA".
	Parameters []string
	// Aliases are names of some kernels, with their parameters. Descriptions may have them too.
	Aliases map[string][]float64
	// New makes a kernel for ByName from the values of Parameters; nil: ByName does not make kernels of this type.
	New func(parameters []float64, bandwidth float64) (K, error)
	// Bandwidth is the rule that suits the kernels where no bandwidth is set, such as Median; nil: they have none.
	Bandwidth func(x mat.Matrix, src rand.Source) (bandwidth float64, note string)
	// Bandwidths is the rule for a kernel of each column alone; nil: Bandwidth of one column after the other.
	Bandwidths func(x mat.Matrix, src rand.Source) (bandwidths []float64, note string)
	// Describe returns the description of k but for its parts, and its kind if that is Name. The error says that k is a zero value.
	Describe func(k K) (Desc, error)
	// Restore makes the kernel of a description, which may come from a damaged file.
	Restore func(d Desc) (K, error)
}

// Register makes the kernels of type K known under their names, for descriptions and model files too. It is to be called before any use of
// them, in an init function say. It panics if a name or the type is registered already, a name has a colon or space or is empty, or what
// must be set is not.
func Register[K Kernel](r Registration[K]) {
	if r.Describe == nil || r.Restore == nil {
		panic("kernels: register: " + r.Name + " without Describe or Restore")
	}
	var zero K
	e := &entry{
		name: r.Name, zero: zero, parameters: r.Parameters, aliases: r.Aliases, bandwidth: r.Bandwidth, bandwidths: r.Bandwidths,
		describe: func(k Kernel) (Desc, error) { return r.Describe(k.(K)) },
		restore:  func(d Desc) (Kernel, error) { return orNil(r.Restore(d)) },
	}
	if r.New != nil {
		e.make = func(p []float64, bandwidth float64) (Kernel, error) { return orNil(r.New(p, bandwidth)) }
	}
	registry.add(reflect.TypeFor[K](), e)
}

// orNil is no kernel where there is an error.
func orNil[K Kernel](k K, err error) (Kernel, error) {
	if err != nil {
		return nil, err
	}
	return k, nil
}

// An entry is a Registration of any type.
type entry struct {
	name       string
	zero       Kernel
	parameters []string
	aliases    map[string][]float64
	make       func(parameters []float64, bandwidth float64) (Kernel, error)
	bandwidth  func(x mat.Matrix, src rand.Source) (float64, string)
	bandwidths func(x mat.Matrix, src rand.Source) ([]float64, string)
	describe   func(k Kernel) (Desc, error)
	restore    func(d Desc) (Kernel, error)
}

// A table holds the entries by name, aliases too, and by type.
type table struct {
	sync.RWMutex
	byName map[string]*entry
	byType map[reflect.Type]*entry
}

var registry = table{byName: make(map[string]*entry), byType: make(map[reflect.Type]*entry)}

func (t *table) add(of reflect.Type, e *entry) {
	t.Lock()
	defer t.Unlock()
	if t.byType[of] != nil || of.Kind() == reflect.Interface {
		panic(fmt.Sprintf("kernels: register: %s: %v is registered already, or an interface", e.name, of))
	}
	names := append(slices.Collect(maps.Keys(e.aliases)), e.name)
	for _, name := range names {
		if t.byName[name] != nil || name == "" || strings.ContainsAny(name, ": \t\n") {
			panic(fmt.Sprintf("kernels: register: the name %q is registered already, or no name", name))
		}
	}
	for _, name := range names {
		t.byName[name] = e
	}
	t.byType[of] = e
}

// named returns the entry of a name without parameters, nil if there is none.
func (t *table) named(name string) *entry {
	t.RLock()
	defer t.RUnlock()
	return t.byName[name]
}

// of returns the entry of the type of k, nil if there is none.
func (t *table) of(k Kernel) *entry {
	t.RLock()
	defer t.RUnlock()
	return t.byType[reflect.TypeOf(k)]
}

// Names lists what ByName knows, sorted, with names for parameters: "rq:ALPHA". Those of types whose zero value keep, if it is not nil,
// does not report are left out.
func Names(keep func(k Kernel) bool) []string {
	registry.RLock()
	defer registry.RUnlock()
	var list []string
	for name, e := range registry.byName {
		if e.make == nil || keep != nil && !keep(e.zero) {
			continue
		}
		if _, alias := e.aliases[name]; !alias {
			name = strings.Join(append([]string{name}, e.parameters...), ":")
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// find reads a name. Parameters are read in their shortest spelling alone: a kernel has one name.
func find(name string) (e *entry, parameters []float64, err error) {
	head, rest, more := strings.Cut(name, ":")
	e = registry.named(head)
	if e == nil || e.make == nil {
		return nil, nil, noKernel(name)
	}
	var texts []string
	if more {
		texts = strings.Split(rest, ":")
	}
	fixed, alias := e.aliases[head]
	switch {
	case alias && !more:
		return e, fixed, nil
	case alias || len(texts) != len(e.parameters):
		return nil, nil, noKernel(name)
	}
	for _, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || strconv.FormatFloat(v, 'g', -1, 64) != text {
			return nil, nil, noKernel(name)
		}
		parameters = append(parameters, v)
	}
	return e, parameters, nil
}

func noKernel(name string) error {
	list := Names(nil)
	return fmt.Errorf("kernels: no kernel is called %q; there are %s and %s", name, strings.Join(list[:len(list)-1], ", "), list[len(list)-1])
}
