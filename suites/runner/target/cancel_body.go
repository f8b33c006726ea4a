// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/http"
	"slices"
	"strings"
)

// A cancel goes out without a body. A server that wants one refuses it, which is for the one test to judge that says what its cancels
// send: whoever else cancels asks once more with an empty object, as does what is undone behind a test.

// emptyRefused are the statuses that may be due to a body that is not there.
var emptyRefused = []int{http.StatusBadRequest, http.StatusLengthRequired, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}

// RefusedEmpty is a cancel with an empty object as its body, where the answer may be due to there being none; nil: it is not. A body that
// is said to be empty is none of these.
func RefusedEmpty(q *Request, status int) *Request {
	path, _, _ := strings.Cut(q.URL, "?")
	if q.Method != http.MethodPost || q.Body != nil || q.Call != nil || q.GRPC != nil || !slices.Contains(emptyRefused, status) ||
		!strings.Contains(path, "/tasks/") || !strings.HasSuffix(path, "/cancel") {
		return nil
	}
	again := *q
	again.Header = append(WithoutHeader(q.Header, "Content-Type"), JSONContent)
	again.Body = []byte("{}")
	return &again
}

// TakesEmptyObject says whether the answer to a cancel with an empty object counts in place of that to one without a body: it is not
// refused for what it sends.
func TakesEmptyObject(second int) bool { return second != 0 && !slices.Contains(emptyRefused, second) }
