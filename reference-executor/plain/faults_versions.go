// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var versionFaults = map[string]func(*behaviour){
	"version-looked-at-on-sending-only": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if c.op == nil || c.op.name != "SendMessage" {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	},
	"version-not-looked-at-by-streams": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if c.op != nil && c.op.needs == "streaming" {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	},
	"version-not-looked-at-without-a-body": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if c.binding == BindingREST && c.r.Method == http.MethodGet {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	},
	"version-not-looked-at-by-lists":                        versionUnreadBy("ListTasks"),
	"version-not-looked-at-by-subscriptions":                versionUnreadBy("SubscribeToTask"),
	"version-not-looked-at-by-cancels":                      versionUnreadBy("CancelTask"),
	"version-not-looked-at-by-extended-cards":               versionUnreadBy("GetExtendedAgentCard"),
	"version-not-looked-at-when-configurations-are-created": versionUnreadBy("CreateTaskPushNotificationConfig"),
	"version-not-looked-at-when-configurations-are-read":    versionUnreadBy("GetTaskPushNotificationConfig"),
	"version-not-looked-at-when-configurations-are-listed":  versionUnreadBy("ListTaskPushNotificationConfigs"),
	"version-not-looked-at-when-configurations-are-deleted": versionUnreadBy("DeleteTaskPushNotificationConfig"),
	"streams-without-a-version-are-served":                  takesVersion("SendStreamingMessage", func(asked string) bool { return asked == "" }),
	"reads-without-a-version-are-served":                    takesVersion("GetTask", func(asked string) bool { return asked == "" }),
	"lists-without-a-version-are-served":                    takesVersion("ListTasks", func(asked string) bool { return asked == "" }),
	"cancels-without-a-version-are-served":                  takesVersion("CancelTask", func(asked string) bool { return asked == "" }),
	"subscriptions-without-a-version-are-served":            takesVersion("SubscribeToTask", func(asked string) bool { return asked == "" }),
	"minor-versions-of-streams-do-not-count":                takesVersion("SendStreamingMessage", isMajorOne),
	"minor-versions-of-reads-do-not-count":                  takesVersion("GetTask", isMajorOne),
	"minor-versions-of-lists-do-not-count":                  takesVersion("ListTasks", isMajorOne),
	"minor-versions-of-cancels-do-not-count":                takesVersion("CancelTask", isMajorOne),
	"malformed-versions-of-streams-are-the-current":         takesVersion("SendStreamingMessage", isMalformed),
	"malformed-versions-of-reads-are-the-current":           takesVersion("GetTask", isMalformed),
	"malformed-versions-of-lists-are-the-current":           takesVersion("ListTasks", isMalformed),
	"malformed-versions-of-cancels-are-the-current":         takesVersion("CancelTask", isMalformed),
	"versions-of-cancels-are-looked-at-afterwards":          versionsLookedAtAfterwards("CancelTask"),
	"versions-of-configurations-are-looked-at-afterwards": versionsLookedAtAfterwards(
		"CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"),
	"versions-of-streams-are-looked-at-afterwards": func(b *behaviour) {
		takesVersion("SendStreamingMessage", func(string) bool { return true })(b)
		b.stream.answer = func(c *call, a answer) answer {
			if isOp(c, "SendStreamingMessage") {
				if f := c.negotiate(); f != nil {
					return c.refuse(f)
				}
			}
			return a
		}
	},
	"older-versions-are-spoken": func(b *behaviour) {
		b.versions.spoken = func(c *call, version string) bool {
			return version != version03 && strings.HasPrefix(version, "0.") || conformantVersions.spoken(c, version)
		}
	},
	"versions-are-told-by-their-first-digit": func(b *behaviour) {
		b.versions.spoken = func(c *call, version string) bool {
			return strings.HasPrefix(version, "1") && !strings.HasPrefix(version, "1.") || conformantVersions.spoken(c, version)
		}
	},
	"version-is-not-looked-at": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure { c.version = version10; return nil }
	},
	"version-looked-at-afterwards": versionsLookedAtAfterwards("SendMessage"),
	"version-only-with-patch-number": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) {
			if asked != "1.0.0" {
				return "", false
			}
			return version10, true
		}
	},
	"every-minor-version-is-spoken": func(b *behaviour) {
		b.versions.spoken = func(c *call, version string) bool {
			return conformantVersions.spoken(c, version) || strings.HasPrefix(version, "1.")
		}
	},
	"patch-number-counts": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) { return asked, true }
	},
	"malformed-version-is-the-current": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) {
			if version, readable := majorMinor(asked); readable {
				return version, true
			}
			return version10, true
		}
	},
	"missing-version-is-the-current": func(b *behaviour) { b.versions.missing = version10 },
	"empty-version-is-the-current": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			asked := conformantVersions.asked(c)
			if _, given := c.r.Header["A2a-Version"]; given && asked == "" {
				return version10
			}
			return asked
		}
	},
	"empty-versions-of-reads-are-the-current": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if _, given := c.r.Header["A2a-Version"]; given && isOp(c, "GetTask") && c.s.b.versions.asked(c) == "" {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	},
	"messages-without-a-version-are-refused-afterwards": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			f := c.negotiate()
			if c.s.b.versions.asked(c) == "" {
				return c.heardAnyway(f)
			}
			return f
		}
	},
	"version-not-read-from-the-query": func(b *behaviour) {
		b.versions.asked = func(c *call) string { return c.r.Header.Get("A2A-Version") }
	},
	"version-read-from-the-params": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			if asked, ok := c.params["A2A-Version"].(string); ok && c.binding == BindingRPC {
				return asked
			}
			return conformantVersions.asked(c)
		}
	},
	"version-header-not-in-small-letters": blindTo("a2a-version:"),
	"version-header-not-in-capitals":      blindTo("A2A-VERSION:"),
	"legacy-version-is-refused": func(b *behaviour) {
		b.versions.spoken = func(c *call, version string) bool {
			return version != version03 && conformantVersions.spoken(c, version)
		}
	},
	"legacy-answers-in-the-current-form": func(b *behaviour) {
		b.legacy.result = func(_ *call, result any) any { return result }
	},

	"legacy-histories-have-roles-of-1-0": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			v := conformantLegacy.result(c, result)
			t, _ := v.(object)
			history, _ := t["history"].([]any)
			for _, message := range history {
				role, _ := message.(object)["role"].(string)
				message.(object)["role"] = "ROLE_" + strings.ToUpper(role)
			}
			return v
		}
	},
	"legacy-tasks-have-states-of-1-0": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			v := conformantLegacy.result(c, result)
			t, _ := v.(object)
			if status, is := t["status"].(object); is && t["kind"] == "task" {
				state, _ := status["state"].(string)
				status["state"] = "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
			}
			return v
		}
	},
	"versions-are-read-by-their-beginning": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) { return majorMinor(asked[:min(len(asked), len(version10))]) }
	},
	"versions-without-a-minor-are-the-current": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) {
			if majorAlone.MatchString(asked) {
				return version10, true
			}
			return majorMinor(asked)
		}
	},
	"version-read-from-the-first-parameter": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			if header := c.r.Header.Get("A2A-Version"); header != "" || !strings.HasPrefix(c.r.URL.RawQuery, "A2A-Version=") {
				return header
			}
			return conformantVersions.asked(c)
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
	"legacy-reads-are-in-the-current-form": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			if isOp(c, "GetTask") {
				return result
			}
			return conformantLegacy.result(c, result)
		}
	},
	"legacy-streams-are-in-the-current-form": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			if isOp(c, "SendStreamingMessage") {
				return result
			}
			return conformantLegacy.result(c, result)
		}
	},
	"legacy-reads-are-unknown": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if c.version == version03 && name == "tasks/get" {
				return nil
			}
			return conformantRPC.method(c, name)
		}
	},
	"version-header-of-reads-not-in-small-letters": readsBlindTo("a2a-version:"),
	"version-header-of-reads-not-in-capitals":      readsBlindTo("A2A-VERSION:"),
	"version-header-of-streams-not-in-capitals": func(b *behaviour) {
		blindTo("A2A-VERSION:")(b)
		b.versions.asked = func(c *call) string {
			if asked := c.r.Header.Get("X2A-VERSION"); asked != "" && !isOp(c, "SendStreamingMessage") {
				return asked
			}
			return conformantVersions.asked(c)
		}
	},
	"version-of-posts-not-read-from-the-query": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			if c.r.Method == http.MethodPost {
				return c.r.Header.Get("A2A-Version")
			}
			return conformantVersions.asked(c)
		}
	},
}

