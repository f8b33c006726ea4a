// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// interfaces finds what a card declares of its interfaces: bindings, their names in order; pty, the URLs of those that
// are pty-ws/v1; and the first of each kind that we can call, rest and jsonrpc, with its url and the path of that url,
// which tests put behind the authority they reach the target under (ruling AMB-18). Of rest also v1_path, which ends in
// /v1 whether the declared one does or not; jsonrpc_03 is the first one of jsonrpc that speaks 0.3.
func interfaces(v any) any {
	entries, is := Member(v, "supportedInterfaces").([]any)
	if !is {
		return assertions.Missing
	}
	bindings, pty := []any{}, []any{}
	found := map[string]any{}
	for _, entry := range entries {
		for _, name := range []string{"transport", "protocolBinding"} {
			if binding, is := Member(entry, name).(string); is {
				bindings = append(bindings, binding)
			}
		}
		if isPTYInterface(entry) {
			pty = append(pty, Member(entry, "url"))
		}
		kind := interfaceKind(entry)
		if kind != "" && found[kind] == nil {
			found[kind] = callable(kind, Member(entry, "url"))
		}
		if kind == "jsonrpc" && Speaks(entry, "0.3") && found["jsonrpc_03"] == nil {
			found["jsonrpc_03"] = callable(kind, Member(entry, "url"))
		}
	}
	found["bindings"], found["pty"] = bindings, pty
	return found
}

// callable is an interface with what is needed to call it.
func callable(kind string, given any) map[string]any {
	address, is := given.(string)
	u, err := url.Parse(address)
	if !is || err != nil {
		return map[string]any{}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	declared := map[string]any{"url": address, "path": path}
	if kind == "rest" {
		declared["v1_path"] = strings.TrimSuffix(path, "/v1") + "/v1"
	}
	return declared
}

func interfaceKind(entry any) string {
	for _, name := range []string{"transport", "protocolBinding"} {
		binding, _ := Member(entry, name).(string)
		switch strings.ToLower(binding) {
		case "http+json", "rest", "https://a2a-protocol.org/bindings/rest":
			return "rest"
		case "jsonrpc":
			return "jsonrpc"
		}
	}
	return ""
}

func isPTYInterface(entry any) bool {
	for _, name := range []string{"protocolBinding", "extension", "uri"} {
		text, _ := Member(entry, name).(string)
		if strings.Contains(text, "/bindings/pty-ws/v1") || strings.Contains(text, "/extensions/pty-extensions/v1") {
			return true
		}
	}
	transport, _ := Member(entry, "transport").(string)
	return strings.EqualFold(transport, "WebSocket")
}

// SigningHeaders finds the decoded protected headers of a card's signatures, in any of the layouts in use; a header
// that cannot be decoded is left out.
func SigningHeaders(v any) any {
	list, _ := Member(v, "signatures").([]any)
	if single := Member(v, "signature"); !assertions.IsMissing(single) {
		list = append(list[:len(list):len(list)], single)
	}
	headers := []any{}
	for _, signature := range list {
		if header := SigningHeader(signature); header != nil {
			headers = append(headers, header)
		}
	}
	if len(headers) == 0 {
		return assertions.Missing
	}
	return headers
}

// SigningHeader is the decoded protected header of one signature; nil when it cannot be decoded.
func SigningHeader(signature any) map[string]any {
	encoded, is := Member(signature, "protected").(string)
	if !is {
		text, isText := signature.(string)
		if !isText {
			text, _ = Member(signature, "signature").(string)
		}
		encoded, _, _ = strings.Cut(text, ".")
	}
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil
	}
	header, _ := jsontext.Parse(text).(map[string]any)
	return header
}

// Speaks says whether an interface declares a version of the protocol. Patch numbers are cut off (section 3.6).
func Speaks(entry any, version string) bool {
	declared, _ := Member(entry, "protocolVersion").(string)
	return declared == version || strings.HasPrefix(declared, version+".")
}
