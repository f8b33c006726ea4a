// SPDX-License-Identifier: Apache-2.0

package pulse

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The kernel's own sums, which are asked for once by all pulses of the process.
var processors struct {
	sync.Mutex
	at          time.Time
	had, waited time.Duration
	known       bool
}

// ofProcessors is what the threads of the process have had of the processors, and how long they have waited for one. A kernel may not
// say so (proc_pid_schedstat, CONFIG_SCHED_INFO).
func ofProcessors(now time.Time) (had, waited time.Duration, known bool) {
	processors.Lock()
	defer processors.Unlock()
	if now.Sub(processors.at) < sampled/2 {
		return processors.had, processors.waited, processors.known
	}
	processors.at = now
	threads, err := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		h, w, err := readSchedstat(filepath.Join("/proc/self/task", thread.Name(), "schedstat"))
		if err != nil {
			continue // the thread has ended
		}
		had, waited = had+h, waited+w
	}
	processors.had, processors.waited, processors.known = had, waited, err == nil && had > 0 && waited > 0
	return processors.had, processors.waited, processors.known
}

// readSchedstat reads the file of a thread: nanoseconds on a processor, nanoseconds waited for one, and how often it was on one.
func readSchedstat(name string) (had, waited time.Duration, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 200)) // three numbers
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, 0, os.ErrInvalid
	}
	ran, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0, 0, err
	}
	queued, err := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(ran), time.Duration(queued), err
}
