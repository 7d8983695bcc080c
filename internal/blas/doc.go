// Package blas holds the matrix kernels that everything else spends its time in: products, symmetric
// rank-k updates, Cholesky factors and triangular solves.
//
// A product is cut into blocks that fit the caches, its factors are packed into slivers in the order
// in which the micro-kernel of package asm reads them, and the rest is reduced to products, triangular
// solves by recursion and Cholesky factors by tiles [Goto and van de Geijn, Anatomy of high-performance
// matrix multiplication, ACM TOMS 34, 2008; Van Zee and van de Geijn, BLIS: a framework for rapidly
// instantiating BLAS functionality, ACM TOMS 41, 2015].
//
// Products in mixed precision (MixedSyrk, MixedGemm) have operands packed as float32s beforehand (Single), sums of 256 products in
// float32, and C in float64.
//
// Symmetric and triangular matrices are upper ones, row-major, as in gonum: A = U'U. The strictly
// lower part of a symmetric argument is never read and may be overwritten. Block sizes that a result
// depends on are constants, so results do not depend on the number of threads or, where the processor
// has fused multiply-adds, on the processor.
//
// # Glossary
//
// The letters of the BLAS, and of the literature on blocks with what they are called here:
//
//	m, n, k      C = A B has m rows and n columns, each element a sum of k products: A is m×k, B is k×n
//	lda          leading dimension: the distance from a row of A to the next in memory (Stride); ldb, ldc likewise
//	mr, nr       shape of the tile of C that the micro-kernel keeps in registers: asm.Rows × asm.Cols, 8×24
//	kc           depth of a block: products that are added up in registers before C is touched (depthBlock, 256)
//	mc, nc       rows of A and columns of B that stay in the second cache while a tile of C is formed
//	             (tileRows and tileCols, 192 and 240); what is packed at a time is larger (span)
//	sliver       mr rows of A, or nr columns of B, kc deep, packed as the micro-kernel reads them; a micro-panel in BLIS
//	stage        the products of one block of kc terms
//	tile         a block of C, or of a triangular factor, that is formed as a whole
package blas
