// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"time"
)

// listBehaviour is ListTasks.
type listBehaviour struct {
	reads    func(c *call) (query, *failure)
	owned    func(c *call, q query, t *task) bool // whether a task is the caller's
	context  func(q query, t *task) bool
	state    func(q query, t *task) bool
	after    func(q query, t *task) bool
	matches  func(c *call, q query, t *task) bool // all of these
	size     func(q query) int                    // of a page when none is asked for
	sizes    func(n int) *failure                 // a size that is asked for
	states   func(q query) *failure               // a state that is asked for
	sorts    func(c *call, list []task)
	token    func(s *Server, q query, offset position) string
	position func(s *Server, q query) (position, *failure)
	page     func(q query, list []task, from position) (page []task, more bool)
	total    func(matches []task, page []task) int
	answer   func(c *call, q query, v object) object
}

var conformantList = listBehaviour{
	reads:   func(c *call) (query, *failure) { return c.readQuery() },
	owned:   func(c *call, _ query, t *task) bool { return t.owner == c.who.name },
	context: func(q query, t *task) bool { return q.context == "" || t.context == q.context },
	state:   func(q query, t *task) bool { return q.state == "" || t.state == q.state },
	after:   func(q query, t *task) bool { return q.after.IsZero() || !t.changed.Before(q.after) },
	matches: func(c *call, q query, t *task) bool {
		b := &c.s.b.list
		return b.context(q, t) && b.state(q, t) && b.after(q, t)
	},
	size: func(query) int { return 50 },
	sizes: func(n int) *failure {
		if n < 1 || n > 100 {
			return violation("pageSize", "is not between 1 and 100")
		}
		return nil
	},
	states: func(q query) *failure {
		if q.state != "" && !slices.Contains(states, q.state) {
			return violation("status", "is not a state of a task")
		}
		return nil
	},
	sorts: func(_ *call, list []task) {
		slices.SortFunc(list, func(a, b task) int {
			return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.id, b.id))
		})
	},
	token:    func(s *Server, q query, at position) string { return s.tokens.seal(q, at) },
	position: func(s *Server, q query) (position, *failure) { return s.tokens.open(q) },
	page:     pageFrom,
	total:    func(matches, _ []task) int { return len(matches) },
	answer:   func(_ *call, _ query, v object) object { return v },
}

// A query is what ListTasks is asked for.
type query struct {
	owner     string
	context   string
	state     string
	after     time.Time
	pageSize  int
	pageToken string
	limit     int // of the history; negative: none
	artifacts bool
}

// A position is where a page begins: behind the task that was changed then and has that id. The zero one is the beginning.
type position struct {
	changed time.Time
	id      string
}

func (c *call) readQuery() (query, *failure) {
	b := &c.s.b.list
	in := reader{c: c}
	q := query{
		owner:     c.who.name,
		context:   in.text(c.params, "contextId", "contextId"),
		state:     in.text(c.params, "status", "status"),
		pageToken: in.text(c.params, "pageToken", "pageToken"),
		limit:     in.limit(c.params, "historyLength"),
		artifacts: in.truth(c.params, "includeArtifacts", "includeArtifacts"),
	}
	q.after, _ = in.when(c.params, "statusTimestampAfter", "statusTimestampAfter")
	q.pageSize = b.size(q)
	if n, set := in.count(c.params, "pageSize", "pageSize"); set {
		q.pageSize = n
		if f := b.sizes(n); f != nil {
			in.violated(f)
		}
	}
	if f := b.states(q); f != nil {
		in.violated(f)
	}
	return q, in.f
}

// listTasks is ListTasks.
func listTasks(c *call) (outcome, *failure) {
	b := &c.s.b.list
	q, f := b.reads(c)
	if f != nil {
		return outcome{}, f
	}
	from, f := b.position(c.s, q)
	if f != nil {
		return outcome{}, f
	}
	var matches []task
	c.s.mu.Lock()
	for _, t := range c.s.tasks {
		if b.owned(c, q, t) && b.matches(c, q, t) {
			matches = append(matches, t.copy())
		}
	}
	c.s.mu.Unlock()
	b.sorts(c, matches)
	page, more := b.page(q, matches, from)
	shown := []any{}
	for _, t := range page {
		shown = append(shown, c.s.b.output.listed(c, t, c.render().task(t, q.limit, q.artifacts)))
	}
	next := ""
	if more {
		if len(page) > 0 {
			last := page[len(page)-1]
			from = position{last.changed, last.id}
		}
		next = b.token(c.s, q, from)
	}
	v := object{"tasks": shown, "nextPageToken": next, "pageSize": q.pageSize, "totalSize": b.total(matches, page)}
	c.s.b.output.list(c, v)
	return outcome{result: b.answer(c, q, v)}, nil
}

// pageFrom cuts a page out of the sorted list.
func pageFrom(q query, list []task, from position) ([]task, bool) {
	if from.id != "" {
		at := slices.IndexFunc(list, func(t task) bool {
			return t.changed.Before(from.changed) || t.changed.Equal(from.changed) && t.id > from.id
		})
		if at < 0 {
			at = len(list)
		}
		list = list[at:]
	}
	if len(list) > q.pageSize {
		return list[:q.pageSize], true
	}
	return list, false
}

// tokens makes page tokens that nobody else can make, and that fit one query only.
type tokens struct{ key []byte }

func newTokens() tokens {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	return tokens{key}
}

func (k tokens) seal(q query, at position) string {
	body := binary.BigEndian.AppendUint64(nil, uint64(at.changed.UnixNano()))
	body = append(body, at.id...)
	return base64.RawURLEncoding.EncodeToString(append(k.mac(q, body), body...))
}

// open reads the token of a query; no token is the beginning.
func (k tokens) open(q query) (position, *failure) {
	if q.pageToken == "" {
		return position{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.pageToken)
	if err != nil || len(text) < 17 || !hmac.Equal(text[:8], k.mac(q, text[8:])) {
		return position{}, violation("pageToken", "is not a token of this list")
	}
	return position{time.Unix(0, int64(binary.BigEndian.Uint64(text[8:16]))), string(text[16:])}, nil
}

func (k tokens) mac(q query, body []byte) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(strings.Join([]string{q.owner, q.context, q.state, q.after.String(), ""}, "\x00")))
	mac.Write(body)
	return mac.Sum(nil)[:8]
}
