// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// otherCardFaults keep the contract in the card that is usually read, and break it in another: that of the second instance, or the extended one.
var otherCardFaults = map[string]func(*behaviour){
	"second-card-without-name":              secondCard(func(card map[string]any) { card["name"] = "\u00a0" }),
	"second-card-without-description":       secondCard(func(card map[string]any) { delete(card, "description") }),
	"second-card-version-is-a-number":       secondCard(func(card map[string]any) { card["version"] = 2 }),
	"second-card-protocol-version-is-major": secondCard(func(card map[string]any) { card["protocolVersion"] = "1" }),
	"second-card-with-a-url-without-host": secondCard(func(card map[string]any) {
		face(card, 1)["url"] = "wss://:8122/sessions/{session_id}/attach"
	}),
	"second-card-has-an-id-in-capitals": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["instance_id"] = strings.ToUpper(in.ID)
		}
	}),
	"second-card-with-more-runtime-params": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["kind"] = in.Kind
		}
	}),
	"second-card-with-a-loadout-in-capitals": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["loadout"] = "Slim"
		}
	}),
	"second-card-repeats-a-capability": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["capabilities"] = []any{"exec", "pty", "exec"}
		}
	}),
	"second-card-has-a-tag-and-a-digest": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["image_ref"] = "registry.example.net/agents/agent-slim:1.2@sha256:" + digest("agent-slim")
		}
	}),

	"extended-card-declares-another-ttl": extendedParams(uriIdempotency, func(_ *instance, p map[string]any) { p["ttl_seconds"] = 3600 }),
	"extended-card-names-another-hash":   extendedParams(uriIdempotency, func(_ *instance, p map[string]any) { p["hash_algorithm"] = "sha-512" }),
	"extended-card-without-raw-output": extendedParams(uriOutput, func(_ *instance, p map[string]any) {
		p["events"] = outputEvents[:len(outputEvents)-1]
	}),
	"extended-card-without-assess":           extendedParams(uriAdapter, func(_ *instance, p map[string]any) { p["modes"] = []any{"plan"} }),
	"extended-card-enforces-tenants":         extendedParams(uriTenant, func(_ *instance, p map[string]any) { p["enforcement"] = "strict" }),
	"extended-card-with-more-runtime-params": extendedParams(uriRuntime, func(in *instance, p map[string]any) { p["host"] = in.Name }),
	"extended-card-repeats-a-capability": extendedParams(uriRuntime, func(_ *instance, p map[string]any) {
		p["capabilities"] = []any{"exec", "pty", "exec"}
	}),
}

// secondCard changes the card of the second instance.
func secondCard(change func(card map[string]any)) func(*behaviour) {
	return cardContent(func(in *instance, card map[string]any) {
		if in.second() {
			change(card)
		}
	})
}

// extendedParams changes the params of an extension in the extended card.
func extendedParams(uri string, change func(in *instance, params map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			for _, item := range capabilities(card)["extensions"].([]any) {
				if entry := item.(map[string]any); entry["uri"] == uri {
					change(c.in, entry["params"].(map[string]any))
				}
			}
			c.in.resign(card)
			return c.json(http.StatusOK, card)
		}
	}
}
