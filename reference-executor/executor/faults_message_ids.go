// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// messageIDFaults are about which ids of messages are taken, and how others are refused.
var messageIDFaults = map[string]func(*behaviour){
	"message-ids-known-by-their-length": withMessageID(func(v any) bool {
		id, ok := v.(string)
		return ok && len(id) == 36 && !messageIDPattern.MatchString(id)
	}),
	"message-ids-in-lists-accepted": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if list, is := s.message["messageId"].([]any); is && len(list) == 1 {
				s.message["messageId"] = list[0]
			}
			return messageKey(c, s)
		}
	},
	"short-message-ids-accepted":               withMessageID(func(v any) bool { id, ok := v.(string); return ok && len(id) == 23 }),
	"numeric-message-ids-accepted":             withMessageID(func(v any) bool { _, ok := v.(string); return v != nil && !ok }),
	"missing-message-ids-made-up":              withMessageID(func(v any) bool { return v == nil }),
	"message-ids-of-streams-are-not-looked-at": withStreamedMessageID(func(any) bool { return true }),
	"missing-message-ids-of-streams-made-up":   withStreamedMessageID(func(v any) bool { return v == nil }),
	"ids-of-one-variant-refused": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p == nil && key[14] == '4' && key[19] == 'b' {
				p = refuse(http.StatusBadRequest, "IDEMPOTENCY_MESSAGE_ID_MALFORMED", "")
			}
			return key, p
		}
	},
	"streams-take-ids-of-version-7-only": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p == nil && key[14] == '4' && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				p = refuse(http.StatusBadRequest, "IDEMPOTENCY_MESSAGE_ID_MALFORMED", "")
			}
			return key, p
		}
	},
	"message-ids-with-a-line-end-accepted": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, ok := s.message["messageId"].(string); ok {
				s.message["messageId"] = strings.TrimSuffix(id, "\n")
			}
			return messageKey(c, s)
		}
	},
	"message-ids-in-other-spellings-accepted": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, ok := s.message["messageId"].(string); ok {
				s.message["messageId"] = strings.Trim(strings.TrimPrefix(id, "urn:uuid:"), "{}")
			}
			return messageKey(c, s)
		}
	},
	"malformed-ids-are-unprocessable": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p != nil {
				p.status = http.StatusUnprocessableEntity
			}
			return key, p
		}
	},
	"any-message-id-accepted": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, ok := s.message["messageId"].(string); ok && id != "" {
				return id, nil
			}
			return messageKey(c, s)
		}
	},
	"message-ids-are-not-looked-at": func(b *behaviour) {
		b.idempotency.key = func(_ *call, s sending) (string, *problem) {
			if id, ok := s.message["messageId"].(string); ok && id != "" {
				return id, nil
			}
			id := newID()
			s.message["messageId"] = id
			return id, nil
		}
	},
	"malformed-ids-leave-a-task": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if context, ok := s.message["contextId"].(string); p != nil && ok {
				_, _ = c.in.sendMessage(message{ID: newID(), ContextID: context, Raw: map[string]any{}}, sendOptions{Active: c.active})
			}
			return key, p
		}
	},
	"malformed-ids-under-another-code": func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p != nil {
				p = invalid("message.messageId", "is malformed")
			}
			return key, p
		}
	},
	"null-message-ids-made-up":  withGivenMessageID(func(v any) bool { return v == nil }),
	"empty-message-ids-made-up": withGivenMessageID(func(v any) bool { return v == "" }),
}

// withMessageID gives some messages an id of the executor's own.
func withMessageID(which func(v any) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if which(s.message["messageId"]) {
				s.message["messageId"] = newID()
			}
			return messageKey(c, s)
		}
	}
}

// withStreamedMessageID gives some messages to messages:stream an id of the executor's own where theirs is none.
func withStreamedMessageID(which func(v any) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p == nil || !which(s.message["messageId"]) || !strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return key, p
			}
			s.message["messageId"] = newID()
			return messageKey(c, s)
		}
	}
}

// withGivenMessageID gives some messages an id of the executor's own where theirs is none, though there is one.
func withGivenMessageID(which func(v any) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, given := s.message["messageId"]; given && which(id) {
				s.message["messageId"] = newID()
			}
			return messageKey(c, s)
		}
	}
}
