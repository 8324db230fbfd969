package main

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/limits"
)

// cacheFlags are the flags of the cache of the strategy modular.
type cacheFlags struct {
	off  bool
	size command.Size
}

func (f *cacheFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.off, "no-cache", false,
		"normalise every function, also one that was met before; nothing but times and\nmemory depends on it")
	fs.Var(&f.size, "cache-size",
		"keep at most a `size` of normalised functions: 512K, 64MiB\n(default: "+limits.Size(modular.DefaultSize)+", "+
			"or an eighth of --max-memory if that is less)")
}

// check reports flags that contradict each other or the strategy.
func (f *cacheFlags) check(s gram.Strategy) error {
	return cmp.Or(
		command.Misfit(f.off && f.size != 0, "--cache-size is for the cache, and --no-cache says that there is none"),
		command.Misfit(f.off && s != gram.Modular,
			"--no-cache is for --strategy modular, and --strategy %s keeps nothing", s),
		command.Misfit(f.size != 0 && s != gram.Modular,
			"--cache-size is for --strategy modular, and --strategy %s keeps nothing", s),
		command.Misfit(uint64(f.size) > modular.MaxSize, "--cache-size must be at most %s", limits.Size(modular.MaxSize)),
	)
}

// openCache makes the cache of the process if the strategy uses it.
func (a *app) openCache(f *runFlags) (err error) {
	if a.Cache != nil || f.cache.off || f.strategy.Is != gram.Modular {
		return nil
	}
	most := uint64(f.cache.size)
	if most == 0 {
		most = modular.DefaultSize
		if m := uint64(f.MaxMemory); m != 0 {
			most = max(1, min(most, m/8))
		}
	}
	a.Cache, err = gram.NewCache(most)
	return err
}
