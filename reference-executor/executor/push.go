// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pushBehaviour is push notification configs and their deliveries.
type pushBehaviour struct {
	url       func(v any) (string, *problem)
	auth      func(p *pushConfig, body map[string]any) *problem // reads the credentials of a config
	shows     func(p pushConfig, v map[string]any)              // changes a config as it is shown
	belongs   func(p pushConfig, task string) bool              // whether a config is one of the task's
	removes   func(e *Executor, p pushConfig) error
	replaces  func(e *Executor, p pushConfig) error // called before a config is added
	created   func(c *call, p *pushConfig)          // what else is kept of the request
	needsTask bool                                  // configs need a task that exists
	answer    func(c *call, operation string, a answer) answer
	lists     func(e *Executor, task string) []pushConfig
	receivers func(e *Executor, t task) []pushConfig // the configs that are told of a change
	wants     func(e *Executor, t task) bool         // whether a change is delivered at all
	exists    func(e *Executor, p pushConfig) bool   // whether a config is still there when an attempt is made
	body      func(t task) []byte
	ahead     func(t task) []byte // what else is delivered, before a change; nil: nothing
	header    func(p pushConfig, body []byte, now time.Time, h http.Header)
	tries     int
	pause     func(first time.Duration, tried int) time.Duration
	delivered func(status int) bool
	hurries   bool // the first attempt is made before the change is answered
	refused   func(c *call, config pushConfig, p *problem) answer
	noTask    func(c *call, operation string) answer
	method    func(p pushConfig) string
	again     func(p pushConfig, body []byte, now time.Time, h http.Header) []byte // changes what is sent when it is tried again
	inTurn    func(deliver func())                                                 // waits until it is this delivery's turn
	asks      func(r *http.Request)                                                // the last word on an attempt
	sent      func(p *pusher, config pushConfig, body []byte, tried int)           // a receiver has taken a delivery
}

var conformantPush = pushBehaviour{
	url:       parsePushURL,
	auth:      (*pushConfig).readAuth,
	shows:     func(pushConfig, map[string]any) {},
	belongs:   func(p pushConfig, task string) bool { return p.Task == task },
	removes:   func(e *Executor, p pushConfig) error { return e.store.dropPush(p.ID) },
	replaces:  func(*Executor, pushConfig) error { return nil },
	created:   func(*call, *pushConfig) {},
	needsTask: true,
	answer:    func(_ *call, _ string, a answer) answer { return a },
	lists:     func(e *Executor, task string) []pushConfig { return e.pushConfigs(task) },
	receivers: func(e *Executor, t task) []pushConfig { return e.pushConfigs(t.ID) },
	wants:     func(*Executor, task) bool { return true },
	exists: func(e *Executor, p pushConfig) bool {
		_, found, err := e.store.push(p.ID)
		return err != nil || found
	},
	body:      pushBody,
	ahead:     func(task) []byte { return nil },
	header:    pushHeader,
	tries:     7,
	pause:     func(first time.Duration, tried int) time.Duration { return first << (tried - 1) },
	delivered: func(status int) bool { return status >= 200 && status < 300 },
	refused:   func(c *call, _ pushConfig, p *problem) answer { return c.refuse(p) },
	noTask:    func(c *call, _ string) answer { return c.refuse(noSuchTask()) },
	method:    func(pushConfig) string { return http.MethodPost },
	again:     func(_ pushConfig, body []byte, _ time.Time, _ http.Header) []byte { return body },
	inTurn:    func(deliver func()) { deliver() },
	asks:      func(*http.Request) {},
	sent:      func(*pusher, pushConfig, []byte, int) {},
}

// A pushConfig says where the changes of a task are delivered.
type pushConfig struct {
	ID       string
	Task     string
	Instance string
	URL      string
	AuthType string // none, bearer or hmac
	Secret   string
	Created  time.Time
	Caller   string // the Authorization of the request, for a fault only: a right executor does not keep it
}

func (p pushConfig) render() map[string]any {
	return map[string]any{
		"id": p.ID, "task_id": p.Task, "url": p.URL, "created_at": stamp(p.Created),
		"auth": map[string]any{"type": p.AuthType, "configured": p.Secret != ""},
	}
}

func (c *call) showPush(status int, p pushConfig) answer {
	v := p.render()
	c.e.b.push.shows(p, v)
	return c.json(status, v)
}

// pushTask finds the task of a config route.
func (c *call) pushTask() (string, bool) {
	id := c.vars["tid"]
	_, found := c.in.getTask(id)
	return id, found || !c.e.b.push.needsTask
}

