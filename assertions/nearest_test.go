// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"testing"
)

// TestNearestAlternative: a finding about alternatives says what is missing from the one that comes nearest.
func TestNearestAlternative(t *testing.T) {
	t.Parallel()
	const shapes = `{"any_of": [
		{".status": {"between": [400, 499]}, ".code": {"matches": "^ext"}},
		{".status": {"between": [400, 499]}, ".json.type": {"matches": "^ext"}},
		{".status": {"between": [200, 299]}, ".task.id": {"not_empty": true}, ".echoed": {"none": "pty"}}]}`
	const members = `{"any_of": [
		{".a.id": "7", ".a.first": {"is_a": "string"}, ".a.second": {"is_a": "string"}},
		{".b.id": "7", ".b.first": {"is_a": "string"}, ".b.second": {"is_a": "string"}}]}`
	for _, c := range []struct{ what, want, got, finding string }{
		{"of another kind than the first ones", shapes, `{"status": 202, "task": {"id": "7"}, "echoed": ["run", "pty"]}`,
			`fits none of 3 alternatives: .code is missing, want a match of "^ext"; the one that comes nearest: .echoed[1] is "pty", want no element equal to "pty"`},
		{"two that come equally near", shapes, `{"status": 404, "code": "none"}`,
			`fits none of 3 alternatives: .code is "none", want a match of "^ext"; or .json.type is missing, want a match of "^ext"`},
		{"the form that was chosen", members, `{"b": {"id": "7", "first": "x"}}`, `fits none of 2 alternatives: .a.first is missing, want a string; the one that comes nearest: .b.second is missing, want a string`},
		{"the form that was chosen, of which the last is there", members, `{"a": {"second": "x"}}`, `.a.first is missing, want a string (nearest of 2 alternatives)`},
		{"what an alternative is about stands first", `{"any_of": [{".about": "short", ".b": 1, ".c": 2}, {".about": "long", ".d": 3}]}`,
			`{"about": "long", "b": 1, "c": 2}`, `fits none of 2 alternatives: .about is "long", want "short"; the one that comes nearest: .d is missing, want 3`},
		{"when the other is wanted", `{"any_of": [{".status": {"not": 422}}, {".replayed": {"absent": true}}]}`, `{"status": 422, "replayed": "true"}`,
			`.replayed is present ("true"), want absent`},
		{"a new one is wanted", `{"any_of": [{".id": {"not_empty": true, "not": "7"}, ".in": "c"}, {".message": "c"}]}`, `{"id": "7", "in": "c"}`,
			`.id is "7", want anything but "7" (nearest of 2 alternatives)`},
		{"a way out", `{"any_of": [{".status": 304}, {".status": 200, ".text": {"not": "card"}}]}`, `{"status": 200, "text": "card"}`,
			`.status is 200, want 304 (nearest of 2 alternatives)`},
		{"what may be missing", `{"any_of": [{".url": {"absent": true}}, {".url": {"starts_with": "http"}}]}`, `{"url": "ftp:x"}`,
			`.url is "ftp:x", want a text that starts with "http"`},
		{"what is not there counts for nothing", `{"any_of": [{".a": 1}, {".b": {"absent": true}, ".c": {"absent": true}, ".d": 2}]}`, `{"a": 3}`,
			`fits none of 2 alternatives: .a is 3, want 1; or .d is missing, want 2`},
		{"one place", `{"any_of": [{".status": 404}, {".status": 400}]}`, `{"status": 500}`, `.status is 500, want 404 or 400`},
		{"alternatives inside an alternative", `{"any_of": [{".a": 1, ".b": {"any_of": [2, 3]}}, {".c": 1}]}`, `{"a": 1, "b": 4}`,
			`.b is 4, want 2 or 3 (nearest of 2 alternatives)`},
		{"many that come equally near", `{"any_of": [{".a": 1}, {".b": 1}, {".c": 1}, {".d": 1}, {".e": 1}]}`, `{}`,
			`fits none of 5 alternatives: .a is missing, want 1; or .b is missing, want 1; or .c is missing, want 1; or 2 more`},
		{"a denied condition", `{"any_of": [{".a": {"not": {"same": ["x", "y"]}}}, {".b": {"not": {"at_least": 3}}}]}`, `{"a": {"x": 1, "y": 1}}`,
			`.b is missing, want anything but at least 3`},
	} {
		err := compiledValue(t, c.want).Judge(decode(json.RawMessage(c.got)))
		if err == nil || err.Error() != c.finding {
			t.Errorf("%s:\n %v\nwant\n %s", c.what, err, c.finding)
		}
	}
}
