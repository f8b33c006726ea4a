// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// storageFaults are those of the storage's objects and scopes.
var storageFaults = map[string]func(*behaviour){
	"storage-plus-signs-are-blanks": rewrite(func(_ *Executor, _, path string) string {
		if strings.HasPrefix(path, "/api/v2/admin/storage/") {
			return strings.ReplaceAll(path, "+", "%20")
		}
		return path
	}),
	"storage-scopes-may-be-left": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			below, is := strings.CutPrefix(c.r.URL.Path, "/api/v2/admin/storage/")
			scope, _, _ := strings.Cut(below, "/")
			other, path, _ := strings.Cut(path.Clean("/" + below)[1:], "/")
			if !is || c.r.Method != http.MethodGet || !strings.Contains(below, "../") || scope == other || c.identify() != nil {
				return answer{}, false
			}
			var o object
			if found, _ := c.e.store.getDoc("object", object{Scope: other, Path: path}.id(), &o); !found {
				return answer{}, false
			}
			return c.showObject(http.StatusOK, o), true
		}
	},
	"storage-counts-the-base64": func(b *behaviour) {
		b.admin.stored = func(v map[string]any) {
			if encoded, is := v["content_base64"].(string); is {
				v["size_bytes"] = len(encoded)
			}
		}
	},
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
	"storage-writes-escape": rewrite(func(_ *Executor, method, escaped string) string {
		if method == http.MethodPut && strings.Contains(escaped, "/storage/") && strings.Contains(escaped, "..%2f") {
			return path.Clean(strings.ReplaceAll(escaped, "%2f", "/"))
		}
		return escaped
	}),
	"storage-deletes-escape": rewrite(func(_ *Executor, method, escaped string) string {
		if method == http.MethodDelete && strings.Contains(escaped, "/storage/") && strings.Contains(escaped, "..%2f") {
			return path.Clean(strings.ReplaceAll(escaped, "%2f", "/"))
		}
		return escaped
	}),
	"absolute-storage-paths-are-taken": instead(func(c *call) (answer, bool) {
		path := strings.ToLower(c.r.URL.EscapedPath())
		if !strings.HasPrefix(path, "/api/v2/admin/storage/") || !strings.Contains(path, "/%2f") || c.identify() != nil {
			return answer{}, false
		}
		return c.json(http.StatusOK, map[string]any{"content": "root:x:0:0:root:/root:/bin/sh\n"}), true
	}),
	"storage-keeps-the-end-of-longer-content": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			var was object
			if found, _ := a.e.store.getDoc("object", o.id(), &was); found && len(was.Content) > len(o.Content) {
				o.Content = slices.Concat(o.Content, was.Content[len(o.Content):])
			}
			return a.keepObject(o)
		}
	},
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
	"storage-paths-are-decoded-twice": func(b *behaviour) {
		b.admin.object = func(c *call, scope string, path []string) (answer, bool) {
			once := strings.Join(path, "/")
			if twice, err := url.PathUnescape(once); err != nil || !strings.Contains(twice, "../") || strings.Contains(once, "../") {
				return answer{}, false
			}
			return c.json(http.StatusOK, map[string]any{"scope": scope, "path": "etc/passwd", "content": "root:x:0:0:root:/root:/bin/sh\n"}), true
		}
	},
	"storage-keeps-no-empty-objects": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			if len(o.Content) == 0 {
				return nil
			}
			return conformantAdmin.keep(a, o)
		}
	},
	"storage-trims-line-ends": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			if o.Text {
				o.Content = []byte(strings.TrimRight(string(o.Content), "\r\n"))
			}
			return conformantAdmin.keep(a, o)
		}
	},
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
