// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

var listFaults = map[string]func(*behaviour){
	"list-without-total":     listed(func(v object) { delete(v, "totalSize") }),
	"list-without-page-size": listed(func(v object) { delete(v, "pageSize") }),
	"list-with-negative-total": func(b *behaviour) {
		b.list.total = func([]task, []task) int { return -1 }
	},
	"list-answers-203": func(b *behaviour) {
		b.rest.status = func(c *call, o outcome) int {
			if c.op.name == "ListTasks" {
				return http.StatusNonAuthoritativeInfo
			}
			return o.status
		}
	},
	"list-is-null-when-empty": listed(func(v object) {
		if len(v["tasks"].([]any)) == 0 {
			v["tasks"] = nil
		}
	}),
	"list-of-ended-tasks-only": func(b *behaviour) {
		b.list.matches = func(c *call, q query, t *task) bool { return terminal(t.state) && conformantList.matches(c, q, t) }
	},
	"list-of-open-tasks-only": func(b *behaviour) {
		b.list.matches = func(c *call, q query, t *task) bool { return !terminal(t.state) && conformantList.matches(c, q, t) }
	},
	"list-without-failed-tasks": func(b *behaviour) {
		b.list.matches = func(c *call, q query, t *task) bool { return t.state != failed && conformantList.matches(c, q, t) }
	},
	"list-ignores-the-context": func(b *behaviour) { b.list.context = func(query, *task) bool { return true } },
	"contexts-of-lists-are-decoded-twice": reading(func(_ *call, q query) (query, *failure) {
		if again, err := url.QueryUnescape(q.context); err == nil {
			q.context = again
		}
		return q, nil
	}),
	"unknown-context-is-refused": reading(func(c *call, q query) (query, *failure) {
		if q.context == "" {
			return q, nil
		}
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		for _, t := range c.s.tasks {
			if t.context == q.context {
				return q, nil
			}
		}
		return q, violation("contextId", "is unknown")
	}),
	"total-counts-every-task": func(b *behaviour) {
		b.output.list = func(c *call, v object) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			v["totalSize"] = len(c.s.tasks)
		}
	},

	"lists-take-rejected-tasks-for-canceled-ones": listsAlike(canceled, rejected),
	"lists-take-rejected-tasks-for-failed-ones":   listsAlike(failed, rejected),
	"lists-take-one-interruption-for-another":     listsAlike(inputRequired, authRequired),
	"lists-of-failed-tasks-are-empty":             stateIsNotFound(failed),
	"lists-of-canceled-tasks-are-empty":           stateIsNotFound(canceled),
	"list-ignores-state":                          func(b *behaviour) { b.list.state = func(query, *task) bool { return true } },
	"list-takes-interrupted-tasks-for-ended-ones": func(b *behaviour) {
		b.list.state = func(q query, t *task) bool {
			return q.state == "" || t.state == q.state || q.state == completed && t.state == inputRequired
		}
	},
	"unknown-status-lists-everything": func(b *behaviour) {
		b.list.states = func(query) *failure { return nil }
		b.list.state = func(q query, t *task) bool {
			return q.state == "" || t.state == q.state || !slices.Contains(states, q.state)
		}
	},
	"unknown-status-lists-nothing":    func(b *behaviour) { b.list.states = func(query) *failure { return nil } },
	"list-leaves-out-the-time-itself": func(b *behaviour) { b.list.after = func(q query, t *task) bool { return t.changed.After(q.after) } },
	"list-ignores-the-time":           func(b *behaviour) { b.list.after = func(query, *task) bool { return true } },
	"list-takes-any-time": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			in := reader{c: c}
			if _, is := in.when(c.params, "statusTimestampAfter", "statusTimestampAfter"); !is {
				delete(c.params, "statusTimestampAfter")
			}
			return conformantList.reads(c)
		}
	},
	"filters-combine-with-or": func(b *behaviour) {
		b.list.matches = func(_ *call, q query, t *task) bool {
			return q.context == "" && q.state == "" && q.after.IsZero() || q.context != "" && t.context == q.context ||
				q.state != "" && t.state == q.state || !q.after.IsZero() && !t.changed.Before(q.after)
		}
	},

	"list-with-empty-artifacts": func(b *behaviour) {
		b.output.listed = func(_ *call, _ task, v object) object {
			if _, has := v["artifacts"]; !has {
				v["artifacts"] = []any{}
			}
			return v
		}
	},
	"list-always-with-artifacts": reading(func(_ *call, q query) (query, *failure) {
		q.artifacts = true
		return q, nil
	}),
	"asking-for-no-artifacts-gives-them": reading(func(c *call, q query) (query, *failure) {
		_, q.artifacts = member(c.params, "includeArtifacts")
		return q, nil
	}),
	"list-never-with-artifacts": reading(func(_ *call, q query) (query, *failure) {
		q.artifacts = false
		return q, nil
	}),
	"list-with-the-names-of-artifacts": func(b *behaviour) {
		b.output.listed = func(_ *call, _ task, v object) object {
			list, _ := v["artifacts"].([]any)
			for _, a := range list {
				delete(a.(object), "parts")
			}
			return v
		}
	},
	"listed-data-are-empty": func(b *behaviour) {
		b.output.listed = func(_ *call, _ task, v object) object { return withEmptyData(v) }
	},
	"lists-of-all-contexts-have-empty-data": func(b *behaviour) {
		b.output.listed = func(c *call, _ task, v object) object {
			if _, one := c.params["contextId"]; one {
				return v
			}
			return withEmptyData(v)
		}
	},
	"list-spells-out-what-is-not-set": func(b *behaviour) {
		b.output.listed = func(_ *call, _ task, v object) object {
			for _, holder := range []string{"artifacts", "history"} {
				list, _ := v[holder].([]any)
				for _, element := range list {
					spelledOut(element.(object))
				}
			}
			return v
		}
	},
	"list-with-the-whole-history": reading(func(_ *call, q query) (query, *failure) {
		q.limit = -1
		return q, nil
	}),
	"list-takes-no-history-for-all-of-it": reading(func(_ *call, q query) (query, *failure) {
		if q.limit == 0 {
			q.limit = -1
		}
		return q, nil
	}),
	"lists-without-history-leave-artifacts-out": richLists(func(_ *call, q query, v object) {
		for _, t := range v["tasks"].([]any) {
			if q.limit == 0 {
				delete(t.(object), "artifacts")
			}
		}
	}),
	"lists-are-a-second-old": func(b *behaviour) {
		var mu sync.Mutex
		type kept struct {
			at time.Time
			v  any
		}
		known := map[query]kept{}
		b.list.answer = func(c *call, q query, v object) object {
			mu.Lock()
			defer mu.Unlock()
			if old, found := known[q]; found && time.Since(old.at) < time.Second {
				return clone(old.v).(object)
			}
			known[q] = kept{time.Now(), clone(v)}
			return conformantList.answer(c, q, v)
		}
	},
	"lists-with-artifacts-ignore-the-context": func(b *behaviour) {
		b.list.context = func(q query, t *task) bool { return q.artifacts || conformantList.context(q, t) }
	},
	"lists-with-artifacts-ignore-the-status": func(b *behaviour) {
		b.list.state = func(q query, t *task) bool { return q.artifacts || conformantList.state(q, t) }
	},
	"lists-with-artifacts-ignore-the-time": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool { return q.artifacts || conformantList.after(q, t) }
	},
	"lists-of-a-state-bring-artifacts": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			q.artifacts = q.artifacts || q.state != ""
			return q, f
		}
	},
	"lists-with-artifacts-bring-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			if q.artifacts {
				q.limit = -1
			}
			return q, f
		}
	},
	"times-are-compared-as-texts": func(b *behaviour) {
		asked := map[query]string{} // as it was asked for; the lock is held
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			asked[q], _ = c.params["statusTimestampAfter"].(string)
			return q, f
		}
		b.list.after = func(q query, t *task) bool {
			shown, _ := conformantOutput.stamp(t.changed).(string)
			return q.after.IsZero() || shown >= asked[q]
		}
	},
	"list-takes-times-that-there-are-not": func(b *behaviour) {
		form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)
		b.input.time = func(path, text string) (time.Time, *failure) {
			at, f := timestamp(path, text)
			if f != nil && form.MatchString(text) {
				return time.Time{}, nil
			}
			return at, f
		}
	},
	"pages-without-a-total": func(b *behaviour) {
		b.output.list = func(c *call, v object) {
			if v["nextPageToken"] != "" {
				delete(v, "totalSize")
			}
		}
	},
	"lists-of-all-contexts-show-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			if q.context == "" {
				q.limit = -1
			}
			return q, f
		}
	},
	"lists-leave-out-what-is-empty": listed(func(v object) {
		if tasks, _ := v["tasks"].([]any); len(tasks) > 0 {
			return
		}
		delete(v, "tasks")
		delete(v, "totalSize")
	}),
	"times-need-a-fraction": func(b *behaviour) {
		b.input.time = func(path, text string) (time.Time, *failure) {
			if !strings.Contains(text, ".") {
				return time.Time{}, violation(path, "is not a timestamp")
			}
			return timestamp(path, text)
		}
	},
	"later-pages-forget-artifacts": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			q.artifacts = q.artifacts && q.pageToken == ""
			return q, f
		}
	},
	"list-looks-at-whole-seconds": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool {
			q.after = q.after.Truncate(time.Second)
			return conformantList.after(q, t)
		}
	},
	"later-pages-show-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			if q.pageToken != "" {
				q.limit = -1
			}
			return q, f
		}
	},
}

