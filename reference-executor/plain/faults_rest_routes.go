// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var restRouteFaults = map[string]func(*behaviour){
	"send-at-another-path": reroutes(func(segments []string) []string {
		switch strings.Join(segments, "/") {
		case "message/send":
			return []string{"message:send"}
		case "message:send":
			return nil
		}
		return segments
	}),
	"cancel-at-another-path": reroutes(func(segments []string) []string {
		switch {
		case len(segments) == 3 && segments[2] == "cancel":
			return []string{segments[0], segments[1] + ":cancel"}
		case strings.HasSuffix(segments[len(segments)-1], ":cancel"):
			return nil
		}
		return segments
	}),
	"send-answers-201": restStatus("SendMessage", http.StatusCreated),
	"get-answers-201":  restStatus("GetTask", http.StatusCreated),
	"get-answers-a-wrapped-task": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if operation == "GetTask" {
				return object{"task": v}
			}
			return v
		}
	},
	"cancel-wants-a-body": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if c.op.name == "CancelTask" && c.r.ContentLength == 0 {
				return nil, violation("body", "is missing")
			}
			return c.restBody()
		}
	},
	"routes-at-the-origin-root": func(b *behaviour) {
		b.rest.below = func(path string) (string, bool) {
			tail := strings.TrimPrefix(path, "/")
			return tail, strings.HasPrefix(tail, "tasks") || strings.HasPrefix(tail, "message:")
		}
	},
	"tasks-can-be-deleted": func(b *behaviour) {
		b.rest.wrong = func(c *call, allow []string) answer {
			id, is := strings.CutPrefix(c.r.URL.Path, restPath+"/tasks/")
			if !is || c.r.Method != http.MethodDelete || !c.s.has(id) {
				return conformantREST.wrong(c, allow)
			}
			return answer{status: http.StatusNoContent, header: http.Header{}}
		}
	},
	"any-method-will-do": func(b *behaviour) {
		b.rest.wrong = func(c *call, _ []string) answer { return c.s.json(http.StatusOK, mediaA2A, object{}) }
	},
	"rest-answers-in-plain-json":      func(b *behaviour) { b.rest.media = func(*call) string { return mediaJSON } },
	"rest-errors-in-plain-json":       func(b *behaviour) { b.errors.media = func(*call, *failure) string { return mediaJSON } },
	"rest-errors-as-plain-text":       func(b *behaviour) { b.errors.media = func(*call, *failure) string { return "text/plain" } },
	"rest-answers-in-another-charset": func(b *behaviour) { b.rest.media = func(*call) string { return mediaA2A + "; charset=iso-8859-1" } },
	"a2a-media-type-is-refused":       func(b *behaviour) { b.rest.takes = func(media string) bool { return media == mediaJSON } },
	"media-types-have-no-parameters": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if strings.Contains(c.r.Header.Get("Content-Type"), ";") {
				return nil, fail(wrongMedia, "the body is in a media type that is not known here")
			}
			return c.restBody()
		}
	},
	"a2a-media-type-is-not-read": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if c.r.Header.Get("Content-Type") == mediaA2A {
				return object{}, nil
			}
			return c.restBody()
		}
	},
	"a2a-media-type-is-a-server-error": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if c.r.Header.Get("Content-Type") == mediaA2A {
				return nil, fail(internal, "there is no parser of that name")
			}
			return c.restBody()
		}
	},
	"plain-json-is-refused": func(b *behaviour) { b.rest.takes = func(media string) bool { return media == mediaA2A } },
	"bodies-are-read-as-latin-1": func(b *behaviour) {
		b.input.parse = func(text []byte) (any, *failure) { return parseJSON(fromLatin1(text)) }
	},
	"streamed-bodies-are-read-as-latin-1": func(b *behaviour) {
		b.rest.body = func(c *call) (object, *failure) {
			if !strings.HasSuffix(c.r.URL.Path, "/message:stream") {
				return c.restBody()
			}
			text, err := io.ReadAll(c.r.Body)
			if err != nil {
				return nil, fail(internal, "the body could not be read")
			}
			c.r.Body = io.NopCloser(bytes.NewReader(fromLatin1(text)))
			return c.restBody()
		}
	},
	"answers-in-ascii": func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if text, ok := v["text"].(string); ok {
				v["text"] = strings.Map(func(r rune) rune { return min(r, '~') }, text)
			}
		}
	},
	"cancel-answers-another-task": func(b *behaviour) {
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if operation == "CancelTask" {
				v["id"] = "another-than-" + v["id"].(string)
			}
			return v
		}
	},
	"texts-over-rpc-are-composed": func(b *behaviour) {
		ofMessages(b, func(c *call, message object) *failure {
			parts, _ := message["parts"].([]any)
			for _, v := range parts {
				part, _ := v.(object)
				if text, is := part["text"].(string); is && c.binding == BindingRPC {
					part["text"] = norm.NFC.String(text)
				}
			}
			return nil
		})
	},
	"escaped-pairs-of-surrogates-are-lost": func(b *behaviour) {
		pairs := regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
		b.input.parse = func(text []byte) (any, *failure) { return parseJSON(pairs.ReplaceAll(text, []byte(`\ufffd\ufffd`))) }
	},
	"long-texts-are-decoded-in-pieces":        decodedInPieces(4 << 10),
	"texts-of-64-kib-are-decoded-in-pieces":   decodedInPieces(64 << 10),
	"cancels-take-plain-json-only":            plainJSONOnly("CancelTask"),
	"streams-take-plain-json-only":            plainJSONOnly("SendStreamingMessage"),
	"webhooks-are-created-in-plain-json-only": plainJSONOnly("CreateTaskPushNotificationConfig"),
	"rest-answers-as-plain-text":              func(b *behaviour) { b.rest.media = func(*call) string { return "text/plain; charset=utf-8" } },
	"unknown-path-is-ok": func(b *behaviour) {
		b.rest.unknown = func(c *call) answer { return c.s.json(http.StatusOK, mediaJSON, object{}) }
	},
	"answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string { return plainForAnything(c, conformantREST.media(c)) }
	},
	"messages-are-taken-at-the-root": func(b *behaviour) {
		b.rest.below = func(path string) (string, bool) {
			if strings.HasPrefix(path, "/message:") {
				return path[1:], true
			}
			tail, ours := conformantREST.below(path)
			return tail, ours && !strings.HasPrefix(tail, "message:")
		}
	},
	"lists-with-artifacts-as-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string {
			if isOp(c, "ListTasks") && c.r.URL.Query().Get("includeArtifacts") == "true" {
				return "text/plain; charset=utf-8"
			}
			return conformantREST.media(c)
		}
	},
	"texts-are-composed": keptTexts(norm.NFC.String),
	"escaped-letters-of-paths-stay-escaped": func(b *behaviour) {
		b.rest.split = func(c *call, tail string) []string {
			segments := conformantREST.split(c, tail)
			for i := 1; i < len(segments); i++ {
				segments[i] = strings.ReplaceAll(segments[i], "%", "%25")
			}
			return segments
		}
	},
}

