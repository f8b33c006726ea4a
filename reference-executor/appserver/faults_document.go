// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"slices"
	"strings"
)

// inDocument changes the OpenAPI document.
func inDocument(change func(c *call, doc object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.document.edit
		b.document.edit = func(c *call, doc object) {
			before(c, doc)
			change(c, doc)
		}
	}
}

// documented is the path at which a document has what the contract has at this one.
func documented(doc object, path string) string {
	if later := laterPaths[path]; later != "" && doc["paths"].(object)[later] != nil {
		return later
	}
	return path
}

// operation is that of a route in a document; an empty object where it is not there, so that nobody has to ask.
func operation(doc object, route string) object {
	method, path, _ := strings.Cut(route, " ")
	at, _ := doc["paths"].(object)[documented(doc, path)].(object)
	if o, is := at[strings.ToLower(method)].(object); is {
		return o
	}
	return object{"parameters": []any{}, "responses": object{}}
}

// eachV1 visits the operations of V1.
func eachV1(doc object, visit func(route string, o object)) {
	for _, r := range v1Routes {
		if path, is := doc["paths"].(object)[documented(doc, r.path)].(object); is && path[strings.ToLower(r.method)] != nil {
			visit(r.String(), operation(doc, r.String()))
		}
	}
}

// forget takes an operation out of a document.
func forget(doc object, route string) {
	method, path, _ := strings.Cut(route, " ")
	paths := doc["paths"].(object)
	path = documented(doc, path)
	at, _ := paths[path].(object)
	delete(at, strings.ToLower(method))
	if len(at) == 0 {
		delete(paths, path)
	}
}

// declared is a parameter of an operation; an empty object where it is not there.
func declared(o object, name string) object {
	all, _ := o["parameters"].([]any)
	for _, p := range all {
		if p := p.(object); p["name"] == name {
			return p
		}
	}
	return object{"schema": object{}}
}

// undeclare takes a parameter out of an operation.
func undeclare(o object, name string) {
	all, _ := o["parameters"].([]any)
	o["parameters"] = slices.DeleteFunc(all, func(p any) bool { return p.(object)["name"] == name })
}

// declare adds a parameter to an operation.
func declare(o object, in, name string) {
	all, _ := o["parameters"].([]any)
	o["parameters"] = append(all, object{"name": name, "in": in, "required": in == "path", "schema": object{"type": "string"}})
}

// answers changes the schema of what an operation answers.
func answers(o object, change func(schema object) any) {
	said, _ := o["responses"].(object)["200"].(object)
	content, _ := said["content"].(object)
	if media, is := content[mediaJSON].(object); is {
		media["schema"] = change(media["schema"].(object))
	}
}

// schema is one of the components of a document; an empty object where it is not there.
func schema(doc object, name string) object {
	if s, is := doc["components"].(object)["schemas"].(object)[name].(object); is {
		return s
	}
	return object{"properties": object{}}
}

// member adds a member to a schema of the document.
func member(doc object, name, member string, of object) {
	schema(doc, name)["properties"].(object)[member] = of
}

