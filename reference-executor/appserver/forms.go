// SPDX-License-Identifier: Apache-2.0

package appserver

import "strings"

// searching are the parameters of every search.
func searching(more ...any) []any {
	return append(more,
		parameter("page_id", orNull(aText)),
		parameter("limit", object{"type": "integer", "exclusiveMinimum": 0, "maximum": 100, "default": 100}))
}

// byIDs is the parameter of a batch.
func byIDs(name string, item object) []any {
	return []any{object{"name": name, "in": "query", "required": true, "schema": object{"type": "array", "items": item, "title": name}}}
}

// ofConversations are the filters of conversations.
func ofConversations() []any {
	return []any{
		parameter("title__contains", orNull(aText)), parameter("created_at__gte", orNull(aTime)), parameter("created_at__lt", orNull(aTime)),
		parameter("updated_at__gte", orNull(aTime)), parameter("updated_at__lt", orNull(aTime)),
	}
}

// ofEvents are the filters of events, with the order that they come in.
func ofEvents() []any {
	return []any{
		parameter("conversation_id__eq", orNull(aUUID)), parameter("kind__eq", orNull(ref("EventKind"))),
		parameter("timestamp__gte", orNull(aTime)), parameter("timestamp__lt", orNull(aTime)),
		parameter("sort_order", with(enum(eventSorts), "TIMESTAMP")),
	}
}

// ofStarts are the filters of start tasks.
func ofStarts(older bool) []any {
	filters := []any{parameter("conversation_id__eq", orNull(aUUID))}
	if !older {
		filters = append(filters, parameter("created_at__gte", orNull(aTime)))
	}
	return filters
}

// forms describe the routes, by method and path.
func forms(older bool) map[string]form {
	success := ref("Success")
	all := v1Forms(older, success)
	for name, f := range legacyForms() {
		all[name] = f
	}
	return all
}

func v1Forms(older bool, success object) map[string]form {
	nullable := func(name string) object { return listOf(orNull(ref(name))) }
	many, gone := []string{"400"}, []string{"404"}
	sub := []any{}
	if !older {
		sub = append(sub, parameter("include_sub_conversations", with(aBoolean, false)))
	}
	one := func(summary string) form { return form{summary: summary, answers: success, refuses: gone} }
	return map[string]form{
		"GET " + prefix + "/app-conversations/search": {
			summary: "Search conversations", query: searching(append(ofConversations(), sub...)...), answers: ref("AppConversationPage")},
		"GET " + prefix + "/app-conversations/count": {summary: "Count conversations", query: ofConversations(), answers: aNumber},
		"GET " + prefix + "/app-conversations": {
			summary: "Get conversations by ids", query: byIDs("ids", aUUID), answers: nullable("AppConversation"), refuses: many},
		"POST " + prefix + "/app-conversations": {
			summary: "Start a conversation", body: ref("AppConversationStartRequest"), answers: ref("AppConversationStartTask")},
		"POST " + prefix + "/app-conversations/stream-start": {
			summary: "Start a conversation, and tell how it goes on", body: ref("AppConversationStartRequest"),
			answers: listOf(ref("AppConversationStartTask"))},
		"GET " + prefix + "/app-conversations/start-tasks/search": {
			summary: "Search start tasks", answers: ref("AppConversationStartTaskPage"),
			query: searching(append(ofStarts(older), parameter("sort_order", with(enum(startSorts), "CREATED_AT_DESC")))...)},
		"GET " + prefix + "/app-conversations/start-tasks/count": {summary: "Count start tasks", query: ofStarts(older), answers: aNumber},
		"GET " + prefix + "/app-conversations/start-tasks": {
			summary: "Get start tasks by ids", query: byIDs("ids", aUUID), answers: nullable("AppConversationStartTask"), refuses: many},
		"GET " + prefix + "/events/search": {summary: "Search events", query: searching(ofEvents()...), answers: ref("EventPage")},
		"GET " + prefix + "/events/count":  {summary: "Count events", query: ofEvents(), answers: aNumber},
		"GET " + prefix + "/events": {
			summary: "Get events by ids", query: byIDs("id", aText), answers: nullable("Event"), refuses: many},
		"GET " + prefix + "/sandboxes/search": {summary: "Search sandboxes", query: searching(), answers: ref("SandboxPage")},
		"GET " + prefix + "/sandboxes": {
			summary: "Get sandboxes by ids", query: byIDs("id", aText), answers: nullable("SandboxInfo"), refuses: many},
		"POST " + prefix + "/sandboxes": {
			summary: "Start a sandbox", query: []any{parameter("sandbox_spec_id", orNull(aText))}, answers: ref("SandboxInfo"), refuses: gone},
		"POST " + prefix + "/sandboxes/{sandbox_id}/pause":  one("Pause a sandbox"),
		"POST " + prefix + "/sandboxes/{sandbox_id}/resume": one("Resume a sandbox"),
		"DELETE " + prefix + "/sandboxes/{sandbox_id}":      one("Delete a sandbox"),
		"GET " + prefix + "/sandbox-specs/search":           {summary: "Search sandbox specs", query: searching(), answers: ref("SandboxSpecInfoPage")},
		"GET " + prefix + "/sandbox-specs": {
			summary: "Get sandbox specs by ids", query: byIDs("id", aText), answers: nullable("SandboxSpecInfo"), refuses: many},
		"POST " + prefix + "/webhooks/{sandbox_id}/conversations": {
			summary: "Take what a sandbox tells of a conversation", body: ref("ConversationInfo"), answers: success},
		"POST " + prefix + "/webhooks/{sandbox_id}/events/{conversation_id}": {
			summary: "Take events of a conversation", body: listOf(ref("Event")), answers: success, refuses: []string{"409"}},
		"GET " + prefix + "/webhooks/secrets": {summary: "Hand out a secret", answers: aText, refuses: gone},
		"GET " + prefix + "/users/me":         {summary: "Who is logged in", answers: ref("UserInfo")},
	}
}

