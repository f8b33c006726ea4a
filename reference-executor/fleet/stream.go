// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"net/http"
)

// stream answers with the course of a task, each step in what the dialect wraps it in.
func (c *call) stream(t *task, wrap func(item object) any) answer {
	begun := c.taskObject(t)
	begun["status"] = c.status(t, submitted)
	delete(begun, "artifacts")
	items := []object{
		{"task": begun},
		{"statusUpdate": object{"taskId": t.id, "contextId": t.context, "status": c.status(t, working)}},
		{"artifactUpdate": object{"taskId": t.id, "contextId": t.context, "artifact": t.artifact(), "lastChunk": true}},
		{"statusUpdate": object{"taskId": t.id, "contextId": t.context, "status": c.status(t, completed)}},
	}
	return answer{status: http.StatusOK, header: streamHeader(), stream: func(w http.ResponseWriter) {
		for _, item := range items {
			if _, err := w.Write(c.frame("", "", wrap(item))); err != nil {
				return
			}
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}}
}

// streamHeader is the header of every stream.
func streamHeader() http.Header {
	return http.Header{"Content-Type": {mediaSSE}, "Cache-Control": {"no-cache"}, "X-Accel-Buffering": {"no"}}
}

// frame is one event. The JSON may stand on several lines: they become several data fields.
func (c *call) frame(id, name string, v any) []byte {
	var out bytes.Buffer
	field := func(field, value string) {
		out.WriteString(field + ":")
		if c.s.lawful.Below(4) > 0 {
			out.WriteString(" ")
		}
		out.WriteString(value + "\n")
	}
	if id != "" {
		field("id", id)
	}
	if name != "" {
		field("event", name)
	}
	text := bytes.ReplaceAll(c.s.lawful.Encode(v), []byte("\r\n"), []byte("\n"))
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			field("data", string(line))
		}
	}
	out.WriteString("\n")
	return out.Bytes()
}
