// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"

	"github.com/gowebpki/jcs"
)

var jcsSHA256Word = Word{
	Name: "jcs_sha256",
	Means: "is the SHA-256, in lower-case hex, of the canonical form (RFC 8785) of this JSON value without the members at these " +
		"paths",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true},
		{Name: "without", Takes: Literal, Schema: `{"type": "array", "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		value := args["of"]
		if args["without"] != nil {
			paths, err := pathList("jcs_sha256", args["without"])
			if err != nil {
				return err
			}
			for _, path := range paths {
				value = without(value, path.steps)
			}
		}
		canonical, err := jcs.Transform(jsonText(value))
		if err != nil {
			return fmt.Errorf("jcs_sha256 was given %s: %w", show(value), err)
		}
		sum := sha256.Sum256(canonical)
		if hash := hex.EncodeToString(sum[:]); got != hash {
			return seen(got, fmt.Sprintf("%q, the SHA-256 of %s", hash, show(string(canonical))))
		}
		return nil
	},
}

// without returns a copy of v that lacks the member at a path.
func without(v any, steps []pathStep) any {
	members, is := v.(map[string]any)
	if !is || len(steps) == 0 || steps[0].kind != 'm' {
		return v
	}
	kept := make(map[string]any, len(members))
	for name, member := range members {
		switch {
		case name != steps[0].member:
			kept[name] = member
		case len(steps) > 1:
			kept[name] = without(member, steps[1:])
		}
	}
	return kept
}

var hmacSignedWord = Word{
	Name: "hmac_signed",
	Means: "is a request (what await shows) whose header, X-AIWG-Signature unless another is named, is t=<unix seconds>,v1=<hex>, " +
		"where v1 is the HMAC-SHA256 of t, a dot and the body's bytes under this secret",
	Takes: Named,
	Args: []Arg{
		{Name: "secret", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "header", Takes: Literal, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		secret, err := textArgument("hmac_signed", args["secret"])
		if err != nil {
			return err
		}
		name, named := args["header"].(string)
		if !named {
			name = "X-AIWG-Signature"
		}
		request, is := got.(map[string]any)
		body, hasBody := bytesOf(orMissing(request, "bytes"))
		if !is || !hasBody {
			return seen(got, "a request with its bytes")
		}
		header, _ := headerOf(request, name)
		parts := hmacForm.FindStringSubmatch(header)
		if parts == nil {
			return &Problem{Path: ".header." + name, Seen: "is " + show(headerValue(request, name)), Wanted: "t=<unix seconds>,v1=<64 hex digits>"}
		}
		return signedBody(name, parts[1], parts[2], secret, body)
	},
}

var hmacForm = regexp.MustCompile(`^t=([0-9]+),v1=([0-9a-f]{64})$`)

func signedBody(name, t, signature, secret string, body []byte) error {
	if macOf(secret, t+"."+string(body)) == signature {
		return nil
	}
	why := ""
	if macOf(secret, string(body)) == signature {
		why = "; it fits the body without the time"
	}
	sum := sha256.Sum256(body)
	return &Problem{Path: ".header." + name, Seen: fmt.Sprintf("has v1 %s...%s", signature[:8], why),
		Wanted: fmt.Sprintf("%s... over t %s and the body (%d bytes, SHA-256 %s)", macOf(secret, t+"."+string(body))[:8], t, len(body),
			hex.EncodeToString(sum[:]))}
}

func macOf(secret, message string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(message))
	return hex.EncodeToString(mac.Sum(nil))
}

// headerOf finds a header of a request, whatever the case of its name.
func headerOf(request map[string]any, name string) (string, bool) {
	text, is := headerValue(request, name).(string)
	return text, is
}

func headerValue(request map[string]any, name string) any {
	header, _ := request["header"].(map[string]any)
	for n, value := range header {
		if lowerASCII(n) == lowerASCII(name) {
			return value
		}
	}
	return Missing
}

var websocketAcceptWord = Word{
	Name:   "websocket_accept",
	Means:  "is the Sec-WebSocket-Accept that answers this Sec-WebSocket-Key (RFC 6455, 4.2.2)",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Judge: func(got, want any) error {
		key, err := textArgument("websocket_accept", want)
		if err != nil {
			return err
		}
		sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		if accept := base64.StdEncoding.EncodeToString(sum[:]); got != accept {
			return seen(got, fmt.Sprintf("%q, which answers key %q", accept, key))
		}
		return nil
	},
}
