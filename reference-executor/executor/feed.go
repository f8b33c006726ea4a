// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tmaxmax/go-sse"
)

// maxEntries is how far back logs and events go.
const maxEntries = 5000

// A feed is a list of entries that grows and can be followed: the logs, or the events.
type feed struct {
	mu      sync.Mutex
	entries []entry
	last    int
	readers map[chan entry]bool
}

type entry struct {
	number int
	value  map[string]any
}

func newFeed() *feed { return &feed{readers: map[chan entry]bool{}} }

// add appends an entry and stamps it.
func (f *feed) add(value map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	value["timestamp"] = stamp(time.Now())
	if _, event := value["kind"]; event {
		value["id"] = strconv.Itoa(f.last)
	}
	one := entry{f.last, value}
	if f.entries = append(f.entries, one); len(f.entries) > 2*maxEntries {
		f.entries = slices.Clone(f.entries[maxEntries:])
	}
	for reader := range f.readers {
		select {
		case reader <- one:
		default: // it is far behind: it misses this one
		}
	}
}

// access logs a request. Of what the client has chosen only the path and a usual method get into the log.
func (a *admin) access(c *call, status int) {
	level := "info"
	if status >= 500 {
		level = "error"
	}
	a.logs.add(map[string]any{
		"level": level, "target": "http", "message": methodName(c.r.Method) + " " + c.r.URL.EscapedPath(),
		"fields": map[string]any{"status": status},
	})
}

// event tells of a change.
func (a *admin) event(kind, subject string, data map[string]any) {
	a.events.add(map[string]any{"kind": kind, "subject": subject, "data": data})
}

var levels = []string{"trace", "debug", "info", "warn", "error"}

// A filter is what the parameters of a feed let through.
type filter struct {
	level        int
	target, kind string
	limit        int
	follow       bool
}

func readFilter(c *call) (filter, *problem) {
	q := c.query()
	f := filter{target: q.Get("target"), kind: q.Get("kind"), limit: 200}
	if level := q.Get("level"); level != "" {
		if f.level = slices.Index(levels, level); f.level < 0 {
			return f, invalid("level", "is no level")
		}
	}
	if limit := q.Get("limit"); limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > maxEntries {
			return f, invalid("limit", "is not a number from 1 to 5000")
		}
		f.limit = n
	}
	follow := q.Get("follow")
	if follow != "" && follow != "true" && follow != "false" {
		return f, invalid("follow", "is not true or false")
	}
	f.follow = follow == "true"
	return f, nil
}

func (f filter) passes(v map[string]any) bool {
	level, isLog := v["level"].(string)
	kind, _ := v["kind"].(string)
	target, _ := v["target"].(string)
	return (!isLog || slices.Index(levels, level) >= f.level) &&
		(f.target == "" || f.target == target) &&
		(f.kind == "" || kind == f.kind || strings.HasPrefix(kind, f.kind+"."))
}

// serve answers with the newest entries, or follows the feed.
func (f *feed) serve(c *call, name string) answer {
	by, p := readFilter(c)
	if p != nil {
		return c.refuse(p)
	}
	if by.follow {
		return f.follow(c, by, name)
	}
	items := []any{}
	for _, one := range c.e.b.admin.entries(f.newest(c, by)) {
		items = append(items, one.value)
	}
	return c.json(http.StatusOK, map[string]any{"items": items})
}

// newest are the last entries that pass, oldest first.
func (f *feed) newest(c *call, by filter) []entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []entry
	limit := c.e.b.admin.limit(by.limit)
	for i := len(f.entries) - 1; i >= 0 && len(list) < limit; i-- {
		if by.passes(f.entries[i].value) {
			list = append(list, f.entries[i])
		}
	}
	slices.Reverse(list)
	return list
}

func (f *feed) follow(c *call, by filter, name string) answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	c.e.b.sse.header(a.header)
	a.stream = func(w http.ResponseWriter) {
		reader := make(chan entry, 256)
		f.mu.Lock()
		f.readers[reader] = true
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			delete(f.readers, reader)
			f.mu.Unlock()
		}()
		s := c.newStream(w)
		_ = http.NewResponseController(w).Flush()
		if !c.e.b.admin.follows(c) {
			return
		}
		shown := 0
		show := func(one entry) {
			if one.number > shown && by.passes(one.value) {
				s.write(c.e.b.admin.followed(s, one, name))
			}
			shown = max(shown, one.number)
		}
		for _, one := range f.newest(c, by) {
			show(one)
		}
		idle := time.NewTicker(c.e.config.heartbeat())
		defer idle.Stop()
		for {
			select {
			case one := <-reader:
				show(one)
			case <-idle.C:
				s.write(s.comment("still here"))
			case <-c.r.Context().Done():
				return
			case <-c.e.stopping.Done():
				return
			}
		}
	}
	return a
}

// entry is an entry as an event: its id is its number; the events of the executor are named by their kind.
func (s *eventStream) entry(one entry, name string) []byte {
	if name == "" {
		name, _ = one.value["kind"].(string)
	}
	m := sse.Message{ID: sse.ID(strconv.Itoa(one.number)), Type: sse.Type(name)}
	m.AppendData(string(s.c.e.lawful.Encode(one.value)))
	return s.style(&m)
}