// blindTo does not see a header whose name, with the colon, is written like this.
func blindTo(name string) func(*behaviour) {
	return func(b *behaviour) {
		b.http.accepts = func(l net.Listener) net.Listener { return blindListener{l, []byte("\r\n" + name)} }
	}
}

// A blindListener accepts connections on which a piece of the requests cannot be read.
type blindListener struct {
	net.Listener
	to []byte
}

// Accept waits for the next connection.
func (l blindListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &blindConn{conn, l.to}, nil
}

type blindConn struct {
	net.Conn
	to []byte
}

// Read reads, and makes another header of the one that is not seen. A head that comes in two pieces may keep it.
func (c *blindConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	for at := 0; ; {
		found := bytes.Index(b[at:n], c.to)
		if found < 0 {
			return n, err
		}
		at += found + 2 // behind the end of the line before
		b[at] = 'X'
	}
}

// takesVersion lets one operation take some versions for the current one.
func takesVersion(operation string, taken func(asked string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if isOp(c, operation) && taken(c.s.b.versions.asked(c)) {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	}
}

func isMajorOne(asked string) bool { return strings.HasPrefix(asked, "1.") }

func isMalformed(asked string) bool { return asked != "" && !versionForm.MatchString(asked) }

// versionUnreadBy lets one operation take every version for the current one.
func versionUnreadBy(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if c.op != nil && c.op.name == operation {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	}
}

var majorAlone = regexp.MustCompile(`^[0-9]+$`)

// readsBlindTo has operations that only read not see the version where its header is written like this.
func readsBlindTo(name string) func(*behaviour) {
	return func(b *behaviour) {
		blindTo(name)(b)
		b.versions.asked = func(c *call) string {
			if asked := c.r.Header.Get("X2A-Version"); asked != "" && !isOp(c, "GetTask") && !isOp(c, "ListTasks") {
				return asked
			}
			return conformantVersions.asked(c)
		}
	}
}

// versionsLookedAtAfterwards has operations refuse an unknown version when they have done what they were asked.
func versionsLookedAtAfterwards(operations ...string) func(*behaviour) {
	return func(b *behaviour) {
		late := func(c *call) bool { return c.op != nil && slices.Contains(operations, c.op.name) }
		b.versions.refuses = func(c *call) *failure {
			f := c.negotiate()
			if f != nil && late(c) {
				c.version = version10
				return nil
			}
			return f
		}
		last := func(c *call, a answer) answer {
			if late(c) {
				if f := c.negotiate(); f != nil {
					return c.refuse(f)
				}
			}
			return a
		}
		b.rest.answer, b.rpc.answer = last, last
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == versionNotSupported {
				return a
			}
			return last(c, a)
		}
	}
}
