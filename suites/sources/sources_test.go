// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	t.Parallel()
	link := func(text, url string) string { return "<" + text + "|" + url + ">" }
	plain := func(text string) string { return text }
	for source, want := range map[string]string{
		"RFC 9110 section 15.5.5":        "<RFC 9110 section 15.5.5|https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5>",
		"RFC 6455; RFC 8594":             "<RFC 6455|https://www.rfc-editor.org/rfc/rfc6455>; <RFC 8594|https://www.rfc-editor.org/rfc/rfc8594>",
		"v2 migration guide":             "v2 migration guide",
		"A2A 1.0 section 3.1.4, 11.5":    "<A2A 1.0 section 3.1.4|https://a2a-protocol.org/latest/specification/#:~:text=3.1.4.>, 11.5",
		"A2A 1.0 a2a.proto AgentCard":    "<A2A 1.0|https://a2a-protocol.org/latest/specification/> a2a.proto AgentCard",
		"A2A 13.4 (limits)":              "<A2A 13.4|https://a2a-protocol.org/latest/specification/#:~:text=13.4.> (limits)",
		"A2A whats-new-v1 (enum values)": "<A2A whats-new-v1|https://a2a-protocol.org/latest/whats-new-v1/> (enum values)",
		"A2A 1.0 section 9.5; JSON-RPC 2.0 section 5.1": "<A2A 1.0 section 9.5|https://a2a-protocol.org/latest/specification/#:~:text=9.5.>; " +
			"<JSON-RPC 2.0 section 5.1|https://www.jsonrpc.org/specification>",
		"A2A adopter notes 2": "A2A adopter notes 2",
		"":                    "",
	} {
		if got := Text(source, link, plain); got != want {
			t.Errorf("%s:\n %s\nwant\n %s", source, got, want)
		}
		if got := Text(source, func(text, _ string) string { return text }, plain); got != source {
			t.Errorf("the parts of %q are %q", source, got)
		}
	}
}

func FuzzParts(f *testing.F) {
	f.Add("RFC 9110 section 15.5.5; A2A 1.0 section 3")
	f.Fuzz(func(t *testing.T, source string) {
		var whole strings.Builder
		for _, p := range Parts(source) {
			whole.WriteString(p.Text)
			if strings.ContainsAny(p.URL, "\"'<> \n") {
				t.Errorf("the URL %q", p.URL)
			}
		}
		if whole.String() != source {
			t.Errorf("the parts of %q are %q", source, whole.String())
		}
	})
}
