// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// TestOtherProfile: a card decides for a profile only where nothing speaks of the one that was looked for.
func TestOtherProfile(t *testing.T) {
	t.Parallel()
	const path = target.WellKnownCard
	// A card with an interface at the path /rpc; %s is the origin of the server.
	card := func(version, more string) string {
		return `{"name":"n","skills":[],"capabilities":{},"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"` + version + `"}]` + more + `}`
	}
	list := func(items string) func(string) http.HandlerFunc {
		return func(string) http.HandlerFunc { return answering(200, "application/json", items) }
	}
	serves := func(body string) func(string) http.HandlerFunc {
		return func(origin string) http.HandlerFunc {
			return answering(200, "application/json", strings.ReplaceAll(body, "%s", origin))
		}
	}
	behindToken := func(body string) func(string) http.HandlerFunc {
		return func(origin string) http.HandlerFunc {
			open := serves(body)(origin)
			return func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+someToken {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				open(w, r)
			}
		}
	}
	const mark = `,"provider":{"organization":"o","url":"https://agentic-sandbox.aiwg.io"}`
	for _, row := range []struct {
		name    string
		looked  string // for this profile; empty: the default one
		path    string // behind the server's address, as it was given
		routes  map[string]func(origin string) http.HandlerFunc
		decides bool
		says    string
	}{
		{"a card of A2A 1.0", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", ""))}, true, " declares A2A 1.0 over JSONRPC and names nothing of agentic-sandbox, and GET "},
		{"given by the URL of the card", "", path, map[string]func(string) http.HandlerFunc{path: serves(card("1.0", ""))}, true, path + " declares A2A 1.0 over JSONRPC"},
		{"given by the URL of an interface", "", "/rpc", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", ""))}, true, ""},
		{"below a path", "", "/one", map[string]func(string) http.HandlerFunc{"/one" + path: serves(card("1.0", ""))}, true, "/one" + path},
		{"whose tasks are where an executor has them", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", "")), "/v1/tasks": list(`{"tasks":[]}`)}, true, ""},
		{"behind a token", "", "", map[string]func(string) http.HandlerFunc{path: behindToken(card("1.0", ""))}, true, ""},
		{"a gateway that refuses what it does not know", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", "")), "/": func(string) http.HandlerFunc { return answering(403, "application/json", "{}") }}, true, ""},

		{"no card", "", "", nil, false, ""},
		{"the card of somebody else at the origin", "", "/another", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", ""))}, false, ""},
		{"a card of A2A 0.3", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("0.3", ""))}, false, ""},
		{"a card of a later version", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("2.0", ""))}, false, ""},
		{"a card of both", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", mark))}, false, ""},
		{"a card of both, behind a token", "", "", map[string]func(string) http.HandlerFunc{path: behindToken(card("1.0", mark))}, false, ""},
		{"an executor that lists no instance yet", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", "")), "/api/v2/admin/instances": list(`{"items":[]}`)}, false, ""},
		{"a page", "", "", map[string]func(string) http.HandlerFunc{"/": func(string) http.HandlerFunc { return answering(200, "text/html", "<html>A2A 1.0") }}, false, ""},
		{"interfaces that are no list", "", "", map[string]func(string) http.HandlerFunc{path: serves(`{"name":"n","skills":[],"capabilities":{},"supportedInterfaces":{"protocolVersion":"1.0"}}`)}, false, ""},
		{"interfaces that cannot be asked", "", "", map[string]func(string) http.HandlerFunc{path: serves(`{"name":"n","skills":[],"capabilities":{},"supportedInterfaces":[{"url":"file:///etc/passwd","protocolBinding":"JSONRPC","protocolVersion":"1.0"},` +
			`{"url":"https://a.example","protocolBinding":"\u001b[2J","protocolVersion":"1.0"}]}`)}, false, ""},
		{"a card beyond every bound", "", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", `,"description":"`+strings.Repeat("x", 5<<20)+`"`))}, false, ""},
		{"another profile was looked for", "a2a-1.0", "", map[string]func(string) http.HandlerFunc{path: serves(card("1.0", mark))}, false, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			for pattern, handler := range row.routes {
				mux.Handle(pattern, handler(server.URL))
			}
			config := Target{ExecutorURL: server.URL + row.path, Tokens: map[string]string{"instance": someToken}}
			profile := profiles.Default
			if row.looked != "" {
				profile = row.looked
			}
			started := Start(t.Context(), profiles.Of(profile), config, Options{Jobs: 1})
			t.Cleanup(started.Abandon)
			name, chosen := started.OtherProfile()
			switch {
			case !row.decides && chosen != nil:
				t.Errorf("the card decides for %s: %s", name, chosen.Because)
			case row.decides && (chosen == nil || name != "a2a-1.0" || chosen.By != report.ChosenByCard || !strings.Contains(chosen.Because, row.says)):
				t.Errorf("the card decides for %q, %+v, want a2a-1.0: %s", name, chosen, row.says)
			}
		})
	}
}

const someToken = "token-of-somebody-0123456789"

// TestNobodyIsAskedForACardTwice: a target that does not answer is not asked again for another profile's sake.
func TestNobodyIsAskedForACardTwice(t *testing.T) {
	t.Parallel()
	started := Start(t.Context(), profiles.Of(profiles.Default), Target{ExecutorURL: "http://127.0.0.1:1"}, Options{Jobs: 1})
	t.Cleanup(started.Abandon)
	if name, chosen := started.OtherProfile(); chosen != nil {
		t.Errorf("nobody decides for %s: %s", name, chosen.Because)
	}
}
