// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"fmt"
	"mime"
	"strings"
)

// inputBehaviour is how requests are read.
type inputBehaviour struct {
	version func(c *call) *failure // of the protocol that is asked for
	request func(c *call, body []byte) (object, *failure)
	sending func(c *call, request object) (*sending, *failure)
	content func(parts []any) string // the text of a message
}

var conformantInput = inputBehaviour{
	version: func(c *call) *failure {
		switch asked := c.r.Header.Get("A2A-Version"); asked {
		case protocolVersion:
			return nil
		case "":
			return fail(versionNotSupported, "the header A2A-Version is missing; 1.0 is spoken here")
		default:
			return fail(versionNotSupported, fmt.Sprintf("version %.20q is not spoken here, 1.0 is", asked))
		}
	},
	request: func(_ *call, body []byte) (object, *failure) {
		var request any
		if json.Unmarshal(body, &request) != nil {
			return nil, fail(malformed, "the body is not JSON")
		}
		read, is := request.(object)
		if !is {
			return nil, fail(invalidRequest, "the body is not a JSON object")
		}
		return read, nil
	},
	sending: readSending,
	content: func(parts []any) string {
		var all strings.Builder
		for _, part := range parts {
			text, _ := part.(object)["text"].(string)
			all.WriteString(text)
		}
		return all.String()
	},
}

// A sending is a SendMessageRequest that may be accepted.
type sending struct {
	message  object
	metadata object // of the request; where that has none of a name, the one of the message counts
	text     string
}

// says is a member of the metadata; nil: neither has it.
func (s *sending) says(name string) any {
	if v, has := s.metadata[name]; has {
		return v
	}
	metadata, _ := s.message["metadata"].(object)
	return metadata[name]
}

// snakes are the other names that the members of a message may have.
var snakes = map[string]string{"message_id": "messageId", "context_id": "contextId", "task_id": "taskId"}

// readSending looks at a SendMessageRequest.
func readSending(c *call, request object) (*sending, *failure) {
	if tenant, has := request["tenant"]; has && tenant != c.agent.name && tenant != "" {
		return nil, violation("tenant", "is not the name of this agent")
	}
	message, is := request["message"].(object)
	if !is {
		return nil, violation("message", "must be an object")
	}
	for snake, name := range snakes {
		if v, has := message[snake]; has {
			message[name] = v
			delete(message, snake)
		}
	}
	if id, is := message["messageId"].(string); !is || id == "" {
		return nil, violation("message.messageId", "must be a text")
	}
	if message["role"] != "ROLE_USER" {
		return nil, violation("message.role", "must be ROLE_USER")
	}
	parts, _ := message["parts"].([]any)
	if len(parts) == 0 {
		return nil, violation("message.parts", "must be a list that is not empty")
	}
	for i, part := range parts {
		if f := checkPart(fmt.Sprintf("message.parts[%d]", i), part); f != nil {
			return nil, f
		}
	}
	for _, name := range []string{"contextId", "taskId"} {
		if v, has := message[name]; has {
			if _, is := v.(string); !is {
				return nil, violation("message."+name, "must be a text")
			}
		}
	}
	for _, of := range []object{request, message} {
		if v, has := of["metadata"]; has && v != nil {
			if _, is := v.(object); !is {
				return nil, violation("metadata", "must be an object")
			}
		}
	}
	if id, _ := message["taskId"].(string); id != "" {
		if c.agent.taskOf(id) == nil {
			return nil, fail(taskNotFound, "there is no task of that id")
		}
		return nil, fail(unsupportedOperation, "the task has ended")
	}
	metadata, _ := request["metadata"].(object)
	return &sending{message: message, metadata: metadata, text: c.s.b.input.content(parts)}, nil
}

// checkPart looks at one part of a message: it holds exactly one of what there is.
func checkPart(at string, part any) *failure {
	v, is := part.(object)
	if !is {
		return violation(at, "must be an object")
	}
	held := 0
	for _, name := range []string{"text", "raw", "url", "data"} {
		content, has := v[name]
		if !has {
			continue
		}
		held++
		if _, text := content.(string); !text && name != "data" {
			return violation(at+"."+name, "must be a text")
		}
	}
	if held != 1 {
		return violation(at, "must hold exactly one of text, raw, url and data")
	}
	return nil
}

// read reads a request that must have a body in JSON, in the version that is spoken.
func (c *call) read() (request object, body []byte, f *failure) {
	if body, f = c.s.b.http.body(c); f != nil {
		return nil, nil, f
	}
	switch media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); media {
	case mediaJSON, mediaA2A:
	default:
		return nil, body, fail(wrongMedia, "a request is application/json")
	}
	if request, f = c.s.b.input.request(c, body); f == nil {
		f = c.s.b.input.version(c)
	}
	return request, body, f
}
