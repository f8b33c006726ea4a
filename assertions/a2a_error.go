// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"slices"
	"strings"
)

var a2aErrorWord = Word{
	Name: "a2a_error",
	Means: "is the payload of an Error whose a2a_error names the A2A counterpart of its code (named), or at least names no other error " +
		"(not another); codes without a counterpart want nothing",
	Takes:  Literal,
	Schema: `{"enum": ["named", "not another"]}`,
	Judge: func(got, want any) error {
		payload, is := got.(map[string]any)
		if !is {
			return seen(got, "the payload of an Error")
		}
		code, is := payload["code"].(string)
		spellings, known := a2aSpellings[code]
		if !is || !known {
			return &Problem{Path: ".code", Seen: "is " + show(orMissing(payload, "code")), Wanted: "a code of the binding"}
		}
		if spellings == nil {
			return nil
		}
		names := scalars(orMissing(payload, "a2a_error"))
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(spellings, name) }) {
			return nil
		}
		for _, name := range names {
			if other := namedBy(name); other != "" {
				return &Problem{Path: ".a2a_error", Seen: "names " + show(name) + ", which belongs to " + other, Wanted: show(spellings[0]) + " for " + code}
			}
		}
		if want == "not another" && !IsMissing(orMissing(payload, "a2a_error")) {
			return nil
		}
		return &Problem{Path: ".a2a_error", Seen: "is " + show(orMissing(payload, "a2a_error")), Wanted: show(spellings[0]) + " for " + code}
	},
}

// a2aSpellings are the accepted names of the counterpart of each code of the binding; nil where there is none to name.
var a2aSpellings = map[string][]string{
	"TASK_NOT_FOUND":      {"TaskNotFound", "TaskNotFoundError", "TASK_NOT_FOUND", "-32001"},
	"TASK_NOT_CANCELABLE": {"TaskNotCancelable", "TaskNotCancelableError", "TASK_NOT_CANCELABLE", "-32002"},
	"INVALID_REQUEST": {"InvalidRequest", "InvalidRequestError", "InvalidParams", "InvalidParamsError", "JSONParseError",
		"INVALID_REQUEST", "INVALID_ARGUMENT", "-32600", "-32602", "-32700"},
	"UNSUPPORTED_OPERATION": {"UnsupportedOperation", "UnsupportedOperationError", "MethodNotFound", "MethodNotFoundError",
		"UNSUPPORTED_OPERATION", "UNIMPLEMENTED", "-32004", "-32601"},
	"UNAUTHENTICATED":                 {"Unauthenticated", "UnauthenticatedError", "UNAUTHENTICATED", "401"},
	"PERMISSION_DENIED":               {"PermissionDenied", "PermissionDeniedError", "PERMISSION_DENIED", "403"},
	"RATE_LIMITED":                    {"RateLimited", "RateLimitedError", "RATE_LIMITED", "RESOURCE_EXHAUSTED", "429"},
	"INTERNAL":                        {"Internal", "InternalError", "INTERNAL", "-32603"},
	"REPLAY_OUT_OF_RANGE":             nil,
	"session_backend.not_implemented": nil,
	"session_class.not_implemented":   nil,
}

// namedBy returns the code whose counterpart has this name.
func namedBy(name string) string {
	for _, code := range sortedKeys(a2aSpellings) {
		if slices.Contains(a2aSpellings[code], name) {
			return code
		}
	}
	return ""
}

// scalars lists every text and number inside a value, in a fixed order.
func scalars(v any) []string {
	var all []string
	switch v := v.(type) {
	case string:
		return []string{strings.TrimSpace(v)}
	case json.Number:
		return []string{v.String()}
	case []any:
		for _, element := range v {
			all = append(all, scalars(element)...)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			all = append(all, scalars(v[name])...)
		}
	}
	return all
}
