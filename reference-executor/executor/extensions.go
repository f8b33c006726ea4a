// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// The extensions the cards advertise, by their published URIs.
const (
	extensionPrefix = "https://agentic-sandbox.aiwg.io/extensions/"
	uriRuntime      = extensionPrefix + "runtime/v1"
	uriIdempotency  = extensionPrefix + "idempotency/v1"
	uriHITL         = extensionPrefix + "hitl-prompt/v1"
	uriTenant       = extensionPrefix + "multi-tenant/v1"
	uriPTY          = pty.ExtensionURI
	uriAdapter      = extensionPrefix + "adapter-command/v1"
	uriOutput       = extensionPrefix + "agent-output/v1"
)

// An activation is the extensions that a request activated and this executor knows, in the order of the request.
type activation []string

func (a activation) has(uri string) bool { return slices.Contains(a, uri) }

// extensionsBehaviour is activation and echo, common to all extensions, and the metadata of runtime/v1.
type extensionsBehaviour struct {
	requested func(http.Header) []string                          // the URIs in a request's header
	applied   func(known, requested []string) activation          // what of them is applied
	echo      func(c *call, status int) []string                  // the lines of the response header
	refuses   func(c *call) *problem                              // what must not be activated here
	missing   func(c *call) *problem                              // what must be activated here and is not
	runtime   func(t task, metadata map[string]any, in *instance) // adds the metadata of runtime/v1
	tenant    func(t task) string                                 // the tenant_id of what is emitted; "" for none
}

var conformantExtensions = extensionsBehaviour{
	requested: requestedExtensions,
	applied: func(known, requested []string) activation {
		var a activation
		for _, uri := range requested {
			if slices.Contains(known, uri) && !a.has(uri) {
				a = append(a, uri)
			}
		}
		return a
	},
	echo: func(c *call, status int) []string {
		if len(c.active) == 0 {
			return nil
		}
		return []string{strings.Join(c.active, ", ")}
	},
	refuses: func(c *call) *problem {
		if c.active.has(uriPTY) {
			c.active = slices.DeleteFunc(slices.Clone(c.active), func(uri string) bool { return uri == uriPTY })
			return refuse(http.StatusBadRequest, "extension.unsupported",
				"unsupported extension: "+uriPTY+" can only be activated on the pty-ws binding")
		}
		return nil
	},
	missing: func(c *call) *problem {
		if !c.e.config.EnforceExtensions || !c.sends() {
			return nil
		}
		return missingExtension(c)
	},
	runtime: runtimeMetadata,
	tenant: func(t task) string {
		if t.Tenant == "" && t.Active.has(uriTenant) {
			return "default"
		}
		return t.Tenant
	},
}

// sends says whether the request is a message.
func (c *call) sends() bool {
	last := ""
	if c.route != nil {
		last = c.route.pattern[len(c.route.pattern)-1]
	}
	return last == "messages:send" || last == "messages:stream"
}

// missingExtension refuses a request without a required extension, and names one of those that are missing.
func missingExtension(c *call) *problem {
	required := []string{uriRuntime, uriIdempotency}
	if c.e.lawful.Below(2) == 0 {
		slices.Reverse(required)
	}
	for _, uri := range required {
		if !c.active.has(uri) {
			return refuse(http.StatusBadRequest, "extension.required_not_activated",
				"the request does not activate the required extension "+uri).with("extension", uri)
		}
	}
	return nil
}

// requestedExtensions reads a list that may be spread over several header lines.
func requestedExtensions(h http.Header) []string {
	var uris []string
	for _, line := range h.Values("A2A-Extensions") {
		for item := range strings.SplitSeq(line, ",") {
			if uri := strings.TrimSpace(item); uri != "" {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}

// runtimeMetadata repeats the card's params in a task, when runtime/v1 is active.
func runtimeMetadata(t task, metadata map[string]any, in *instance) {
	if !t.Active.has(uriRuntime) {
		return
	}
	metadata["runtime.instance_id"] = in.ID
	metadata["runtime.kind"] = in.Kind
	metadata["runtime.provider"] = in.Provider
	metadata["runtime.capabilities"] = texts(in.Capabilities)
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
