// SPDX-License-Identifier: Apache-2.0

package main

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
			if got := rootOf(row.address); got != row.want {
				t.Errorf("rootOf(%q) = %q, want %q", row.address, got, row.want)
			}
		})
	}
}

func TestReportsOfInstances(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, out, id, want string }{
		{"before the extension", "out/report.md", "018fc0a2-7777", "out/report.018fc0a2-7777.md"},
		{"before a double extension", "report.junit.xml", "a", "report.a.junit.xml"},
		{"without an extension", "report", "a", "report.a"},
		{"an id that leads elsewhere", "out/report.md", "../../etc/x", "out/report.instance-3.md"},
		{"an id of dots", "report.md", "..", "report.instance-3.md"},
		{"an endless id", "report.md", string(make([]byte, 5000)), "report.instance-3.md"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := besideFor(row.out, fileName(row.id, 2)); got != row.want {
				t.Errorf("the report is %q, want %q", got, row.want)
			}
		})
	}
}
