// Package glm fits generalised linear models on features by penalised convex minimisation: f(x) = mean(coef'phi(x) + intercept), where mean is the inverse of
// the canonical link of a Bregman divergence, such as softmax for the log loss of classes and exp for Poisson deviance.
//
// It reads the rows once for each step: Newton's, or for classes a quasi-Newton one that starts from a bound of the curvature.
package glm
