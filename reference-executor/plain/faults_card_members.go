// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
)

// cardMemberFaults are what can be wrong with the members of the public card, which is signed with them.
var cardMemberFaults = map[string]func(*behaviour){
	"card-without-name":           lacking("name"),
	"card-with-blank-name":        with("name", " "),
	"card-without-description":    lacking("description"),
	"card-with-empty-description": with("description", ""),
	"card-without-version":        lacking("version"),
	"card-version-is-a-number":    with("version", 2),
	"capabilities-are-null":       with("capabilities", nil),
	"skills-are-null":             with("skills", nil),
	"card-without-a-skill":        with("skills", []any{}),
	"input-modes-are-null":        with("defaultInputModes", nil),
	"no-input-modes":              with("defaultInputModes", []any{}),
	"input-mode-without-a-name":   further("defaultInputModes", ""),
	"input-mode-called-text":      further("defaultInputModes", "text"),
	"output-modes-are-null":       with("defaultOutputModes", nil),
	"no-output-modes":             with("defaultOutputModes", []any{}),
	"output-mode-is-a-number":     further("defaultOutputModes", 1),
	"output-mode-called-text":     further("defaultOutputModes", "text"),
	"icon-url-is-relative":        with("iconUrl", "icon.png"),
	"documentation-url-is-a-path": with("documentationUrl", "/docs"),
	"card-with-a-snake-case-member": publicly(func(_ *Server, card object) {
		card["default_input_modes"] = card["defaultInputModes"]
	}),

	"streaming-is-a-text":           capability("streaming", "true"),
	"push-notifications-are-a-text": capability("pushNotifications", "true"),
	"extended-card-is-a-text":       capability("extendedAgentCard", "true"),
	"extension-without-uri":         furtherExtension(object{"description": "Notes."}),
	"extension-of-a-relative-uri":   furtherExtension(object{"uri": "notes/v1"}),
	"extension-required-is-a-text":  furtherExtension(object{"uri": notes, "required": "no"}),
	"extension-params-are-a-list":   furtherExtension(object{"uri": notes, "params": []any{"x"}}),
	"password-in-the-card":          furtherExtension(object{"uri": notes, "params": object{"password": "for the curious"}}),

	"provider-without-organization": provider("organization"),
	"provider-without-url":          provider("url"),

	"card-without-an-interface": with("supportedInterfaces", []any{}),
	"interface-is-a-text":       further("supportedInterfaces", BindingREST),
	"interface-url-is-relative": publicly(func(_ *Server, card object) { faces(card)[0]["url"] = "/a2a" }),
	"interface-without-url":     furtherInterface(object{"protocolBinding": BindingREST, "protocolVersion": version10}),
	"further-interface-url-is-relative": furtherInterface(object{
		"url": "/a2a", "protocolBinding": BindingREST, "protocolVersion": version10,
	}),
	"custom-interface-url-is-a-path": furtherInterface(object{
		"url": "a2a/ws", "protocolBinding": "https://a2a.example/bindings/ws", "protocolVersion": version10,
	}),
	"grpc-interface-at-half-an-address":      furtherInterface(object{"url": "[::1", "protocolBinding": "GRPC", "protocolVersion": version10}),
	"grpc-interface-with-a-bell-in-its-host": furtherInterface(object{"url": "agent\a.example:443", "protocolBinding": "GRPC", "protocolVersion": version10}),
	"interface-without-binding":              furtherInterface(object{"url": elsewhere, "protocolVersion": version10}),
	"binding-called-rest":                    furtherInterface(object{"url": elsewhere, "protocolBinding": "REST", "protocolVersion": version10}),
	"binding-in-small-letters":               furtherInterface(object{"url": elsewhere, "protocolBinding": "json-rpc", "protocolVersion": version10}),
	"binding-called-websocket":               furtherInterface(object{"url": elsewhere, "protocolBinding": "WEBSOCKET", "protocolVersion": version10}),
	"interface-without-version":              furtherInterface(object{"url": elsewhere, "protocolBinding": BindingREST}),
	"interface-version-is-latest": furtherInterface(object{
		"url": elsewhere, "protocolBinding": BindingREST, "protocolVersion": "latest",
	}),
	"interface-version-with-patch": furtherInterface(object{
		"url": elsewhere, "protocolBinding": BindingREST, "protocolVersion": "1.0.1",
	}),
	"interface-url-with-a-password": furtherInterface(object{
		"url": strings.Replace(elsewhere, "://", "://user:password@", 1), "protocolBinding": BindingREST, "protocolVersion": version10,
	}),
	"interfaces-of-the-old-version-only": publicly(func(_ *Server, card object) {
		for _, face := range faces(card) {
			face["protocolVersion"] = version03
		}
	}),
	"plain-http-at-a-public-host": publicly(func(_ *Server, card object) {
		for _, face := range faces(card) {
			face["url"] = strings.Replace(face["url"].(string), "https://", "http://", 1)
		}
	}),
	"a-tenant-is-a-number": furtherInterface(object{
		"url": elsewhere, "protocolBinding": BindingREST, "protocolVersion": version10, "tenant": 7,
	}),

	"skill-without-id":              firstSkill(func(skill object) { delete(skill, "id") }),
	"skill-without-name":            firstSkill(func(skill object) { delete(skill, "name") }),
	"skill-without-description":     firstSkill(func(skill object) { delete(skill, "description") }),
	"skill-without-tags":            firstSkill(func(skill object) { delete(skill, "tags") }),
	"tags-are-numbers":              firstSkill(func(skill object) { skill["tags"] = []any{1, 2} }),
	"skill-with-no-tag":             firstSkill(func(skill object) { skill["tags"] = []any{} }),
	"skill-examples-are-a-text":     firstSkill(func(skill object) { skill["examples"] = "hello" }),
	"skill-input-modes-are-objects": firstSkill(func(skill object) { skill["inputModes"] = []any{object{"type": "text/plain"}} }),
	"skill-output-modes-are-null":   firstSkill(func(skill object) { skill["outputModes"] = nil }),
	"bearer-token-in-the-card": firstSkill(func(skill object) {
		skill["examples"] = []any{"curl -H 'Authorization: Bearer 0123456789abcdef0123'"}
	}),
	"skills-of-one-id": publicly(func(_ *Server, card object) {
		for _, skill := range card["skills"].([]any) {
			skill.(object)["id"] = "echo"
		}
	}),

	"scheme-of-two-kinds": furtherScheme(object{
		"httpAuthSecurityScheme": object{"scheme": "Bearer"}, "apiKeySecurityScheme": object{"location": "header", "name": "X-Key"},
	}),
	"scheme-of-no-kind":            furtherScheme(object{"type": "http", "scheme": "bearer"}),
	"scheme-is-a-text":             furtherScheme(object{"mtlsSecurityScheme": "yes"}),
	"api-key-without-location":     furtherScheme(object{"apiKeySecurityScheme": object{"name": "X-Key"}}),
	"http-scheme-without-its-name": furtherScheme(object{"httpAuthSecurityScheme": object{"bearerFormat": "JWT"}}),
	"scheme-with-a-snake-case-member": furtherScheme(object{
		"httpAuthSecurityScheme": object{"scheme": "Bearer", "bearer_format": "JWT"},
	}),
	"a-scheme-is-described-by-null": furtherScheme(object{
		"httpAuthSecurityScheme": object{"scheme": "Bearer", "description": nil},
	}),
	"openid-without-url": furtherScheme(object{"openIdConnectSecurityScheme": object{"description": "Ask us where."}}),
	"clients-that-are-known-get-no-flows": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			schemes, _ := card["securitySchemes"].(object)
			if scheme, is := schemes["oauth"].(object); is && !extended && c.r.Header.Get("Authorization") != "" {
				scheme["oauth2SecurityScheme"] = object{"flows": nil}
			}
		}
	},
	"oauth-without-flows": furtherScheme(object{"oauth2SecurityScheme": object{"description": "Ask us how."}}),
	"oauth-without-a-token-url": furtherScheme(oauth(object{
		"clientCredentials": object{"scopes": object{"tasks": "All tasks."}},
	})),
	"oauth-without-scopes": furtherScheme(oauth(object{
		"authorizationCode": object{"authorizationUrl": "https://a2a.example/authorize", "tokenUrl": "https://a2a.example/token"},
	})),
	"device-code-without-its-url": furtherScheme(oauth(object{
		"deviceCode": object{"tokenUrl": "https://a2a.example/token", "scopes": object{}},
	})),
	"implicit-flow": furtherScheme(oauth(object{
		"implicit": object{"authorizationUrl": "https://a2a.example/authorize", "scopes": object{}},
	})),
	"two-flows-in-one-scheme": furtherScheme(oauth(object{
		"clientCredentials": object{"tokenUrl": "https://a2a.example/token", "scopes": object{}},
		"deviceCode": object{
			"deviceAuthorizationUrl": "https://a2a.example/device", "tokenUrl": "https://a2a.example/token", "scopes": object{},
		},
	})),

	"requirement-of-an-undeclared-scheme": further("securityRequirements", object{"schemes": object{"undeclared": object{"list": []any{"tasks"}}}}),
	"requirement-in-the-old-form":         further("securityRequirements", object{"bearer": []any{}}),
	"required-scopes-are-a-list":          further("securityRequirements", object{"schemes": object{"bearer": []any{"tasks"}}}),
	"skill-requires-an-undeclared-scheme": firstSkill(func(skill object) {
		skill["securityRequirements"] = []any{object{"schemes": object{"undeclared": object{"list": []any{"tasks"}}}}}
	}),
	"extended-card-scopes-are-a-list": extendedWith(func(card object) {
		card["securitySchemes"].(object)["oauth"] = oauth(object{"clientCredentials": object{"tokenUrl": "https://a2a.example/token", "scopes": []any{"agent"}}})
	}),
	"cards-in-another-language-have-no-name":        otherLanguagesMiss("name"),
	"cards-in-another-language-have-no-description": otherLanguagesMiss("description"),
	"later-cards-have-an-empty-output-mode": someCards(afterTheFirst, func(card object) {
		card["defaultOutputModes"] = append(slices.Clone(card["defaultOutputModes"].([]any)), "")
	}),
	"later-cards-have-a-skill-without-id": someCards(afterTheFirst, func(card object) {
		skills := card["skills"].([]any)
		delete(skills[len(skills)-1].(object), "id")
	}),
	"later-cards-have-a-provider-without-url": someCards(afterTheFirst, func(card object) {
		if provider, is := card["provider"].(object); is {
			delete(provider, "url")
		}
	}),
	"last-interface-has-a-version-with-a-letter": furtherInterface(object{
		"url": elsewhere, "protocolBinding": BindingREST, "protocolVersion": "v" + version10,
	}),
	"cards-for-known-callers-have-a-nameless-skill":             lastForKnownCallersMisses("skills", "name"),
	"cards-for-known-callers-have-an-undescribed-skill":         lastForKnownCallersMisses("skills", "description"),
	"cards-for-known-callers-have-a-skill-without-tags":         lastForKnownCallersMisses("skills", "tags"),
	"cards-for-known-callers-have-an-interface-without-version": lastForKnownCallersMisses("supportedInterfaces", "protocolVersion"),
	"cards-for-known-callers-have-an-interface-without-binding": lastForKnownCallersMisses("supportedInterfaces", "protocolBinding"),
	"cards-for-known-callers-have-a-skill-twice": knownCallersSee(func(card object) {
		skills := card["skills"].([]any)
		card["skills"] = append(skills, skills[len(skills)-1])
	}),
	"cards-for-known-callers-have-examples-that-are-a-text": knownCallersSee(func(card object) {
		card["skills"].([]any)[0].(object)["examples"] = "ping"
	}),
	"cards-for-known-callers-stream-in-a-text": knownCallersSee(func(card object) { card["capabilities"].(object)["streaming"] = "true" }),
	"cards-for-known-callers-push-in-a-text":   knownCallersSee(func(card object) { card["capabilities"].(object)["pushNotifications"] = "true" }),
	"cards-for-known-callers-extend-in-a-text": knownCallersSee(func(card object) { card["capabilities"].(object)["extendedAgentCard"] = "true" }),
	"cards-for-known-callers-have-an-extension-without-uri": knownCallersSee(func(card object) {
		capabilities := clone(card["capabilities"]).(object)
		card["capabilities"] = capabilities
		if extensions, _ := capabilities["extensions"].([]any); len(extensions) > 0 {
			delete(extensions[len(extensions)-1].(object), "uri")
		}
	}),
	"artifacts-are-null-when-there-are-none": shownTask(func(_ task, v object) {
		if _, has := v["artifacts"]; !has {
			v["artifacts"] = nil
		}
	}),
	"file-names-are-empty-when-there-are-none": shownPart("text", func(v object) {
		if _, has := v["filename"]; !has {
			v["filename"] = ""
		}
	}),
}

