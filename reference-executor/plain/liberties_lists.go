// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// listLiberties are about lists, and about what else is in them.
var listLiberties = map[string]func(*behaviour){
	// The proto file has pages of 50 at most when no size is given.
	"pages-have-one-task-by-themselves": func(b *behaviour) { b.list.size = func(query) int { return 1 } },

	// The proto file has pageSize be the most that a page may have; 3.1.4 tells the last page by its empty token.
	"pages-are-filled-by-half": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			q.pageSize = (q.pageSize + 1) / 2
			return pageFrom(q, list, from)
		}
	},

	// 3.1.4: a token is a text that only the server understands, and belongs to its request.
	"page-tokens-are-long-and-new-each-time": func(b *behaviour) {
		b.list.token = func(s *Server, q query, at position) string {
			return "+/=&%2F?# ü" + strings.Repeat(uuid.NewString(), 20) + "+" + conformantList.token(s, q, at)
		}
		b.list.position = func(s *Server, q query) (position, *failure) {
			if at := strings.LastIndexByte(q.pageToken, '+'); at > 0 {
				q.pageToken = q.pageToken[at+1:]
			}
			return conformantList.position(s, q)
		}
	},
	"page-tokens-belong-to-their-page-size": func(b *behaviour) {
		b.list.token = func(s *Server, q query, at position) string {
			return conformantList.token(s, q, at) + "." + strconv.Itoa(q.pageSize)
		}
		b.list.position = func(s *Server, q query) (position, *failure) {
			token, size, _ := strings.Cut(q.pageToken, ".")
			if token != "" && size != strconv.Itoa(q.pageSize) {
				return position{}, violation("pageToken", "is not a token of this list")
			}
			q.pageToken = token
			return conformantList.position(s, q)
		}
	},

	// 3.1.4 does not order tasks of the same time.
	"tasks-of-one-second-are-listed-backwards": func(b *behaviour) {
		b.tasks.clock = clockOf(time.Second, 0)
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(a, b task) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(b.id, a.id)) })
		}
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id == "" {
				return pageFrom(q, list, from)
			}
			at := slices.IndexFunc(list, func(t task) bool {
				return t.changed.Before(from.changed) || t.changed.Equal(from.changed) && t.id < from.id
			})
			if at < 0 {
				at = len(list)
			}
			return pageFrom(q, list[at:], position{})
		}
	},

	// 3.1.9: configurations may be listed in pages.
	"configs-are-listed-one-a-page": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			token, _ := c.params["pageToken"].(string)
			from, _ := strconv.Atoi(token)
			if list, _ := v["configs"].([]any); len(list) > 1 {
				v["configs"], v["nextPageToken"] = list[:1], strconv.Itoa(from+1)
			}
			return v
		}
	},

	// A server that has served for years has tasks of years, whose states no sentence limits.
	"there-are-tasks-from-before": func(b *behaviour) {
		var once sync.Once
		b.http.before = func(s *Server, _ *http.Request) (answer, bool) {
			once.Do(func() { s.remembers(130) })
			return answer{}, false
		}
	},

	// Others may be at work with the same credentials.
	"others-are-at-work": func(b *behaviour) {
		var once sync.Once
		b.http.before = func(s *Server, _ *http.Request) (answer, bool) {
			once.Do(func() { s.busies(400) })
			return answer{}, false
		}
	},
}

// callers are the names of all principals.
var callers = []string{"", "first", "second", "limited"}

// remembers makes tasks of each caller that are years old, n of each.
func (s *Server) remembers(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n * len(callers) {
		at := time.Date(2019, 3, 1+i, 4, 5, 6, 789e6, time.UTC)
		t := &task{
			id: uuid.NewString(), context: uuid.NewString(), owner: callers[i%len(callers)], binding: BindingREST,
			state: states[i/len(callers)%len(states)], created: at, changed: at, cancel: func() {},
		}
		t.history = []object{{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []any{object{"text": "long ago"}}, "taskId": t.id, "contextId": t.context}}
		if t.state == completed {
			t.artifacts = []artifact{{id: "old", parts: []object{{"text": "done long ago"}}}}
		}
		s.tasks[t.id] = t
	}
}

// busies makes tasks of each caller while others use the server, n of each.
func (s *Server) busies(n int) {
	s.after(150*time.Millisecond, func() {
		for _, name := range callers {
			c := &call{s: s, who: principal{name: name}, binding: BindingREST, params: object{}}
			text := "I am somebody else"
			t := s.create(c, object{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []any{object{"text": text}}}, "")
			s.b.agent.starts(s, t, text)
		}
		if n > 1 {
			s.busies(n - 1)
		}
	})
}
