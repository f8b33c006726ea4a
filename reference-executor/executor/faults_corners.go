// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// cornerFaults show in a corner only: on the last page, in a second message, of a second instance, in a refusal.
var cornerFaults = map[string]func(*behaviour){
	"full-last-pages-lead-to-the-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" && next == "" && len(tasks) == q.Limit {
			next = writeCursor(math.MaxInt64)
		}
		return tasks, next, p
	}),
	"tenants-of-further-messages-not-looked-at": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			metadata, _ := v["metadata"].(map[string]any)
			if _, given := metadata["tenant_id"]; !given || v["taskId"] == nil {
				return real(v)
			}
			v, metadata = maps.Clone(v), maps.Clone(metadata)
			delete(metadata, "tenant_id")
			v["metadata"] = metadata
			return real(v)
		}
	},
	"extended-cards-signed-by-the-first-instance": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			if first := c.e.instances.all()[0]; first != c.in {
				delete(card, "signatures")
				signCard(first, card, canonical(card))
			}
			return c.json(http.StatusOK, card)
		}
	},
	"push-secret-shown-in-refusals": func(b *behaviour) {
		b.push.refused = func(c *call, _ pushConfig, p *problem) answer {
			return c.refuse(&problem{p.status, p.code, p.detail + ": " + string(sent(c)), p.header, p.more})
		}
		b.surfaces.before = keepsBody(b.surfaces.before)
	},
	"push-decodes-the-path": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			for i := range list {
				if u, err := url.Parse(list[i].URL); err == nil {
					u.RawPath = ""
					list[i].URL = u.String()
				}
			}
			return list
		}
	},
	"instance-names-with-a-line-end-accepted": func(b *behaviour) {
		real := b.admin.validate
		b.admin.validate = func(body map[string]any) *problem {
			name, _ := body["name"].(string)
			body = maps.Clone(body)
			body["name"] = strings.TrimSuffix(name, "\n")
			return real(body)
		}
	},
	"storage-writes-escape": rewrite(func(_ *Executor, method, escaped string) string {
		if method == http.MethodPut && strings.Contains(escaped, "/storage/") && strings.Contains(escaped, "..%2f") {
			return path.Clean(strings.ReplaceAll(escaped, "%2f", "/"))
		}
		return escaped
	}),
	"empty-elements-end-the-list": func(b *behaviour) {
		real := b.extensions.requested
		b.extensions.requested = func(h http.Header) []string {
			cut := h.Clone()
			for i, line := range cut["A2a-Extensions"] {
				items := strings.Split(line, ",")
				if end := slices.IndexFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" }); end >= 0 {
					cut["A2a-Extensions"][i] = strings.Join(items[:end], ",")
				}
			}
			return real(cut)
		}
	},
	"refused-answers-echo-no-prompts": echo(func(_ *call, status int, lines []string) []string {
		if status != http.StatusConflict && status != http.StatusUnprocessableEntity {
			return lines
		}
		kept := slices.Clone(lines)
		for i := range kept {
			kept[i] = strings.TrimSuffix(strings.ReplaceAll(kept[i], uriHITL, ""), ", ")
		}
		return kept
	}),
	"every-seventh-card-orders-its-extensions-otherwise": func(b *behaviour) {
		var shown atomic.Int64
		real := b.card.asked
		b.card.asked = func(c *call, card map[string]any) {
			real(c, card)
			if shown.Add(1)%7 == 0 {
				list := card["capabilities"].(map[string]any)["extensions"].([]any)
				list[2], list[3] = list[3], list[2]
			}
		}
	},
	"every-etag-is-the-one-of-the-card": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if c.r.Header.Get("If-None-Match") != "" {
				a.status, a.body = http.StatusNotModified, nil
			}
			return a
		}
	},
	"v1-labels-are-not-escaped": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			if strings.Contains(c.r.URL.Path, `"`) {
				label = c.r.URL.Path
			}
			return label, counts
		}
		b.metrics.expose = func(families []family) []byte {
			return bytes.ReplaceAll(expose(families), []byte(`\"`), []byte(`"`))
		}
	},
	"v1-requests-at-once-are-lost": func(b *behaviour) {
		var under atomic.Int64
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			if c.surface != surfaceV1 {
				return label, counts
			}
			defer under.Add(-1)
			if under.Add(1) > 5 {
				return label, false
			}
			time.Sleep(lostUpdate)
			return label, counts
		}
	},
	"refusals-of-streams-are-not-remembered": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			return r, found && (r.Task != "" || r.Operation != "messages:stream")
		}
	},
	"identical-sends-race-while-one-waits": func(b *behaviour) {
		const apart = "#"
		key := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			id, p := key(c, s)
			if p == nil && s.blocking {
				id += apart + newID()
			}
			return id, p
		}
		b.idempotency.stored = func(key, _ string) string { key, _, _ = strings.Cut(key, apart); return key }
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			key, _, _ = strings.Cut(key, apart)
			return lookup(c, scope, key, hash)
		}
	},
	"lengths-of-answers-are-those-of-their-bytes": func(b *behaviour) {
		real := b.hitl.check
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if comment, _ := payload["comment"].(string); len(comment) > 200 {
				payload = maps.Clone(payload)
				payload["comment"] = strings.Repeat("x", len(comment)) // as if each byte were a character
			}
			return real(pr, payload)
		}
	},
	"keys-are-sorted-by-code-points": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			message, body := maps.Clone(s.message), maps.Clone(s.body)
			delete(message, "messageId")
			body["message"] = message
			form, err := canonicalForm(body)
			if err != nil {
				return "", err
			}
			var v any
			if err := undoc(form, &v); err != nil {
				return "", err
			}
			var out bytes.Buffer
			e := json.NewEncoder(&out) // which sorts the keys of a map by their bytes
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				return "", err
			}
			text := bytes.ReplaceAll(bytes.TrimSpace(out.Bytes()), []byte(`\u2028`), []byte("\u2028"))
			sum := sha256.Sum256(text)
			return hex.EncodeToString(sum[:]), nil
		}
	},
	"prompts-of-other-tasks-are-answered": func(b *behaviour) {
		open, check, answered := b.hitl.open, b.hitl.check, b.hitl.answered
		b.hitl.open = func(t task, id string) bool { return open(t, id) || t.in.asks(id) }
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return check(pr, payload)
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.Prompt == nil {
				return t.seenBy(opts.Active), nil
			}
			return answered(in, t, opts)
		}
	},
}

// asks says whether a task of the instance has an open prompt of that id; the lock on tasks is held.
func (in *instance) asks(id string) bool {
	rows, err := in.e.store.tasksBefore(in.ID, inputRequired, math.MaxInt64, 1000)
	return err == nil && slices.ContainsFunc(rows, func(row numbered) bool { return row.task.Prompt != nil && row.task.Prompt.ID == id })
}

type bodyKey struct{}

// keepsBody lets sent find the body of a request that has been read.
func keepsBody(before func(c *call) (answer, bool)) func(c *call) (answer, bool) {
	return func(c *call) (answer, bool) {
		body, _ := io.ReadAll(c.r.Body)
		c.r = c.r.WithContext(context.WithValue(c.r.Context(), bodyKey{}, body))
		c.r.Body = io.NopCloser(bytes.NewReader(body))
		return before(c)
	}
}

// sent is the body of a request, where keepsBody has kept it.
func sent(c *call) []byte {
	body, _ := c.r.Context().Value(bodyKey{}).([]byte)
	return body
}