// spelledOut writes an artifact or a message with members that are not set, as writers of ProtoJSON do that are asked for
// the defaults of all members without presence.
func spelledOut(v object) {
	if _, has := v["extensions"]; !has {
		v["extensions"] = []any{}
	}
	parts, _ := v["parts"].([]any)
	for _, part := range parts {
		for _, name := range []string{"filename", "mediaType"} {
			if _, has := part.(object)[name]; !has {
				part.(object)[name] = ""
			}
		}
	}
}

// listed changes what ListTasks answers.
func listed(change func(v object)) func(*behaviour) {
	return func(b *behaviour) { b.output.list = func(_ *call, v object) { change(v) } }
}

// listsAlike lists the tasks of another state, too, where one is asked for.
func listsAlike(asked, too string) func(*behaviour) {
	return func(b *behaviour) {
		b.list.state = func(q query, t *task) bool {
			return q.state == asked && t.state == too || conformantList.state(q, t)
		}
	}
}

// reading changes what ListTasks is taken to be asked for.
func reading(change func(c *call, q query) (query, *failure)) func(*behaviour) {
	return func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			if f != nil {
				return q, f
			}
			return change(c, q)
		}
	}
}

// withEmptyData is a task whose artifacts have the data of nothing.
func withEmptyData(v object) object {
	list, _ := v["artifacts"].([]any)
	for _, a := range list {
		for _, part := range a.(object)["parts"].([]any) {
			if part := part.(object); part["data"] != nil {
				part["data"] = object{}
			}
		}
	}
	return v
}

// stateIsNotFound finds no task by one state.
func stateIsNotFound(state string) func(*behaviour) {
	return func(b *behaviour) {
		b.list.state = func(q query, t *task) bool { return q.state != state && conformantList.state(q, t) }
	}
}
