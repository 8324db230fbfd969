package equiv

// DifferenceWork is difference, for tests.
var DifferenceWork = difference
