// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// noteMade notes what a request has made that the profile says is to be removed, and drops what the test itself has removed.
func (c *Created) noteMade(x *target.Exchange) {
	if x.Status < 200 || x.Status > 299 || !c.target.IsTarget(x.Request.URL) {
		return
	}
	path := strings.TrimSuffix(target.SentPath(x.Request.URL), "/")
	for _, making := range c.target.Profile.Creates {
		before, after, _ := strings.Cut(target.Join(c.target.Place.Base, making.Remove), "{id}")
		switch {
		case x.Request.Method == making.Method && path == target.Join(c.target.Place.Base, making.Path):
			if id := readers.MemberText(jsontext.Parse(x.Body), making.ID); id != "" {
				remove := before + url.PathEscape(id) + after
				address := remove
				if making.Query != "" {
					address += "?" + making.Query + "=" + url.QueryEscape(id)
				}
				c.store(remove, c.target.AsOf(x.Request, http.MethodDelete, address))
			}
		case x.Request.Method == http.MethodDelete && strings.HasPrefix(path, before) && strings.HasSuffix(path, after):
			c.store(path, nil)
		}
	}
}
