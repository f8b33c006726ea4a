// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"regexp"
	"slices"
	"strings"
)

var noCredentialsWord = Word{
	Name: "no_credentials",
	Means: "is JSON without what looks like a credential: no text with the header of a private key in PEM form, with \"Bearer \" " +
		"and 16 or more token characters, or with a URL that has a password in it, and, but inside the members named as " +
		"outside, no text in a member called password, secret, apiKey, credentials, token or the like",
	Takes: Named,
	Args:  []Arg{{Name: "outside", Takes: Literal, Schema: `{"type": "array", "items": {"type": "string"}}`}},
	Judge: func(got, want any) error {
		outside := []any{}
		if given, is := want.(NamedArgs)["outside"]; is {
			var err error
			if outside, err = listArgument("no_credentials", given); err != nil {
				return err
			}
		}
		if body, is := got.(Body); is {
			got = body.JSON
		}
		switch got.(type) {
		case map[string]any, []any:
			return credentialIn(got, outside, false)
		}
		return seen(got, "a JSON object or list")
	},
}

// Forms that credentials have wherever they stand. What was found is not repeated in a finding.
var credentialForms = []struct {
	what string
	form *regexp.Regexp
}{
	{"a private key in PEM form", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----`)},
	{"a Bearer token", regexp.MustCompile(`(?i)\bBearer [A-Za-z0-9._~+/-]{16}`)},
	{"a URL with a password", regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s@:]*:[^/?#\s@]+@`)},
}

// credentialNames are members that hold credentials, in small letters and without what may stand between words.
var credentialNames = strings.Fields("password passwd secret clientsecret apikey credential credentials token accesstoken " +
	"refreshtoken bearertoken authtoken privatekey")

// credentialIn finds the first credential. named: members by their names were excused further up.
func credentialIn(v any, outside []any, excused bool) error {
	switch v := v.(type) {
	case string:
		for _, c := range credentialForms {
			if c.form.MatchString(v) {
				return &Problem{Seen: "holds " + c.what, Wanted: "no credentials"}
			}
		}
	case []any:
		for i := range v {
			if err := credentialIn(v[i], outside, excused); err != nil {
				return below(elementPath(i), err)
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if text, is := v[name].(string); is && !excused && text != "" && slices.Contains(credentialNames, bareName(name)) {
				return &Problem{Path: memberPath(name), Seen: "is a text", Wanted: "no credentials"}
			}
			if err := credentialIn(v[name], outside, excused || slices.Contains(outside, any(name))); err != nil {
				return below(memberPath(name), err)
			}
		}
	}
	return nil
}

// bareName is a name in small letters, without what may stand between its words.
func bareName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
}
