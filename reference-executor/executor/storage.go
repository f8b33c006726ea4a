// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

var scopes = []string{"global", "inbox", "outbox"}

// An object is a file of the storage.
type object struct {
	Scope    string
	Path     string
	Media    string
	Content  []byte
	Text     bool // it was written as text
	Modified time.Time
}

func (o object) id() string { return o.Scope + "/" + o.Path }

func (o object) render() map[string]any {
	v := map[string]any{
		"scope": o.Scope, "path": o.Path, "media_type": o.Media, "size_bytes": len(o.Content),
		"modified_at": stamp(o.Modified), "sha256": digest(string(o.Content)),
	}
	if o.Text {
		v["content"] = string(o.Content)
	} else {
		v["content_base64"] = base64.StdEncoding.EncodeToString(o.Content)
	}
	return v
}

func (c *call) showObject(status int, o object) answer {
	v := o.render()
	c.e.b.admin.stored(v)
	return c.json(status, v)
}

// shelf is what the read-only scope holds.
var shelf = object{Scope: "global", Path: "welcome.txt", Media: "text/plain", Content: []byte("welcome\n"), Text: true,
	Modified: time.Date(2026, time.May, 19, 0, 0, 0, 0, time.UTC)}

func noSuchObject() *problem {
	return refuse(http.StatusNotFound, "object.not_found", "there is no object at this path")
}

// place reads scope and path of a storage route.
func (c *call) place() (scope, path string, p *problem) {
	scope, path = c.vars["scope"], strings.Join(c.rest, "/")
	if !slices.Contains(scopes, scope) {
		return "", "", noSuchObject()
	}
	return scope, path, nil
}

func getObject(c *call) answer {
	scope, path, p := c.place()
	if a, done := c.e.b.admin.object(c, c.vars["scope"], c.rest); done {
		return a
	}
	if p != nil {
		return c.refuse(p)
	}
	if scope == shelf.Scope && path == shelf.Path {
		return c.showObject(http.StatusOK, shelf)
	}
	var o object
	found, err := c.e.store.getDoc("object", object{Scope: scope, Path: path}.id(), &o)
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	if !found {
		return c.refuse(noSuchObject())
	}
	return c.showObject(http.StatusOK, o)
}

// changeable is place for those who write.
func (c *call) changeable() (scope, path string, p *problem) {
	scope, path, p = c.place()
	if p == nil && !c.e.b.admin.writable(scope) {
		p = refuse(http.StatusForbidden, "storage.scope_disabled", "the scope is read-only")
	}
	return scope, path, p
}

func putObject(c *call) answer {
	scope, path, p := c.changeable()
	if p != nil {
		return c.refuse(p)
	}
	if scope != shelf.Scope && (len(c.rest) < 2 || uuid.Validate(c.rest[0]) != nil) {
		return c.refuse(unprocessable("path", "does not begin with the id of an instance or task"))
	}
	body, _, p := c.readJSON()
	if p != nil {
		return c.refuse(p)
	}
	o := object{Scope: scope, Path: path, Modified: time.Now().UTC()}
	if p := o.read(body); p != nil {
		return c.refuse(p)
	}
	existed, err := c.e.store.getDoc("object", o.id(), &object{})
	if err == nil {
		err = c.e.b.admin.keep(c.e.admin, o)
	}
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	if existed {
		return c.showObject(http.StatusOK, o)
	}
	a := c.showObject(http.StatusCreated, o)
	a.header.Set("Location", c.r.URL.EscapedPath())
	return a
}

// read takes the content of a write: text or base64, not both.
func (o *object) read(body map[string]any) *problem {
	text, isText := body["content"]
	encoded, isEncoded := body["content_base64"]
	if isText == isEncoded {
		return unprocessable("content", "give exactly one of content and content_base64")
	}
	media, given := body["media_type"]
	o.Media, _ = media.(string)
	if given && o.Media == "" {
		return unprocessable("media_type", "is not a string with content")
	}
	if isText {
		s, ok := text.(string)
		if !ok {
			return unprocessable("content", "is not a string")
		}
		o.Content, o.Text = []byte(s), true
	} else {
		s, ok := encoded.(string)
		content, err := base64.StdEncoding.DecodeString(s)
		if !ok || err != nil {
			return unprocessable("content_base64", "is not base64")
		}
		o.Content = content
	}
	if o.Media == "" {
		o.Media = "application/octet-stream"
		if o.Text {
			o.Media = "text/plain"
		}
	}
	return nil
}

func deleteObject(c *call) answer {
	scope, path, p := c.changeable()
	if p != nil {
		return c.refuse(p)
	}
	found, err := c.e.store.dropDoc("object", object{Scope: scope, Path: path}.id())
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	if !found {
		return c.refuse(noSuchObject())
	}
	return answer{status: http.StatusNoContent, header: http.Header{}}
}

func (a *admin) keepObject(o object) error { return a.e.store.putDoc("object", o.id(), o) }

// objects lists the paths of a scope.
func (a *admin) objects(scope string) ([]any, error) {
	list := []any{}
	if scope == shelf.Scope {
		list = append(list, shelf.Path)
	}
	err := a.e.store.docs("object", func(id string, _ []byte) error {
		if path, in := strings.CutPrefix(id, scope+"/"); in {
			list = append(list, path)
		}
		return nil
	})
	return list, err
}
