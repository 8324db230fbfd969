//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package report

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes from writing rows in the folder, until the file that it
// returns is closed or the process ends.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		err = fmt.Errorf("another run writes results into %s", dir)
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
		return f, nil // a file system without locks
	}
	return nil, errors.Join(err, f.Close())
}
