package bench

import "time"

// leastTime is how long something runs at least until its time is taken; the programs of peers
// have the same.
const leastTime = 10 * time.Millisecond

// TimeOf runs a function once, and then until some time has passed: it returns the mean of
// those runs.
func TimeOf(run func() error) (time.Duration, error) {
	if err := run(); err != nil {
		return 0, err
	}
	start, runs := time.Now(), 0
	for ; runs == 0 || time.Since(start) < leastTime; runs++ {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(runs), nil
}
