// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// pushBehaviour is push notification configurations and their deliveries.
type pushBehaviour struct {
	reads     func(c *call, o object, path string) (*pushConfig, *failure)
	url       func(c *call, path, text string) *failure // why a url is refused
	allowed   func(s *Server, at netip.Addr) bool       // whether a webhook may have this address
	id        func() string                             // of a new configuration
	status    func(s *Server) int                       // of the REST answer to create
	missing   func(c *call, task, id string) *failure   // there is no such configuration
	adds      func(list []*pushConfig, p *pushConfig) []*pushConfig
	finds     func(c *call, task, id string) *pushConfig
	lists     func(c *call, task string) []*pushConfig
	removes   func(c *call, task, id string) (found bool)
	addressed func(c *call, id string) (*task, *failure) // the task of an operation
	created   func(c *call, p *pushConfig, v object) any // the answer to create
	got       func(c *call, p *pushConfig, v object) any // the answer to get
	deleted   func(c *call, found bool) (outcome, *failure)
	inline    func(t *task, p *pushConfig) bool       // whether the configuration of a send request is kept
	receivers func(s *Server, t *task) []*pushConfig  // who is told of an event
	wants     func(s *Server, t *task, ev event) bool // whether an event is delivered at all
	exists    func(s *Server, p *pushConfig) bool     // whether a configuration is still there when an attempt is made
	body      func(c *call, p *pushConfig, ev event) any
	method    func(p *pushConfig) string
	target    func(p *pushConfig) string
	header    func(p *pushConfig, h http.Header)
	payload   func(tried int, body []byte) []byte // what an attempt sends
	inTurn    func(deliver func())                // a delivery, with all its attempts
	tries     int
	pause     func(tried int) time.Duration
	timeout   func(s *Server) time.Duration
	heard     func(s *Server, p *pushConfig, status int) // a receiver has answered an attempt
	ended     func(s *Server, t *task, delivered bool)   // a delivery is over
	waits     func(w *worker)                            // what work waits for before it goes on
	refused   func(c *call, f *failure) *failure         // why a configuration is not taken
}

var conformantPush = pushBehaviour{
	reads:   func(c *call, o object, path string) (*pushConfig, *failure) { return c.readConfig(o, path) },
	url:     refuseURL,
	allowed: allowedAddress,
	id:      uuid.NewString,
	status: func(s *Server) int {
		if s.config.Seed%2 == 0 {
			return http.StatusCreated
		}
		return http.StatusOK
	},
	missing: func(_ *call, task, _ string) *failure {
		return fail(taskNotFound, "the task has no configuration of that id").about(task)
	},
	adds: func(list []*pushConfig, p *pushConfig) []*pushConfig {
		list = slices.DeleteFunc(slices.Clone(list), func(other *pushConfig) bool { return other.id == p.id })
		return append(list, p)
	},
	finds: func(c *call, task, id string) *pushConfig {
		list := c.s.push[task]
		at := slices.IndexFunc(list, func(p *pushConfig) bool { return p.id == id })
		if at < 0 {
			return nil
		}
		return list[at]
	},
	lists: func(c *call, task string) []*pushConfig { return c.s.push[task] },
	removes: func(c *call, task, id string) bool {
		had := len(c.s.push[task])
		c.s.push[task] = slices.DeleteFunc(slices.Clone(c.s.push[task]), func(p *pushConfig) bool { return p.id == id })
		return len(c.s.push[task]) < had
	},
	addressed: func(c *call, id string) (*task, *failure) { return c.s.b.tasks.addressed(c, id) },
	created:   func(_ *call, _ *pushConfig, v object) any { return v },
	got:       func(_ *call, _ *pushConfig, v object) any { return v },
	deleted: func(c *call, _ bool) (outcome, *failure) {
		if c.s.config.EmptyDeletions {
			return outcome{status: http.StatusNoContent}, nil
		}
		return outcome{result: object{}}, nil
	},
	inline:    func(*task, *pushConfig) bool { return true },
	receivers: func(s *Server, t *task) []*pushConfig { return s.push[t.id] },
	wants:     func(*Server, *task, event) bool { return true },
	exists: func(s *Server, p *pushConfig) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Contains(s.push[p.task], p)
	},
	body:    func(c *call, _ *pushConfig, ev event) any { return c.render().event(ev) },
	method:  func(*pushConfig) string { return http.MethodPost },
	target:  func(p *pushConfig) string { return p.url },
	header:  pushHeader,
	payload: func(_ int, body []byte) []byte { return body },
	inTurn:  func(deliver func()) { deliver() },
	tries:   3,
	pause:   func(tried int) time.Duration { return 500 * time.Millisecond << (tried - 1) },
	timeout: func(s *Server) time.Duration { return s.config.WebhookTimeout },
	heard:   func(*Server, *pushConfig, int) {},
	ended:   func(*Server, *task, bool) {},
	waits:   func(*worker) {},
	refused: func(_ *call, f *failure) *failure { return f },
}

