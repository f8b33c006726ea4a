// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

const (
	// startsEnd is how long a run waits at its end for what it has started, and askEvery how often it asks then.
	startsEnd = time.Minute
	askEvery  = time.Second
	// settleEvery is how often rows that end ask what has become of what was started.
	settleEvery = 3 * time.Second
)

// Starts are what a run has started that makes something only later on, which is to be removed: a sandbox, once a conversation is there.
// It outlives the rows, for most of them do not wait for the end of what they start. Many goroutines may use it at once.
type Starts struct {
	target *target.Agent

	mu      sync.Mutex
	open    map[string]start // by id
	settled time.Time        // when it was last asked for them
}

// A start is one that may still make something.
type start struct {
	profiles.Starting
	by   *target.Request
	over bool // the row that has begun it has ended: nobody uses what it makes any more
}

// NewStarts is for a run that has started nothing yet.
func NewStarts(a *target.Agent) *Starts { return &Starts{target: a, open: map[string]start{}} }

// Started notes what a request of the row has started, as its answer says it, which may have been cut after its first object.
func (c *Created) Started(q *target.Request, status int, body []byte) {
	if id := c.bounds.Starts.note(q, status, body); id != "" {
		c.mu.Lock()
		c.starts = append(c.starts, id)
		c.mu.Unlock()
	}
}

// LeaveStarts gives what the row has started to whoever settles the starts of the run: the row is over.
func (c *Created) LeaveStarts() {
	c.mu.Lock()
	ids := c.starts
	c.starts = nil
	c.mu.Unlock()
	if s := c.bounds.Starts; s != nil {
		s.leave(ids)
		s.settle(c.bounds)
	}
}

func (s *Starts) leave(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if one, is := s.open[id]; is {
			one.over = true
			s.open[id] = one
		}
	}
}

// note keeps what a request has started, and says its id; empty: nothing that makes something.
func (s *Starts) note(q *target.Request, status int, body []byte) string {
	if s == nil || status < 200 || status > 299 || !s.target.IsTarget(q.URL) {
		return ""
	}
	path := strings.TrimSuffix(target.SentPath(q.URL), "/")
	for _, starting := range s.target.Profile.Starts {
		asked := func(p string) bool { return path == target.Join(s.target.Place.Base, p) }
		if q.Method != starting.Method || !slices.ContainsFunc(starting.Paths, asked) || readers.MemberText(jsontext.Parse(q.Body), starting.Makes) != "" {
			continue // what was named was there before
		}
		if id := readers.MemberText(firstObject(body), starting.ID); id != "" {
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.open) < maxCancelled {
				s.open[id] = start{Starting: starting, by: q}
			}
			return id
		}
	}
	return ""
}

// firstObject is a JSON object, or the first one of an array that need not be whole.
func firstObject(body []byte) any {
	body = bytes.TrimLeft(body, "[ \t\r\n")
	var first json.RawMessage
	if json.NewDecoder(bytes.NewReader(body)).Decode(&first) != nil {
		return nil
	}
	return jsontext.Parse(first)
}

// settle removes what the starts have made that have ended and whose rows are over, now and then. Those that go on are left for later.
func (s *Starts) settle(bounds Bounds) {
	s.mu.Lock()
	due := len(s.open) > 0 && time.Since(s.settled) >= bounds.Wait(settleEvery)
	if due {
		s.settled = time.Now()
	}
	s.mu.Unlock()
	if due {
		s.removeAll(bounds, false)
	}
}

// removeAll removes what starts have made that have ended: of all, or of those whose rows are over.
func (s *Starts) removeAll(bounds Bounds, all bool) {
	defer s.target.Guard("removing what was started")
	s.mu.Lock()
	ids := make([]string, 0, len(s.open))
	for id, one := range s.open {
		if all || one.over {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		s.mu.Lock()
		one, is := s.open[id]
		s.mu.Unlock()
		if is && s.remove(bounds, id, one) {
			s.mu.Lock()
			delete(s.open, id)
			s.mu.Unlock()
		}
	}
}

// End waits for the starts that go on, removes what they make, and says what stays.
func (s *Starts) End(ctx context.Context, bounds Bounds) (left string) {
	if s == nil {
		return ""
	}
	for end := time.Now().Add(bounds.Wait(startsEnd)); ; {
		s.removeAll(bounds, true)
		s.mu.Lock()
		n := len(s.open)
		s.mu.Unlock()
		if n == 0 {
			return ""
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Sprintf("%d starts of this run have not ended, or what they have made could not be removed: it stays", n)
		}
		select {
		case <-ctx.Done():
		case <-time.After(bounds.Wait(askEvery)):
		}
	}
}

// remove removes what a start has made. It is false where the start goes on, or nothing is known.
func (s *Starts) remove(bounds Bounds, id string, one start) bool {
	task, known := s.read(bounds, one, one.Read, id)
	if !known {
		return false
	}
	made, given := readers.MemberText(task, one.Makes), readers.MemberText(readers.Member(task, "request"), one.Makes)
	if !slices.Contains(one.Ended, readers.MemberText(task, one.State)) {
		return task == nil
	}
	if made == "" || given != "" {
		return true
	}
	thing, known := s.read(bounds, one, one.Look, made)
	if !known {
		return false
	}
	began, isTime := timeOf(task, one.Since)
	created, alsoTime := timeOf(thing, one.Since)
	if !isTime || !alsoTime || created.Before(began) {
		return true // it is gone, or was there before: then others use it
	}
	remove := s.target.AsOf(one.by, http.MethodDelete, target.Join(s.target.Place.Base, strings.ReplaceAll(one.Remove, "{id}", url.PathEscape(made)))+"?"+one.Query+"="+url.QueryEscape(made))
	ctx, cancel := bounds.Undoing(target.CancelTime)
	defer cancel()
	x := s.target.Patiently(ctx, remove)
	return x.Status >= 200 && x.Status <= 299 || x.Status == http.StatusNotFound
}

// read is the only element of a batch, nil if there is none; known is false where the target does not say.
func (s *Starts) read(bounds Bounds, one start, path, id string) (element any, known bool) {
	ctx, cancel := bounds.Undoing(target.CancelTime)
	defer cancel()
	q := s.target.AsOf(one.by, http.MethodGet, target.Join(s.target.Place.Base, strings.ReplaceAll(path, "{id}", url.QueryEscape(id))))
	x := s.target.Patiently(ctx, q)
	if next := q.Redirected(x); next != nil { // to the form with a slash at the end of the path, where the target has that alone
		x = s.target.Patiently(ctx, next)
	}
	all, _ := readers.Normal(jsontext.Parse(x.Body)).([]any)
	if x.Status != http.StatusOK || len(all) != 1 {
		return nil, false
	}
	return all[0], true
}

func timeOf(v any, name string) (at time.Time, is bool) {
	at, err := time.Parse(time.RFC3339Nano, readers.MemberText(v, name))
	return at, err == nil
}
