// SPDX-License-Identifier: Apache-2.0

package target

import "testing"

func TestRootOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, address, want string }{
		{"a deployment", "https://h:8443/", "https://h:8443"},
		{"an instance", "https://h/agents/x", "https://h"},
		{"an instance with a slash", "https://h/agents/x/", "https://h"},
		{"behind a proxy's path", "https://h/team/agents/x", "https://h/team"},
		{"a host called agents", "http://agents/agents/x", "http://agents"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := RootOf(row.address); got != row.want {
				t.Errorf("RootOf(%q) = %q, want %q", row.address, got, row.want)
			}
		})
	}
}
