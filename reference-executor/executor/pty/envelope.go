// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/json"
	"net/url"
	"regexp"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/strictjson"
)

// A request is one frame of a client.
type request struct {
	op         string
	id         string // as far as it could be read
	ts         time.Time
	payload    map[string]any
	replayFrom *uint64
	sequence   *uint64 // which clients must not send; it is not looked at
	params     map[string]any
	extensions []string
	binary     bool // came as PW1I: there is no id
}

// readingBehaviour is how the frames of clients are read.
type readingBehaviour struct {
	split    func(c *connection, text []byte) [][]byte   // the envelopes that a text message holds
	coerce   func(envelope map[string]any)               // changes an envelope before it is looked at
	needs    func(member string) bool                    // whether a member of the envelope is required
	sequence func(c *connection, r *request)             // what a client's sequence does
	activate func(c *connection, r *request)             // whether the verbs are available
	params   func(c *connection, r *request)             // what service parameters do
	foreign  func(c *connection, r *request) *frameError // a payload that names another session
	binary   func(c *connection, frame []byte) (input []byte, err *frameError)
}

var conformantReading = readingBehaviour{
	split:    func(_ *connection, text []byte) [][]byte { return [][]byte{text} },
	coerce:   func(map[string]any) {},
	needs:    func(string) bool { return true },
	sequence: func(*connection, *request) {},
	activate: activateVerbs,
	params: func(c *connection, r *request) {
		if !c.begun && r.params != nil {
			c.params.Store(&r.params)
		}
	},
	foreign: refuseForeign,
	binary:  readPW1I,
}

var uuidV7 = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// maxEchoed is how long an id may be that is repeated in an Error although it is no id.
const maxEchoed = 128

// parseEnvelope reads one envelope. Whatever is wrong, the request has the id as far as it could be read.
func parseEnvelope(b *readingBehaviour, text []byte) (*request, *frameError) {
	r := &request{}
	env, err := strictjson.Object(text)
	if err != nil {
		return r, badRequest(err.Error())
	}
	b.coerce(env)
	if id, ok := env["id"].(string); ok && len(id) <= maxEchoed {
		r.id = id
	}
	for name := range env {
		if !knownMember[name] {
			return r, badRequest("the envelope has members that it must not have")
		}
	}
	m := members{v: env}
	r.op = m.text("op", b.needs("op"))
	if id := m.text("id", b.needs("id")); m.err == nil && !uuidV7.MatchString(id) {
		m.fail("id", "is not a UUIDv7")
	}
	r.ts = m.time("ts", b.needs("ts"))
	r.payload = m.payload(b.needs("payload"))
	r.replayFrom = m.cursor("replay_from")
	r.sequence = m.cursor("sequence")
	r.params = m.params("service_parameters")
	r.extensions = m.uris("extensions")
	if m.err == nil && r.op == "" {
		m.fail("op", "is empty")
	}
	return r, m.err
}

var knownMember = map[string]bool{
	"op": true, "id": true, "ts": true, "payload": true, "sequence": true, "replay_from": true,
	"service_parameters": true, "extensions": true,
}

// members reads members of a JSON object and keeps the first problem.
type members struct {
	v   map[string]any
	err *frameError
}

func (m *members) fail(name, why string) {
	if m.err == nil {
		m.err = badRequest(name + " " + why)
	}
}

func (m *members) text(name string, needed bool) string {
	v, given := m.v[name]
	s, ok := v.(string)
	switch {
	case !given && needed:
		m.fail(name, "is missing")
	case given && !ok:
		m.fail(name, "is not a string")
	}
	return s
}

func (m *members) time(name string, needed bool) time.Time {
	text := m.text(name, needed)
	if _, given := m.v[name]; !given {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		m.fail(name, "is not an RFC 3339 time")
	}
	return t
}

// payload is an object; null stands for an empty one.
func (m *members) payload(needed bool) map[string]any {
	v, given := m.v["payload"]
	object, ok := v.(map[string]any)
	switch {
	case !given && needed:
		m.fail("payload", "is missing")
	case given && v != nil && !ok:
		m.fail("payload", "is not an object")
	}
	if object == nil {
		object = map[string]any{}
	}
	return object
}

func (m *members) object(name string, needed bool) map[string]any {
	v, given := m.v[name]
	object, ok := v.(map[string]any)
	switch {
	case !given && needed:
		m.fail(name, "is missing")
	case given && !ok:
		m.fail(name, "is not an object")
	}
	return object
}

// cursor is an integer from 0 on, or null.
func (m *members) cursor(name string) *uint64 {
	v := m.v[name]
	if v == nil {
		return nil
	}
	n, ok := number(v)
	if !ok || n < 0 {
		m.fail(name, "is not an integer from 0 on")
		return nil
	}
	u := uint64(n)
	return &u
}

// integer is within bounds; missing stands for one that is not given.
func (m *members) integer(name string, least, most, missing int, needed bool) int {
	v, given := m.v[name]
	if !given {
		if needed {
			m.fail(name, "is missing")
		}
		return missing
	}
	n, ok := number(v)
	if !ok || n < least || n > most {
		m.fail(name, "is not an integer within its bounds")
		return missing
	}
	return n
}

// truth is true or false; missing stands for one that is not given.
func (m *members) truth(name string, missing bool) bool {
	v, given := m.v[name]
	if !given {
		return missing
	}
	is, ok := v.(bool)
	if !ok {
		m.fail(name, "is neither true nor false")
		return missing
	}
	return is
}

// params are service parameters: open, but for the types of those that are known.
func (m *members) params(name string) map[string]any {
	params := m.object(name, false)
	for _, known := range []string{"trace_id", "idempotency_key", "tenant_id"} {
		if v, given := params[known]; given {
			if _, ok := v.(string); !ok {
				m.fail(name+"."+known, "is not a string")
			}
		}
	}
	return params
}

// uris are distinct.
func (m *members) uris(name string) []string {
	v, given := m.v[name]
	if !given {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		m.fail(name, "is not an array")
		return nil
	}
	var uris []string
	seen := map[string]bool{}
	for _, item := range list {
		uri, ok := item.(string)
		if u, err := url.Parse(uri); !ok || err != nil || u.Scheme == "" || seen[uri] {
			m.fail(name, "is not a list of distinct URIs")
			return nil
		}
		seen[uri] = true
		uris = append(uris, uri)
	}
	return uris
}

// texts is an array of strings.
func (m *members) texts(name string) []string {
	v, given := m.v[name]
	if !given {
		return nil
	}
	list, ok := v.([]any)
	out := make([]string, len(list))
	for i, item := range list {
		text, is := item.(string)
		out[i], ok = text, ok && is
	}
	if !ok {
		m.fail(name, "is not an array of strings")
		return nil
	}
	return out
}

// number reads an integer that JSON may have written as 5, 5.0 or 5e0.
func number(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	if err != nil || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}

// readPW1I takes the input out of a binary frame.
func readPW1I(c *connection, frame []byte) ([]byte, *frameError) {
	if !c.binary {
		return nil, badRequest("this connection takes text frames only")
	}
	if len(frame) < 4 || string(frame[:4]) != "PW1I" {
		return nil, badRequest("the binary frame does not begin with PW1I")
	}
	return frame[4:], nil
}
