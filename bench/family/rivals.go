package family

// The examples by which papers on other methods show what these cost.
var (
	// Doubled has 2ⁿ paths to its input: Smeding and Vákár, and Krawiec et al., on dual numbers.
	Doubled = written("doubled", lets("x", "z{i-1} + z{i-1}")).ground()
	// Projections reads each component of a tuple of n numbers: Vákár and Smeding, on CHAD.
	Projections = written("projections", text("input x = 0.5\nlet v = vec i < {n} -> sin x in\nsum i < {n} -> v.(i)\n"))
)
