// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"strings"
	"testing"
)

// What fits and should not is told by what it has where it was looked at, and not as a whole.
func TestWhatShouldNotFitIsToldByItsPlaces(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, wanted, got, told string }{
		{"one member", `{"not": {".json.error.code": -32601}}`, `{"status": 200, "json": {"error": {"code": -32601}}}`,
			`answer.json.error.code is -32601, want anything but -32601`},
		{"a word of a member", `{"not": {".a": {"starts_with": "x"}}}`, `{"a": "xy"}`, `answer.a is "xy", want anything but a text that starts with "x"`},
		{"one that is not as it should be, where another is as it is", `{"not": {".name": "TaskNotFound", ".status": {"not": "NOT_FOUND"}}}`,
			`{"name": "TaskNotFound", "status": "ABORTED"}`, `answer.status is "ABORTED" beside name "TaskNotFound", want "NOT_FOUND"`},
		{"one of several ways", `{"not": {"any_of": [{".class": "a2a", ".code": {"less_than": 0}}, {".class": "a2a", ".status": {"not": {"equals": 400}}}]}}`,
			`{"class": "a2a", "code": 5, "status": 409}`, `answer.status is 409 beside class "a2a", want 400`},
		{"an element of a list", `{"not": {".configs": {"any": {".id": "7"}}}}`, `{"configs": [{"id": "5"}, {"id": "7"}]}`,
			`answer.configs[1] has id "7", want no such element`},
		{"a list that is as a whole", `{"not": {".a": {"length": 2}}}`, `{"a": [1, 2]}`, `answer.a is [1, 2], want anything but a length of 2`},
		{"a member of a member", `{"not": {".a": {"any_of": [{".b": 1}, {".c": {"present": true}}]}}}`, `{"a": {"c": 7}}`, `answer.a.c is 7, want anything but something there`},
		{"a text at some depth", `{"not": {"mentions": "secret"}}`, `{"b": [1, {"a": "my secret"}]}`, `answer.b[1].a mentions "secret", want no mention of it`},
		{"the name of a member", `{"not": {"mentions": "secret"}}`, `{"b": [1, {"secret": 5}]}`, `answer.b[1].secret mentions "secret", want no mention of it`},
		{"a whole text at some depth", `{"not": {"names": "c-1"}}`, `{"b": [{"id": "c-12"}, {"id": "c-1"}]}`, `answer.b[1].id is "c-1", want it nowhere`},
		{"a value", `{"not": {"equals": 7}}`, `7`, `answer is 7, want anything but 7`},
		{"something beside members", `{"not": {"is_a": "object"}}`, `{"a": 1}`, `answer is {"a": 1}, want anything but an object`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := compiledValue(t, row.wanted).Judge(decode(json.RawMessage(row.got)))
			if err == nil {
				t.Fatal("it is taken as right")
			}
			if told := strings.Replace("answer "+err.Error(), "answer .", "answer.", 1); told != row.told {
				t.Errorf("%s\nwant\n%s", told, row.told)
			}
		})
	}
}
