//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package report

import "os"

// lock does nothing here.
func lock(dir string) (*os.File, error) { return os.Open(dir) }
