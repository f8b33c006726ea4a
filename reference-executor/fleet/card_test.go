// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The cards as they are served, with the address taken out: a human reads them in testdata.
func TestCards(t *testing.T) {
	t.Parallel()
	s := start(t, Config{PublicURL: "https://fleet.example/"})
	for name, url := range map[string]string{
		"fleet":     s.URL() + fleetCardPath,
		"index":     s.URL() + indexPath,
		"architect": s.URL() + "/agents/architect" + fleetCardPath,
		"builder":   s.URL() + "/agents/builder" + fleetCardPath,
		"courier":   s.URL() + "/agents/courier" + fleetCardPath,
		"drifter":   s.URL() + "/agents/drifter" + fleetCardPath,
		"explorer":  s.URL() + "/agents/explorer" + fleetCardPath,
	} {
		got, err := json.MarshalIndent(card(t, url), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+name+".json", append(got, '\n'))
	}
}

// golden compares with a file; with the variable UPDATE it writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is another (-want +got):\n%s", file, diff)
	}
}

// Without a public URL the cards speak of the host that is asked for.
func TestOriginOfCards(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	at := card(t, s.URL()+"/agents/builder"+fleetCardPath)["supportedInterfaces"].([]any)[0].(object)
	if at["url"] != s.URL()+"/agents/builder" {
		t.Errorf("the interface is at %v, want it below %s", at["url"], s.URL())
	}
}

// The cards of the proxies: what they take over of that of their upstream, and what not.
func TestProxyCards(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	upstream := card(t, s.URL()+"/agents/architect"+fleetCardPath)
	for _, hook := range []string{nativeProxy, deadProxy, dirtyProxy} {
		got := card(t, s.proxyURL(hook)+fleetCardPath)
		for _, name := range []string{"url", "preferredTransport", "additionalInterfaces", "protocolVersion", "security", "securitySchemes", "kind", "x-orochi", "x-other"} {
			if v, has := got[name]; has {
				t.Errorf("%s: the card has %s: %v", hook, name, v)
			}
		}
		if _, has := got["capabilities"].(object)["stateTransitionHistory"]; has {
			t.Errorf("%s: the card has stateTransitionHistory", hook)
		}
		block := got[blockKey].(object)
		if block["kind"] != "AgentProxy" || block["trust"] != "untrusted" || block["upstream"] != s.Says(hook)["upstream"] || block["role_class"] != nil {
			t.Errorf("%s: %v", hook, block)
		}
		if _, failed := block["upstream_card_fetch_error"]; failed != (hook == deadProxy) {
			t.Errorf("%s: upstream_card_fetch_error is %v", hook, block["upstream_card_fetch_error"])
		}
		at := got["supportedInterfaces"].([]any)[0].(object)
		if got["name"] != s.Says(hook)["name"] || at["tenant"] != got["name"] || at["url"] != s.proxyURL(hook)+"/agents/"+got["name"].(string) {
			t.Errorf("%s: name %v, interface %v", hook, got["name"], at)
		}
	}
	front := card(t, s.proxyURL(nativeProxy)+fleetCardPath)
	if diff := cmp.Diff(upstream["skills"], front["skills"]); diff != "" {
		t.Errorf("the skills are others (-upstream +proxy):\n%s", diff)
	}
	extension := front["capabilities"].(object)["extensions"].([]any)[0].(object)["params"].(object)
	if extension["sse_path"] != "/agents/front/inbox/stream" {
		t.Errorf("sse_path is %v", extension["sse_path"])
	}
}

// A proxy passes on what its upstream answers, and serves nothing else.
func TestProxyForwards(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	front := s.proxyURL(nativeProxy)
	answered := send(t, front+"/agents/front", saying("through", `,"tenant":"front"`))
	if answered.status != 200 || answered.object(t)["task"] == nil {
		t.Fatalf("status %d\n%s", answered.status, answered.body)
	}
	for path, status := range map[string]int{
		"/agents/front/_active": 200, "/agents/front/inbox/stream": 200, "/agents/front" + fleetCardPath: 200,
		"/agents/architect/_active": 404, "/.well-known/agent.json": 404, "/v1/turn": 404, "/agents/": 404,
	} {
		if got := ask(t, "GET", front+path, ""); got.status != status {
			t.Errorf("%s: status %d, want %d", path, got.status, status)
		}
	}
	if got := send(t, s.proxyURL(deadProxy)+"/agents/front-of-nobody", saying("lost", "")); got.status != 502 {
		t.Errorf("with a dead upstream: status %d, want 502", got.status)
	}
}
