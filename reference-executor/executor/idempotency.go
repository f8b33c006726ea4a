// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gowebpki/jcs"
)

// maxRemembered is how many answers are kept; the oldest go first.
const maxRemembered = 100000

// idempotencyBehaviour is what messages:send and messages:stream remember.
type idempotencyBehaviour struct {
	applies  func(c *call, operation string) bool
	key      func(c *call, s sending) (string, *problem)
	hash     func(s sending, raw []byte) (string, error)
	scope    func(in *instance) string
	lookup   func(c *call, scope, key, hash string) (remembered, bool)
	keeps    func(status int) bool         // whether an outcome is remembered
	stored   func(key, hash string) string // the key an answer is kept under
	expired  func(e *Executor, created time.Time) bool
	together bool                                                 // identical requests at the same time are executed once
	enters   func(c *call, key string) (leave func(), p *problem) // what comes while another with its key is executed
	replay   func(c *call, s sending, r remembered) answer        // what a repetition is answered
	mark     func(h http.Header)                                  // how a replay is marked
	first    func(h http.Header)                                  // how what is no replay is marked
	reused   func(c *call, s sending, key, hash string, r remembered) *problem
}

var conformantIdempotency = idempotencyBehaviour{
	applies:  func(c *call, _ string) bool { return c.active.has(uriIdempotency) },
	key:      messageKey,
	hash:     func(s sending, _ []byte) (string, error) { return payloadHash(s) },
	scope:    func(in *instance) string { return in.ID },
	lookup:   lookup,
	keeps:    func(int) bool { return true },
	stored:   func(key, _ string) string { return key },
	expired:  func(e *Executor, created time.Time) bool { return time.Since(created) >= e.config.idempotencyTTL() },
	together: true,
	enters:   func(c *call, key string) (func(), *problem) { return c.e.flights.enter(key), nil },
	replay:   replay,
	mark:     func(h http.Header) { h.Set("Idempotent-Replayed", "true") },
	first:    func(http.Header) {},
	reused:   reused,
}

// A remembered answer is that of the first request with a message id.
type remembered struct {
	Hash      string
	Operation string
	Status    int
	Header    http.Header
	Body      []byte
	Task      string // empty when the request was refused
	Created   time.Time
}

var messageIDPattern = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// messageKey is the message id, which must be a UUID of version 4 or 7.
func messageKey(_ *call, s sending) (string, *problem) {
	id, _ := s.message["messageId"].(string)
	if !messageIDPattern.MatchString(id) {
		return "", refuse(http.StatusBadRequest, "IDEMPOTENCY_MESSAGE_ID_MALFORMED", "message.messageId is not a UUID of version 4 or 7")
	}
	return strings.ToLower(id), nil
}

// payloadHash is the SHA-256 of the canonical form of the body without its message id.
func payloadHash(s sending) (string, error) {
	message := maps.Clone(s.message)
	delete(message, "messageId")
	body := maps.Clone(s.body)
	body["message"] = message
	return canonicalHash(body)
}

// canonicalForm is RFC 8785's.
func canonicalForm(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(text)
}

func canonicalHash(v any) (string, error) {
	form, err := canonicalForm(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:]), nil
}

// once executes a request that has not been executed before, and repeats the answer of one that has.
func (c *call) once(operation string, execute func(sending) (answer, string)) answer {
	body, raw, p := c.readJSON()
	if p != nil {
		return c.refuse(p)
	}
	s, p := c.e.b.tasks.sending(body)
	if p != nil {
		return c.refuse(p)
	}
	b := &c.e.b.idempotency
	if !b.applies(c, operation) {
		a, id := execute(s)
		return c.as(operation, a, id)
	}
	key, p := b.key(c, s)
	if p != nil {
		return c.refuse(p)
	}
	hash, err := b.hash(s, raw)
	if err != nil {
		return c.refuse(malformed("the body has no canonical form"))
	}
	scope := b.scope(c.in)
	if b.together {
		leave, p := b.enters(c, scope+" "+key)
		if p != nil {
			return c.refuse(p)
		}
		defer leave()
	}
	if r, found := b.lookup(c, scope, key, hash); found {
		if r.Hash != hash {
			c.e.metrics.collisions.add("", 1)
			return c.refuse(b.reused(c, s, key, hash, r))
		}
		c.e.metrics.hits.add(operation, 1)
		a := c.as(operation, b.replay(c, s, r), r.Task)
		b.mark(a.header)
		return a
	}
	c.e.metrics.misses.add("", 1)
	a, id := execute(s)
	if b.keeps(a.status) {
		c.echo(a)
		r := remembered{hash, operation, a.status, a.header, a.body, id, time.Now().UTC()}
		if err := c.e.remember(scope, b.stored(key, hash), r); err != nil {
			return c.refuse(c.e.internal(err))
		}
	}
	a = c.as(operation, a, id)
	b.first(a.header)
	return a
}

// as gives the answer the form of the operation: messages:stream streams the task that the answer is about.
func (c *call) as(operation string, a answer, id string) answer {
	if operation != "messages:stream" || id == "" {
		return a
	}
	return c.stream(id)
}

func lookup(c *call, scope, key, _ string) (remembered, bool) {
	var r remembered
	var text []byte
	found, err := c.e.store.one(`SELECT doc FROM idempotency WHERE scope = ? AND message = ?`, []any{scope, key}, &text)
	if err == nil && found {
		err = undoc(text, &r)
	}
	if err != nil {
		c.e.log.Error("look up a message", "err", err)
		return r, false
	}
	if found && c.e.b.idempotency.expired(c.e, r.Created) {
		c.e.metrics.purged.add("", 1)
		return r, false
	}
	return r, found
}

// remember keeps an answer in place of an older one, and forgets the oldest when there are too many.
func (e *Executor) remember(scope, key string, r remembered) error {
	_, err := e.store.exec(`INSERT OR REPLACE INTO idempotency (scope, message, created, doc) VALUES (?, ?, ?, ?)`, scope, key, since(r.Created), doc(r))
	if err != nil {
		return err
	}
	// AUTOINCREMENT numbers never return, so what lies so far behind the newest is beyond the bound.
	n, err := e.store.exec(`DELETE FROM idempotency WHERE number <= (SELECT MAX(number) FROM idempotency) - ?`, maxRemembered)
	e.metrics.evictions.add("", int(n))
	return err
}

// replay repeats the remembered answer, byte for byte.
func replay(_ *call, _ sending, r remembered) answer {
	return answer{status: r.Status, header: r.Header.Clone(), body: r.Body}
}

func reused(_ *call, s sending, _, hash string, r remembered) *problem {
	return refuse(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD",
		"the message id was used before with another body").
		with("message_id", s.message["messageId"]).with("original_request_hash", r.Hash).with("submitted_request_hash", hash)
}

// idempotencyTTL is how long an answer is remembered.
func (c Config) idempotencyTTL() time.Duration {
	if c.IdempotencyTTL > 0 {
		return c.IdempotencyTTL
	}
	return 24 * time.Hour
}

// flights lets requests with the same key pass one after the other.
type flights struct {
	mu   sync.Mutex
	open map[string]*flight
}

type flight struct {
	mu    sync.Mutex
	users int
}

// enter waits until nobody else is in with the key, and returns how to leave.
func (f *flights) enter(key string) (leave func()) {
	f.mu.Lock()
	if f.open == nil {
		f.open = map[string]*flight{}
	}
	one := f.open[key]
	if one == nil {
		one = &flight{}
		f.open[key] = one
	}
	one.users++
	f.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(f.open, key)
		}
	}
}
