// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

func TestHeavyTextsAreNotTakenApart(t *testing.T) {
	t.Parallel()
	text := `"` + strings.Repeat("x", 2*Heavy) + `"`
	for _, test := range []struct {
		name, body string
		missing    bool
	}{
		{"a long text", text, false},
		{"many values", "[" + strings.Repeat("1,", MaxValues*3) + "1]", true},
		{"many values in less than a MiB", "[" + strings.Repeat("1,", MaxValues+1) + "1]", true},
		{"values", "[" + strings.Repeat("1,", MaxValues/2) + "1]", false},
		{"no JSON", strings.Repeat("[", 2*Heavy), true},
		{"cut", text[:len(text)-1], true},
		{"small", "[1,2]", false},
	} {
		if got := assertions.IsMissing(Parse([]byte(test.body))); got != test.missing {
			t.Errorf("%s: missing is %t", test.name, got)
		}
	}
}

func TestIsHeavy(t *testing.T) {
	t.Parallel()
	extension := `{"uri":"https://agent.example/12345","params":{"x":12345}},`
	for _, test := range []struct {
		name, body string
		heavy      bool
	}{
		{"a MiB of text", `"` + strings.Repeat("x", Heavy-2) + `"`, false},
		{"more", `"` + strings.Repeat("x", Heavy) + `"`, true},
		{"a card of 2,000 extensions", "[" + strings.Repeat(extension, 2000) + "{}]", false},
		{"one of 7,000, in less than half a MiB", "[" + strings.Repeat(extension, 7000) + "{}]", true},
		{"a small one of nothing but objects", "[" + strings.Repeat("{},", 15_000) + "{}]", false},
	} {
		if got := IsHeavy([]byte(test.body)); got != test.heavy {
			t.Errorf("%s (%d bytes, %d taken apart): heavy is %t", test.name, len(test.body), Apart([]byte(test.body)), got)
		}
	}
}

func TestParseJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " ", "{", "{}{}", "{} x", "nul", "<p>", "\xff"} {
		if v := Parse([]byte(body)); !assertions.IsMissing(v) {
			t.Errorf("%q is read as %v", body, v)
		}
	}
	for body, want := range map[string]any{"null": nil, " 1.0\n": json.Number("1.0"), "[1]": []any{json.Number("1")}, `"a"`: "a"} {
		if diff := cmp.Diff(want, Parse([]byte(body))); diff != "" {
			t.Errorf("%q: %s", body, diff)
		}
	}
}

// Very long texts are held out while a body is taken apart, which makes no other value of it.
func TestParseWithLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", veryLong)
	for name, body := range map[string]string{
		"a text alone":            ` "` + long + `" `,
		"members and elements":    `{"a": ["` + long + `", 1.0, "\\\"", {"b" : "` + long + `y"}], "\\": "c\\", "d": "", "e":"` + long + `"}`,
		"a name":                  `{"` + long + `" : "` + long + `"}`,
		"escapes":                 `["` + long + `\u0041", "\\` + long + `", "\"` + long + `\\"]`,
		"what is not ASCII":       `["` + long + `é", "` + long + "\xff" + `"]`,
		"what no mark stands for": `{"a": "` + long + `", "b": ":` + long + `:"}`,
	} {
		want, whole, err := decodedAlone([]byte(body))
		if err != nil || !whole {
			t.Fatalf("%s: %v", name, err)
		}
		if !cmp.Equal(want, Parse([]byte(body))) {
			t.Errorf("%s: another value", name)
		}
	}
	v := Parse([]byte(`["` + long + `", "` + long[1:]))
	if !assertions.IsMissing(v) {
		t.Error("what is cut in a long text is read")
	}
}

// TestParseHoldsOneCopyOfALongText bounds what is held beside the body itself: the text in it, and little more.
func TestParseHoldsOneCopyOfALongText(t *testing.T) {
	body := []byte(`{"text": "` + strings.Repeat("x", 8*veryLong) + `"}`)
	read := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Parse(body)
		}
	})
	if most := int64(9 * veryLong); read.AllocedBytesPerOp() > most {
		t.Errorf("%d bytes were made, want at most %d", read.AllocedBytesPerOp(), most)
	}
}
