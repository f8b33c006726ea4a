// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 96)
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"no JSON", "Not Found\n", "Not Found\n"},
		{"cut JSON", `{"a": [1, 2`, `{"a": [1, 2`},
		{"JSON with something behind it", "{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}"},
		{"short", "{\r\n  \"a\"\t: 1,\n\"b\": [ ]}", `{"a": 1, "b": []}`},
		{"what stands in strings", `{"a": "1,2:3 \" }  "}`, `{"a": "1,2:3 \" }  "}`},
		{"long", `{"a":"` + long + `","b":{"c":[1,2,{"d":null}]}}`, "{\n  \"a\": \"" + long + "\",\n  \"b\": {\"c\": [1, 2, {\"d\": null}]}\n}"},
		{"order, repetition and numbers are kept", `{"z":"` + long + `","a":1.0,"a":1e0}`, "{\n  \"z\": \"" + long + "\",\n  \"a\": 1.0,\n  \"a\": 1e0\n}"},
		{"an array", `["` + long + `",[],{}]`, "[\n  \"" + long + "\",\n  [],\n  {}\n]"},
	} {
		if got := Body(row.text); got != row.want {
			t.Errorf("%s: the body is\n%s, want\n%s", row.name, got, row.want)
		}
	}
}

// FuzzBody: whatever is laid out is the same JSON, and stays within bounds.
func FuzzBody(f *testing.F) {
	f.Add(`{"a":"b","c":[1,2,{"d":null}],"a":"\"\\"}`)
	f.Add(strings.Repeat(`{"a":[`, 60) + strings.Repeat(`]}`, 60))
	f.Add("[" + strings.Repeat(`"0123456789",`, 20) + "0]")
	f.Fuzz(func(t *testing.T, text string) {
		got := Body(text)
		if len(got) > (2*maxNested+4)*len(text) {
			t.Fatalf("%d bytes become %d", len(text), len(got))
		}
		var was, is bytes.Buffer
		if json.Compact(&was, []byte(text)) != nil {
			if got != text {
				t.Fatalf("%q becomes %q", text, got)
			}
			return
		}
		if err := json.Compact(&is, []byte(got)); err != nil || is.String() != was.String() {
			t.Fatalf("%q becomes %q: %v", text, got, err)
		}
	})
}