// legacyForms describe the routes beside V1.
func legacyForms() map[string]form {
	all := map[string]form{
		oldGet(""): {summary: "List conversations", answers: ref("OldConversationPage"), query: []any{
			parameter("page_id", orNull(aText)), parameter("limit", object{"type": "integer", "exclusiveMinimum": 0, "maximum": 100, "default": 20}),
		}},
		"POST " + oldPrefix:          {summary: "Start a conversation", body: ref("OldStartRequest"), answers: anything},
		oldGet("/{conversation_id}"): {summary: "Read a conversation", answers: orNull(ref("OldConversation"))},
		"PATCH " + oldPrefix + "/{conversation_id}": {
			summary: "Rename a conversation", body: structure(map[string]any{"title": aText}), answers: aBoolean, refuses: []string{"404"}},
		"DELETE " + oldPrefix + "/{conversation_id}": {summary: "Delete a conversation", answers: aBoolean},
		oldGet("/{conversation_id}/config"): {
			summary: "Read the runtime configuration", answers: structure(map[string]any{"runtime_id": aText, "session_id": aText}),
			refuses: []string{"404"}},
	}
	for _, r := range legacyRoutes {
		if _, has := all[r.String()]; has {
			continue
		}
		f := form{summary: strings.TrimPrefix(r.path, "/"), answers: anything}
		switch {
		case strings.HasPrefix(r.path, oldPrefix+"/"):
			f.refuses = []string{"404"}
		case strings.HasPrefix(r.path, "/api/user/"):
			f.refuses = []string{"401"}
		case r.method == "POST":
			f.body = object{"type": "object"}
		}
		if r.method == "POST" && strings.HasSuffix(r.path, "/events") || strings.HasSuffix(r.path, "/message") {
			f.body = object{"type": "object"}
		}
		all[r.String()] = f
	}
	return all
}

func oldGet(path string) string { return "GET " + oldPrefix + path }
