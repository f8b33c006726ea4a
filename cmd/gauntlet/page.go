// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// passesBesideTheCard are, by server, the tests that may pass where the card alone is as it should be, besides those of
// the card: what they ask for is what the server does.
var passesBesideTheCard = map[string][]string{
	// An attach is answered with 101; PTY-014 is a MAY.
	"101 to everything":               {"PTY-001", "PTY-014"},
	"a gigabyte unpacked, behind 101": {"PTY-001", "PTY-014"},
	// The list of tasks, below the URL that the card declares, is a list.
	"an echo of what was sent": {"CARD-011"},
	"numbers without end":      {"CARD-011"},
	// Every message is answered with a task, each time with the same one, and so it is in the list.
	"JSON that acts": {"CARD-011", "IDEM-00[1458]", "IDEM-01[02]", "EXT-002", "TEN-006", "V1-009", "TASK-016"},
	"members twice":  {"IDEM-00[1458]", "IDEM-01[02]", "EXT-002", "TEN-006", "V1-009"},
}

// page is the table of all runs, as a document.
func page(rows []row, how manner, jobs int) string {
	var b strings.Builder
	b.WriteString(`# Robustness

How the program handles a target that is broken, overloaded or hostile. Each row is one run of the built program, as a
separate process, against one server of [fixtures/gauntlet](../fixtures/gauntlet): the verdict and exit code, how many
tests passed, the peak memory, and the time from start to end, including reports. If a server misbehaves in some
answers only, the others come from the reference executor behind it.

`)
	fmt.Fprintf(&b, "Written by `make robustness` with `%s` in addition to the address, the credentials and `-v`; %s/%s,\n%d processors, %s; %d at a time, servers and executors on the same machine.\n\n",
		strings.Join(append([]string{"--max-time", how.limit.String()}, how.args...), " "), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), jobs)
	fmt.Fprintf(&b, `In every run:

- The program ended by itself, at most ten seconds after its --max-time, with the exit code of its verdict, and its last line agrees
  with the JSON report.
- Nothing passed that could not be measured: no test at all if no answer came from an executor; only tests of the card
  if only the card did; and otherwise only what also passes with nothing in between (the first row). If the
  operator's hook exits successfully but does nothing, what holds after a restart is judged as if there had been one (CARD-029,
  IDEM-028, RUN-017): the program believes a hook that exits successfully.
- Peak memory stayed within %d MiB.
- No token, in any usual encoding, appeared in any output, and none was sent to another host.
- The JSON report keeps its schema, the JUnit file parses and its counts are right, and the Markdown has less than 900 KiB. Nothing in any
  output that came from the target is active: no markup, no control characters, no command to a CI system.

`, maxMemory>>10)
	place := ""
	for _, r := range rows {
		if p := string(r.server.Place); p != place {
			place = p
			fmt.Fprintf(&b, "\n## Where it misbehaves: %s\n\n| What the server does | Verdict | Exit | Passed | Peak memory | Time |\n|---|---|---:|---:|---:|---:|\n", place)
		}
		wrong := ""
		if n := len(r.complaints); n > 0 {
			wrong = fmt.Sprintf(" (%d complaints)", n)
		}
		fmt.Fprintf(&b, "| %s | %s%s | %d | %d | %d MiB | %s |\n", r.server.Name, r.verdict, wrong, r.code, r.passed, r.memory>>10, r.took.Round(100*time.Millisecond))
	}
	return strings.Replace(b.String(), "\n\n\n", "\n\n", 1)
}
