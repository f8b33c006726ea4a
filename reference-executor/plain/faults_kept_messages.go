// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"regexp"
	"strings"
)

// keptMessageFaults keep something of a message otherwise than it was sent.
var keptMessageFaults = map[string]func(*behaviour){
	"empty-lists-in-data-become-null": func(b *behaviour) {
		b.input.keeps = func(_, kept object) object {
			kept = clone(kept).(object)
			partsWith(kept, func(part object) { part["data"] = nullEmpty(part["data"]) }, "data")
			return kept
		}
	},
	"only-files-keep-their-names": func(b *behaviour) {
		b.input.keeps = func(_, kept object) object {
			partsWith(kept, func(part object) { delete(part, "filename") }, "text", "data")
			return kept
		}
	},
	"escaped-pairs-of-surrogates-are-lost": func(b *behaviour) {
		pairs := regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
		b.input.parse = func(text []byte) (any, *failure) { return parseJSON(pairs.ReplaceAll(text, []byte(`\ufffd\ufffd`))) }
	},
	"wrong-types-in-configuration-are-ignored": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasPrefix(path, "configuration.") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
}

// partsWith changes the parts of a message that have one of some contents.
func partsWith(message object, change func(part object), contents ...string) {
	parts, _ := message["parts"].([]any)
	for _, part := range parts {
		for _, name := range contents {
			if part, is := part.(object); is && part[name] != nil {
				change(part)
			}
		}
	}
}

// nullEmpty puts null in place of every list that has no element.
func nullEmpty(v any) any {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			v[name] = nullEmpty(member)
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = nullEmpty(v[i])
		}
	}
	return v
}
