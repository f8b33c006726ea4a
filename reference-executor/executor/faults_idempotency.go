// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

var idempotencyFaults = map[string]func(*behaviour){
	"idempotency-is-optional": extensionEntry(uriIdempotency, func(_ *instance, entry map[string]any) { entry["required"] = false }),
	"idempotency-declared-twice": cardContent(func(_ *instance, card map[string]any) {
		again := map[string]any{"uri": uriIdempotency, "required": true, "params": map[string]any{}}
		capabilities(card)["extensions"] = append(capabilities(card)["extensions"].([]any), again)
	}),
	"idempotency-without-params":    extensionEntry(uriIdempotency, func(_ *instance, entry map[string]any) { delete(entry, "params") }),
	"idempotency-ttl-is-a-string":   idempotencyParams(func(p map[string]any) { p["ttl_seconds"] = "86400" }),
	"idempotency-of-another-form":   idempotencyParams(func(p map[string]any) { p["canonicalization"] = "json" }),
	"idempotency-with-another-hash": idempotencyParams(func(p map[string]any) { p["hash_algorithm"] = "sha-512" }),
	"idempotency-bound-is-zero":     idempotencyParams(func(p map[string]any) { p["max_cache_entries"] = 0 }),
	"idempotency-ttl-is-an-hour":    idempotencyParams(func(p map[string]any) { p["ttl_seconds"] = 3600 }),
	"refusals-marked-as-no-replay": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/messages:send") && p.code == "request.invalid_params" {
			a.header.Set("Idempotent-Replayed", "false")
		}
	}),
	"collisions-marked-as-replays": refusals(func(_ *call, p *problem, a *answer) {
		if p.code == "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD" {
			a.header.Set("Idempotent-Replayed", "true")
		}
	}),
	"streams-marked-as-no-replay": func(b *behaviour) {
		b.sse.start = func(_ *call, a answer) answer {
			if a.header.Get("Idempotent-Replayed") == "" {
				a.header.Set("Idempotent-Replayed", "false")
			}
			return a
		}
	},
	"miss-marked-as-no-replay": func(b *behaviour) {
		b.idempotency.first = func(h http.Header) { h.Set("Idempotent-Replayed", "false") }
	},
	"every-send-says-whether-it-is-a-replay":        markedSends(func(*call) bool { return true }),
	"sends-without-idempotency-marked-as-no-replay": markedSends(func(c *call) bool { return !c.active.has(uriIdempotency) }),
	"long-payloads-are-hashed-in-part":              hashedInPart(4 << 10),
	"very-long-payloads-are-hashed-in-part":         hashedInPart(64 << 10),
	"replay-with-status-200":                        replays(func(_ *call, _ sending, r remembered, a *answer) { a.status = http.StatusOK }),
	"replay-shows-the-task-now": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found {
			a.body = c.e.lawful.Encode(t.seenBy(c.active).render(-1))
		}
	}),
	"replays-of-completed-tasks-show-them-now": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.State == completed {
			a.body = c.e.lawful.Encode(t.seenBy(c.active).render(-1))
		}
	}),
	"second-replay-shows-the-task-now": func(b *behaviour) {
		var once seen
		replays(func(c *call, _ sending, r remembered, a *answer) {
			if t, found := c.in.getTask(r.Task); found && once.before(r.Task) {
				a.body = c.e.lawful.Encode(t.seenBy(c.active).render(-1))
			}
		})(b)
	},
	"only-the-first-replay-is-marked": func(b *behaviour) {
		var once seen
		const again = "X-Replayed-Before"
		replays(func(_ *call, _ sending, r remembered, a *answer) {
			if once.before(r.Task) && r.Task != "" {
				a.header.Set(again, "true")
			}
		})(b)
		b.idempotency.mark = func(h http.Header) {
			if h.Get(again) == "" {
				conformantIdempotency.mark(h)
			}
		}
	},
	"replay-in-other-bytes": replays(func(_ *call, _ sending, _ remembered, a *answer) { a.body = append(a.body, '\n') }),
	"replay-not-marked":     func(b *behaviour) { b.idempotency.mark = func(http.Header) {} },
	"replay-marked-twice": func(b *behaviour) {
		b.idempotency.mark = func(h http.Header) { h["Idempotent-Replayed"] = []string{"true", "true"} }
	},
	"replay-marked-with-one": func(b *behaviour) {
		b.idempotency.mark = func(h http.Header) { h.Set("Idempotent-Replayed", "1") }
	},
	"replay-echoes-runtime-only": replays(func(_ *call, _ sending, _ remembered, a *answer) { a.header.Set("A2A-Extensions", uriRuntime) }),
	"replay-under-another-media-type": replays(func(_ *call, _ sending, _ remembered, a *answer) {
		a.header.Set("Content-Type", "application/octet-stream")
	}),
	"replay-without-location": replays(func(_ *call, _ sending, _ remembered, a *answer) { a.header.Del("Location") }),
	"replay-executes-again":   replays(func(c *call, s sending, _ remembered, _ *answer) { _, _ = c.accept(s, false) }),
	"no-cache": func(b *behaviour) {
		b.idempotency.lookup = func(*call, string, string, string) (remembered, bool) { return remembered{}, false }
	},
	"raw-bytes-are-compared": func(b *behaviour) {
		b.idempotency.hash = func(_ sending, raw []byte) (string, error) {
			sum := sha256.Sum256(raw)
			return hex.EncodeToString(sum[:]), nil
		}
	},
	"member-order-of-streams-is-compared": func(b *behaviour) {
		var orders sync.Map // the names of the members as they came, by the canonical hash and the call's order
		hash := b.idempotency.hash
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			h, err := hash(s, raw)
			orders.Store(h, string(bytes.Join(memberPattern.FindAll(raw, -1), nil)))
			return h, err
		}
		var first sync.Map // the order that came first, by key
		lookup := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			order, _ := orders.Load(hash)
			was, again := first.LoadOrStore(scope+key, order)
			if again && was != order && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				r.Hash = digest(r.Hash)
			}
			return r, found
		}
	},
	"member-order-is-compared": hashes(func(_ sending, raw []byte) string {
		var names []string
		for _, found := range memberPattern.FindAllSubmatch(raw, -1) {
			names = append(names, string(found[1]))
		}
		return strings.Join(names, " ")
	}),
	"white-space-is-compared": hashes(func(_ sending, raw []byte) string {
		return strconv.Itoa(bytes.Count(raw, []byte(" ")) + bytes.Count(raw, []byte("\n")))
	}),
	"escapes-are-compared":              hashes(func(_ sending, raw []byte) string { return strconv.Itoa(bytes.Count(raw, []byte(`\u`))) }),
	"escapes-beyond-ascii-are-compared": hashes(func(_ sending, raw []byte) string { return strconv.Itoa(bytes.Count(raw, []byte(`\u00e`))) }),
	"only-the-first-part-is-hashed": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			s.message = maps.Clone(s.message)
			if parts, is := s.message["parts"].([]any); is && len(parts) > 1 {
				s.message["parts"] = parts[:1]
			}
			return payloadHash(s)
		}
	},
	"metadata-is-hashed-in-lower-case": func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			text, err := canonicalForm(s.message["metadata"])
			if err != nil || s.message["metadata"] == nil {
				return payloadHash(s)
			}
			s.message = maps.Clone(s.message)
			s.message["metadata"] = string(bytes.ToLower(text))
			return payloadHash(s)
		}
	},
	"numbers-are-compared-as-written": hashes(func(_ sending, raw []byte) string {
		var numbers []string
		for _, found := range numberPattern.FindAllSubmatch(raw, -1) {
			numbers = append(numbers, string(found[1]))
		}
		return strings.Join(slices.Sorted(slices.Values(numbers)), " ")
	}),
	"payload-is-the-key": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, _, hash string) (remembered, bool) { return lookup(c, scope, hash, hash) }
		b.idempotency.stored = func(_ string, hash string) string { return hash }
	},
	"only-version-7-ids-accepted": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p == nil && key[14] != '7' {
				p = refuse(http.StatusBadRequest, "IDEMPOTENCY_MESSAGE_ID_MALFORMED", "")
			}
			return key, p
		}
	},
	"messages-to-lost-tasks-are-not-remembered": func(b *behaviour) {
		b.idempotency.keeps = func(status int) bool { return status != http.StatusNotFound }
	},
	"conflicts-are-not-remembered": func(b *behaviour) {
		b.idempotency.keeps = func(status int) bool { return status != http.StatusConflict }
	},
	"errors-are-not-remembered": func(b *behaviour) { b.idempotency.keeps = func(status int) bool { return status < 300 } },
	"idempotency-is-optional-once-a-message-was-sent": cardContent(func(in *instance, card map[string]any) {
		if in.e.metrics.tasks.read()[""] == 0 {
			return
		}
		for _, item := range capabilities(card)["extensions"].([]any) {
			if entry := item.(map[string]any); entry["uri"] == uriIdempotency {
				entry["required"] = false
			}
		}
	}),
	"replays-of-canceled-tasks-execute-again": replays(func(c *call, s sending, r remembered, _ *answer) {
		if t, found := c.in.getTask(r.Task); found && t.State == canceled && c.answersAtOnce() {
			_, _ = c.accept(s, false)
		}
	}),
	"extended-card-declares-another-ttl": extendedParams(uriIdempotency, func(_ *instance, p map[string]any) { p["ttl_seconds"] = 3600 }),
	"extended-card-names-another-hash":   extendedParams(uriIdempotency, func(_ *instance, p map[string]any) { p["hash_algorithm"] = "sha-512" }),
	"answers-are-replayed-once": func(b *behaviour) {
		var replayed seen
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			if found && r.Hash == hash && r.Task != "" && replayed.before(r.Task) {
				return remembered{}, false
			}
			return r, found
		}
	},
	"refusals-of-streams-are-not-remembered": func(b *behaviour) {
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			return r, found && (r.Task != "" || r.Operation != "messages:stream")
		}
	},
	"escapes-in-names-are-compared": hashes(func(_ sending, raw []byte) string {
		var names []string
		for _, found := range memberPattern.FindAllSubmatch(raw, -1) {
			if bytes.Contains(found[1], []byte(`\u`)) {
				names = append(names, string(found[1]))
			}
		}
		return strings.Join(names, ",")
	}),
	"ids-are-known-by-their-beginning": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			return key[:min(len(key), 32)], p
		}
	},
	"second-replay-with-status-200": func(b *behaviour) {
		var once seen
		replays(func(_ *call, _ sending, r remembered, a *answer) {
			if r.Task != "" && once.before(r.Task) {
				a.status = http.StatusOK
			}
		})(b)
	},
	"second-replay-without-location": func(b *behaviour) {
		var once seen
		replays(func(_ *call, _ sending, r remembered, a *answer) {
			if r.Task != "" && once.before(r.Task) {
				a.header.Del("Location")
			}
		})(b)
	},
	"replays-of-ended-tasks-with-status-200": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.status = http.StatusOK
		}
	}),
	"replays-of-ended-tasks-without-location": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.header.Del("Location")
		}
	}),
	"replayed-refusals-gain-a-charset": func(b *behaviour) {
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if a.status >= 400 {
				a.header.Set("Content-Type", a.header.Get("Content-Type")+"; charset=utf-8")
			}
			return a
		}
	},
	"negative-zeros-are-compared": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			hash, err := payloadHash(s)
			if found := negativeZero.FindAll(raw, -1); len(found) > 0 {
				hash = digest(hash + strconv.Itoa(len(found)))
			}
			return hash, err
		}
	},
	"replays-beyond-ascii-are-escaped": replays(func(_ *call, _ sending, _ remembered, a *answer) {
		a.body = escaped(a.body)
	}),
}

