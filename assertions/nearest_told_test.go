// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// TestWhatIsToldInstead: where what is wanted is long, readers are told what comes nearest to it, and the sentence stays as it is.
func TestWhatIsToldInstead(t *testing.T) {
	t.Parallel()
	const both = `{"any": {".id": "7", ".state": "done"}}`
	for _, c := range []struct{ what, want, got, told string }{
		{"the only element", `{"any": {".schema": {"equals": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}}}, ".id": "7"}}`,
			`[{"schema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}}, "id": "8"}]`, `[0].id is "8" (the only element), want "7"`},
		{"the one that has most of it", both, `[{"id": "8", "state": "done"}, {"id": "7", "state": "open"}, {"id": "9"}]`, `[1].state is "open" (the nearest of 3 elements), want "done"`},
		{"none that is nearer than another", both, `[{"id": "7", "state": "open"}, {"id": "7", "state": "lost"}]`, ``},
		{"none that has anything of it", both, `[{"id": "8"}, {"id": "9"}]`, ``},
		{"what is said in a few words", `{"any": {".id": "7"}}`, `[{"id": "8"}]`, ``},
		{"an empty list", both, `[]`, ``},
		{"what it has instead of one of two members", `{"any_of": [{".task": {"is_a": "object"}}, {".message": {"is_a": "object"}}]}`, `{"id": "7", "kind": "task"}`,
			` has neither task nor message; it has id and kind`},
		{"of three, one level down", `{"any_of": [{".a.x": 1}, {".a.y": 1}, {".a.z": 1}]}`, `{"a": {}}`, `.a has none of x, y and z; it is empty`},
		{"two of which just one is wanted", `{"any_of": [{".a": {"is_a": "object"}, ".b": {"absent": true}, ".m": {"absent": true}, ".s": {"absent": true}},
			{".b": {"is_a": "object"}, ".a": {"absent": true}, ".m": {"absent": true}, ".s": {"absent": true}},
			{".m": {"is_a": "object"}, ".a": {"absent": true}, ".b": {"absent": true}, ".s": {"absent": true}},
			{".s": {"is_a": "object"}, ".a": {"absent": true}, ".b": {"absent": true}, ".m": {"absent": true}}]}`, `{"m": {}, "s": {}}`,
			` has m and s, want just one of a, b, m and s`},
		{"one is there, and is another", `{"any_of": [{".task": {"is_a": "object"}}, {".message": {"is_a": "object"}}]}`, `{"task": 7}`, `.task is 7, want an object; or .message is missing, want an object`},
		{"a member of one form, of which the others are not begun", `{"any_of": [{".task.in": "c"}, {".message.in": "c"}, {".failure": {"present": true}}]}`, `{"task": {"in": "d"}}`,
			`.task.in is "d", want "c"`},
		{"none of which anything is there", `{"any_of": [{".task.in": "c"}, {".message.in": "c"}]}`, `{"status": 200}`, `.task.in is missing, want "c"; or .message.in is missing, want "c"`},
		{"a list, where there may be null", `{"any_of": [{"is_a": "null"}, {"each": {".type": {"is_a": "string"}}}]}`, `[{"type": 7}]`, `[0].type is 7, want a string`},
		{"all members that differ", `{"equals": {"a": 1, "b": 2, "c": 3, "d": 4}}`, `{"a": 1, "b": 5, "d": 6, "e": 7}`, `.b is 5 (not the same either: c, d and e), want 2`},
		{"other members that are not as wanted", `{".a.x": 1, ".a.y": 2, ".b": 3, ".a.z": 3}`, `{"a": {"x": 2, "y": 2}, "b": 4}`, `.a.x is 2 (not as wanted either: z), want 1`},
		{"what follows from a status", `{".status": 200, ".json": {"is_a": "object"}}`, `{"status": 404}`, ``},
		{"of a selected element", `{"select": {"where": {".k": 1}, "want": {"each": {".a": 1, ".b": 2}}}}`, `[{"k": 2}, {"k": 1, "a": 1, "b": 2}, {"k": 1, "a": 3, "b": 4}]`,
			`[2].a is 3 (not as wanted either: b), want 1`},
		{"what stands in a long text", `{"not": {"matches": "\"b\" *:"}}`, `"` + strings.Repeat("ä", 120) + `\"b\" :` + `"`, ` has "\"b\" :" in it (at byte 240 of 245), want no such text`},
		{"a part of a long text", `{"not": {"contains": "b"}}`, `"` + strings.Repeat("a", 200) + `b"`, ` has "b" in it (at byte 200 of 201), want no such text`},
		{"a part of a short text", `{"not": {"contains": "b"}}`, `"ab"`, ``},
		{"one that differs", `{"equals": {"a": 1, "b": 2}}`, `{"a": 1, "b": 5}`, ``},
	} {
		err := compiledValue(t, c.want).Judge(decode(json.RawMessage(c.got)))
		if told := toldBy(err); told != c.told {
			t.Errorf("%s:\n told %q\nwant  %q\nof    %v", c.what, told, c.told, err)
		}
	}
}

// toldBy is what readers are told instead of the sentence of a problem; "" where that is the sentence itself.
func toldBy(err error) string {
	var p *Problem
	if !errors.As(err, &p) {
		return "no problem"
	}
	return p.Nearest
}

// A finding about an element of a list says how many of them are not as wanted.
func TestElementsAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, got, share string }{
		{`{"each": {"is_a": "string"}}`, `["a", 7, "b", null]`, "2 of 4 elements"},
		{`{"each": {"is_a": "string"}}`, `[1, 2]`, "all 2 elements"},
		{`{"each": {"is_a": "string"}}`, `[1]`, ""},
		{`{"none": {".a": 1}}`, `[{"a": 2}, {"a": 1}, {"a": 1}]`, "2 of 3 elements"},
		{`{".items": {"each": {".tags": {"each": "x"}}}}`, `{"items": [{"tags": ["x"]}, {"tags": ["x", "y"]}, {"tags": []}]}`, "1 of 3 elements"},
		{`{"select": {"where": {".k": 1}, "want": {"none": {".a": 1}}}}`, `[{"k": 2}, {"k": 1}, {"k": 1, "a": 1}]`, "1 of 2 elements"},
	} {
		var p *Problem
		if err := compiledValue(t, c.want).Judge(decode(json.RawMessage(c.got))); !errors.As(err, &p) || p.Share != c.share {
			t.Errorf("%s of %s says %v, want %q", c.want, c.got, err, c.share)
		}
	}
}

// A long list or object in place of something else is not shown whole.
func TestWhatIsOfAnotherKindIsNamed(t *testing.T) {
	t.Parallel()
	long := "[" + strings.Repeat(`"0123456789", `, 56) + `"x"]`
	for _, c := range []struct{ want, got, says string }{
		{`{"is_a": "object"}`, long, "is an array of 57 elements, want an object"},
		{`{"is_a": "object"}`, `["a"]`, `is ["a"], want an object`},
		{`{"each": 1}`, `{"id": ` + long + `, "name": "a"}`, "is an object with id and name, want a list"},
		{`{"not": {"is_a": "array"}}`, long, "is an array of 57 elements, want anything but an array"},
		{`{".id": 7}`, long, "is an array of 57 elements, want an object"},
	} {
		if err := compiledValue(t, c.want).Judge(decode(json.RawMessage(c.got))); err == nil || err.Error() != c.says {
			t.Errorf("%s says %v, want %s", c.want, err, c.says)
		}
	}
}
