// Package fault carries an error out of a call that returns none: a feature map within a pass over a table.
package fault

// A fault is an error on its way to Recover.
type fault struct{ error }

// Panic ends the calls up to the deferred Recover with the error.
func Panic(err error) { panic(fault{err}) }

// Recover, deferred, stores the error of Panic in err. Other panics go on.
func Recover(err *error) {
	switch value := recover().(type) {
	case nil:
	case fault:
		*err = value.error
	default:
		panic(value)
	}
}
