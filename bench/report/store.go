package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/lang/load"
)

// Store is a file of rows. Of two rows for one point the later counts. A Store may be used by
// several goroutines.
type Store struct {
	path string
	mu   sync.Mutex
	file *os.File // to append to
	held *os.File // the lock on the folder
	rows map[key]Row
}

// Open reads the store at path, and makes it and its folder if they aren't there. A last
// line that was not written to its end is dropped. It is an error if another process has it open, or this
// one: both would write, and one would lose what the other compacts.
func Open(path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	held, err := lock(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, held: held}
	if err := s.read(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Read reads the store at path; it can't be appended to. A file that isn't there has no rows.
func Read(path string) (*Store, error) {
	s := &Store{path: path}
	return s, s.read()
}

// read reads the rows, and cuts off a last line that is torn.
func (s *Store) read() error {
	s.rows = map[key]Row{}
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	number := 0
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			return os.Truncate(s.path, int64(len(text)-len(line)))
		}
		number++
		var r Row
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("%s:%d: this is not a row of results: %w", s.path, number, err)
		}
		s.rows[r.key()] = r
	}
	return nil
}

// Append writes a row, whole, and waits until it is on the disk.
func (s *Store) Append(r Row) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return err
	}
	s.rows[r.key()] = r
	return s.file.Sync()
}

// Close closes the file.
func (s *Store) Close() error {
	var errs []error
	for _, f := range []*os.File{s.file, s.held} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Rows returns all rows, by claim, series and size.
func (s *Store) Rows() []Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.rows), compareRows)
}

// Compact replaces the file by one in order that has the rows that keep wants. It is
// written beside the old one and put in its place whole.
func (s *Store) Compact(keep func(Row) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.rows, func(_ key, r Row) bool { return !keep(r) })
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, r := range slices.SortedFunc(maps.Values(s.rows), compareRows) {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	if err := writeFile(s.path, text.Bytes()); err != nil {
		return err
	}
	old := s.file
	var err error
	if s.file, err = os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0o666); err != nil {
		return err
	}
	return old.Close()
}

// writeFile writes a file whole or not at all: beside its place first, and then renamed.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// find returns the row of a point that the build measured; any build's if that is "".
func (s *Store) find(k key, build string) (Row, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[k]
	return r, ok && (build == "" || r.Build == build)
}

// Row is one measurement as it is kept.
type Row struct {
	Claim  int    `json:"claim"`
	Series string `json:"series"`
	bench.Measurement
	Computer *Computer `json:"computer,omitempty"` // where a time was taken
	// Run is when the run began that compared it with its peers; "" of a claim's rows.
	Run string `json:"run,omitempty"`
	// Build is the program that measured it.
	Build string `json:"build"`
}

// key identifies a row.
type key struct {
	claim  int
	series string
	size   int
}

func (r *Row) key() key { return key{r.Claim, r.Series, r.Size} }

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Claim, b.Claim), cmp.Compare(a.Series, b.Series), cmp.Compare(a.Size, b.Size))
}

// check reports numbers that are not finite.
func (r *Row) check() error {
	numbers := map[string]float64{"x": r.X, "y": r.Y, "the interval's low end": r.Low, "the interval's high end": r.High}
	maps.Copy(numbers, r.More)
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if v := numbers[name]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v", name, v)
		}
	}
	return nil
}

// Build names the program that is running: its version, the release of Go, and the
// beginning of a hash of the executable.
func Build(version string) (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	hash := sha256.Sum256(program)
	return fmt.Sprintf("%s %s %x", version, runtime.Version(), hash[:8]), err
}

// Computer is where times were taken.
type Computer struct {
	System    string `json:"system"`    // GOOS/GOARCH
	Cores     int    `json:"cores"`     // logical ones that the process may use
	Processor string `json:"processor"` // its model; "" if unknown
	Go        string `json:"go"`
}

// ThisComputer describes the computer that the process runs on.
func ThisComputer() Computer {
	c := Computer{System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		c.Processor = processor(string(text))
	}
	return c
}

// processor is the model in the text of Linux's /proc/cpuinfo.
func processor(text string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

func (c Computer) String() string {
	cores := load.Counted(c.Cores, "core")
	if c.Processor != "" {
		cores += " of " + c.Processor
	}
	return fmt.Sprintf("%s, %s, %s", cores, c.System, c.Go)
}
