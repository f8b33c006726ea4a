// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"fmt"
)

// text is a value as it stands in a URL, a header or a text message.
func text(v any) string {
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