// reroutes has the server look at other segments than those of the request; none: there is nothing at the path.
func reroutes(other func(segments []string) []string) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			if segments = other(segments); segments == nil {
				return routed{}, false
			}
			return c.route(segments)
		}
	}
}

// restStatus has an operation answer with a status of its own over HTTP+JSON.
func restStatus(operation string, status int) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.status = func(c *call, o outcome) int {
			if c.op.name == operation {
				return status
			}
			return o.status
		}
	}
}

// fromLatin1 takes each byte of a text for a character.
func fromLatin1(text []byte) []byte {
	runes := make([]rune, len(text))
	for i, c := range text {
		runes[i] = rune(c)
	}
	return []byte(string(runes))
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

// decodedInPieces decodes the bytes of a body as they are read, so many at once: a character across the end of a piece is lost.
func decodedInPieces(piece int) func(*behaviour) {
	return func(b *behaviour) {
		b.input.parse = func(text []byte) (any, *failure) {
			var whole []byte
			for len(text) > piece {
				whole = append(whole, bytes.ToValidUTF8(text[:piece], []byte("\uFFFD"))...)
				text = text[piece:]
			}
			return conformantInput.parse(append(whole, bytes.ToValidUTF8(text, []byte("\uFFFD"))...))
		}
	}
}