const (
	notes     = "https://a2a.example/extensions/notes/v1"
	elsewhere = "http://a2a.test/a2a" // where a further interface is said to be
)

// publicly changes the public card before it is signed.
func publicly(change func(s *Server, card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if !extended {
				change(c.s, card)
			}
		}
	}
}

// faces are the interfaces of a card.
func faces(card object) []object {
	var all []object
	for _, entry := range card["supportedInterfaces"].([]any) {
		all = append(all, entry.(object))
	}
	return all
}

func with(name string, v any) func(*behaviour) {
	return publicly(func(_ *Server, card object) { card[name] = v })
}

func lacking(name string) func(*behaviour) {
	return publicly(func(_ *Server, card object) { delete(card, name) })
}

// further puts an entry at the end of a list of the card.
func further(name string, entry any) func(*behaviour) {
	return publicly(func(_ *Server, card object) {
		list, _ := card[name].([]any)
		card[name] = append(list[:len(list):len(list)], entry)
	})
}

func furtherInterface(entry object) func(*behaviour) { return further("supportedInterfaces", entry) }

func furtherExtension(entry object) func(*behaviour) {
	return publicly(func(_ *Server, card object) {
		capabilities := card["capabilities"].(object)
		list, _ := capabilities["extensions"].([]any)
		capabilities["extensions"] = append(list[:len(list):len(list)], entry)
	})
}

