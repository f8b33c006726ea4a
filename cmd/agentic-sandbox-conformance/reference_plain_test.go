// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// TestOnLoopback: webhooks on this machine are taken where the listener is on it, too.
func TestOnLoopback(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"": true, "127.0.0.1:0": true, "127.0.0.2:9000": true, "localhost:9000": true, "[::1]:9000": true,
		"0.0.0.0:9000": false, ":9000": false, "10.0.0.1:9000": false, "agent.example:9000": false, "127.0.0.1": false,
	} {
		if got := onLoopback(listen); got != want {
			t.Errorf("onLoopback(%q) is %t, want %t", listen, got, want)
		}
	}
}
