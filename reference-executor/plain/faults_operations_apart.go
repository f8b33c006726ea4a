// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"mime"
	"slices"
)

// apartFaults treat one operation otherwise than all others: what it takes, whom it serves, how it is refused.
var apartFaults = map[string]func(*behaviour){
	"cancels-take-plain-json-only":            plainJSONOnly("CancelTask"),
	"streams-take-plain-json-only":            plainJSONOnly("SendStreamingMessage"),
	"webhooks-are-created-in-plain-json-only": plainJSONOnly("CreateTaskPushNotificationConfig"),

	"cancels-want-undeclared-credentials":  wantCredentials(func(op *operation) bool { return op.name == "CancelTask" }),
	"streams-want-undeclared-credentials":  wantCredentials(func(op *operation) bool { return op.needs == "streaming" }),
	"webhooks-want-undeclared-credentials": wantCredentials(func(op *operation) bool { return op.needs == "pushNotifications" }),

	"unknown-members-of-cancels-are-refused": func(b *behaviour) {
		known := []string{"id", "tenant", "metadata"}
		b.input.tenant = func(c *call) *failure {
			for name := range c.params {
				if isOp(c, "CancelTask") && !slices.Contains(known, name) {
					return violation(name, "is not known")
				}
			}
			return rightTenant(c)
		}
	},
	"unknown-members-of-what-configures-a-message-are-refused": func(b *behaviour) {
		known := []string{"acceptedOutputModes", "historyLength", "returnImmediately", "taskPushNotificationConfig", "blocking"}
		b.input.unknown = func(c *call) *failure {
			conf, _ := c.params["configuration"].(object)
			for name := range conf {
				if !slices.Contains(known, name) {
					return violation("configuration."+name, "is not known")
				}
			}
			return nil
		}
	},

	"version-read-from-the-metadata": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			metadata, _ := c.params["metadata"].(object)
			if asked, is := metadata["A2A-Version"].(string); is && c.binding == BindingRPC {
				return asked
			}
			return conformantVersions.asked(c)
		}
	},
}

// plainJSONOnly refuses bodies of an operation in the media type of A2A.
func plainJSONOnly(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
			if isOp(c, operation) && media == mediaA2A {
				return nil, fail(wrongMedia, "the body is not application/json")
			}
			return c.restBody()
		}
	}
}

// wantCredentials wants credentials for some operations, which the card says nothing of.
func wantCredentials(of func(op *operation) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.security.forbids = func(c *call) *failure {
			if of(c.op) && c.r.Header.Get("Authorization") == "" {
				return fail(unauthenticated, "this is for callers who say who they are")
			}
			return conformantSecurity.forbids(c)
		}
	}
}
