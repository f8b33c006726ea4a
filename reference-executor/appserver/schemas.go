// SPDX-License-Identifier: Apache-2.0

package appserver

import "maps"

// schemas are those of the document.
func schemas(older bool) object {
	all := object{
		"AppConversation":              conversationSchema(older),
		"AppConversationPage":          pageOf("AppConversation"),
		"AppConversationStartRequest":  requestSchema(older),
		"AppConversationStartTask":     startSchema(),
		"AppConversationStartTaskPage": pageOf("AppConversationStartTask"),
		"ConversationInfo": structure(map[string]any{
			"id": aUUID, "agent": structure(map[string]any{"kind": aText, "llm": structure(map[string]any{"model": aText})}),
			"workspace":        structure(map[string]any{"kind": aText, "working_dir": aText}, "kind"),
			"execution_status": with(ref("ExecutionStatus"), "idle"), "stats": object{"type": "object"},
		}, "execution_status", "stats"),
		"Event":           structure(map[string]any{"id": aText, "timestamp": aText, "source": enum(sources), "kind": ref("EventKind")}),
		"EventKind":       enum(kinds),
		"EventPage":       pageOf("Event"),
		"ExecutionStatus": enum(executions),
		"ExposedUrl":      structure(map[string]any{"name": aText, "url": aText}),
		"Metrics": structure(map[string]any{
			"model_name": aText, "accumulated_cost": object{"type": "number"}, "max_budget_per_task": orNull(object{"type": "number"}),
			"accumulated_token_usage": orNull(object{"type": "object"}),
		}, "max_budget_per_task", "accumulated_token_usage"),
		"ProviderType": enum(providers),
		"SandboxInfo": structure(map[string]any{
			"id": aText, "created_by_user_id": orNull(aText), "sandbox_spec_id": aText, "status": ref("SandboxStatus"),
			"session_api_key": orNull(aText), "exposed_urls": orNull(listOf(ref("ExposedUrl"))), "created_at": aTime,
		}, "exposed_urls"),
		"SandboxPage":   pageOf("SandboxInfo"),
		"SandboxStatus": enum(sandboxStates),
		"SandboxSpecInfo": structure(map[string]any{
			"id": aText, "command": orNull(listOf(aText)), "created_at": aTime,
			"initial_env": object{"type": "object", "additionalProperties": aText}, "working_dir": aText,
		}, "initial_env"),
		"SandboxSpecInfoPage": pageOf("SandboxSpecInfo"),
		"Success":             structure(map[string]any{"success": with(aBoolean, true)}, "success"),
		"Trigger":             enum(triggers),
		"UserInfo":            userSchema(),
	}
	maps.Copy(all, oldSchemas())
	return all
}

// pageOf is the schema of a page of items.
func pageOf(item string) object {
	return structure(map[string]any{"items": listOf(ref(item)), "next_page_id": orNull(aText)}, "next_page_id")
}

func conversationSchema(older bool) object {
	members := map[string]any{
		"id": aUUID, "created_by_user_id": orNull(aText), "sandbox_id": aText, "selected_repository": orNull(aText),
		"selected_branch": orNull(aText), "git_provider": orNull(ref("ProviderType")), "title": orNull(aText), "trigger": orNull(ref("Trigger")),
		"pr_number": listOf(aNumber), "llm_model": orNull(aText), "metrics": orNull(ref("Metrics")), "created_at": aTime, "updated_at": aTime,
		"sandbox_status": with(ref("SandboxStatus"), missing), "execution_status": orNull(ref("ExecutionStatus")),
		"conversation_url": orNull(aText), "session_api_key": orNull(aText),
	}
	if !older {
		members["parent_conversation_id"], members["sub_conversation_ids"] = orNull(aUUID), listOf(aUUID)
	}
	return structure(members,
		"selected_repository", "selected_branch", "git_provider", "title", "trigger", "pr_number", "llm_model", "metrics", "sandbox_status",
		"execution_status", "conversation_url", "session_api_key", "parent_conversation_id", "sub_conversation_ids")
}

func requestSchema(older bool) object {
	message := structure(map[string]any{
		"role": with(enum(roles), "user"), "run": with(aBoolean, false),
		"content": listOf(object{"oneOf": []any{
			structure(map[string]any{"type": object{"const": "text"}, "text": aText}),
			structure(map[string]any{"type": object{"const": "image"}, "image_urls": listOf(aText)}),
		}}),
	}, "role", "run", "content")
	members := map[string]any{
		"sandbox_id": orNull(aText), "initial_message": orNull(message), "processors": listOf(anything), "llm_model": orNull(aText),
		"selected_repository": orNull(aText), "selected_branch": orNull(aText), "git_provider": orNull(ref("ProviderType")),
		"title": orNull(aText), "trigger": orNull(ref("Trigger")), "pr_number": listOf(aNumber),
	}
	if !older {
		members["parent_conversation_id"], members["agent_type"] = orNull(aUUID), with(enum(agentTypes), "default")
	}
	return object{"type": "object", "properties": members}
}

func startSchema() object {
	return structure(map[string]any{
		"id": aUUID, "created_by_user_id": orNull(aText), "status": enum(startStates), "detail": orNull(aText),
		"app_conversation_id": orNull(aUUID), "sandbox_id": orNull(aText), "agent_server_url": orNull(aText),
		"request": ref("AppConversationStartRequest"), "created_at": aTime, "updated_at": aTime,
	}, "detail", "app_conversation_id", "sandbox_id", "agent_server_url")
}

func userSchema() object {
	members := map[string]any{"id": orNull(aText)}
	for _, name := range settingNames {
		members[name] = orNull(aText)
	}
	members["max_iterations"] = orNull(aNumber)
	members["mcp_config"] = orNull(object{"type": "object"})
	for _, name := range []string{"confirmation_mode", "enable_default_condenser", "email_verified"} {
		members[name] = orNull(aBoolean)
	}
	return object{"type": "object", "properties": members}
}

// oldSchemas are those of the routes beside V1, and of refusals.
func oldSchemas() object {
	old := structure(map[string]any{
		"conversation_id": aText, "title": aText, "status": aText, "conversation_version": enum([]string{"V0", "V1"}), "created_at": aTime,
		"last_updated_at": orNull(aTime),
	})
	members := map[string]any{}
	for _, name := range oldMembers {
		members[name] = anything
	}
	return object{
		"HTTPValidationError": structure(map[string]any{"detail": listOf(ref("ValidationError"))}),
		"ValidationError":     structure(map[string]any{"loc": listOf(object{"anyOf": []any{aText, aNumber}}), "msg": aText, "type": aText}),
		"Refusal":             structure(map[string]any{"detail": aText}),
		"OldConversation":     old,
		"OldConversationPage": structure(map[string]any{"results": listOf(ref("OldConversation")), "next_page_id": orNull(aText)}),
		"OldStartRequest":     object{"type": "object", "properties": members, "additionalProperties": false},
	}
}
