// Package bounds checks the settings of exported structs. Errors name the field, what it is and what it may be.
package bounds

import (
	"fmt"
	"math"
)

// Penalty returns an error unless v is finite and at least 0.
func Penalty(field string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s is %g, must be finite and at least 0", field, v)
	}
	return nil
}

// Count returns an error unless n is at least 0.
func Count(field string, n int) error {
	if n < 0 {
		return fmt.Errorf("%s is %d, must be at least 0", field, n)
	}
	return nil
}

// Enum returns an error unless v is one of several values, which known names.
func Enum[T comparable](field string, v T, known string, values ...T) error {
	for _, o := range values {
		if v == o {
			return nil
		}
	}
	return fmt.Errorf("%s is %v, must be %s", field, v, known)
}

// First returns the first error.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Validated returns the error of v's own Validate, if it has one, and one that names it if it is nil.
func Validated(name string, v any) error {
	switch v := v.(type) {
	case nil:
		return fmt.Errorf("%s is nil", name)
	case interface{ Validate() error }:
		return v.Validate()
	}
	return nil
}

// Field names the field whose own check failed.
func Field(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
