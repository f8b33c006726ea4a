// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/url"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// Redirected is the request that a redirect asks for; nil when there is none, or when it leads to another host, where
// our credentials have no business.
func (q *Request) Redirected(x *Exchange) *Request {
	switch x.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil
	}
	to, is := Location(x).(string)
	if !is || Origin(to) != Origin(q.URL) {
		return nil
	}
	next := *q
	if next.First == nil {
		next.First = q
	}
	next.URL, next.Raw = to, false
	if x.Status == 303 || (x.Status <= 302 && q.Method == "POST") {
		next.Method, next.Body = "GET", nil
		next.Header = WithoutHeader(q.Header, "Content-Type")
	}
	return &next
}

// Location is where the Location header leads, as an absolute URL.
func Location(x *Exchange) any {
	given := x.Header.Get("Location")
	if given == "" {
		return assertions.Missing
	}
	base, err := url.Parse(x.Request.URL)
	if err != nil {
		return given
	}
	led, err := base.Parse(given)
	if err != nil {
		return given
	}
	return led.String()
}
