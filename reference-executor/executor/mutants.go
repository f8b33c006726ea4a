// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// Deliveries stands between an executor and the webhooks it delivers to, so that the self-test can change what is sent.
type Deliveries interface {
	// Body is what is sent in place of a body; it is then signed.
	Body(body []byte) []byte

	// Through sends a request by way of the transport.
	Through(transport http.RoundTripper, request *http.Request) (*http.Response, error)
}

// through is a transport by way of deliveries.
type through struct {
	deliveries Deliveries
	next       http.RoundTripper
}

// RoundTrip sends a request.
func (t through) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.deliveries.Through(t.next, request)
}

// CloseIdleConnections closes those of the transport below.
func (t through) CloseIdleConnections() {
	if closes, is := t.next.(interface{ CloseIdleConnections() }); is {
		closes.CloseIdleConnections()
	}
}

// SignCard makes the signatures of a card that was changed after it had been served at path, as the instance signs its
// own; nil when there is no such instance. The card may have signatures, which are not signed.
func (e *Executor) SignCard(path string, card map[string]any) []any {
	_, rest, _ := strings.Cut(path, "/agents/")
	id, _, _ := strings.Cut(rest, "/")
	in, known := e.instances.find(id)
	if !known {
		return nil
	}
	signed := map[string]any{}
	for name, value := range card {
		signed[name] = value
	}
	signCard(in, signed, canonical(signed))
	signatures, _ := signed["signatures"].([]any)
	return signatures
}
