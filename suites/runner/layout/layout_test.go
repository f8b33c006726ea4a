// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"errors"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, row := range []struct{ name, address, want string }{
		{"events of a conversation", "http://h/api/v1/events/search?conversation_id__eq=7&limit=2", "http://h/api/v1/conversation/7/events/search?limit=2"},
		{"their number alone", "http://h/api/v1/events/count?conversation_id__eq=7", "http://h/api/v1/conversation/7/events/count"},
		{"events of no conversation in particular", "http://h/api/v1/events/search", "http://h/api/v1/conversation/some/events/search"},
		{"events by their ids, as they are written", "http://h/api/v1/events?id=?&id=../../&id=%2e", "http://h/api/v1/conversation/some/events?id=?&id=../../&id=%2e"},
		{"something else below events", "http://h/api/v1/events/7", "http://h/api/v1/events/7"},
		{"a conversation that a sandbox tells of", "http://h/api/v1/webhooks/box/conversations", "http://h/api/v1/webhooks/conversations"},
		{"events that a sandbox tells of", "http://h/api/v1/webhooks/box/events/7", "http://h/api/v1/webhooks/events/7"},
		{"secrets", "http://h/api/v1/webhooks/secrets?a=b", "http://h/api/v1/webhooks/secrets?a=b"},
		{"conversations, whose filter has the same name", "http://h/api/v1/app-conversations/start-tasks/search?conversation_id__eq=7", "http://h/api/v1/app-conversations/start-tasks/search?conversation_id__eq=7"},
		{"the legacy routes", "http://h/api/conversations/7/events", "http://h/api/conversations/7/events"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := Address(row.address, func() (string, error) { return "some", nil }); got != row.want || err != nil {
				t.Errorf("%s: %q, %v, want %q", row.address, got, err, row.want)
			}
		})
	}
}

func TestNoConversationIsKnown(t *testing.T) {
	none := errors.New("there is none")
	if _, err := Address("/api/v1/events", func() (string, error) { return "", none }); !errors.Is(err, none) {
		t.Errorf("events without a conversation: %v, want %v", err, none)
	}
}

func TestOperations(t *testing.T) {
	for operation, want := range map[string]string{
		"GET /api/v1/events":                     "GET /api/v1/conversation/{}/events",
		"GET /api/v1/events/count":               "GET /api/v1/conversation/{}/events/count",
		"POST /api/v1/webhooks/{}/conversations": "POST /api/v1/webhooks/conversations",
		"POST /api/v1/webhooks/{}/events/{}":     "POST /api/v1/webhooks/events/{}",
		"DELETE /api/v1/sandboxes/{}":            "DELETE /api/v1/sandboxes/{}",
		"GET /api/v1/app-conversations/search":   "GET /api/v1/app-conversations/search",
		"GET /api/conversations/{}/events":       "GET /api/conversations/{}/events",
	} {
		if got := Operation(operation); got != want {
			t.Errorf("%s: %q, want %q", operation, got, want)
		}
	}
}
