// SPDX-License-Identifier: Apache-2.0

package suites

import "encoding/json"

// kindOfValue names the kind of a JSON value: "a list".
func kindOfValue(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "a mapping"
}

func fits(schema string, v any) error { return nil }

func prefixed[V any](prefix string, m map[string]V) []string {
	all := sortedKeys(m)
	for i := range all {
		all[i] = prefix + all[i]
	}
	return all
}
