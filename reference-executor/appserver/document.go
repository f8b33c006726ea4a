// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// documentBehaviour is what the OpenAPI document says.
type documentBehaviour struct {
	served func(c *call) answer
	edit   func(c *call, doc object) // the last look at it
}

var conformantDocument = documentBehaviour{
	served: func(c *call) answer { return c.ok(c.document()) },
	edit:   func(*call, object) {},
}

func document(c *call) answer { return c.s.b.document.served(c) }

// document is the OpenAPI document of what is served to who asks.
func (c *call) document() object {
	doc := object{
		"openapi":    "3.1.0",
		"info":       object{"title": "App server", "description": "Conversations with agents in sandboxes.", "version": "0.62.0"},
		"paths":      c.paths(),
		"components": object{"schemas": schemas(c.s.config.Older), "securitySchemes": c.schemes()},
	}
	if c.noV1 {
		doc["components"].(object)["schemas"] = oldSchemas()
	}
	doc = deep(doc).(object)
	c.s.b.document.edit(c, doc)
	return doc
}

// deep is a copy of a JSON value that shares nothing with it.
func deep(v any) any {
	switch v := v.(type) {
	case object:
		o := object{}
		for name, member := range v {
			o[name] = deep(member)
		}
		return o
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			all[i] = deep(item)
		}
		return all
	}
	return v
}

// The names of the security schemes in the document.
const (
	loginScheme   = "Login"
	sandboxScheme = "SandboxKey"
	accessScheme  = "AccessToken"
	gateScheme    = "DeploymentKey"
)

// schemes are the security schemes of the server as it is set up.
func (c *call) schemes() object {
	header := func(name, what string) object {
		return object{"type": "apiKey", "in": "header", "name": name, "description": what}
	}
	all := object{}
	if !c.noV1 {
		all[sandboxScheme] = header(sessionHeader, "The session key of the sandbox in the path.")
		all[accessScheme] = header(accessHeader, "An access token of this server.")
	}
	if c.s.config.Token != "" {
		all[loginScheme] = object{"type": "http", "scheme": "bearer"}
	}
	if c.s.config.SessionKey != "" {
		all[gateScheme] = header(sessionHeader, "The key of the deployment.")
	}
	return all
}

// paths are the operations that are served.
func (c *call) paths() object {
	all, described := object{}, forms(c.s.config.Older)
	for _, r := range c.s.routes {
		if c.s.b.routes.table[r.String()] == nil || r.path == "/openapi.json" || c.noV1 && r.isV1() {
			continue
		}
		path, is := all[c.s.at(r)].(object)
		if !is {
			path = object{}
			all[c.s.at(r)] = path
		}
		path[strings.ToLower(r.method)] = c.operation(r, described[r.String()])
	}
	return all
}

// bracketed are the names of path parameters; notInIDs is what ids of operations do not have.
var (
	bracketed = regexp.MustCompile(`\{([^}]*)\}`)
	notInIDs  = regexp.MustCompile(`[^a-z0-9]+`)
)

// operation describes a route.
func (c *call) operation(r route, form form) object {
	parameters := []any{}
	for _, name := range bracketed.FindAllStringSubmatch(c.s.at(r), -1) {
		s := object{"type": "string", "title": name[1]}
		if name[1] == "conversation_id" && r.isV1() {
			s["format"] = "uuid"
		}
		parameters = append(parameters, object{"name": name[1], "in": "path", "required": true, "schema": s})
	}
	for _, p := range form.query {
		if p.(object)["name"] == "conversation_id__eq" && c.s.at(r) != r.path {
			continue // the conversation is in the path
		}
		parameters = append(parameters, p)
	}
	o := object{
		"summary":     form.summary,
		"operationId": strings.Trim(notInIDs.ReplaceAllString(strings.ToLower(r.String()), "_"), "_"),
		"responses":   c.responses(r, form),
		"tags":        []any{tagOf(c.s.at(r))},
	}
	if len(parameters) > 0 {
		o["parameters"] = parameters
	}
	if form.body != nil {
		o["requestBody"] = object{"required": true, "content": object{mediaJSON: object{"schema": form.body}}}
	}
	var security []any
	if c.s.config.Token != "" && r.needs == login {
		security = append(security, loginScheme)
	}
	switch {
	case r.needs == sandboxKey:
		security = append(security, sandboxScheme)
	case r.needs == accessToken:
		security = append(security, accessScheme)
	case c.s.config.SessionKey != "" && r.needs != nothing:
		security = append(security, gateScheme)
	}
	if security != nil {
		all := object{}
		for _, name := range security {
			all[name.(string)] = []any{}
		}
		o["security"] = []any{all}
	}
	return o
}

// responses describes the answers of a route.
func (c *call) responses(r route, form form) object {
	said := func(what string, schema any) object {
		return object{"description": what, "content": object{mediaJSON: object{"schema": schema}}}
	}
	all := object{"200": said("Successful Response", form.answers)}
	detail := ref("Refusal")
	for _, status := range form.refuses {
		all[status] = said(refusals[status], detail)
	}
	if r.needs == sandboxKey || r.needs == accessToken || r.needs == login && c.s.config.Token != "" || c.s.config.SessionKey != "" && r.needs != nothing {
		all["401"] = said(refusals["401"], detail)
	}
	if len(form.query) > 0 || form.body != nil || bracketed.MatchString(c.s.at(r)) {
		all["422"] = said("Validation Error", ref("HTTPValidationError"))
	}
	return all
}

var refusals = map[string]string{
	"400": "Too much was asked for", "401": "Unauthorized", "404": "Not found", "409": "Conflict",
}

// tagOf is the topic of a path.
func tagOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, prefix), "/api"), "/")
	if len(parts) > 1 {
		return parts[1]
	}
	return "server"
}

// ref is a reference to a schema of the document.
func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// A form is what is described of a route.
type form struct {
	summary string
	query   []any
	body    any
	answers any
	refuses []string // statuses, besides 401 and 422
}

// parameter describes one of a query.
func parameter(name string, schema object) object {
	schema = maps.Clone(schema)
	schema["title"] = name
	return object{"name": name, "in": "query", "required": false, "schema": schema}
}

// orNull is a schema that null satisfies too.
func orNull(schema object) object { return object{"anyOf": []any{schema, object{"type": "null"}}} }

// enum is the schema of a text with one of some values.
func enum(values []string) object {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return object{"type": "string", "enum": all}
}

// Schemas of members.
var (
	aText    = object{"type": "string"}
	aUUID    = object{"type": "string", "format": "uuid"}
	aTime    = object{"type": "string", "format": "date-time"}
	aNumber  = object{"type": "integer"}
	aBoolean = object{"type": "boolean"}
	anything = object{}
)

func listOf(item any) object { return object{"type": "array", "items": item} }

// with is a schema with a default.
func with(schema object, otherwise any) object {
	schema = maps.Clone(schema)
	schema["default"] = otherwise
	return schema
}

// structure is the schema of an object; required are all members but some.
func structure(members map[string]any, but ...string) object {
	required := []any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(but, name) {
			required = append(required, name)
		}
	}
	o := object{"type": "object", "properties": members}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
