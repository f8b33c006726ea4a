// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"
)

// storageFaults are those of the storage's objects and scopes.
var storageFaults = map[string]func(*behaviour){
	"storage-always-answers-200":     storagePut(http.StatusOK),
	"storage-answers-201-always":     storagePut(http.StatusCreated),
	"storage-shows-another-path":     storageShows("path", "x.txt"),
	"storage-shows-the-global-scope": storageShows("scope", "global"),
	"storage-digests-are-constant":   storageShows("sha256", digest("")),
	"storage-without-modified-at":    storageShows("modified_at", nil),
	"storage-shows-other-content":    storageShows("content", "hello from another suite, to be sure"),
	"storage-counts-characters": adminAnswer("storage-get", func(c *call, a answer) answer {
		var v map[string]any
		if json.Unmarshal(a.body, &v) != nil || v["content"] == nil {
			return a
		}
		v["size_bytes"] = utf8.RuneCountInString(v["content"].(string))
		return c.json(http.StatusOK, v)
	}),
	"storage-keeps-ascii-only": storageKeeps(func(content []byte) []byte {
		return bytes.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return '?'
			}
			return r
		}, content)
	}),
	"storage-keeps-texts-only": storageKeeps(func(content []byte) []byte {
		return bytes.ToValidUTF8(content, []byte(string(utf8.RuneError)))
	}),
	"storage-cuts-long-content": storageKeeps(func(content []byte) []byte { return content[:min(len(content), 16<<10)] }),
	"storage-keeps-the-first-content": func(b *behaviour) {
		kept := map[string]bool{}
		var mu sync.Mutex
		b.admin.keep = func(a *admin, o object) error {
			mu.Lock()
			defer mu.Unlock()
			if kept[o.id()] {
				return nil
			}
			kept[o.id()] = true
			return a.keepObject(o)
		}
	},
	"storage-delete-answers-200": adminAnswer("storage-delete", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"deleted": true})
	}),
	"storage-deletes-twice": storageAnswer("storage-delete", func(_ *call, a answer) answer {
		if a.status != http.StatusNotFound {
			return a
		}
		return answer{status: http.StatusNoContent, header: http.Header{}}
	}),
	"global-scope-refused-under-another-code": refusalUnderCode("storage.scope_disabled", "auth.forbidden"),
	"global-scope-deletable": storageAnswer("storage-delete", func(c *call, a answer) answer {
		if a.status != http.StatusForbidden {
			return a
		}
		return c.refuse(noSuchObject())
	}),
	"global-scope-refuses-and-writes": storageAnswer("storage-put", func(c *call, a answer) answer {
		if scope, path, p := c.place(); p == nil && a.status == http.StatusForbidden {
			_ = c.e.admin.keepObject(object{Scope: scope, Path: path, Text: true})
		}
		return a
	}),
	"storage-is-unavailable-for-dots": instead(func(c *call) (answer, bool) {
		if !climbs(c) {
			return answer{}, false
		}
		return c.refuse(refuse(http.StatusServiceUnavailable, "storage.unavailable", "")), true
	}),
	"storage-dots-are-server-errors": instead(func(c *call) (answer, bool) {
		if !climbs(c) {
			return answer{}, false
		}
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", "")), true
	}),
	"storage-shows-files-in-refusals": instead(func(c *call) (answer, bool) {
		if !climbs(c) {
			return answer{}, false
		}
		return answer{status: http.StatusNotFound, header: http.Header{"Content-Type": {"text/plain"}}, body: []byte("root:x:0:0:root:/root:/bin/sh\n")}, true
	}),
}

// climbs says whether the path of a storage route leads upwards.
func climbs(c *call) bool {
	path := strings.ToLower(c.r.URL.EscapedPath())
	return strings.HasPrefix(path, "/api/v2/admin/storage/") && (strings.Contains(path, "..") || strings.Contains(path, "%2e%2e"))
}

// storageAnswer changes what a storage operation answers, refusals included.
func storageAnswer(operation string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.admin.answer = func(c *call, op string, a answer) answer {
			if op == operation {
				return change(c, a)
			}
			return a
		}
	}
}

// storagePut answers every write with one status.
func storagePut(status int) func(*behaviour) {
	return adminAnswer("storage-put", func(_ *call, a answer) answer { a.status = status; return a })
}

// storageKeeps changes what is stored.
func storageKeeps(as func(content []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			o.Content = as(o.Content)
			return a.keepObject(o)
		}
	}
}

// storageShows sets a member of every object that is read, or leaves it out.
func storageShows(name string, value any) func(*behaviour) {
	return adminAnswer("storage-get", func(c *call, a answer) answer {
		var v map[string]any
		if json.Unmarshal(a.body, &v) != nil {
			return a
		}
		if v[name] = value; value == nil {
			delete(v, name)
		}
		return c.json(http.StatusOK, v)
	})
}
