//go:build !unix

package main

import "time"

// processorTime returns the time since the process started, where its processor time is not known.
func processorTime() time.Duration { return time.Since(started) }
