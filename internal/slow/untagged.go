//go:build !slow

package slow

const tagged = false