func furtherScheme(scheme object) func(*behaviour) {
	return publicly(func(_ *Server, card object) {
		schemes, _ := card["securitySchemes"].(object)
		schemes = maps.Clone(schemes)
		if schemes == nil {
			schemes = object{}
		}
		schemes["further"] = scheme
		card["securitySchemes"] = schemes
	})
}

func oauth(flows object) object { return object{"oauth2SecurityScheme": object{"flows": flows}} }

func capability(name string, v any) func(*behaviour) {
	return publicly(func(_ *Server, card object) { card["capabilities"].(object)[name] = v })
}

// provider lacks a member, where there is one.
func provider(name string) func(*behaviour) {
	return publicly(func(_ *Server, card object) {
		if provider, declared := card["provider"].(object); declared {
			delete(provider, name)
		}
	})
}

func firstSkill(change func(skill object)) func(*behaviour) {
	return publicly(func(_ *Server, card object) { change(card["skills"].([]any)[0].(object)) })
}

// otherLanguagesMiss leaves a member out of the public card where it has not been translated.
func otherLanguagesMiss(member string) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if inAnotherLanguage(c) && !extended {
				delete(card, member)
			}
		}
	}
}

func afterTheFirst(n int32) bool { return n > 1 }

// someCards changes some of the public cards that are served, by their number.
func someCards(which func(n int32) bool, change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		var served atomic.Int32
		b.card.shape = func(_ *call, extended bool, card object) {
			if !extended && which(served.Add(1)) {
				change(card)
			}
		}
	}
}

// knownCallersSee changes the public card for those who say who they are.
func knownCallersSee(change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if _, given := bearer(c.r.Header); given && !extended {
				change(card)
			}
		}
	}
}

// lastForKnownCallersMisses leaves a member out of the last element of a list in that card.
func lastForKnownCallersMisses(list, member string) func(*behaviour) {
	return knownCallersSee(func(card object) {
		elements := card[list].([]any)
		delete(elements[len(elements)-1].(object), member)
	})
}
