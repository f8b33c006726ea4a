// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// maxDepth is how deep the form of a schema goes: a page, its items, and what these consist of.
const maxDepth = 5

// A former makes the forms of schemas, up to so many values of the document.
type former struct {
	*Document
	left int
}

// form is a schema as suites see it, references followed: types (those of JSON besides null, sorted), nullable, format, enum, values (all
// that enum and const leave), items and members (forms themselves), required, and keywords: whatever else the schema says, as it
// stands. anyOf and oneOf of one form and null, and allOf of a single schema, are that form; of several forms types has all of their types.
func (f *former) form(schema any, depth int) map[string]any {
	form := map[string]any{"nullable": false}
	types := map[string]bool{}
	f.add(form, types, schema, depth, maxRefs)
	if types["null"] {
		form["nullable"] = true
		delete(types, "null")
	}
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		list = append(list, name)
	}
	form["types"] = list
	return form
}

// add adds what a schema says to a form.
func (f *former) add(form map[string]any, types map[string]bool, schema any, depth, refs int) {
	if f.left--; f.left < 0 || refs < 0 {
		return
	}
	members, is := schema.(map[string]any)
	if !is {
		return
	}
	if ref, is := members["$ref"].(string); is {
		if next, there := f.at(ref); there {
			f.add(form, types, next, depth, refs-1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v := members[name]
		switch name {
		case "$ref":
		case "type":
			addTypes(types, v)
		case "anyOf", "oneOf", "allOf":
			list, _ := v.([]any)
			for _, one := range list {
				f.add(form, types, one, depth, refs-1)
			}
		case "items":
			if depth > 0 {
				form["items"] = f.form(v, depth-1)
			}
		case "properties":
			f.addMembers(form, v, depth)
		case "required":
			had, _ := form["required"].([]any)
			list, _ := v.([]any)
			form["required"] = append(slices.Clone(had), list...)
		case "const":
			form["enum"] = []any{v}
		case "nullable": // OpenAPI 3.0
			if v == true {
				types["null"] = true
			}
		case "enum":
			had, _ := form["enum"].([]any)
			list, _ := v.([]any)
			form["enum"] = append(slices.Clone(had), list...)
		default:
			keywords, _ := form["keywords"].(map[string]any)
			if keywords == nil {
				keywords = map[string]any{}
				form["keywords"] = keywords
			}
			if _, had := keywords[name]; !had || name == "default" {
				keywords[name] = v
			}
			if name == "format" {
				form["format"] = v
			}
		}
	}
}

func addTypes(types map[string]bool, v any) {
	list, is := v.([]any)
	if !is {
		list = []any{v}
	}
	for _, one := range list {
		if name, is := one.(string); is {
			types[name] = true
		}
	}
}

func (f *former) addMembers(form map[string]any, v any, depth int) {
	properties, _ := v.(map[string]any)
	if depth <= 0 || properties == nil {
		return
	}
	all, _ := form["members"].(map[string]any)
	if all == nil {
		all = map[string]any{}
		form["members"] = all
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if _, had := all[name]; !had {
			all[name] = f.form(properties[name], depth-1)
		}
	}
}

// named are the properties that a schema names at any depth, each with the place that leads to it: "/items/*/title". Every schema that
// is referred to is looked at once for each place where it begins, but not inside of itself.
func (f *former) named(schema any, found func(name, at string)) {
	seen := map[string]bool{}
	var look func(v any, at string, within []string)
	look = func(v any, at string, within []string) {
		if f.left--; f.left < 0 {
			return
		}
		members, is := v.(map[string]any)
		if !is {
			return
		}
		if ref, is := members["$ref"].(string); is && !slices.Contains(within, ref) && !seen[ref+" "+at] {
			seen[ref+" "+at] = true
			if next, there := f.at(ref); there {
				look(next, at, append(slices.Clip(within), ref))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			switch name {
			case "properties":
				properties, _ := members[name].(map[string]any)
				for _, property := range slices.Sorted(maps.Keys(properties)) {
					found(property, at+"/"+pointer.Token(property))
					look(properties[property], at+"/"+pointer.Token(property), within)
				}
			case "required":
				list, _ := members[name].([]any)
				for _, one := range list {
					if property, is := one.(string); is {
						found(property, at+"/"+pointer.Token(property))
					}
				}
			case "patternProperties", "dependentSchemas":
				inner, _ := members[name].(map[string]any)
				for _, key := range slices.Sorted(maps.Keys(inner)) {
					place := at
					if name == "patternProperties" {
						place += "/*"
					}
					look(inner[key], place, within)
				}
			case "items", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
				look(members[name], at+"/*", within)
			case "anyOf", "oneOf", "allOf", "prefixItems":
				list, _ := members[name].([]any)
				place := at
				if name == "prefixItems" {
					place += "/*"
				}
				for _, one := range list {
					look(one, place, within)
				}
			case "if", "then", "else", "not":
				look(members[name], at, within)
			}
		}
	}
	look(schema, "", nil)
}

// isJSON says whether a media type is one of JSON.
func isJSON(media string) bool {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	media = strings.TrimSpace(media)
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
