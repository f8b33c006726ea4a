// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// Which version before 1.0 a card is of, and by what that is seen.
func TestOlderCards(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ card, version, seen string }{
		"0.3":                      {`{"name":"n","url":"https://h/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"}`, "0.3", `protocolVersion is "0.3.0"`},
		"0.2":                      {`{"name":"n","url":"https://h/","protocolVersion":"0.2.5"}`, "0.2", `protocolVersion is "0.2.5"`},
		"without a version":        {`{"name":"n","url":"https://h/","capabilities":{}}`, "0.3 or an earlier version", "it has a url, and no supportedInterfaces"},
		"an interface of 0.3":      {`{"supportedInterfaces":[{"url":"https://h/","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`, "0.3", `supportedInterfaces[0].protocolVersion is "0.3"`},
		"for both":                 {`{"url":"https://h/","protocolVersion":"0.3.0","supportedInterfaces":[{"protocolVersion":"0.3"},{"protocolVersion":"1.0"}]}`, "", ""},
		"1.0 over gRPC":            {`{"supportedInterfaces":[{"url":"h:1","protocolBinding":"GRPC","protocolVersion":"1.0"},{"protocolVersion":"0.3"}]}`, "", ""},
		"1.0":                      {`{"supportedInterfaces":[{"protocolVersion":"1.0"}]}`, "", ""},
		"a later version":          {`{"supportedInterfaces":[{"protocolVersion":"2.0"}]}`, "", ""},
		"a version that is none":   {`{"protocolVersion":"0.x","supportedInterfaces":[]}`, "", ""},
		"nothing to be seen":       {`{"name":"n"}`, "", ""},
		"interfaces of no version": {`{"url":"https://h/","supportedInterfaces":[{"url":"https://h/"}]}`, "", ""},
		"no object":                {`[]`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if version, seen := olderCard(jsontext.Parse([]byte(row.card))); version != row.version || seen != row.seen {
				t.Errorf("got %q, %q; want %q, %q", version, seen, row.version, row.seen)
			}
		})
	}
}
