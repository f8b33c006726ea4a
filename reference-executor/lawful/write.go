// SPDX-License-Identifier: Apache-2.0

package lawful

import (
	"net/http"
	"strconv"
)

// Write writes the status and the body of an answer whose header is set. Whether it has a length or comes in chunks, and how those are
// cut, is left to chance (RFC 9112, 6).
func (l *Source) Write(w http.ResponseWriter, status int, body []byte) {
	half := 0
	if len(body) > 8 && l.Below(4) == 0 {
		half = 1 + l.Below(len(body)-1)
	} else if len(body) > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if half > 0 {
		_, _ = w.Write(body[:half])
		_ = http.NewResponseController(w).Flush()
	}
	if len(body) > half {
		_, _ = w.Write(body[half:])
	}
}
