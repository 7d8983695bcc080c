// Package losses has Bregman divergences, the losses whose expectation is least at a conditional mean.
//
// A convex potential F gives the loss
//
//	d(y, f) = F(y) - F(f) - <F'(f), y - f>   >= 0
//
// of a prediction f of y. It is affine in y but for F(y), so that the expected loss needs no more of Y given X than its mean, and E d(Y, f) is
// least at f = E Y for every F (Banerjee, Guo and Wang, IEEE Transactions on Information Theory 51, 2005). Squared error, the log loss of
// classes and Poisson deviance are such losses; any type with the methods of Loss is one more.
package losses
