// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
	"sync"
)

// migrationFaults bring back what 0.3 had: in objects here, in cards and routes in maps of their own.
var migrationFaults = map[string]func(*behaviour){
	"parts-of-a-kind":    func(b *behaviour) { b.output.part = func(_ *call, v object) { v["kind"] = "text" } },
	"parts-of-a-type":    func(b *behaviour) { b.output.part = func(_ *call, v object) { v["type"] = "text" } },
	"messages-of-a-kind": func(b *behaviour) { b.output.message = func(_ *call, v object) { v["kind"] = "message" } },
	"tasks-of-a-kind":    func(b *behaviour) { b.output.task = func(_ *call, _ task, v object) { v["kind"] = "task" } },
	"status-updates-of-a-kind": func(b *behaviour) {
		b.output.statusUpdate = func(_ *call, _ event, v object) { v["kind"] = "status-update" }
	},
	"artifact-updates-of-a-kind": func(b *behaviour) {
		b.output.artifactUpdate = func(_ *call, _ event, v object) { v["kind"] = "artifact-update" }
	},
	"updates-are-final": func(b *behaviour) {
		b.output.statusUpdate = func(_ *call, ev event, v object) { v["final"] = terminal(ev.task.state) }
	},
	"status-updates-wrapped-by-their-old-name":   renamed("statusUpdate", "taskStatusUpdate"),
	"artifact-updates-wrapped-by-their-old-name": renamed("artifactUpdate", "taskArtifactUpdate"),
	"bare-objects-in-streams": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if what != "StreamResponse" {
				return v
			}
			return bare(v)
		}
	},
	"bare-task-in-json-rpc-results": func(b *behaviour) {
		b.output.wrapper = func(c *call, what string, v object) object {
			if what != "SendMessageResponse" || c.binding != BindingRPC {
				return v
			}
			return bare(v)
		}
	},

	"texts-inside-texts": func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if text, ok := v["text"].(string); ok {
				v["text"] = object{"text": text}
			}
		}
	},
	"files-inside-a-file": func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if v["raw"] == nil && v["url"] == nil {
				return
			}
			file := object{}
			for name, old := range map[string]string{"raw": "fileWithBytes", "url": "fileWithUri", "mediaType": "mediaType", "filename": "name"} {
				if value, given := v[name]; given {
					file[old] = value
					delete(v, name)
				}
			}
			v["file"] = file
		}
	},
	"files-with-names-of-0-3": func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if v["raw"] == nil && v["url"] == nil {
				return
			}
			v["mimeType"], v["name"] = v["mediaType"], v["filename"]
			delete(v, "mediaType")
			delete(v, "filename")
		}
	},
	"data-inside-data": func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if data, given := v["data"]; given {
				v["data"] = object{"data": data}
			}
		}
	},

	"states-in-lower-case": func(b *behaviour) {
		b.output.state = func(_ *call, t task) any { return strings.ToLower(strings.TrimPrefix(t.state, "TASK_STATE_")) }
	},
	"roles-in-lower-case": func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			if role, ok := v["role"].(string); ok {
				v["role"] = strings.ToLower(strings.TrimPrefix(role, "ROLE_"))
			}
		}
	},
	"cancelled-with-two-l": func(b *behaviour) {
		b.output.state = func(_ *call, t task) any { return cancelled(t.state) }
	},
	"cancelled-with-two-l-when-cancelling": func(b *behaviour) {
		b.output.state = func(c *call, t task) any {
			if c.op != nil && c.op.name == "CancelTask" {
				return cancelled(t.state)
			}
			return t.state
		}
	},
	"streams-over-rpc-spell-cancelled-with-two-l": func(b *behaviour) {
		b.output.state = func(c *call, t task) any {
			if c.op != nil && c.op.needs == "streaming" && c.binding == BindingRPC {
				return cancelled(t.state)
			}
			return t.state
		}
	},
	"legacy-messages-are-kept-as-they-came": func(b *behaviour) {
		b.input.role = func(path, role string) *failure {
			if role == "user" {
				return nil
			}
			return conformantInput.role(path, role)
		}
		b.input.keeps = func(message, kept object) object {
			if kept["role"] == "user" {
				return clone(message).(object)
			}
			return kept
		}
	},
	"blocking-in-place-of-return-immediately": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			conf, _ := c.params["configuration"].(object)
			if _, given := conf["returnImmediately"]; given {
				return violation("configuration.returnImmediately", "is not known")
			}
			return nil
		}
	},
	"tasks-with-resource-names": func(b *behaviour) {
		b.tasks.id = func(c *call, message object) string { return "tasks/" + conformantTasks.id(c, message) }
	},
	"configurations-with-resource-names": func(b *behaviour) {
		b.output.config = func(_ *call, v object) object {
			task, _ := v["taskId"].(string)
			id, _ := v["id"].(string)
			v["name"] = "tasks/" + task + "/pushNotificationConfigs/" + id
			delete(v, "id")
			return v
		}
	},
	"listed-files-have-names-of-0-3": func(b *behaviour) {
		b.output.part = func(c *call, v object) {
			if isOp(c, "ListTasks") && v["mediaType"] != nil && (v["raw"] != nil || v["url"] != nil) {
				v["mimeType"] = v["mediaType"]
			}
		}
	},
	"streamed-files-have-names-of-0-3":          streamedPart("raw", func(part object) { part["mimeType"] = part["mediaType"] }),
	"streams-nest-texts":                        streamedPart("text", func(part object) { part["text"] = object{"text": part["text"]} }),
	"streams-show-messages-of-0-3-as-they-came": showingOldMessages("SendStreamingMessage", func(c *call) bool { return c.op != nil && c.op.needs == "streaming" }),
	"answers-show-messages-of-0-3-as-they-came": showingOldMessages("SendMessage", func(c *call) bool { return isOp(c, "SendMessage") }),
	"streams-know-no-return-immediately": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			conf, _ := c.params["configuration"].(object)
			if _, given := conf["returnImmediately"]; given && isOp(c, "SendStreamingMessage") {
				return violation("configuration.returnImmediately", "is not known")
			}
			return nil
		}
	},
}

// bare is what a wrapper holds, with the kind that 0.3 told it by.
func bare(wrapper object) object {
	kinds := map[string]string{"task": "task", "message": "message", "statusUpdate": "status-update", "artifactUpdate": "artifact-update"}
	for name, kind := range kinds {
		if v, ok := wrapper[name].(object); ok {
			v["kind"] = kind
			return v
		}
	}
	return wrapper
}

// renamed wraps events under another name.
func renamed(name, old string) func(*behaviour) {
	return func(b *behaviour) {
		b.output.wrapper = func(_ *call, _ string, v object) object {
			if update, given := v[name]; given {
				return object{old: update}
			}
			return v
		}
	}
}

func cancelled(state string) string {
	if state == canceled {
		return "TASK_STATE_CANCELLED"
	}
	return state
}

// showingOldMessages takes messages of 0.3 in one operation, and shows them as they came where shows says so.
func showingOldMessages(operation string, shows func(*call) bool) func(*behaviour) {
	return func(b *behaviour) {
		var old sync.Map // ids of messages
		b.input.tenant = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if isOp(c, operation) && message["role"] == "user" {
				message["role"] = "ROLE_USER"
				old.Store(message["messageId"], true)
			}
			return conformantInput.tenant(c)
		}
		b.output.message = func(c *call, v object) {
			if _, is := old.Load(v["messageId"]); is && shows(c) {
				v["role"] = "user"
			}
		}
	}
}
