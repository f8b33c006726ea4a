// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/textproto"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// headerAt finds a header by name in whatever case the suite writes it: `header.A2A-Extensions`.
func headerAt(members map[string]any, subject assertions.Path) any {
	tail := subject.Tail()
	name := tail.Head()
	if name == "" {
		return tail.Find(members)
	}
	v, found := members[textproto.CanonicalMIMEHeaderKey(name)]
	if !found {
		return assertions.Missing
	}
	return tail.Tail().Find(v)
}