func idempotencyParams(change func(params map[string]any)) func(*behaviour) {
	return extensionEntry(uriIdempotency, func(_ *instance, entry map[string]any) { change(entry["params"].(map[string]any)) })
}

// replays changes what a repetition is answered.
func replays(change func(c *call, s sending, r remembered, a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			change(c, s, r, &a)
			return a
		}
	}
}

// hashes adds something about the body to what is compared.
func hashes(also func(s sending, raw []byte) string) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			hash, err := payloadHash(s)
			sum := sha256.Sum256([]byte(hash + also(s, raw)))
			return hex.EncodeToString(sum[:]), err
		}
	}
}

// markedSends says on some of the messages that they are no replay, in a header that only a replay has.
func markedSends(which func(c *call) bool) func(*behaviour) {
	return answers("send", func(c *call, a answer) answer {
		if which(c) && a.header.Get("Idempotent-Replayed") == "" {
			a.header.Set("Idempotent-Replayed", "false")
		}
		return a
	})
}

// hashedInPart compares so much of the canonical form, and nothing behind it.
func hashedInPart(most int) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.hash = func(s sending, _ []byte) (string, error) {
			message := maps.Clone(s.message)
			delete(message, "messageId")
			body := maps.Clone(s.body)
			body["message"] = message
			text, err := canonicalForm(body)
			if err != nil || len(text) <= most {
				return payloadHash(s)
			}
			sum := sha256.Sum256(text[:most])
			return hex.EncodeToString(sum[:]), nil
		}
	}
}

