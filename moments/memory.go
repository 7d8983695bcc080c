package moments

// Bytes is the size in bytes of co-moments of p and q columns, or of the sums of products in one.
func Bytes(p, q float64) float64 { return 8 * (p*p + p*q + q*q + 2*(p+q)) }

// TotalBytes is the size in bytes of a Total of p and q columns once it is of several parts.
func TotalBytes(p, q float64) float64 { return 16 * (1 + p + q + p*(p+1)/2 + p*q + q*(q+1)/2) }

// InnerBytes is the size in bytes that Inner needs beside the forms, for co-moments of p and q columns and that many
// outputs: the products of a triangle with both forms, twice where outputs are few, and a block of the triangle.
func InnerBytes(p, q, outputs float64) float64 { return 8 * (4*max(p, q)*outputs + 1<<16) }
