// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"fmt"
)

// Text is a value as it stands in a URL, a header or a text message.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return v
	case json.Number:
		return v.String()
	case fmt.Stringer:
		return v.String()
	case []byte:
		return string(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
