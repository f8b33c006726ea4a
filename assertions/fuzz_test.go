// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
)

// What reads foreign bytes neither panics nor takes what a stricter reader of somebody else refuses.

func FuzzJSONText(f *testing.F) {
	for _, seed := range []string{`{"a":1,"a":2}`, `[{"a":{"b":1}},{"a":1}]`, `{"a":1}x`, "\xff", `{"\u0061":1,"a":2}`, `"\ud800"`, `{"signature":"a.b.c"}`,
		`{"signatures":[{"protected":"e30","signature":"AA"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := jcs.Transform(text)
		if err == nil && (oneJSONValueWord.Judge(text, true) != nil || noDuplicateMembersWord.Judge(text, true) != nil) {
			t.Errorf("%q has a canonical form, but: %v, %v", text, oneJSONValueWord.Judge(text, true), noDuplicateMembersWord.Judge(text, true))
		}
		if oneJSONValueWord.Judge(text, true) == nil && !json.Valid(text) {
			t.Errorf("%q is taken for one JSON value", text)
		}
		if c, err := readCard(text); err == nil {
			for _, s := range c.signatures {
				_, _ = s.header()
				_, _ = s.attachedPayload()
			}
			_ = verifyCard(text, []any{map[string]any{"kid": "k", "kty": "OKP"}}, []any{"EdDSA"})
		}
	})
}

func FuzzMetrics(f *testing.F) {
	for _, seed := range []string{"a 1\n", "# HELP a x\n# TYPE a counter\na{b=\"c\",} 2 3\n", "a{b=\"\\n\"} NaN\n", "h_bucket{le=\"+Inf\"} 1\n", "a 1\r\n", "a\t1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if expositionWord.Judge(text, true) != nil || expositionFamiliesWord.Judge(text, true) != nil {
			return
		}
		if !strings.HasSuffix(text, "\n") || strings.Contains(text, "\r\n") && !strings.Contains(text, "#") {
			t.Errorf("%q is accepted", text)
		}
		_ = histogramsWord.Judge(text, true)
		_ = expositionGroupedWord.Judge(text, true)
	})
}

func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{`</a>; rel="next"`, `</a>; rel=a, </b>; title="x\"y"; rel=b`, "Bearer realm=\"a, b\", Basic", "Basic", "text/plain; charset=utf-8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		links, err := parseLinks([]string{text})
		for _, l := range links {
			if err == nil && !strings.Contains(text, l.target) {
				t.Errorf("%q has a link to %q", text, l.target)
			}
		}
		for _, scheme := range challengeSchemes([]string{text}) {
			if !strings.Contains(text, scheme.(string)) {
				t.Errorf("%q has scheme %q", text, scheme)
			}
		}
		_ = mediaTypeWord.Judge(text, "application/json")
		_ = urlWord.Judge(text, Members{})
		for name := range formats {
			_ = formatWord.Judge(text, name)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b[0].c", `a["x.y"][*]`, "[-1]", "a..b", "a[", `["`, "a]b"} {
		f.Add(seed)
	}
	v := parsed([]byte(`{"a":{"b":[{"c":1}]},"x":[1,2]}`))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if p.String() != text {
			t.Errorf("%q is written %q", text, p)
		}
		p.Find(v)
		p.Tail().Find(v)
	})
}

func FuzzShow(f *testing.F) {
	f.Add([]byte(`{"a":["\u202e\u001b[2J",1e400]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var v any
		if decoder.Decode(&v) != nil {
			v = string(text)
		}
		shownText := show(v)
		if len(shownText) > 2000 || strings.ContainsFunc(shownText, func(r rune) bool { return r < ' ' || r == '\u202e' || r == 0x7f }) {
			t.Errorf("%q is shown as %q", text, shownText)
		}
		if err := difference(v, v); err != nil {
			t.Errorf("%q is not itself: %v", text, err)
		}
	})
}
