// Package rowops holds what encoders and feature maps do to rows of dense and sparse matrices: views, copies, blocks and
// compressed rows.
package rowops
