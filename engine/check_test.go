package engine

// Checking tells the tests whether the assertions are on.
const Checking = checking
