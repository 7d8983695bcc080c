package problem

// SumPrivatelyFrom is Plan.SumPrivately with a source of random numbers.
var SumPrivatelyFrom = Plan.sumPrivately
