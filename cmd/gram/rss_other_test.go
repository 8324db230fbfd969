//go:build !linux || race

package main

import (
	"os"
	"time"
)

// timeOfProcess reports that nothing is known.
func timeOfProcess(int) time.Duration { return 0 }

// peakMemory reports that nothing is known: the race detector takes memory of its own, and
// other systems count otherwise.
func peakMemory(*os.ProcessState) (uint64, bool) { return 0, false }

// forgetPeak does nothing: no peak is read.
func forgetPeak() {}
