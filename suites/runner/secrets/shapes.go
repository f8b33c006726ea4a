// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A shape is what a credential is in words, where a test has made it wrong on purpose: a reader has to know which one was sent, and may not
// see it. Of a token that is sent as it is the shape is whose it is.

// shapesOf are the credentials that tests make of the tokens of the operator, with what they are in words. A token itself has no shape.
func shapesOf(tokens map[string]string) map[string]string {
	shapes := map[string]string{}
	for _, identity := range slices.Backward(slices.Sorted(maps.Keys(tokens))) { // of identities with one token the first is named
		token := tokens[identity]
		if token == "" {
			continue
		}
		whose := "the token of " + identity
		shapes[token+"x"] = whose + " and one character more"
		shapes[target.Altered(token)] = whose + " with one character altered"
		shapes[target.Swapped(token)] = whose + " with its letters in the other case"
		shapes[target.Shortened(token)] = whose + " without its last character"
		shapes[base64.StdEncoding.EncodeToString([]byte("conformance:"+token))] = whose + " as a Basic password"
	}
	for _, identity := range slices.Backward(slices.Sorted(maps.Keys(tokens))) { // what is valid by chance is not wrong
		delete(shapes, tokens[identity])
	}
	return shapes
}

// marked stands for credentials in a report: that they are taken out, and their shape where they are wrong on purpose. scheme is that which
// stands before them, "" where there is none and the header is one that has none.
func (r *Redactor) marked(scheme, credentials string, wantsScheme bool) string {
	shape := r.shapes[credentials]
	identity, valid := r.tokens[credentials]
	switch {
	case credentials == "":
		return "[no token]"
	case shape != "":
	case valid && isBearer(scheme) && identity != own:
		shape = "the token of " + identity
	case !valid && isBearer(scheme) && len(r.tokens) > 0:
		shape = "none of the configured tokens"
	case valid && scheme != "" && !isBearer(scheme):
		shape = "the token of " + identity + " under another scheme"
	case valid && scheme == "" && wantsScheme:
		shape = "the token of " + identity + " without a scheme"
	}
	if shape == "" {
		return redact.Mark
	}
	return strings.TrimSuffix(redact.Mark, "]") + ": " + shape + "]"
}

// own is the identity that requests are sent as where a test names no other.
const own = "instance"

func isBearer(scheme string) bool { return strings.EqualFold(scheme, "Bearer") }

// schemes are those that stand alone where a test sends no credentials behind them; nothing of them is secret.
var schemes = []string{"bearer", "basic", "digest"}
