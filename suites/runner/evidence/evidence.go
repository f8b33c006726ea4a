// SPDX-License-Identifier: Apache-2.0

// Package evidence keeps what passed between the harness and its target while one row of a test was played, and makes of it what a
// report shows: without secrets, and within bounds of a row and of the whole run. What any of it means is not its affair.
package evidence

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
	maxShown   = 64 << 10 // of a body in the report
	maxEntries = 5000
	maxKept    = 1 << 20  // of all bodies; beyond it only the beginning of a body is kept, and beyond as much again only short ones
	maxOfRow   = 1 << 20  // of all bodies in the report
	maxOfRun   = 16 << 20 // of all bodies of all tests in the report; the others are told by length and digest
	keptBegin  = maxShown + 4<<10
	alwaysKept = 1 << 10 // the length of a short one

	maxEntriesOfRun = 50_000 // in the report; of tests that exceed it
	fewEntries      = 200    // are shown, the first and the last ones
)

// A Room counts the bytes of bodies, and the entries, that the report shows.
type Room struct {
	bytes   atomic.Int64
	entries atomic.Int64
}

// most says how many of so many entries there is room for.
func (s *Room) most(n int) int {
	if n <= fewEntries || s.entries.Add(int64(n)) <= maxEntriesOfRun {
		return n
	}
	s.entries.Add(-int64(n))
	return fewEntries
}

// room takes so many bytes of the room that is left, and says whether there was as much.
func (s *Room) room(n int) bool {
	if s.bytes.Add(int64(n)) <= maxOfRun {
		return true
	}
	s.bytes.Add(-int64(n))
	return false
}

// left is how much room there is.
func (s *Room) left() int { return int(max(0, maxOfRun-s.bytes.Load())) }

// A Recorder keeps what passed between harness and target while one row of a test is played. It keeps references; text
// is made of them only when somebody wants to read the evidence.
type Recorder struct {
	Began  time.Time       // when the row began: the times of the evidence count from there
	Judged *target.Request // what the decisive finding is about; nil: there is none, or it is about something else

	mu      sync.Mutex
	entries []Entry
	kept    int
	dropped int
}

// An Entry is one thing that passed. Secrets may be in it.
type Entry struct {
	Kind, Actor string      // kind is one of report.Evidence's
	Head        string      // one line
	Got         http.Header // of an answer
	Body        []byte      // must not change any more
	Size        int64       // full length of the body

	at     time.Duration
	cited  bool            // it is what the decisive finding cites of the exchanges of other tests
	asked  *target.Request // what was sent, of it and of its answer
	header string          // lines of a header that was not taken apart
	sent   []suites.Header // of a request
	digest string          // of the full body, when only its beginning was kept
}

// Add keeps an entry that has just passed. Without a recorder it keeps nothing.
func (r *Recorder) Add(e Entry) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e.at = time.Since(r.Began)
	if len(r.entries) >= maxEntries {
		r.dropped++
		return
	}
	switch after := r.kept + min(len(e.Body), keptBegin); {
	case after > maxKept+maxOfRow && len(e.Body) > alwaysKept: // there is no room for it in the report either
		e.digest, e.Body = digest(e.Body), nil
	case r.kept+len(e.Body) > maxKept && len(e.Body) > keptBegin:
		e.digest = digest(e.Body)
		e.Body = slices.Clone(e.Body[:keptBegin])
	}
	r.kept += len(e.Body)
	r.entries = append(r.entries, e)
}

// Record keeps one thing that passed between harness and target. kind is one of report.Evidence's; head is one line.
// Secrets may be in it: they are taken out before anything is shown. body must not change afterwards.
func (r *Recorder) Record(kind, actor, head, header string, body []byte) {
	r.Add(Entry{Kind: kind, Actor: actor, Head: head, header: header, Body: body, Size: int64(len(body))})
}

// Cite keeps what the decisive finding cites of the exchanges of other tests: a line that says what that is, and its body. It is kept however much
// has been.
func (r *Recorder) Cite(head string, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := Entry{Kind: "note", Head: head, Body: body, Size: int64(len(body)), at: time.Since(r.Began), cited: true}
	r.entries = append(r.entries, e)
}

// Exchange keeps a request and its answer.
func (r *Recorder) Exchange(x *target.Exchange) {
	r.Request(x.Request)
	r.answer(x)
}

// Request keeps a request whose answer is kept by itself.
func (r *Recorder) Request(q *target.Request) {
	r.Add(Entry{Kind: "request", Actor: q.Actor, Head: q.Method + " " + q.URL, asked: q, sent: q.Header, Body: q.Body, Size: int64(len(q.Body))})
}

// About keeps an entry that is part of the answer to a request.
func (r *Recorder) About(q *target.Request, e Entry) {
	e.asked = q
	r.Add(e)
}

func (r *Recorder) answer(x *target.Exchange) {
	if x.Status != 0 {
		r.Add(Entry{Kind: "response", Actor: x.Request.Actor, Head: x.Line, asked: x.Request, Got: x.Header, Body: x.Body, Size: int64(len(x.Body))})
	}
	if x.Problem != "" {
		r.Record("note", x.Request.Actor, x.Problem, "", nil)
	}
}

// Report is what was recorded, for a report: without what is to be hidden, under the name of the row, and as far as the run has room.
func (r *Recorder) Report(hidden *secrets.Redactor, row string, run *Room) []report.Evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []report.Evidence
	if row != "" {
		all = append(all, report.Evidence{Kind: "note", Head: hidden.Clean("case: " + row)})
	}
	room := maxOfRow
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
		long := min(len(e.Body), maxShown) > min(room, run.left()) // it takes time to look for secrets in what is not shown
		shown := e.shown(hidden, !long)
		if room -= len(shown.Body); long || shown.Body != "" && (room < 0 || !run.room(len(shown.Body))) {
			shown.SHA256 = cmp.Or(shown.SHA256, digest(e.Body))
			shown.Body, shown.Binary = "", false
		}
		shown.Judged = e.cited || e.asked != nil && e.asked == r.Judged
		all = append(all, shown)
	}
	if r.dropped > 0 {
		all = append(all, report.Evidence{Kind: "note", Head: fmt.Sprintf("%d more entries were not kept", r.dropped)})
	}
	return all
}

// shown is an entry as reports show it, with or without its body.
func (e *Entry) shown(hidden *secrets.Redactor, body bool) report.Evidence {
	shown := report.Evidence{AtMS: e.at.Milliseconds(), Actor: e.Actor, Kind: e.Kind, Head: plaintext.OneLine(hidden.Clean(e.Head)),
		BodyBytes: e.Size}
	var lines []string
	for _, h := range e.sent {
		lines = append(lines, plaintext.OneLine(hidden.Header(h.Name, h.Value)))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Got)) {
		for _, value := range e.Got[name] {
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
	if len(shown.Header) > maxShown {
		shown.Header = strings.ToValidUTF8(shown.Header[:maxShown], "") + "\n[cut]"
	}
	if !body {
		shown.SHA256 = e.digest
		return shown
	}
	shown.Body, shown.Binary = plaintext.Printable(hidden.Clean(string(e.Body[:min(len(e.Body), keptBegin)])))
	if len(shown.Body) > maxShown || len(e.Body) > keptBegin || e.digest != "" {
		shown.Body = strings.Clone(strings.ToValidUTF8(shown.Body[:min(len(shown.Body), maxShown)], ""))
		if shown.SHA256 = e.digest; shown.SHA256 == "" {
			shown.SHA256 = digest(e.Body)
		}
	}
	return shown
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
