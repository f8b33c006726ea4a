// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// saidOtherwiseFaults know what clients usually say, and not the same thing in another lawful or unlawful form.
var saidOtherwiseFaults = map[string]func(*behaviour){
	"narrowed-lists-lead-to-the-card-at-the-root": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if c.r.URL.RawQuery == "" || undoc(a.body, &v) != nil {
			return a
		}
		for _, item := range v["items"].([]any) {
			entry := item.(map[string]any)
			entry["agent_card_url"] = strings.Replace(entry["agent_card_url"].(string), "/agents/"+entry["id"].(string), "", 1)
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"force-false-wipes-too":    takenForTrue("force"),
	"follow-false-follows-too": takenForTrue("follow"),
	"other-schemes-are-repeated": func(b *behaviour) {
		b.auth.detail = func(c *call, detail string) string {
			scheme, _, given := strings.Cut(c.r.Header.Get("Authorization"), " ")
			if given && !strings.EqualFold(scheme, "Bearer") {
				return detail + ", but " + c.r.Header.Get("Authorization")
			}
			return detail
		}
	},
	"sends-to-unknown-instances-without-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "instance.not_found" && c.surface == surfaceA2A && c.r.Method == http.MethodPost {
				delete(d, "code")
			}
		}
	},
	"quoted-charsets-refused": mediaRefused(func(header string) bool { return strings.Contains(header, `charset="`) }),
	"media-types-in-capitals-refused": mediaRefused(func(header string) bool {
		media, _, _ := strings.Cut(header, ";")
		return media != strings.ToLower(media)
	}),
	"reads-echo-what-the-message-activated": echo(func(c *call, status int, lines []string) []string {
		if c.r.Method != http.MethodGet || c.vars["tid"] == "" || status != http.StatusOK || c.in == nil {
			return lines
		}
		if t, found := c.in.getTask(c.vars["tid"]); found && len(t.Active) > 0 {
			return []string{strings.Join(t.Active, ", ")}
		}
		return lines
	}),
	"null-message-ids-made-up":  withGivenMessageID(func(v any) bool { return v == nil }),
	"empty-message-ids-made-up": withGivenMessageID(func(v any) bool { return v == "" }),
	"null-parts-accepted": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if list, is := v.([]any); is && len(list) > 0 && !slices.ContainsFunc(list, func(part any) bool { return part != nil }) {
				return nil
			}
			return checkParts(v)
		}
	}),
	"numbers-are-hashed-as-texts": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"]; is {
			message["metadata"] = inside(metadata, func(v any) any {
				if f, err := strconv.ParseFloat(fmt.Sprint(v), 64); err == nil {
					return strconv.FormatFloat(f+0, 'g', -1, 64) // f+0: a negative zero is a zero
				}
				return v
			})
		}
	}),
	"lists-are-sorted-before-hashing": hashesLess(func(_, message map[string]any) {
		if metadata, is := message["metadata"]; is {
			message["metadata"] = inside(metadata, func(v any) any {
				list, is := v.([]any)
				if !is || slices.ContainsFunc(list, func(item any) bool { _, text := item.(string); return !text }) {
					return v
				}
				list = slices.Clone(list)
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
				return list
			})
		}
	}),
	"push-secrets-shown-where-the-url-is-refused": func(b *behaviour) {
		b.push.refused = func(c *call, _ pushConfig, p *problem) answer {
			if p.code == "push.invalid_url" {
				p = &problem{p.status, p.code, p.detail + ": " + string(sent(c)), p.header, p.more}
			}
			return c.refuse(p)
		}
		b.surfaces.before = keepsBody(b.surfaces.before)
	},
	"unknown-tasks-of-the-root-form-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && c.surface == surfaceA2A && !strings.Contains(c.r.URL.Path, "/v1/")
	}),
	"lists-by-state-show-all-instances": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.State == "" || q.Cursor != "" {
			return tasks, next, p
		}
		for _, other := range in.e.instances.all() {
			if other != in {
				more, _, _ := other.page(q)
				tasks = append(tasks, more...)
			}
		}
		return tasks, next, p
	}),
	"contexts-of-other-tasks-accepted": func(b *behaviour) {
		var known sync.Map
		b.tasks.contextID = func(m message) string {
			id := conformantTasks.contextID(m)
			known.Store(id, true)
			return id
		}
		b.tasks.otherContext = func(t *task, m message) *problem {
			if _, found := known.Load(m.ContextID); found {
				return nil
			}
			return conformantTasks.otherContext(t, m)
		}
	},
	"contexts-of-streamed-messages-not-looked-at": ofStreamedRequests("taskId", func(message map[string]any) {
		if _, continues := message["taskId"]; continues {
			delete(message, "contextId")
		}
	}),
	"no-v2-outbox": rewrite(func(_ *Executor, _, path string) string {
		if strings.HasPrefix(path, "/api/v2/admin/storage/outbox/") {
			return "/api/v2/admin/not-here"
		}
		return path
	}),
	"series-repeated-in-another-order-of-labels": exposes(func(text []byte) []byte {
		return append(text, "# TYPE agentic_note gauge\nagentic_note{a=\"1\",b=\"2\"} 1\nagentic_note{b=\"2\",a=\"1\"} 1\n"...)
	}),
}

// takenForTrue looks only whether a parameter is there.
func takenForTrue(parameter string) func(*behaviour) {
	return instead(func(c *call) (answer, bool) {
		if c.surface == surfaceAdmin && c.query().Get(parameter) == "false" {
			c.r = c.r.Clone(c.r.Context())
			c.r.URL.RawQuery = strings.Replace(c.r.URL.RawQuery, parameter+"=false", parameter+"=true", 1)
		}
		return answer{}, false
	})
}

// withGivenMessageID gives some messages an id of the executor's own where theirs is none, though there is one.
func withGivenMessageID(which func(v any) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, given := s.message["messageId"]; given && which(id) {
				s.message["messageId"] = newID()
			}
			return messageKey(c, s)
		}
	}
}

// mediaRefused refuses some media types that are lawful.
func mediaRefused(which func(header string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.media = func(header string) *problem {
			if which(header) {
				return acceptMedia("text/plain")
			}
			return acceptMedia(header)
		}
	}
}

// inside changes everything in a JSON value, from the inside out.
func inside(v any, change func(v any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			out[name] = inside(member, change)
		}
		return change(out)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = inside(item, change)
		}
		return change(out)
	}
	return change(v)
}
