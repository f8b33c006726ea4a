// SPDX-License-Identifier: Apache-2.0

package target

import (
	"encoding/base64"
	"fmt"
	"testing"
)

func TestKeySetOf(t *testing.T) {
	t.Parallel()
	p := PlaceOf(Config{}, "https://h", "https://h/agents/i", "i")
	tests := []struct{ name, header, want string }{
		{"own", `{"alg":"EdDSA","jku":"https://h:443/keys"}`, "https://h:443/keys"},
		{"another host", `{"jku":"https://evil.example/keys"}`, ""},
		{"another scheme", `{"jku":"http://h/keys"}`, ""},
		{"relative", `{"jku":"/keys"}`, ""},
		{"none", `{"alg":"EdDSA"}`, ""},
		{"no JSON", `x`, ""},
	}
	for _, test := range tests {
		card := fmt.Sprintf(`{"signatures":[{"protected":%q,"signature":"AA"}]}`, base64.RawURLEncoding.EncodeToString([]byte(test.header)))
		got, named := p.keySetOf([]byte(card))
		if !named {
			got = ""
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if _, named := p.keySetOf([]byte(`<p>`)); named {
		t.Error("a page names a key set")
	}
}
