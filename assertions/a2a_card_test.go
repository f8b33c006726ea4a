// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestFormsOfACard: the specification's worked example (section 8.4.1) and what is free-form, of a map or unknown.
func TestFormsOfACard(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		card string
		want map[string]string // the first payload of each form
	}{
		"the worked example": {
			`{"name":"N","description":"","capabilities":{"streaming":false,"extensions":[]},"skills":[]}`,
			map[string]string{
				"A": `{"capabilities":{"streaming":false},"description":"","name":"N","skills":[]}`,
				"B": `{"capabilities":{"streaming":false},"name":"N"}`,
				"C": `{"capabilities":{"extensions":[],"streaming":false},"description":"","name":"N","skills":[]}`,
				"D": `{"name":"N"}`,
			},
		},
		"what is free-form stays": {
			`{"capabilities":{"extensions":[{"uri":"u","required":false,"params":{"a":"","b":[]}}]}}`,
			map[string]string{
				"A": `{"capabilities":{"extensions":[{"params":{"a":"","b":[]},"uri":"u"}]}}`,
				"B": `{"capabilities":{"extensions":[{"params":{"a":"","b":[]},"required":false,"uri":"u"}]}}`,
			},
		},
		"maps keep their entries": {
			`{"securitySchemes":{"m":{"mtlsSecurityScheme":{"description":""}}},"securityRequirements":[{"schemes":{"m":{"list":[]}}}]}`,
			map[string]string{
				"A": `{"securityRequirements":[{"schemes":{"m":{}}}],"securitySchemes":{"m":{"mtlsSecurityScheme":{}}}}`,
				"B": `{}`,
			},
		},
		"null is absent": {
			`{"name":"N","provider":null,"iconUrl":""}`,
			map[string]string{"A": `{"iconUrl":"","name":"N"}`, "B": `{"name":"N"}`, "C": `{"iconUrl":"","name":"N","provider":null}`},
		},
		"unknown members are left out but as received": {
			`{"name":"N","x-vendor":{"a":""}}`,
			map[string]string{"A": `{"name":"N"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := readOrdered([]byte(row.card))
			if err != nil {
				t.Fatal(err)
			}
			forms, err := formsOf(v.(*orderedObject))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, form := range forms {
				if got[form.name] == "" {
					got[form.name] = string(form.payload)
				}
			}
			for form, want := range row.want {
				if got[form] != want {
					t.Errorf("form %s:\n     %s\nwant %s", form, got[form], want)
				}
			}
		})
	}
}

// TestWritings: without a deviation a text is that of RFC 8785, and each deviation shows.
func TestWritings(t *testing.T) {
	t.Parallel()
	in, err := os.ReadFile("../fixtures/jcs/sorting.in.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../fixtures/jcs/sorting.out.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := readOrdered(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := (writing{}).write(v); !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("%s\nwant %s", got, want)
	}
	card, err := readOrdered([]byte(`{"b":"ü/<\n","\ufb33":[1,true,null],"\ud83d\ude00":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		w    writing
		want string
	}{
		{writing{}, "{\"b\":\"ü/<\\n\",\"\U0001F600\":{},\"\ufb33\":[1,true,null]}"},
		{writing{order: byCodePoint}, "{\"b\":\"ü/<\\n\",\"\ufb33\":[1,true,null],\"\U0001F600\":{}}"},
		{writing{ascii: true}, `{"b":"\u00fc/<\n","\ud83d\ude00":{},"\ufb33":[1,true,null]}`},
		{writing{order: asReceived, slashes: true, markup: true}, "{\"b\":\"ü\\/\\u003c\\n\",\"\ufb33\":[1,true,null],\"\U0001F600\":{}}"},
		{writing{spaced: true, newline: true}, "{\"b\": \"ü/<\\n\", \"\U0001F600\": {}, \"\ufb33\": [1, true, null]}\n"},
	} {
		if got := string(row.w.write(card)); got != row.want {
			t.Errorf("%s: %q, want %q", row.w, got, row.want)
		}
	}
}

// TestACostlyCard: what is long, or has many signatures and keys, is looked at no longer than it deserves.
func TestACostlyCard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cards/a2a-changed.json")
	if err != nil {
		t.Fatal(err)
	}
	entry := string(text[bytes.Index(text, []byte(`{"protected"`)) : bytes.LastIndex(text, []byte("}]"))+1])
	var members []string
	for i := range 5000 {
		members = append(members, fmt.Sprintf(`{"id":"%d","tags":["",""],"x":{"a":{"b":[0]}}}`, i))
	}
	card := `{"name":"n","skills":[` + strings.Join(members, ",") + `],"signatures":[` + entry + strings.Repeat(","+entry, 2000) + `]}`
	key := map[string]any{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "k1"}
	var keys []any
	for range 2000 {
		keys = append(keys, key)
	}
	for name, want := range map[string]any{
		"verifies_a2a": NamedArgs{"card": []byte(card), "as": []any{"deviating", "partial"}},
		"covers_a2a":   NamedArgs{"card": []byte(card)},
	} {
		if err := ByName(name).Judge(keys, want); err == nil {
			t.Errorf("%s accepts it", name)
		}
	}
	v, err := readOrdered([]byte(card))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(mutations(v.(*orderedObject))); n != maxMutations {
		t.Errorf("%d mutations, want %d", n, maxMutations)
	}
}