// replaysAfterRestart changes what is answered to repetitions of messages from before the last start.
func replaysAfterRestart(change func(c *call, a *answer)) func(*behaviour) {
	return replays(func(c *call, _ sending, r remembered, a *answer) {
		if r.Created.Before(c.e.started) {
			change(c, a)
		}
	})
}

var (
	memberPattern = regexp.MustCompile(`("[^"]*")\s*:`)
	numberPattern = regexp.MustCompile(`[:\[,]\s*(-?[0-9][0-9.eE+-]*)`)
)

// overdue changes what becomes of a message id whose TTL is over.
func overdue(then func(c *call, key, hash string) (remembered, bool)) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.expired = func(*Executor, time.Time) bool { return false }
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if found && time.Since(r.Created) >= c.e.config.idempotencyTTL() {
				return then(c, key, hash)
			}
			return r, found
		}
	}
}

// refused is a refusal in the form of something remembered.
func refused(c *call, hash string, p *problem) remembered {
	a := c.refuse(p)
	return remembered{Hash: hash, Status: a.status, Header: a.header, Body: a.body}
}

// cachedReads answers a read as it was answered the first time.
func cachedReads(operation string, marked bool) func(*behaviour) {
	return func(b *behaviour) {
		var mu sync.Mutex
		cache := map[string]answer{}
		before := b.tasks.answer
		b.tasks.answer = func(c *call, op string, a answer) answer {
			a = before(c, op, a)
			if op != operation || !c.active.has(uriIdempotency) || a.status != http.StatusOK {
				return a
			}
			mu.Lock()
			defer mu.Unlock()
			old, found := cache[c.r.URL.RequestURI()]
			if !found {
				cache[c.r.URL.RequestURI()] = a
				return a
			}
			old.header = old.header.Clone()
			if marked {
				old.header.Set("Idempotent-Replayed", "true")
			}
			return old
		}
	}
}

