// Package blas holds the matrix kernels that everything else spends its time in: products, symmetric
// rank-k updates, Cholesky factors and triangular solves.
//
// A product is cut into blocks that fit the caches, its factors are packed into slivers in the order
// in which the micro-kernel of package asm reads them, and the rest is reduced to products, triangular
// solves by recursion and Cholesky factors by tiles [Goto and van de Geijn, Anatomy of high-performance
// matrix multiplication, ACM TOMS 34, 2008; Van Zee and van de Geijn, BLIS: a framework for rapidly
// instantiating BLAS functionality, ACM TOMS 41, 2015].
//
// Symmetric and triangular matrices are upper ones, row-major, as in gonum: A = U'U. The strictly
// lower part of a symmetric argument is never read and may be overwritten. Block sizes that a result
// depends on are constants, so results do not depend on the number of threads or, where the processor
// has fused multiply-adds, on the processor.
package blas
