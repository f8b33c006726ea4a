// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"crypto/sha256"
	"encoding/hex"
	"net/textproto"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// A Card is what the target declares about itself, read tolerantly.
type Card struct {
	Digest        string // SHA-256 of its bytes, in hex
	Name, Version string
	InstanceID    string // runtime/v1 names it
	Claims        []report.Claim
	Extensions    any             // as the subject declared shows them
	Observers     int             // how many it lets into a terminal
	KeyHeaders    map[string]bool // headers, canonical, that its security schemes name for a key
	Short         map[string]bool // every name under which `applies.claims` may ask, lower-cased
}

// ReadCard reads a body as an AgentCard; nil when it is none.
func ReadCard(body []byte) *Card {
	members, _ := jsontext.Parse(body).(map[string]any)
	known := slices.ContainsFunc([]string{"name", "capabilities", "supportedInterfaces", "skills", "url"}, func(name string) bool {
		_, has := members[name]
		return has
	})
	if !known {
		return nil
	}
	sum := sha256.Sum256(body)
	c := &Card{Digest: hex.EncodeToString(sum[:]), Short: map[string]bool{}, KeyHeaders: map[string]bool{}}
	c.Name, _ = members["name"].(string)
	c.Version, _ = members["version"].(string)
	c.Observers = maxObservers(members)
	c.Extensions = declared(members)
	c.capabilities(members["capabilities"])
	c.interfaces(members["supportedInterfaces"])
	c.interfaces(members["additionalInterfaces"])
	c.security(members["securitySchemes"])
	for _, name := range []string{"provider", "signatures", "signature", "skills"} {
		if !isEmpty(members[name]) {
			c.Also(name)
		}
	}
	return c
}

// claim notes something declared, and the names under which suites may ask for it.
func (c *Card) claim(kind, name string, also ...string) {
	if name == "" {
		return
	}
	c.Also(append(also, name)...)
	for i := range c.Claims {
		if c.Claims[i].Kind == kind && c.Claims[i].Name == name {
			return
		}
	}
	c.Claims = append(c.Claims, report.Claim{Name: name, Kind: kind, Declared: true})
}

// Also notes names under which suites may ask for something declared.
func (c *Card) Also(names ...string) {
	for _, name := range names {
		c.Short[strings.ToLower(name)] = true
	}
}

// Declares says whether the card claims something: a capability, an extension by URI or short name ("runtime/v1"), a
// binding, a security scheme.
func (c *Card) Declares(claim string) bool {
	return c != nil && c.Short[strings.ToLower(claim)]
}

func (c *Card) capabilities(v any) {
	members, _ := v.(map[string]any)
	for name, value := range members {
		if value == true {
			c.claim("capability", name)
		}
	}
	if !isEmpty(members["extensions"]) {
		c.Also("extensions")
	}
	list, _ := members["extensions"].([]any)
	for _, element := range list {
		uri, _ := Member(element, "uri").(string)
		c.claim("extension", uri, ShortURI(uri), "extensions")
		if Member(element, "required") == true {
			c.Also("required-extension")
		}
		if id, is := Member(Member(element, "params"), "instance_id").(string); is && ShortURI(uri) == "runtime/v1" {
			c.InstanceID = id
		}
	}
}

func (c *Card) interfaces(v any) {
	list, _ := v.([]any)
	for _, element := range list {
		for _, name := range []string{"protocolBinding", "transport"} {
			if binding, is := Member(element, name).(string); is && binding != "" {
				c.claim("binding", binding, "binding:"+binding, ShortURI(binding))
				break
			}
		}
		if uri, is := Member(element, "extension").(string); is {
			c.Also(uri, ShortURI(uri))
		}
		if tenant := Member(element, "tenant"); !assertions.IsMissing(tenant) && tenant != nil && tenant != "" {
			c.Also("tenant")
		}
	}
}

func (c *Card) security(v any) {
	schemes, _ := v.(map[string]any)
	for name, scheme := range schemes {
		c.Also("security", "security:"+name)
		kind, also := securityKind(scheme)
		if kind == "" {
			kind = name
		}
		c.claim("security", kind, append(also, name)...)
		if header := keyHeader(scheme); header != "" {
			c.KeyHeaders[header] = true
		}
	}
}

// keyHeader is the header that a scheme for an API key names, in its canonical form; "" when it names none. OpenAPI writes
// {"type": "apiKey", "in": "header", "name": "X-Key"}, A2A 1.0 {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}.
func keyHeader(scheme any) string {
	if inner := Member(scheme, "apiKeySecurityScheme"); inner != nil {
		scheme = inner
	}
	where := MemberText(scheme, "location")
	if where == "" {
		where = MemberText(scheme, "in")
	}
	if !strings.EqualFold(where, "header") {
		return ""
	}
	return textproto.CanonicalMIMEHeaderKey(MemberText(scheme, "name"))
}

// securityKind names a scheme as people do: "bearer", "mutualTLS". OpenAPI writes {"type": "http", "scheme": "bearer"},
// A2A 1.0 {"httpAuthSecurityScheme": {"scheme": "Bearer"}}.
func securityKind(v any) (kind string, also []string) {
	members, _ := v.(map[string]any)
	if scheme, is := members["scheme"].(string); is {
		return strings.ToLower(scheme), nil
	}
	if kind, is := members["type"].(string); is {
		return kind, nil
	}
	for name, inner := range members {
		if !strings.HasSuffix(name, "SecurityScheme") {
			continue
		}
		if scheme, is := Member(inner, "scheme").(string); is {
			return strings.ToLower(scheme), []string{name}
		}
		return strings.TrimSuffix(name, "SecurityScheme"), []string{name}
	}
	return "", nil
}

// ShortURI is the last two segments of an extension's URI: "runtime/v1".
func ShortURI(uri string) string {
	parts := strings.Split(strings.TrimRight(uri, "/"), "/")
	if len(parts) < 2 {
		return uri
	}
	return strings.Join(parts[len(parts)-2:], "/")
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
