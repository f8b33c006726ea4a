// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/textproto"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// cardSurface is the surface whose requirements are about the AgentCard itself; they are judged without one too.
const cardSurface = "card"

// A card is what the target declares about itself, read tolerantly.
type card struct {
	digest, name, version string
	instanceID            string // runtime/v1 names it
	claims                []report.Claim
	extensions            any             // as the subject declared shows them
	observers             int             // how many it lets into a terminal
	keyHeaders            map[string]bool // headers, canonical, that its security schemes name for a key
	short                 map[string]bool // every name under which `applies.claims` may ask, lower-cased
}

// readCard reads a body as an AgentCard; nil when it is none.
func readCard(body []byte) *card {
	members, _ := jsontext.Parse(body).(map[string]any)
	known := slices.ContainsFunc([]string{"name", "capabilities", "supportedInterfaces", "skills", "url"}, func(name string) bool {
		_, has := members[name]
		return has
	})
	if !known {
		return nil
	}
	c := &card{digest: digest(body), short: map[string]bool{}, keyHeaders: map[string]bool{}}
	c.name, _ = members["name"].(string)
	c.version, _ = members["version"].(string)
	c.observers = maxObservers(members)
	c.extensions = readDeclared(members)
	c.capabilities(members["capabilities"])
	c.interfaces(members["supportedInterfaces"])
	c.interfaces(members["additionalInterfaces"])
	c.security(members["securitySchemes"])
	for _, name := range []string{"provider", "signatures", "signature", "skills"} {
		if !isEmpty(members[name]) {
			c.also(name)
		}
	}
	return c
}

// claim notes something declared, and the names under which suites may ask for it.
func (c *card) claim(kind, name string, also ...string) {
	if name == "" {
		return
	}
	c.also(append(also, name)...)
	for i := range c.claims {
		if c.claims[i].Kind == kind && c.claims[i].Name == name {
			return
		}
	}
	c.claims = append(c.claims, report.Claim{Name: name, Kind: kind, Declared: true})
}

func (c *card) also(names ...string) {
	for _, name := range names {
		c.short[strings.ToLower(name)] = true
	}
}

// declares says whether the card claims something: a capability, an extension by URI or short name ("runtime/v1"), a
// binding, a security scheme.
func (c *card) declares(claim string) bool {
	return c != nil && c.short[strings.ToLower(claim)]
}

func (c *card) capabilities(v any) {
	members, _ := v.(map[string]any)
	for name, value := range members {
		if value == true {
			c.claim("capability", name)
		}
	}
	if !isEmpty(members["extensions"]) {
		c.also("extensions")
	}
	list, _ := members["extensions"].([]any)
	for _, element := range list {
		uri, _ := member(element, "uri").(string)
		c.claim("extension", uri, shortURI(uri), "extensions")
		if member(element, "required") == true {
			c.also("required-extension")
		}
		if id, is := member(member(element, "params"), "instance_id").(string); is && shortURI(uri) == "runtime/v1" {
			c.instanceID = id
		}
	}
}

func (c *card) interfaces(v any) {
	list, _ := v.([]any)
	for _, element := range list {
		for _, name := range []string{"protocolBinding", "transport"} {
			if binding, is := member(element, name).(string); is && binding != "" {
				c.claim("binding", binding, "binding:"+binding, shortURI(binding))
				break
			}
		}
		if uri, is := member(element, "extension").(string); is {
			c.also(uri, shortURI(uri))
		}
		if tenant := member(element, "tenant"); !assertions.IsMissing(tenant) && tenant != nil && tenant != "" {
			c.also("tenant")
		}
	}
}

func (c *card) security(v any) {
	schemes, _ := v.(map[string]any)
	for name, scheme := range schemes {
		c.also("security", "security:"+name)
		kind, also := securityKind(scheme)
		if kind == "" {
			kind = name
		}
		c.claim("security", kind, append(also, name)...)
		if header := keyHeader(scheme); header != "" {
			c.keyHeaders[header] = true
		}
	}
}

// keyHeader is the header that a scheme for an API key names, in its canonical form; "" when it names none. OpenAPI writes
// {"type": "apiKey", "in": "header", "name": "X-Key"}, A2A 1.0 {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}.
func keyHeader(scheme any) string {
	if inner := member(scheme, "apiKeySecurityScheme"); inner != nil {
		scheme = inner
	}
	where := memberText(scheme, "location")
	if where == "" {
		where = memberText(scheme, "in")
	}
	if !strings.EqualFold(where, "header") {
		return ""
	}
	return textproto.CanonicalMIMEHeaderKey(memberText(scheme, "name"))
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
		if scheme, is := member(inner, "scheme").(string); is {
			return strings.ToLower(scheme), []string{name}
		}
		return strings.TrimSuffix(name, "SecurityScheme"), []string{name}
	}
	return "", nil
}

// shortURI is the last two segments of an extension's URI: "runtime/v1".
func shortURI(uri string) string {
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
