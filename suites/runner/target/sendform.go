// SPDX-License-Identifier: Apache-2.0

package target

import (
	"encoding/json"
	"net/http"
)

// RefusedForm says whether the answer could mean that the target knows messages in another form only.
func RefusedForm(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// Wrapped is the message in a body of the usual form; nil when it is none.
func Wrapped(body []byte) json.RawMessage {
	var members map[string]json.RawMessage
	if len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &members) != nil {
		return nil
	}
	if m := members["message"]; len(m) > 0 && m[0] == '{' {
		return m
	}
	return nil
}

// IsWrapped says whether a body is of the usual form. Unlike [Wrapped] it copies nothing: a body may be very long.
func IsWrapped(body []byte) bool {
	var begins map[string]firstByte
	return len(body) > 0 && body[0] == '{' && json.Unmarshal(body, &begins) == nil && begins["message"] == '{'
}

// A firstByte is what a JSON value begins with.
type firstByte byte

// UnmarshalJSON keeps no more of a value.
func (f *firstByte) UnmarshalJSON(value []byte) error {
	*f = firstByte(value[0])
	return nil
}

// Unwrapped is the request with the bare Message as its body.
func (q *Request) Unwrapped() *Request {
	bare := *q
	bare.Body, bare.Wraps, bare.Bare = Wrapped(q.Body), false, true
	return &bare
}