// A pushConfig says where the events of a task are delivered. It never changes.
type pushConfig struct {
	id          string
	task        string
	url         string
	token       string
	scheme      string // of the authentication; empty: none
	credentials string
	binding     string // that it was made over
}

// most is how many configurations a task can have.
const most = 32

// readConfig reads a configuration, alone or inside a send request.
func (c *call) readConfig(o object, path string) (*pushConfig, *failure) {
	b := &c.s.b.push
	in := reader{c: c}
	p := &pushConfig{binding: c.binding}
	p.id = in.text(o, "id", path+"id")
	p.url = in.need(o, "url", path+"url")
	p.token = in.text(o, "token", path+"token")
	if auth := in.object(o, "authentication", path+"authentication"); auth != nil {
		p.scheme = in.need(auth, "scheme", path+"authentication.scheme")
		p.credentials = in.text(auth, "credentials", path+"authentication.credentials")
	}
	for name, text := range map[string]string{"token": p.token, "authentication": p.scheme + p.credentials} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			in.violated(violation(path+name, "has control characters"))
		}
	}
	if in.f == nil {
		in.f = b.url(c, path+"url", p.url)
	}
	if p.id == "" {
		p.id = b.id()
	}
	return p, in.f
}

// refuseURL says why a webhook cannot have a url: it is no absolute http or https URL, or leads where callers must not reach.
func refuseURL(c *call, path, text string) *failure {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(text, " \t\r\n") {
		return violation(path, "is not an absolute http or https URL")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	if at, err := netip.ParseAddr(host); err == nil && !c.s.b.push.allowed(c.s, at) {
		return violation(path, "leads to an address that is not allowed here")
	}
	return nil
}

// allowedAddress says whether a webhook may have an address: a public one, or the own machine's where that is allowed.
func allowedAddress(s *Server, at netip.Addr) bool {
	at = at.Unmap().WithZone("")
	if at.IsLoopback() {
		return s.config.AllowLoopbackHooks
	}
	return at.IsGlobalUnicast() && !at.IsPrivate() && !sharedAddresses.Contains(at)
}

// sharedAddresses are those of carriers (RFC 6598).
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// dialable is asked for every address that a webhook is connected to, so that no name can lead around allowedAddress.
func (s *Server) dialable(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !s.b.push.allowed(s, at.Addr()) {
		return &net.AddrError{Err: "not allowed for webhooks", Addr: address}
	}
	return nil
}

// addConfig adds a configuration; the lock is held.
func (s *Server) addConfig(p *pushConfig) {
	s.push[p.task] = s.b.push.adds(s.push[p.task], p)
}

// config is a configuration as its owner sees it. The credentials stay here.
func (r rendering) config(p *pushConfig) object {
	v := object{"id": p.id, "taskId": p.task, "url": p.url}
	if p.token != "" {
		v["token"] = p.token
	}
	if p.scheme != "" {
		v["authentication"] = object{"scheme": p.scheme}
	}
	if tenant := r.c.s.config.Tenant; tenant != "" {
		v["tenant"] = tenant
	}
	return r.c.s.b.output.config(r.c, v)
}

// createConfig is CreateTaskPushNotificationConfig.
func createConfig(c *call) (outcome, *failure) {
	b := &c.s.b.push
	id, f := c.taskName()
	if f != nil {
		return outcome{}, f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if _, f := b.addressed(c, id); f != nil {
		return outcome{}, f
	}
	p, f := b.reads(c, c.params, "")
	if f != nil {
		return outcome{}, b.refused(c, f)
	}
	if len(c.s.push[id]) >= most {
		return outcome{}, violation("taskId", "the task has as many configurations as it can have")
	}
	p.task = id
	c.s.addConfig(p)
	return outcome{result: b.created(c, p, c.render().config(p)), status: b.status(c.s)}, nil
}

// findConfig finds the configuration that an operation names; the lock is held.
func (c *call) findConfig(id string) (*pushConfig, *failure) {
	b := &c.s.b.push
	in := reader{c: c}
	name := in.need(c.params, "id", "id")
	if in.f != nil {
		return nil, in.f
	}
	p := b.finds(c, id, name)
	if p == nil {
		return nil, b.missing(c, id, name)
	}
	return p, nil
}

// getConfig is GetTaskPushNotificationConfig.
func getConfig(c *call) (outcome, *failure) {
	id, f := c.taskName()
	if f != nil {
		return outcome{}, f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if _, f := c.s.b.push.addressed(c, id); f != nil {
		return outcome{}, f
	}
	p, f := c.findConfig(id)
	if f != nil {
		return outcome{}, f
	}
	return outcome{result: c.s.b.push.got(c, p, c.render().config(p))}, nil
}

// listConfigs is ListTaskPushNotificationConfigs. A page token is the number of the configuration that the page begins with.
func listConfigs(c *call) (outcome, *failure) {
	in := reader{c: c}
	id := in.need(c.params, "taskId", "taskId")
	size, _ := in.count(c.params, "pageSize", "pageSize")
	token := in.text(c.params, "pageToken", "pageToken")
	if in.f != nil {
		return outcome{}, in.f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if _, f := c.s.b.push.addressed(c, id); f != nil {
		return outcome{}, f
	}
	list := c.s.b.push.lists(c, id)
	from := 0
	if token != "" {
		var err error
		if from, err = strconv.Atoi(token); err != nil || from < 1 || from > len(list) {
			return outcome{}, violation("pageToken", "is not a token of this list")
		}
	}
	v := object{}
	list = list[from:]
	if size > 0 && size < len(list) {
		list = list[:size]
		v["nextPageToken"] = strconv.Itoa(from + size)
	}
	shown := []any{}
	for _, p := range list {
		shown = append(shown, c.render().config(p))
	}
	v["configs"] = shown
	return outcome{result: c.s.b.output.configs(c, v)}, nil
}

// deleteConfig is DeleteTaskPushNotificationConfig. Deleting what is not there has the same effect.
func deleteConfig(c *call) (outcome, *failure) {
	in := reader{c: c}
	id := in.need(c.params, "taskId", "taskId")
	name := in.need(c.params, "id", "id")
	if in.f != nil {
		return outcome{}, in.f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if _, f := c.s.b.push.addressed(c, id); f != nil {
		return outcome{}, f
	}
	return c.s.b.push.deleted(c, c.s.b.push.removes(c, id, name))
}

// pushHeader adds what the configuration asks for.
func pushHeader(p *pushConfig, h http.Header) {
	h.Set("Content-Type", mediaA2A)
	if p.scheme != "" {
		h.Set("Authorization", strings.TrimSpace(p.scheme+" "+p.credentials))
	}
	if p.token != "" {
		h.Set("X-A2A-Notification-Token", p.token)
	}
}