// answersAtOnce says whether the request is one whose answer is a task, and no stream of one.
func (c *call) answersAtOnce() bool { return strings.HasSuffix(c.r.URL.Path, "/messages:send") }

// inASCII says whether JSON holds no character beyond ASCII, written out or escaped.
func inASCII(text []byte) bool {
	var plain any
	if json.Unmarshal(text, &plain) != nil {
		return true
	}
	written, _ := json.Marshal(plain)
	return !bytes.ContainsFunc(written, func(r rune) bool { return r >= 0x80 })
}

// keptLists answers lists of that kind with the page that was shown for the same query before, for a time.
func keptLists(lasts time.Duration, of func(listQuery) bool) func(*behaviour) {
	type kept struct {
		tasks []task
		next  string
		until time.Time
	}
	return func(b *behaviour) {
		var mu sync.Mutex
		pages := map[string]kept{}
		page(func(in *instance, q listQuery) ([]task, string, *problem) {
			if !of(q) {
				return in.page(q)
			}
			key := strings.Join([]string{in.ID, q.State, q.Cursor, strconv.Itoa(q.Limit), fmt.Sprint(q.Active)}, " ")
			mu.Lock()
			defer mu.Unlock()
			if k, found := pages[key]; found && time.Now().Before(k.until) {
				return slices.Clone(k.tasks), k.next, nil
			}
			tasks, next, p := in.page(q)
			if p == nil {
				pages[key] = kept{slices.Clone(tasks), next, time.Now().Add(lasts)}
			}
			return tasks, next, p
		})(b)
	}
}

// negativeZero is a number that RFC 8785 writes as 0.
var negativeZero = regexp.MustCompile(`[:\[,]\s*-0(\.0*)?\s*[,\]}]`)

// escaped is JSON in ASCII: what lies beyond is escaped, and what means something in HTML.
func escaped(text []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x80 && r != '<' && r != '>' && r != '&':
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		}
	}
	return out.Bytes()
}
