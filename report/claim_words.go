// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
	"strings"
)

// claimWords are the names under which suites ask for what a card declares, in English.
var claimWords = map[string]string{
	"streaming":          "the capability streaming",
	"pushNotifications":  "the capability pushNotifications",
	"extendedAgentCard":  "the capability extendedAgentCard",
	"required-extension": "an extension with required: true",
	"security":           "a security scheme",
	"basic":              "HTTP Basic as a security scheme",
	"mtls":               "mutual TLS as a security scheme",
	"tenant":             "an interface with a tenant",
	"provider":           "a provider",
	"public-host":        "an interface at an address that the Internet can reach",
	"two-bindings":       "the same interface over a second binding",
}

// extensionName is the short name of an extension.
var extensionName = regexp.MustCompile(`^[\w.-]+/v\d+$`)

// ClaimInWords says what a card declares, or does not, of which the code of a reason has the name only: of binding:GRPC, an interface over GRPC.
// A name that it does not know stays as it is.
func ClaimInWords(name string) string {
	if words := claimWords[name]; words != "" {
		return words
	}
	kind, rest, has := strings.Cut(name, ":")
	version, isVersion := strings.CutPrefix(kind, "protocolVersion-")
	switch {
	case isVersion && has:
		return "an interface of A2A " + version + " over " + rest
	case isVersion:
		return "an interface of A2A " + version
	case !has && extensionName.MatchString(name):
		return "the extension " + name
	case !has:
		return name
	}
	switch kind {
	case "binding":
		return "an interface over " + rest
	case "security":
		return "the security scheme " + rest
	case "public-host":
		return claimWords[kind] + " over " + rest
	}
	return name
}