var documentFaults = map[string]func(*behaviour){
	"no-document": func(b *behaviour) {
		b.document.served = func(c *call) answer { return c.refuse(notFound) }
	},
	"document-without-a-version": inDocument(func(_ *call, doc object) { doc["info"].(object)["version"] = "" }),
	"dangling-event-page": inDocument(func(_ *call, doc object) {
		answers(operation(doc, namedRoutes["event-search"]), func(object) any { return ref("EventPageOfEvents") })
	}),
	"schema-of-no-type": inDocument(func(_ *call, doc object) {
		member(doc, "SandboxPage", "next_page_id", object{"type": "opaque"})
	}),
	"delete-parameter-misnamed": inDocument(func(_ *call, doc object) {
		declared(operation(doc, namedRoutes["sandbox-delete"]), "sandbox_id")["name"] = "id"
	}),
	"ids-declared-twice": inDocument(func(_ *call, doc object) {
		o := operation(doc, namedRoutes["start-task-batch"])
		o["parameters"] = append(o["parameters"].([]any), declared(o, "ids"))
	}),
	"path-parameter-undeclared": inDocument(func(_ *call, doc object) {
		undeclare(operation(doc, namedRoutes["sandbox-pause"]), "sandbox_id")
	}),
	"delete-template-says-id": inDocument(func(_ *call, doc object) {
		o := operation(doc, namedRoutes["sandbox-delete"])
		declared(o, "sandbox_id")["name"] = "id"
		forget(doc, namedRoutes["sandbox-delete"])
		doc["paths"].(object)[prefix+"/sandboxes/{id}"] = object{"delete": o}
	}),
	"count-declared-as-an-object": inDocument(func(_ *call, doc object) {
		answers(operation(doc, namedRoutes["event-count"]), func(object) any { return structure(map[string]any{"count": aNumber}) })
	}),
	"batch-declared-without-null": inDocument(func(_ *call, doc object) {
		answers(operation(doc, namedRoutes["conversation-batch"]), func(object) any { return listOf(ref("AppConversation")) })
	}),
	"stream-declared-as-one-task": inDocument(func(_ *call, doc object) {
		answers(operation(doc, namedRoutes["streamed-start"]), func(object) any { return ref("AppConversationStartTask") })
	}),
	"unknown-sandboxes-undeclared": inDocument(func(_ *call, doc object) {
		for _, name := range []string{"sandbox-pause", "sandbox-resume", "sandbox-delete"} {
			delete(operation(doc, namedRoutes[name])["responses"].(object), "404")
		}
	}),
	"access-token-declared-everywhere": inDocument(func(_ *call, doc object) {
		eachV1(doc, func(_ string, o object) { declare(o, "header", accessHeader) })
	}),
	"session-key-declared-everywhere": inDocument(func(_ *call, doc object) {
		eachV1(doc, func(_ string, o object) { declare(o, "header", sessionHeader) })
	}),
	"session-key-undeclared": inDocument(func(_ *call, doc object) {
		delete(operation(doc, namedRoutes["event-post"]), "security")
	}),
	"access-token-undeclared": inDocument(func(_ *call, doc object) {
		delete(operation(doc, namedRoutes["secret-hand-out"]), "security")
	}),
	"undocumented-provider-routes": inDocument(func(_ *call, doc object) {
		for _, r := range legacyRoutes {
			if strings.HasPrefix(r.path, "/api/user/") {
				forget(doc, r.String())
			}
		}
	}),
}

var parameterFaults = map[string]func(*behaviour){
	"page-id-declared-as-cursor": inDocument(func(_ *call, doc object) {
		eachV1(doc, func(_ string, o object) {
			if p := declared(o, "page_id"); p["name"] != nil {
				p["name"] = "cursor"
			}
		})
	}),
	"limit-undeclared": inDocument(func(_ *call, doc object) { undeclare(operation(doc, namedRoutes["event-search"]), "limit") }),
	"limit-declared-with-lte": limitDeclared(func(s object) {
		delete(s, "maximum")
		s["lte"] = 100
	}),
	"limit-declared-from-zero":       limitDeclared(func(s object) { s["exclusiveMinimum"] = -1 }),
	"limit-declared-without-default": limitDeclared(func(s object) { delete(s, "default") }),
	"ids-declared-as-one-text": inDocument(func(_ *call, doc object) {
		declared(operation(doc, namedRoutes["conversation-batch"]), "ids")["schema"] = object{"type": "string"}
	}),
	"ids-declared-optional": inDocument(func(_ *call, doc object) {
		declared(operation(doc, namedRoutes["sandbox-batch"]), "id")["required"] = false
	}),
	"updated-before-undeclared-on-count": inDocument(func(_ *call, doc object) {
		undeclare(operation(doc, namedRoutes["conversation-count"]), "updated_at__lt")
	}),
	"title-filter-undeclared": inDocument(func(_ *call, doc object) {
		undeclare(operation(doc, namedRoutes["conversation-search"]), "title__contains")
	}),
	"kind-filter-undeclared": inDocument(func(_ *call, doc object) {
		undeclare(operation(doc, namedRoutes["event-search"]), "kind__eq")
	}),
	"event-order-declared-descending": inDocument(func(_ *call, doc object) {
		declared(operation(doc, namedRoutes["event-search"]), "sort_order")["schema"].(object)["default"] = "TIMESTAMP_DESC"
	}),
	"start-order-declared-ascending": inDocument(func(_ *call, doc object) {
		declared(operation(doc, namedRoutes["start-task-search"]), "sort_order")["schema"].(object)["default"] = "CREATED_AT"
	}),
	"start-filter-undeclared-on-count": inDocument(func(_ *call, doc object) {
		undeclare(operation(doc, namedRoutes["start-task-count"]), "conversation_id__eq")
	}),
}

