// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"strings"
)

// How the cards and the greeting name the binding and its extension.
const (
	BindingURI   = "https://agentic-sandbox.aiwg.io/bindings/pty-ws/v1"
	ExtensionURI = "https://agentic-sandbox.aiwg.io/extensions/pty-extensions/v1"
)

const bindingVersion = "1.0.0"

// helloBehaviour is what the greeting says.
type helloBehaviour struct {
	sequenced bool
	payload   func(c *connection, payload map[string]any) // the last word on it
}

var conformantHello = helloBehaviour{sequenced: true, payload: func(*connection, map[string]any) {}}

// hello is the greeting; the session is locked.
func (s *session) hello(c *connection) *frame {
	payload := map[string]any{
		"binding_uri":          BindingURI,
		"binding_version":      bindingVersion,
		"supported_operations": s.hub.supported(),
		"session":              map[string]any{"session_id": s.id, "current_sequence": s.head},
		"session_host": map[string]any{
			"supported_backends": []any{backendNative}, "default_backend": backendNative,
			"supported_classes": []any{classDirect}, "default_class": classDirect,
			"observe_supported": true, "drive_supported": true, "reattach_supported": true,
		},
		"payload_mode": map[string]any{
			"binary": c.binary, "binary_subprotocol": subprotocolBinary, "json_subprotocol": subprotocolJSON,
		},
	}
	switch {
	case slices.Contains(c.asked, ExtensionURI):
		payload["activated_extensions"] = []any{ExtensionURI}
	case s.hub.lawful.Below(2) == 0:
		payload["activated_extensions"] = []any{}
	}
	c.b.hello.payload(c, payload)
	return &frame{op: opHello, ts: now(), payload: payload, numbered: c.b.hello.sequenced}
}

// supported are the operations that the greeting advertises, in an order left to chance.
func (h *Hub) supported() []any {
	var names []any
	for name := range h.b.operations {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	h.lawful.Fork().Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names
}
