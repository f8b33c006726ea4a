// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

const (
	maxBody = 10 << 20 // larger bodies are refused with 413
	maxWait = 64 << 20 // what is read of a refused body, so that the client can read the refusal
)

// errorsBehaviour is how requests are read and how refusals look.
type errorsBehaviour struct {
	document func(c *call, p *problem, d map[string]any)                  // changes the problem document
	encode   func(c *call, p *problem, d map[string]any) (string, []byte) // media type and body
	answer   func(c *call, p *problem, a *answer)                         // changes what is sent
	media    func(header string) *problem                                 // looks at the Content-Type of a body
	parse    func(body []byte) (any, *problem)                            // reads a JSON body
	tooLarge func() *problem                                              // refuses a large body
	internal func(err error) *problem                                     // something broke inside
	rpc      func(d map[string]any)                                       // changes an error of the JSON-RPC binding
}

var conformantErrors = errorsBehaviour{
	document: func(*call, *problem, map[string]any) {},
	encode: func(c *call, _ *problem, d map[string]any) (string, []byte) {
		return "application/problem+json", c.e.b.transport.encode(c, d)
	},
	answer: func(*call, *problem, *answer) {},
	rpc:    func(map[string]any) {},
	media:  acceptMedia,
	parse:  parseBody,
	tooLarge: func() *problem {
		return refuse(http.StatusRequestEntityTooLarge, "request.too_large", "the body has more than 10 MiB")
	},
	internal: func(error) *problem { return brokenDown() },
}

// brokenDown is what a client is told of whatever broke.
func brokenDown() *problem {
	return refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
}

// internal logs what broke and refuses without telling.
func (e *Executor) internal(err error) *problem {
	e.log.Error("internal error", "err", err)
	return e.b.errors.internal(err)
}

// acceptMedia takes JSON in all its spellings, in UTF-8. A body without Content-Type is taken for JSON.
func acceptMedia(header string) *problem {
	if header == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(header)
	charset, given := params["charset"]
	switch {
	case err != nil,
		media != "application/json" && !(strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")),
		given && !strings.EqualFold(charset, "utf-8"):
		return refuse(http.StatusUnsupportedMediaType, "request.unsupported_media_type", "the body is to be application/json in UTF-8")
	}
	return nil
}

// parseBody reads one JSON value and nothing after it. It refuses what has no canonical form: repeated members, lone
// surrogates, numbers out of range.
func parseBody(body []byte) (any, *problem) {
	if !utf8.Valid(body) {
		return nil, malformed("the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, malformed("the body is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed("the body goes on after its JSON value")
	}
	if _, ok := v.(map[string]any); ok {
		if _, err := jcs.Transform(body); err != nil {
			return nil, malformed("the body has no canonical form")
		}
	}
	return v, nil
}

// read takes the whole body, within bounds.
func (c *call) read() ([]byte, *problem) {
	most := c.e.b.transport.most()
	body, err := io.ReadAll(io.LimitReader(c.r.Body, int64(most)+1))
	if err != nil {
		return nil, malformed("the body ended early")
	}
	if len(body) > most {
		_, _ = io.CopyN(io.Discard, c.r.Body, maxWait)
		return nil, c.e.b.errors.tooLarge()
	}
	return body, nil
}

// peek shows the body and leaves it to be read. Of one that is too large, or ends early, it shows nothing.
func (c *call) peek() []byte {
	body, p := c.read()
	if p != nil {
		body = nil
	}
	c.r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// readJSON takes the body as a JSON object, and as the bytes it was.
func (c *call) readJSON() (map[string]any, []byte, *problem) {
	if p := c.e.b.errors.media(c.r.Header.Get("Content-Type")); p != nil {
		return nil, nil, p
	}
	body, p := c.read()
	if p != nil {
		return nil, nil, p
	}
	v, p := c.e.b.errors.parse(body)
	if p != nil {
		if c.surface == surfaceAdmin && p.code == "request.invalid_json" {
			p = refuse(p.status, "request.malformed", p.detail) // the name the admin surface gives it
		}
		return nil, body, p
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, body, refuse(http.StatusBadRequest, "request.invalid_params", "the body is not a JSON object")
	}
	return object, body, nil
}
