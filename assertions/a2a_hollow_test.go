// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// TestHollowElements: what a form drops because nothing is in it is not covered by a signature in that form, wherever it
// stands. That the form is another than A is for verifies_a2a.
func TestHollowElements(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	keys := []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "x": encode(public), "kid": "k"}}
	protected := encode([]byte(`{"alg":"EdDSA","kid":"k","typ":"JOSE"}`))
	for name, row := range map[string]struct{ card, signed, says string }{
		"a requirement without scopes": {`{"name":"n","securityRequirements":[{"schemes":{"bearer":{}}}]}`, `{"name":"n"}`, ""},
		"a requirement with scopes": {`{"name":"n","securityRequirements":[{"schemes":{"bearer":{"list":["read"]}}}]}`, `{"name":"n"}`,
			"covers the card only without .securityRequirements"},
		"one of two": {`{"name":"n","securityRequirements":[{"schemes":{"bearer":{}}},{"schemes":{"key":{"list":["read"]}}}]}`,
			`{"name":"n","securityRequirements":[{"schemes":{"key":{"list":["read"]}}}]}`, ""},
		"it is signed": {`{"name":"n","securityRequirements":[{"schemes":{"bearer":{}}}]}`,
			`{"name":"n","securityRequirements":[{"schemes":{"bearer":{}}}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signature := encode(ed25519.Sign(private, []byte(protected+"."+encode([]byte(row.signed)))))
			card := strings.TrimSuffix(row.card, "}") + fmt.Sprintf(`,"signatures":[{"protected":%q,"signature":%q}]}`, protected, signature)
			err := ByName("covers_a2a").Judge(keys, NamedArgs{"card": []byte(card)})
			if row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
				t.Errorf("says %v, want %q", err, row.says)
			}
		})
	}
}
