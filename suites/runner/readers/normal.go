// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"regexp"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

var (
	uuidText = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-?)[0-9A-Fa-f]{4}(-?)[0-9A-Fa-f]{4}(-?)[0-9A-Fa-f]{4}(-?)[0-9A-Fa-f]{12}$`)
	timeText = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+-]\d\d:?\d\d)?$`)
)

// Normal is a body in which what can be spelled in several ways is spelled in one: texts that are UUIDs have 32 lower-case hex digits, and
// those that are times are in UTC with Z, as which one without an offset counts. Everything else, and names of members, are as they came.
func Normal(v any) any { return spelledBody(v, normalText) }

// Hyphened is a body in which texts that are UUIDs are written with hyphens.
func Hyphened(v any) any {
	return spelledBody(v, func(text string) string {
		if hex := normalText(text); len(hex) == 32 && isUUID(text) {
			return hex[:8] + "-" + hex[8:12] + "-" + hex[12:16] + "-" + hex[16:20] + "-" + hex[20:]
		}
		return text
	})
}

// Inner is a body in which texts of more than four characters lack the first and the last one: what filters that look for a part of a text
// are asked with.
func Inner(v any) any {
	return spelledBody(v, func(text string) string {
		if runes := []rune(text); len(runes) > 4 {
			return string(runes[1 : len(runes)-1])
		}
		return text
	})
}

// spelledBody is spelled for a body, of which null is nothing.
func spelledBody(v any, text func(string) string) any {
	if v == nil {
		return assertions.Missing
	}
	return spelled(v, text)
}

// spelled is a value with all of its texts as they are to be spelled.
func spelled(v any, text func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			members[name] = spelled(member, text)
		}
		return members
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = spelled(element, text)
		}
		return elements
	case string:
		return text(v)
	}
	return v
}

// isUUID says whether a text is one, with all of its hyphens or none.
func isUUID(text string) bool {
	at := uuidText.FindStringSubmatch(text)
	return at != nil && at[1] == at[2] && at[2] == at[3] && at[3] == at[4]
}

func normalText(text string) string {
	if len(text) > 40 {
		return text
	}
	if isUUID(text) {
		return strings.ToLower(strings.ReplaceAll(text, "-", ""))
	}
	at := timeText.FindStringSubmatch(text)
	if at == nil {
		return text
	}
	offset := at[3]
	switch {
	case offset == "", offset == "z":
		offset = "Z"
	case len(offset) == 5:
		offset = offset[:3] + ":" + offset[3:]
	}
	t, err := time.Parse(time.RFC3339Nano, at[1]+"T"+at[2]+offset)
	if err != nil {
		return text
	}
	return t.UTC().Format(time.RFC3339Nano)
}
