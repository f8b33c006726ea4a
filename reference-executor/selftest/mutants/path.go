// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"

	"maps"
)

// plainKey is a member name that needs no quotes in a path.
var plainKey = regexp.MustCompile(`^[A-Za-z_$@][A-Za-z0-9_$@-]*$`)

// madeUp is a member name that differs from run to run.
var madeUp = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9a-f]{12,}`)

// step is a member name as it stands in a path: ".state", `["https://example/v1"]`, "[*]" for one that is made up.
func step(key string) string {
	switch {
	case madeUp.MatchString(key):
		return "[*]"
	case plainKey.MatchString(key):
		return "." + key
	}
	quoted, _ := json.Marshal(key)
	return "[" + strings.ReplaceAll(string(quoted), "|", `|`) + "]"
}

// decode reads a JSON text whole, with numbers as they are written; false for anything else.
func decode(text []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return v, true
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// walk visits a value and everything in it, with its path. Elements of a list share one path: "json.tasks[].id".
func walk(v any, path string, visit func(path string, v any)) {
	visit(path, v)
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			walk(v[key], path+step(key), visit)
		}
	case []any:
		for _, element := range v {
			walk(element, path+"[]", visit)
		}
	}
}

// An edit makes another value of one; false takes it out.
type edit func(v any) (any, bool)

// change edits every value that stands at the path, and says whether there was one.
func change(v any, at, path string, f edit) (any, bool, bool) {
	if at == path {
		changed, keep := f(v)
		return changed, keep, true
	}
	if !strings.HasPrefix(path, at) {
		return v, true, false
	}
	hit := false
	switch typed := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(typed)) {
			changed, keep, here := change(typed[key], at+step(key), path, f)
			if !here {
				continue
			}
			hit = true
			if keep {
				typed[key] = changed
			} else {
				delete(typed, key)
			}
		}
	case []any:
		kept := typed[:0:0]
		for _, element := range typed {
			changed, keep, here := change(element, at+"[]", path, f)
			hit = hit || here
			if keep {
				kept = append(kept, changed)
			}
		}
		return kept, true, hit
	}
	return v, true, hit
}
