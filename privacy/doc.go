// Package privacy has what (epsilon, delta)-differentially private sums need: how much normal noise a release wants, calibrated exactly, and samples of
// that noise from a cryptographic source, without the gaps of floating-point samples.
//
// A mechanism M is (epsilon, delta)-differentially private if P(M(D) in E) <= e^epsilon P(M(D') in E) + delta for every event E and all neighbouring tables D and D'.
// What neighbours are, and how far sums of neighbours lie apart, is for the caller to say (package problem: one row replaced).
//
// References: [Balle and Wang, Improving the Gaussian mechanism for differential privacy: analytical calibration and optimal denoising, ICML 2018];
// [Karney, Sampling exactly from the normal distribution, ACM TOMS 42, 2016]; [Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020].
package privacy
