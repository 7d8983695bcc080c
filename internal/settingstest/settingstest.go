// Package settingstest goes through the fields of structs of settings, to see that each value out of range is refused.
package settingstest

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// A Case is a struct of settings.
type Case[T any] struct {
	// Good is a value that Use takes.
	Good T
	// Use does what the settings are for. It must return an error for each value out of range.
	Use func(T) error
	// Legal has the fields, such as "Setup.Seed", of which every value is right: Use must then not fail.
	Legal []string
	// Signed has the numbers that may be below 0, as long as they are finite.
	Signed []string
	// Types has values to try for fields of types that this package does not know, Fields more for some field.
	Types  map[reflect.Type][]any
	Fields map[string][]any
}

// Run puts values far out of range, one at a time, into each exported field of c.Good, those of structs within it
// included. A panic of Use is a failure; one of another goroutine than the caller's ends the test.
func Run[T any](t *testing.T, c Case[T]) {
	t.Helper()
	if err := c.Use(c.Good); err != nil {
		t.Fatalf("%T as it should be: %v", c.Good, err)
	}
	tried := make(map[string]bool)
	walk(reflect.TypeOf(c.Good), "", nil, func(path string, index []int, typ reflect.Type) {
		for _, bad := range slices.Concat(wrong(typ), c.Types[typ], c.Fields[path]) {
			own := c.Good
			reflect.ValueOf(&own).Elem().FieldByIndex(index).Set(reflect.ValueOf(bad).Convert(typ))
			tried[path] = true
			panicked, err := c.call(own)
			switch legal := slices.Contains(c.Legal, path) || bad == -1. && slices.Contains(c.Signed, path); {
			case panicked != nil:
				t.Errorf("%T with %s = %v panics: %v", c.Good, path, bad, panicked)
			case err == nil && !legal:
				t.Errorf("%T with %s = %v: no error", c.Good, path, bad)
			case err != nil && legal:
				t.Errorf("%T with %s = %v: %v, which is said to be legal", c.Good, path, bad, err)
			}
		}
	})
	for _, path := range c.Legal {
		if !tried[path] {
			t.Errorf("%T: nothing is tried for %s, which is said to be legal", c.Good, path)
		}
	}
	for path := range c.Fields {
		if !tried[path] {
			t.Errorf("%T has no field %s", c.Good, path)
		}
	}
}

func (c Case[T]) call(v T) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, c.Use(v)
}

// walk calls do for each exported field that is no struct of exported fields itself.
func walk(typ reflect.Type, path string, index []int, do func(path string, index []int, typ reflect.Type)) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		name, at := path+f.Name, append(slices.Clone(index), i)
		if f.Type.Kind() == reflect.Struct && f.Type.NumField() > 0 && f.Type.Field(0).IsExported() {
			walk(f.Type, name+".", at, do)
			continue
		}
		do(name, at, f.Type)
	}
}

// wrong are values of a kind that next to no setting may have.
func wrong(typ reflect.Type) []any {
	switch typ.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int32:
		return []any{-1, math.MinInt32}
	case reflect.Float64:
		return []any{-1., math.NaN(), math.Inf(1), math.Inf(-1)}
	case reflect.String:
		return []any{"\x00 nothing of this name"}
	case reflect.Uint64:
		return []any{uint64(math.MaxUint64)}
	}
	return nil
}
