// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"math"
	"net/http"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// cardBehaviour is the AgentCard, its signature and the key set.
type cardBehaviour struct {
	content   func(in *instance, card map[string]any)                 // changes the card before it is signed
	asked     func(c *call, card map[string]any)                      // the same, for one request
	payload   func(card map[string]any) []byte                        // the bytes that are signed
	key       func(in *instance) ed25519.PrivateKey                   // signs, and is published
	kid       func(in *instance) string                               // named by the signature
	published func(in *instance) string                               // the kid in the key set
	sign      func(in *instance, card map[string]any, payload []byte) // adds the signature to the card
	signed    func(in *instance, card map[string]any)                 // changes the card after it is signed
	encode    func(c *call, card map[string]any) []byte
	header    func(h http.Header, etag string)
	answer    func(c *call, a answer) answer
	jwk       func(in *instance, k map[string]any)  // changes a published key
	keys      func(keys []any, h http.Header) []any // the last word on a key set
	reopened  func(e *Executor, in *instance)       // an instance was read from the store
}

var conformantCard = cardBehaviour{
	content:   func(*instance, map[string]any) {},
	asked:     func(*call, map[string]any) {},
	payload:   canonical,
	key:       (*instance).key,
	kid:       func(in *instance) string { return in.ID },
	published: func(in *instance) string { return in.ID },
	sign:      signCard,
	signed:    func(*instance, map[string]any) {},
	encode:    func(c *call, card map[string]any) []byte { return c.e.b.transport.encode(c, card) },
	header: func(h http.Header, etag string) {
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=60")
		h.Set("ETag", etag)
	},
	answer:   func(_ *call, a answer) answer { return a },
	jwk:      func(*instance, map[string]any) {},
	keys:     func(keys []any, _ http.Header) []any { return keys },
	reopened: func(*Executor, *instance) {},
}

// agentCard serves the public card.
func agentCard(c *call) answer {
	b := &c.e.b.card
	card := c.in.card(false, func(card map[string]any) { b.asked(c, card) })
	a := answer{status: http.StatusOK, header: http.Header{}}
	// The bytes differ from answer to answer, the card does not: a weak tag.
	etag := `W/"` + digest(string(canonical(card)))[:32] + `"`
	b.header(a.header, etag)
	if given := c.r.Header.Get("If-None-Match"); given != "" && a.header.Get("ETag") != "" &&
		(given == "*" || strings.Contains(given, strings.TrimPrefix(etag, "W/"))) {
		a.status = http.StatusNotModified
		return b.answer(c, a)
	}
	a.body = b.encode(c, card)
	return b.answer(c, a)
}

// card is the signed card of the instance; the extended one also lists what only authenticated clients are told.
func (in *instance) card(extended bool, changes ...func(map[string]any)) map[string]any {
	b := &in.e.b.card
	card := in.unsignedCard()
	if extended {
		card["skills"] = append(card["skills"].([]any), map[string]any{
			"id": "diagnose", "name": "Diagnose", "description": "Reports on the sandbox itself.", "tags": []any{"operations"},
		})
	}
	b.content(in, card)
	for _, change := range changes {
		change(card)
	}
	b.sign(in, card, b.payload(card))
	b.signed(in, card)
	return card
}

func (in *instance) unsignedCard() map[string]any {
	public := in.e.public()
	base := public + "/agents/" + in.ID
	attach := "ws" + strings.TrimPrefix(base, "http") + "/sessions/{session_id}/attach"
	version := "0.3.0"
	card := map[string]any{
		"name":               in.Name,
		"description":        "A sandboxed agent that keeps the contract.",
		"version":            "2.0.0",
		"protocolVersion":    version,
		"url":                base + "/v1",
		"preferredTransport": "HTTP+JSON",
		"provider":           map[string]any{"organization": "agentic-sandbox-conformance", "url": "https://agentic-sandbox.aiwg.io"},
		"supportedInterfaces": []any{
			map[string]any{"url": base + "/v1", "transport": "HTTP+JSON", "protocolBinding": "HTTP+JSON", "protocolVersion": version},
			map[string]any{"url": attach, "transport": "WebSocket", "protocolBinding": pty.BindingURI, "protocolVersion": version, "extension": uriPTY},
			map[string]any{
				"url": public + "/api/v1/agent-output/chat?command_id={command_id}", "transport": "SSE", "protocolBinding": uriOutput,
				"protocolVersion": version, "extension": uriOutput,
			},
		},
		"bindings": []any{map[string]any{
			"uri": pty.BindingURI, "endpoint": attach, "preference": "secondary",
			"operations": []any{"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask"},
			"notes":      "A connection serves one session. Push notification configs are kept over HTTP+JSON.",
		}},
		"capabilities": map[string]any{
			"streaming": true, "pushNotifications": true, "extendedAgentCard": true,
			"extensions": in.declaredExtensions(),
		},
		"securitySchemes": map[string]any{
			"bearer": map[string]any{"type": "http", "scheme": "bearer"},
			"mtls":   map[string]any{"type": "mutualTLS", "description": "Declared; not enforced in v2.0."},
		},
		"security":           []any{map[string]any{"bearer": []any{}}},
		"defaultInputModes":  []any{"text/plain", "application/json"},
		"defaultOutputModes": []any{"text/plain"},
		"skills": []any{map[string]any{
			"id": "work", "name": "Work", "description": "Works on what the message says until it is done or canceled.",
			"tags": []any{"sandbox", "reference"},
		}},
	}
	if in.e.config.JSONRPC {
		card["supportedInterfaces"] = append(card["supportedInterfaces"].([]any), map[string]any{
			"url": base + "/rpc", "transport": "JSONRPC", "protocolBinding": "JSONRPC", "protocolVersion": version,
		})
	}
	return card
}

func (in *instance) declaredExtensions() []any {
	runtime := map[string]any{
		"runtime": in.Kind, "loadout": in.Loadout, "instance_id": in.ID, "provider": in.Provider,
		"capabilities": texts(in.Capabilities),
	}
	if in.ImageRef != "" {
		runtime["image_ref"] = in.ImageRef
	}
	declare := func(uri string, required bool, description string, params map[string]any) any {
		return map[string]any{"uri": uri, "required": required, "description": description, "params": params}
	}
	return []any{
		declare(uriRuntime, true, "Where the agent runs.", runtime),
		declare(uriIdempotency, true, "Messages may be sent again.", map[string]any{
			"ttl_seconds": int(math.Ceil(in.e.config.idempotencyTTL().Seconds())), "canonicalization": "jcs-rfc8785", "hash_algorithm": "sha-256",
			"max_cache_entries": maxRemembered,
		}),
		declare(uriHITL, false, "The agent asks humans.", map[string]any{}),
		declare(uriTenant, false, "Tasks name their tenant.", map[string]any{
			"enforcement": "declared", "default_tenant": "default",
			"quota_response": map[string]any{"status": 429, "header": "Retry-After"},
		}),
		declare(uriAdapter, false, "Runs the sandbox agent runner.", map[string]any{
			"adapters": []any{"sandbox-agent-runner"}, "modes": []any{"plan", "assess"},
		}),
		declare(uriOutput, false, "What the agent prints, as a chat.", map[string]any{
			"sources": []any{"stream-json"}, "events": outputEvents, "envelope": "fortemi-chat-stream/v1", "id_format": "{session}-{seq}",
			"resume": "last-event-id",
		}),
		declare(uriPTY, false, "Terminals over WebSocket.", in.e.b.pty.Params(in.e.terminalConfig())),
	}
}
