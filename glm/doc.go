// Package glm fits generalised linear models on features by penalised convex minimisation: f(x) = mean(coef'phi(x) + intercept), where mean is the inverse of
// the canonical link of a Bregman divergence, such as softmax for the log loss of classes and exp for Poisson deviance.
//
// It reads the rows once for each step. Newton's method is used where its system is small, and a quasi-Newton method elsewhere.
package glm
