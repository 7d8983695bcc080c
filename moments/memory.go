package moments

// Bytes is the size in bytes of co-moments of p and q columns, or of the sums of products in one.
func Bytes(p, q float64) float64 { return 8 * (p*p + p*q + q*q + 2*(p+q)) }

// TotalBytes is the size in bytes of a Total of p and q columns once it is of several parts.
func TotalBytes(p, q float64) float64 { return 16 * (1 + p + q + p*(p+1)/2 + p*q + q*(q+1)/2) }

// InnerBytes is the size in bytes that Inner needs beside the forms, for co-moments of p and q columns and that many
// outputs: a full copy of a symmetric sum and its product with one of the forms.
func InnerBytes(p, q, outputs float64) float64 {
	n := max(p, q)
	return 8 * n * (n + apart + outputs)
}