// limitDeclared changes how every search declares its limit.
func limitDeclared(change func(schema object)) func(*behaviour) {
	return inDocument(func(_ *call, doc object) {
		eachV1(doc, func(_ string, o object) {
			if p := declared(o, "limit"); p["name"] != nil {
				change(p["schema"].(object))
			}
		})
	})
}

// privateDocumentFaults name in the document what belongs to nobody else.
var privateDocumentFaults = map[string]func(*behaviour){
	"user-in-a-path": inDocument(func(_ *call, doc object) { pathOfNames(doc, prefix+"/users/{user_id}/app-conversations", "user_id") }),
	"organization-in-a-path": inDocument(func(_ *call, doc object) {
		pathOfNames(doc, prefix+"/organizations/{org_id}/app-conversations", "org_id")
	}),
	"user-id-parameter": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["conversation-search"]), "query", "user_id")
	}),
	"organization-header-parameter": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["sandbox-search"]), "header", "X-Org-Id")
	}),
	"organization-id-parameter": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["event-search"]), "query", "organizationId")
	}),
	"start-takes-provider-tokens": inDocument(func(_ *call, doc object) {
		member(doc, "AppConversationStartRequest", "provider_tokens", object{"type": "object"})
	}),
	"access-token-parameter": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["secret-hand-out"]), "query", "access_token")
	}),
	"start-takes-a-user-id": inDocument(func(_ *call, doc object) {
		member(doc, "AppConversationStartRequest", "user_id", object{"type": "string"})
	}),
	"start-takes-an-organization-id": inDocument(func(_ *call, doc object) {
		member(doc, "AppConversationStartRequest", "organization_id", object{"type": "string"})
	}),
	"organization-id-in-a-schema": inDocument(func(_ *call, doc object) { member(doc, "AppConversation", "org_id", object{"type": "string"}) }),
	"user-id-in-a-schema":         inDocument(func(_ *call, doc object) { member(doc, "SandboxInfo", "user_id", object{"type": "string"}) }),
	"provider-tokens-in-a-schema": inDocument(func(_ *call, doc object) {
		member(doc, "UserInfo", "secrets_store", structure(map[string]any{"provider_tokens": object{"type": "object"}}))
	}),
	"user-id-in-secrets-query": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["secret-hand-out"]), "query", "userId")
	}),
	"organization-in-an-old-path": inDocument(func(_ *call, doc object) {
		pathOfNames(doc, "/api/organizations/{org_id}/conversations", "org_id")
	}),
	"organization-on-the-old-list": inDocument(func(_ *call, doc object) {
		declare(operation(doc, namedRoutes["old-list"]), "query", "org_id")
	}),
	"old-start-takes-provider-tokens": inDocument(func(_ *call, doc object) {
		member(doc, "OldStartRequest", "provider_tokens", object{"type": "object"})
	}),
}

// pathOfNames adds a path with one parameter to a document.
func pathOfNames(doc object, path, name string) {
	o := object{
		"summary": "List conversations", "operationId": "list_conversations_of_" + name, "tags": []any{"conversations"},
		"responses": object{"200": object{"description": "Successful Response", "content": object{mediaJSON: object{"schema": object{}}}}},
	}
	declare(o, "path", name)
	doc["paths"].(object)[path] = object{"get": o}
}
