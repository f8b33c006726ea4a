// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// TestEveryFaultOfTheCatalogs compares the table with the contract, when that is at hand.
func TestEveryFaultOfTheCatalogs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pty-ws.yaml", "pty-extensions.yaml"} {
		text, err := os.ReadFile(os.Getenv("CONTRACT_FOLDER") + "/" + name)
		if err != nil {
			t.Skip("CONTRACT_FOLDER does not name the folder of the catalogs")
		}
		var catalog struct{ Requirements []struct{ ID, Fault string } }
		if err := yaml.Unmarshal(text, &catalog); err != nil {
			t.Fatal(err)
		}
		for _, r := range catalog.Requirements {
			fault, _, _ := strings.Cut(r.Fault, " - ")
			if !slices.Contains(executor.Faults(), fault) {
				t.Errorf("%s: no fault %q", r.ID, fault)
			}
		}
	}
}

// TestFaultyExecutorsLive lets every faulty executor live through a short session: a fault breaks the contract, never
// the executor.
func TestFaultyExecutorsLive(t *testing.T) {
	t.Parallel()
	faults := slices.Collect(maps.Keys(pty.Faults))
	for _, fault := range append(faults, "instance-ignored", "silent-session-scope") { // which edit other topics too
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, quick(fault))
			id := d.session(nil)
			for _, subprotocol := range []string{subprotocolJSON, subprotocolBinary} {
				header := handshake(func(h http.Header) { h.Set("Sec-WebSocket-Protocol", subprotocol) })
				conn, response := d.knockOpen("GET", d.attachURL(id), header)
				if response.StatusCode != 101 {
					return
				}
				for _, frame := range []string{
					fmt.Sprintf(`{"op":"pty.join_session","id":%q,"ts":%q,"payload":{"role":"controller"},"extensions":[%q],"replay_from":0}`, newUUIDv7(), now(), pty.ExtensionURI),
					fmt.Sprintf(`{"op":"pty.session_input","id":%q,"ts":%q,"payload":{"data":"bWFya2VyCg=="},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI),
					fmt.Sprintf(`{"op":"pty.session_resize","id":%q,"ts":%q,"payload":{"cols":50,"rows":10},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI),
					fmt.Sprintf(`{"op":"pty.request_keyframe","id":%q,"ts":%q,"payload":{},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI),
					fmt.Sprintf(`{"op":"ListTasks","id":%q,"ts":%q,"payload":{}}`, newUUIDv7(), now()),
					fmt.Sprintf(`{"op":"GetTask","id":%q,"ts":%q,"payload":{"task_id":"x"}}`, newUUIDv7(), now()),
					fmt.Sprintf(`{"op":"pty.leave_session","id":%q,"ts":%q,"payload":{},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI),
				} {
					if _, err := conn.Write(clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte(frame))); err != nil {
						return
					}
				}
				_, _ = conn.Write(clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3, 232}))
				for {
					h, err := ws.ReadHeader(conn)
					if err != nil || h.OpCode == ws.OpClose {
						break
					}
					if _, err := readPayload(conn, h); err != nil {
						break
					}
				}
			}
		})
	}
}
