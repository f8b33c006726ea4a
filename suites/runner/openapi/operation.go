// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// name is how an operation is called: "GET /api/v1/sandboxes/{id}".
func (o *operation) name() string { return o.method + " " + o.path }

// isCalled says whether an operation is the one of a method and a path; a document may have its path with a slash at the end.
func (o *operation) isCalled(operation string) bool {
	method, path, _ := strings.Cut(operation, " ")
	return o.method == method && strings.TrimSuffix(blanked(o.path), "/") == blanked(path)
}

// parameters are those of the operation and of its path, resolved; those of the operation come first, and win.
func (d *Document) parameters(o *operation) []map[string]any {
	own, _ := o.node["parameters"].([]any)
	var all []map[string]any
	known := map[string]bool{}
	for _, one := range append(slices.Clone(own), o.shared...) {
		resolved, _ := d.resolve(one, "")
		p, is := resolved.(map[string]any)
		key := text(p, "in") + " " + text(p, "name")
		if !is || known[key] {
			continue
		}
		known[key] = true
		all = append(all, p)
	}
	return all
}

// described is an operation as suites see it: operation, method, path, blank (the path without the names of its parameters),
// template_names, path_names and repeated (parameters that are declared more than once), the parameters by place and name (query.limit: required, style, explode, schema), statuses, body (the
// form of its request), answer (the form of its 200), and keys: the names of the headers that its apiKey schemes and parameters want.
func (f *former) described(o *operation) map[string]any {
	said := f.outlined(o)
	places := map[string]map[string]any{"query": {}, "header": {}, "cookie": {}}
	for in, parameters := range places {
		said[in] = parameters
	}
	for _, p := range f.parameters(o) {
		in := places[text(p, "in")]
		if in == nil {
			continue
		}
		parameter := map[string]any{"name": text(p, "name"), "required": p["required"] == true, "schema": f.form(p["schema"], maxDepth)}
		for _, how := range []string{"style", "explode"} {
			if v, said := p[how]; said {
				parameter[how] = v
			}
		}
		in[text(p, "name")] = parameter
	}
	if schema, _ := f.bodyOf(o); schema != nil {
		said["body"] = f.form(schema, maxDepth)
	}
	if schema, _ := f.answerOf(o, "200"); schema != nil {
		said["answer"] = f.form(schema, maxDepth)
	}
	return said
}

// outlined is what can be said of an operation without its schemas.
func (f *former) outlined(o *operation) map[string]any {
	inTemplate, declared := []any{}, []any{}
	for _, name := range inBraces.FindAllStringSubmatch(o.path, -1) {
		inTemplate = append(inTemplate, name[1])
	}
	for _, p := range f.parameters(o) {
		if text(p, "in") == "path" {
			declared = append(declared, text(p, "name"))
		}
	}
	sortTexts(inTemplate)
	sortTexts(declared)
	responses, _ := o.node["responses"].(map[string]any)
	statuses := []any{}
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		statuses = append(statuses, status)
	}
	return map[string]any{"operation": o.name(), "method": o.method, "path": o.path, "blank": blanked(o.path), "template_names": inTemplate,
		"path_names": declared, "repeated": f.repeated(o), "statuses": statuses, "keys": f.keys(o)}
}

// repeated are the parameters that an operation itself declares more than once: "query ids". One of its path it may declare anew.
func (d *Document) repeated(o *operation) []any {
	own, _ := o.node["parameters"].([]any)
	times := map[string]int{}
	for _, one := range own {
		resolved, _ := d.resolve(one, "")
		if p, is := resolved.(map[string]any); is {
			times[text(p, "in")+" "+text(p, "name")]++
		}
	}
	again := []any{}
	for _, key := range slices.Sorted(maps.Keys(times)) {
		if times[key] > 1 {
			again = append(again, key)
		}
	}
	return again
}

// keys are the headers that an operation wants a key in, in lower case: those of its security schemes, and its header parameters.
func (d *Document) keys(o *operation) []any {
	names := map[string]bool{}
	for _, p := range d.parameters(o) {
		if text(p, "in") == "header" {
			names[strings.ToLower(text(p, "name"))] = true
		}
	}
	for _, scheme := range d.schemesOf(o) {
		if resolved, _ := d.resolve(member(member(member(d.root, "components"), "securitySchemes"), scheme), ""); text(resolved, "type") == "apiKey" && text(resolved, "in") == "header" {
			names[strings.ToLower(text(resolved, "name"))] = true
		}
	}
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, name)
	}
	return list
}

// schemesOf are the names of the security schemes of an operation, or of the document where it says none of its own.
func (d *Document) schemesOf(o *operation) []string {
	security, own := o.node["security"].([]any)
	if !own {
		security, _ = member(d.root, "security").([]any)
	}
	var names []string
	for _, one := range security {
		members, _ := one.(map[string]any)
		names = append(names, slices.Sorted(maps.Keys(members))...)
	}
	return names
}

// bodyOf is the schema of the JSON body of an operation, and where it stands; nil: it has none.
func (d *Document) bodyOf(o *operation) (schema any, at string) {
	body, at := d.resolve(o.node["requestBody"], o.pointer+"/requestBody")
	return jsonSchema(body, at)
}

// answerOf is the schema of the JSON answer of an operation with a status, "200", and where it stands; nil: it has none.
func (d *Document) answerOf(o *operation, status string) (schema any, at string) {
	responses, _ := o.node["responses"].(map[string]any)
	for _, key := range []string{status, status[:1] + "XX", "default"} {
		if response, has := responses[key]; has {
			resolved, at := d.resolve(response, o.pointer+"/responses/"+key)
			return jsonSchema(resolved, at)
		}
	}
	return nil, ""
}

// jsonSchema is the schema of what content says of JSON.
func jsonSchema(holder any, at string) (any, string) {
	content, _ := member(holder, "content").(map[string]any)
	for _, media := range slices.Sorted(maps.Keys(content)) {
		if isJSON(media) {
			return member(content[media], "schema"), at + "/content/" + pointer.Token(media) + "/schema"
		}
	}
	return nil, ""
}

// names are all names that an operation brings: {operation, path, in (path, query, header, cookie, body, response), name, at, top: it stands
// at the top of its body}.
func (f *former) names(o *operation, add func(map[string]any)) {
	say := func(in, name, at string) {
		add(map[string]any{"operation": o.name(), "path": o.path, "in": in, "name": name, "at": at, "top": strings.Count(at, "/") <= 1 || in != "body" && in != "response"})
	}
	for _, p := range f.parameters(o) {
		say(text(p, "in"), text(p, "name"), "")
	}
	for _, name := range inBraces.FindAllStringSubmatch(o.path, -1) {
		say("path", name[1], "")
	}
	if schema, _ := f.bodyOf(o); schema != nil {
		f.named(schema, func(name, at string) { say("body", name, at) })
	}
	responses, _ := o.node["responses"].(map[string]any)
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		response, at := f.resolve(responses[status], "")
		if schema, _ := jsonSchema(response, at); schema != nil {
			f.named(schema, func(name, at string) { say("response", name, at) })
		}
	}
}

func sortTexts(list []any) {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
}
