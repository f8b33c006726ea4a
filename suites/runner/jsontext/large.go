// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
)

// largeText is the length in bytes from which on a text is put into its message as it stands, and not through encoding/json, which
// holds several copies of it at once.
const largeText = 1 << 20

// MarshalLarge is Marshal for the message of a terminal, whose texts may have many MiB. Numbers keep their spelling: they are
// json.Number, which encoding/json writes as it stands.
func MarshalLarge(envelope map[string]any) ([]byte, error) {
	large := map[string]string{}
	small := withoutLarge(envelope, large)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(small); err != nil {
		return nil, fmt.Errorf("write the envelope: %w", err)
	}
	written := bytes.TrimRight(out.Bytes(), "\n")
	for mark, text := range large {
		before, after, _ := bytes.Cut(written, []byte(mark))
		whole := make([]byte, 0, len(before)+len(text)+len(after))
		whole = append(whole, before...)
		whole = append(whole, text...)
		written = append(whole, after...)
	}
	return written, nil
}

// withoutLarge is v with every large text that needs no escapes replaced by a mark, which large remembers.
func withoutLarge(v any, large map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			members[name] = withoutLarge(member, large)
		}
		return members
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = withoutLarge(element, large)
		}
		return elements
	case string:
		if len(v) < largeText || strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
			return v
		}
		mark := rand.Text()
		large[mark] = v
		return mark
	}
	return v
}
