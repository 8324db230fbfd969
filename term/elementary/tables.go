package elementary

// Tables are what the functions read, for code that evaluates them for many numbers at once,
// with the same bits. Each pointer is to the first word of the first entry. The tables are
// not to be modified.
type Tables struct {
	Exp     *uint64    // 128 entries: the bits of 2^(i/128), and what rounding it leaves, a float64
	Log     *float64   // 128 entries of three numbers
	Sine    *float64   // 128 entries of four numbers: hi, lo, unit, rest
	Tanh    *float64   // 641 entries: tanh(i/32) in two numbers
	Sigmoid *float64   // 1281 entries: sigmoid((i−640)/16) in two numbers
	Ln2     [2]float64 // log 2/128, in two numbers
	Angle   [3]float64 // π/64, in three numbers
}

// AllTables returns the tables.
func AllTables() Tables {
	return Tables{
		Exp: &expTable[0].bits, Log: &logTable[0].inverse, Sine: &sineTable[0].hi,
		Tanh: &tanhTable[0].hi, Sigmoid: &sigmoidTable[0].hi,
		Ln2: [2]float64{ln2Hi, ln2Lo}, Angle: [3]float64{angleHi, angleMid, angleLo},
	}
}
