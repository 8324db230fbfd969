package term

// DifferenceWork returns how many elementary operations [Difference] takes.
func DifferenceWork(t, u *Term, opt EquivOptions) (string, int) {
	return difference(t, u, opt)
}
