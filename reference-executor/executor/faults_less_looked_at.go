// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// lessLookedAtFaults keep the contract where one looks first; they break it for another end of a task, another version of an
// extension, another member of an object, another way to send a message.
var lessLookedAtFaults = map[string]func(*behaviour){
	"subscriptions-to-odd-ids-are-refused-in-a-stream": func(b *behaviour) {
		b.sse.refused = func(c *call, p *problem) answer {
			a := c.refuse(p)
			if uuid.Validate(c.vars["tid"]) != nil {
				a.header.Set("Content-Type", "text/event-stream")
			}
			return a
		}
	},
	"push-bearer-is-escaped": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "bearer" {
				p.Secret = url.QueryEscape(p.Secret)
			}
			pushHeader(p, body, now, h)
		}
	},
	"push-of-failures-is-left-out": func(b *behaviour) {
		b.push.wants = func(_ *Executor, t task) bool { return t.State != failed }
	},
	"other-versions-are-taken-for-this-one": func(b *behaviour) {
		b.extensions.applied = func(known, requested []string) activation {
			var a activation
			for _, uri := range requested {
				if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(uri, k) }); i >= 0 && !a.has(known[i]) {
					a = append(a, known[i])
				}
			}
			return a
		}
	},
	"messages-without-idempotency-are-remembered": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p != nil && !c.active.has(uriIdempotency) {
				return newID(), nil
			}
			return key, p
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if !c.active.has(uriIdempotency) {
				return remembered{}, false
			}
			return lookup(c, scope, key, hash)
		}
	},
	"streamed-answers-without-task-start-one": func(b *behaviour) {
		b.hitl.taskless = func(in *instance, m message, o sendOptions) *problem {
			if o.Streamed {
				return nil
			}
			return conformantHITL.taskless(in, m, o)
		}
	},
	"lists-are-payloads": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			object, _ := v.(map[string]any)
			list, is := object["payload"].([]any)
			if !is || len(list) == 0 {
				return parseAnswer(v)
			}
			first, _ := list[0].(map[string]any)
			id, _ := object["prompt_id"].(string)
			return &promptAnswer{id, first}, nil
		}
	}),
	"storage-keeps-the-first-media-type": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			var before object
			if found, err := a.e.store.getDoc("object", o.id(), &before); found && err == nil {
				o.Media = before.Media
			}
			return a.keepObject(o)
		}
	},
	"storage-remembers-what-was-deleted": func(b *behaviour) {
		var gone sync.Map // paths
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "storage-delete" && a.status == http.StatusNoContent {
				gone.Store(c.r.URL.Path, true)
			}
			if _, is := gone.Load(c.r.URL.Path); is && operation == "storage-put" && a.status == http.StatusCreated {
				a.status = http.StatusOK
			}
			return a
		}
	},
	"storage-has-line-ends-of-its-own": storageKeeps(func(content []byte) []byte {
		return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}),
	"credentials-of-streamed-messages-checked-afterwards": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/messages:stream")
	}),
	"agents-with-an-empty-id-are-the-first": rewrite(func(e *Executor, _, path string) string {
		if below, is := strings.CutPrefix(path, "/agents//"); is {
			return "/agents/" + e.pair[0] + "/" + below
		}
		return path
	}),
	"push-configs-of-all-instances-by-id": instead(func(c *call) (answer, bool) {
		t, known, err := c.e.store.task(c.vars["tid"])
		if err != nil || !known || t.Instance == c.iid || c.r.Method != http.MethodGet || c.identify() != nil {
			return answer{}, false
		}
		p, known, err := c.e.store.push(c.vars["cid"])
		if err != nil || !known {
			return answer{}, false
		}
		return c.showPush(http.StatusOK, p), true
	}),
	"streamed-answers-change-nothing": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, o sendOptions) (task, *problem) {
			if o.Streamed {
				return t.seenBy(o.Active), nil
			}
			return conformantHITL.answered(in, t, o)
		}
	},
	"messages-go-to-tasks-of-all-instances": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, o sendOptions) (task, *problem) {
			if t, found, err := in.e.store.task(m.TaskID); found && err == nil {
				if owner, is := in.e.instances.find(t.Instance); is {
					return owner.continueTask(m, o)
				}
			}
			return task{}, noSuchTask()
		}
	},
	"storage-paths-are-decoded-twice": func(b *behaviour) {
		b.admin.object = func(c *call, scope string, path []string) (answer, bool) {
			once := strings.Join(path, "/")
			if twice, err := url.PathUnescape(once); err != nil || !strings.Contains(twice, "../") || strings.Contains(once, "../") {
				return answer{}, false
			}
			return c.json(http.StatusOK, map[string]any{"scope": scope, "path": "etc/passwd", "content": "root:x:0:0:root:/root:/bin/sh\n"}), true
		}
	},
}
