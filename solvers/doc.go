// Package solvers turns moments into the coefficients of 2Step-RR and Joint-RR.
//
// A [System] is built from the two [moments.CoMoments] of S_X and S_Y and solves for any penalties and any weight w; no rows
// are needed. With A, B, C the moments of S_X and D, E those of S_Y (docs/design.md), centred when there are intercepts,
//
//	alpha = (A + lambda_f I)⁻¹ B beta
//	beta  = (D + lambda_h I + (1-w)/w [C - B'(A + lambda_f I)⁻¹ B])⁻¹ E
//
// No inverse is formed and nothing but the penalty is added to a diagonal. A
// matrix that is singular to rounding gets the minimum-norm solution, and its rank is reported.
package solvers