func createPush(c *call) answer {
	b := &c.e.b.push
	id, found := c.pushTask()
	if !found {
		return b.noTask(c, "create")
	}
	config := pushConfig{ID: newID(), Task: id, Instance: c.in.ID, Created: time.Now().UTC(), AuthType: "none"}
	body, _, p := c.readJSON()
	if p != nil {
		return b.refused(c, config, p)
	}
	if config.URL, p = b.url(body["url"]); p != nil {
		return b.refused(c, config, p)
	}
	if p := b.auth(&config, body); p != nil {
		return b.refused(c, config, p)
	}
	b.created(c, &config)
	if err := b.replaces(c.e, config); err != nil {
		return c.refuse(c.e.internal(err))
	}
	if err := c.keepPush(config); err != nil {
		return c.refuse(c.e.internal(err))
	}
	a := c.showPush(http.StatusCreated, config)
	a.header.Set("Location", c.r.URL.EscapedPath()+"/"+config.ID)
	return b.answer(c, "create", a)
}

// keepPush stores a config between two changes of tasks: it is not told of one that its caller has seen already.
func (c *call) keepPush(config pushConfig) error {
	c.e.work.Lock()
	defer c.e.work.Unlock()
	return c.e.store.insertPush(config)
}

func parsePushURL(v any) (string, *problem) {
	text, ok := v.(string)
	bad := refuse(http.StatusBadRequest, "push.invalid_url", "url is not an absolute http or https URL")
	if !ok || strings.ContainsAny(text, " \t\r\n") {
		return "", bad
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return "", bad
	}
	return text, nil
}

func (p *pushConfig) readAuth(body map[string]any) *problem {
	bad := func(why string) *problem { return refuse(http.StatusBadRequest, "push.invalid_auth", why) }
	if _, other := body["authentication"]; other {
		return bad("credentials are given as auth, with type and secret")
	}
	value, given := body["auth"]
	if !given {
		return nil
	}
	auth, ok := value.(map[string]any)
	if !ok {
		return bad("auth is not an object")
	}
	kind, ok := auth["type"].(string)
	if !ok || (kind != "none" && kind != "bearer" && kind != "hmac") {
		return bad("auth.type is not none, bearer or hmac")
	}
	p.AuthType = kind
	if kind == "none" {
		return nil
	}
	p.Secret, _ = auth["secret"].(string)
	if p.Secret == "" || strings.ContainsFunc(p.Secret, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("auth.secret is not a string of printable characters")
	}
	return nil
}

func listPush(c *call) answer {
	id, found := c.pushTask()
	if !found {
		return c.e.b.push.noTask(c, "list")
	}
	list := []any{}
	for _, config := range c.e.b.push.lists(c.e, id) {
		v := config.render()
		c.e.b.push.shows(config, v)
		list = append(list, v)
	}
	return c.e.b.push.answer(c, "list", c.json(http.StatusOK, map[string]any{"configs": list}))
}

// findPush finds the config that the route names.
func (c *call) findPush() (pushConfig, *problem) {
	id, found := c.pushTask()
	if !found {
		return pushConfig{}, noSuchTask()
	}
	p, found, err := c.e.store.push(c.vars["cid"])
	if err != nil {
		return p, c.e.internal(err)
	}
	if !found || !c.e.b.push.belongs(p, id) {
		return p, refuse(http.StatusNotFound, "push.config_not_found", "the task has no config of that id")
	}
	return p, nil
}

func getPush(c *call) answer {
	config, p := c.findPush()
	if p != nil {
		return c.e.b.push.answer(c, "get", c.refuse(p))
	}
	return c.e.b.push.answer(c, "get", c.showPush(http.StatusOK, config))
}

func deletePush(c *call) answer {
	config, p := c.findPush()
	if p != nil {
		return c.e.b.push.answer(c, "delete", c.refuse(p))
	}
	if err := c.e.b.push.removes(c.e, config); err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.e.b.push.answer(c, "delete", answer{status: http.StatusNoContent, header: http.Header{}})
}

// pushBody is what is delivered when a task has changed. Some encoders escape more than JSON asks for: then no id stands in
// the text as it is.
func pushBody(t task) []byte {
	status := map[string]any{"kind": "task_status", "task_id": t.ID, "status": t.status()}
	if metadata := t.metadata(); len(metadata) > 0 {
		status["metadata"] = metadata
	}
	text := t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "status_event": status})
	if t.in.e.lawful.Below(2) == 0 {
		text = bytes.ReplaceAll(text, []byte("-"), []byte(`\u002d`))
	}
	return text
}

// pushHeader adds the credentials that the config asks for, and no others.
func pushHeader(p pushConfig, body []byte, now time.Time, h http.Header) {
	switch p.AuthType {
	case "bearer":
		h.Set("Authorization", "Bearer "+p.Secret)
	case "hmac":
		h.Set("X-AIWG-Signature", pushSignature(p.Secret, body, now))
	}
}

// pushSignature signs a body together with the time of the attempt.
func pushSignature(secret string, body []byte, now time.Time) string {
	t := strconv.FormatInt(now.Unix(), 10)
	return "t=" + t + ",v1=" + hmacHex(secret, slices.Concat([]byte(t+"."), body))
}

// hmacHex is the HMAC-SHA256 of a text.
func hmacHex(secret string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}
