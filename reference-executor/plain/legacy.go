// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"strings"
)

// legacyBehaviour is version 0.3, for servers that speak it.
type legacyBehaviour struct {
	request func(c *call, params object) object // the request object of 1.0 for the params of 0.3
	result  func(c *call, result any) any       // the result of 0.3 for that of 1.0
	card    func(c *call) object                // of a server that speaks nothing else
}

var conformantLegacy = legacyBehaviour{
	request: func(c *call, params object) object { return fromLegacy(c.op, params) },
	result:  func(c *call, result any) any { return toLegacy(c.op, result) },
	card:    func(c *call) object { return c.s.legacyCard() },
}

// fromLegacy turns the params of a 0.3 method into the request object of its operation.
func fromLegacy(op *operation, params object) object {
	out := clone(params).(object)
	if message, ok := out["message"].(object); ok {
		messageFromLegacy(message)
	}
	if conf, ok := out["configuration"].(object); ok {
		if blocking, given := conf["blocking"].(bool); given {
			conf["returnImmediately"] = !blocking
		}
		if config, ok := conf["pushNotificationConfig"].(object); ok {
			conf["taskPushNotificationConfig"] = configFromLegacy(config)
		}
	}
	if op.task == "taskId" {
		if config, ok := out["pushNotificationConfig"].(object); ok {
			flat := configFromLegacy(config)
			flat["taskId"] = out["taskId"]
			return flat
		}
		out["taskId"], out["id"] = out["id"], out["pushNotificationConfigId"]
	}
	return out
}

func configFromLegacy(config object) object {
	if auth, ok := config["authentication"].(object); ok {
		if schemes, ok := auth["schemes"].([]any); ok && len(schemes) > 0 {
			auth["scheme"] = schemes[0]
		}
	}
	return config
}

func messageFromLegacy(message object) {
	if role, ok := message["role"].(string); ok {
		message["role"] = "ROLE_" + strings.ToUpper(role)
	}
	parts, _ := message["parts"].([]any)
	for _, part := range parts {
		part, ok := part.(object)
		if !ok {
			continue
		}
		if file, ok := part["file"].(object); ok {
			for old, now := range map[string]string{"bytes": "raw", "uri": "url", "mimeType": "mediaType", "name": "filename"} {
				if v, given := file[old]; given {
					part[now] = v
				}
			}
		}
	}
}

// toLegacy turns a result of 1.0 into that of 0.3.
func toLegacy(op *operation, result any) any {
	v, ok := clone(result).(object)
	if !ok {
		return nil
	}
	switch op.name {
	case "GetTask", "CancelTask":
		return taskToLegacy(v)
	case "ListTaskPushNotificationConfigs":
		list, _ := v["configs"].([]any)
		for i := range list {
			list[i] = configToLegacy(list[i].(object))
		}
		return list
	case "GetTaskPushNotificationConfig", "CreateTaskPushNotificationConfig":
		return configToLegacy(v)
	}
	if t, ok := v["task"].(object); ok {
		return taskToLegacy(t)
	}
	if m, ok := v["message"].(object); ok {
		return messageToLegacy(m)
	}
	if update, ok := v["statusUpdate"].(object); ok {
		update["kind"] = "status-update"
		state := statusToLegacy(update)
		update["final"] = state == "completed" || state == "failed" || state == "canceled" || state == "rejected"
		return update
	}
	if update, ok := v["artifactUpdate"].(object); ok {
		update["kind"] = "artifact-update"
		partsToLegacy(update["artifact"])
		return update
	}
	return v
}

func taskToLegacy(t object) object {
	t["kind"] = "task"
	statusToLegacy(t)
	history, _ := t["history"].([]any)
	for _, message := range history {
		messageToLegacy(message.(object))
	}
	artifacts, _ := t["artifacts"].([]any)
	for _, a := range artifacts {
		partsToLegacy(a)
	}
	return t
}

// statusToLegacy changes the status in a task or an update, and says what state it is.
func statusToLegacy(v object) string {
	status, _ := v["status"].(object)
	text, _ := status["state"].(string)
	state := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(text, "TASK_STATE_"), "_", "-"))
	status["state"] = state
	if m, ok := status["message"].(object); ok {
		messageToLegacy(m)
	}
	return state
}

func messageToLegacy(m object) object {
	m["kind"] = "message"
	if role, ok := m["role"].(string); ok {
		m["role"] = strings.ToLower(strings.TrimPrefix(role, "ROLE_"))
	}
	partsToLegacy(m)
	return m
}

func partsToLegacy(v any) {
	holder, _ := v.(object)
	parts, _ := holder["parts"].([]any)
	for _, part := range parts {
		part := part.(object)
		media, filename := part["mediaType"], part["filename"]
		delete(part, "mediaType")
		delete(part, "filename")
		switch {
		case part["text"] != nil:
			part["kind"] = "text"
		case part["raw"] != nil || part["url"] != nil:
			file := object{}
			for old, value := range map[string]any{"bytes": part["raw"], "uri": part["url"], "mimeType": media, "name": filename} {
				if value != nil {
					file[old] = value
				}
			}
			delete(part, "raw")
			delete(part, "url")
			part["kind"], part["file"] = "file", file
		default:
			part["kind"] = "data"
			if _, isObject := part["data"].(object); !isObject {
				part["data"] = object{"value": part["data"]}
			}
		}
	}
}

func configToLegacy(v object) object {
	config := object{"id": v["id"], "url": v["url"]}
	if token, given := v["token"]; given {
		config["token"] = token
	}
	if auth, ok := v["authentication"].(object); ok {
		config["authentication"] = object{"schemes": []any{auth["scheme"]}}
	}
	return object{"taskId": v["taskId"], "pushNotificationConfig": config}
}

// legacyCard is a card of 0.3.
func (s *Server) legacyCard() object {
	card := object{
		"protocolVersion":    "0.3.0",
		"name":               "Plain reference agent",
		"description":        "Does what the text of a message tells it, in version 0.3 of the protocol.",
		"version":            "1.4.0",
		"url":                s.public() + rpcPath,
		"preferredTransport": BindingRPC,
		"capabilities":       object{"streaming": s.declares("streaming"), "pushNotifications": s.declares("pushNotifications"), "stateTransitionHistory": false},
		"defaultInputModes":  anyOf(inputModes),
		"defaultOutputModes": []any{"text/plain"},
		"skills":             s.b.card.skills(s, false),
	}
	if s.declares("security") {
		card["securitySchemes"] = object{"bearer": object{"type": "http", "scheme": "bearer"}}
		card["security"] = []any{object{"bearer": []any{}}}
	}
	return card
}
