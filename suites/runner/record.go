// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Bounds of the evidence of one test.
const (
	mostShown   = 64 << 10 // of a body in the report
	mostEntries = 5000
	mostKept    = 1 << 20  // of all bodies; beyond it only the beginning of a body is kept
	mostOfRow   = 1 << 20  // of all bodies in the report
	mostOfRun   = 16 << 20 // of all bodies of all tests in the report; the others are told by length and digest
	keptBegin   = mostShown + 4<<10

	mostEntriesOfRun = 50_000 // in the report; of tests that exceed it
	fewEntries       = 200    // are shown, the first and the last ones
)

// A shown counts the bytes of bodies, and the entries, that the report shows.
type shown struct {
	atomic.Int64
	entries atomic.Int64
}

// most says how many of so many entries there is room for.
func (s *shown) most(n int) int {
	if n <= fewEntries || s.entries.Add(int64(n)) <= mostEntriesOfRun {
		return n
	}
	s.entries.Add(-int64(n))
	return fewEntries
}

// room takes so many bytes of the room that is left, and says whether there was as much.
func (s *shown) room(n int) bool {
	if s.Add(int64(n)) <= mostOfRun {
		return true
	}
	s.Add(-int64(n))
	return false
}

// left is how much room there is.
func (s *shown) left() int { return int(max(0, mostOfRun-s.Load())) }

// A recorder keeps what passed between harness and target while one row of a test is played. It keeps references; text
// is made of them only when somebody wants to read the evidence.
type recorder struct {
	mu      sync.Mutex
	began   time.Time
	entries []entry
	kept    int
	dropped int
}

type entry struct {
	at           time.Duration
	kind, actor  string
	head, header string
	sent         []suites.Header // of a request
	got          http.Header     // of an answer
	body         []byte
	size         int64  // full length of the body
	digest       string // of the full body, when only its beginning was kept
}

func (r *recorder) add(e entry) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e.at = time.Since(r.began)
	if len(r.entries) >= mostEntries {
		r.dropped++
		return
	}
	if r.kept+len(e.body) > mostKept && len(e.body) > keptBegin {
		e.digest = digest(e.body)
		e.body = slices.Clone(e.body[:keptBegin])
	}
	r.kept += len(e.body)
	r.entries = append(r.entries, e)
}

// record keeps one thing that passed between harness and target. kind is one of report.Evidence's; head is one line.
// Secrets may be in it: they are taken out before anything is shown. body must not change afterwards.
func (r *recorder) record(kind, actor, head, header string, body []byte) {
	r.add(entry{kind: kind, actor: actor, head: head, header: header, body: body, size: int64(len(body))})
}

// recordExchange keeps a request and its answer.
func (r *recorder) recordExchange(x *target.Exchange) {
	r.recordRequest(x.Request)
	r.recordAnswer(x)
}

func (r *recorder) recordRequest(q *target.Request) {
	r.add(entry{kind: "request", actor: q.Actor, head: q.Method + " " + q.URL, sent: q.Header, body: q.Body, size: int64(len(q.Body))})
}

func (r *recorder) recordAnswer(x *target.Exchange) {
	if x.Status != 0 {
		r.add(entry{kind: "response", actor: x.Request.Actor, head: x.Line, got: x.Header, body: x.Body, size: int64(len(x.Body))})
	}
	if x.Problem != "" {
		r.record("note", x.Request.Actor, x.Problem, "", nil)
	}
}

// evidence is what was recorded, for a report.
func (r *recorder) evidence(hidden *secrets.Redactor, row string, run *shown) []report.Evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []report.Evidence
	if row != "" {
		all = append(all, report.Evidence{Kind: "note", Head: hidden.Clean("case: " + row)})
	}
	room := mostOfRow
	most := run.most(len(r.entries))
	for i := range r.entries {
		if left := len(r.entries) - most; left > 0 && i >= most/2 && i < most/2+left {
			if i == most/2 {
				all = append(all, report.Evidence{AtMS: r.entries[i].at.Milliseconds(), Kind: "note",
					Head: fmt.Sprintf("%d entries are left out: the report has too many", left)})
			}
			continue
		}
		e := &r.entries[i]
		long := min(len(e.body), mostShown) > min(room, run.left()) // it takes time to look for secrets in what is not shown
		shown := e.shown(hidden, !long)
		if room -= len(shown.Body); long || shown.Body != "" && (room < 0 || !run.room(len(shown.Body))) {
			shown.SHA256 = cmp.Or(shown.SHA256, digest(e.body))
			shown.Body, shown.Binary = "", false
		}
		all = append(all, shown)
	}
	if r.dropped > 0 {
		all = append(all, report.Evidence{Kind: "note", Head: fmt.Sprintf("%d more entries were not kept", r.dropped)})
	}
	return all
}

// shown is an entry as reports show it, with or without its body.
func (e *entry) shown(hidden *secrets.Redactor, body bool) report.Evidence {
	shown := report.Evidence{AtMS: e.at.Milliseconds(), Actor: e.actor, Kind: e.kind, Head: plaintext.OneLine(hidden.Clean(e.head)),
		BodyBytes: e.size}
	var lines []string
	for _, h := range e.sent {
		lines = append(lines, plaintext.OneLine(hidden.Header(h.Name, h.Value)))
	}
	for _, name := range slices.Sorted(maps.Keys(e.got)) {
		for _, value := range e.got[name] {
			lines = append(lines, plaintext.OneLine(hidden.Header(name, value)))
		}
	}
	for line := range strings.SplitSeq(e.header, "\n") {
		if name, value, found := strings.Cut(strings.TrimRight(line, "\r"), ":"); found {
			lines = append(lines, plaintext.OneLine(hidden.Header(name, strings.TrimSpace(value))))
		} else if line != "" {
			lines = append(lines, plaintext.OneLine(hidden.Clean(line)))
		}
	}
	shown.Header = strings.Join(lines, "\n")
	if len(shown.Header) > mostShown {
		shown.Header = strings.ToValidUTF8(shown.Header[:mostShown], "") + "\n[cut]"
	}
	if !body {
		shown.SHA256 = e.digest
		return shown
	}
	shown.Body, shown.Binary = plaintext.Printable(hidden.Clean(string(e.body[:min(len(e.body), keptBegin)])))
	if len(shown.Body) > mostShown || len(e.body) > keptBegin || e.digest != "" {
		shown.Body = strings.Clone(strings.ToValidUTF8(shown.Body[:min(len(shown.Body), mostShown)], ""))
		if shown.SHA256 = e.digest; shown.SHA256 == "" {
			shown.SHA256 = digest(e.body)
		}
	}
	return shown
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
