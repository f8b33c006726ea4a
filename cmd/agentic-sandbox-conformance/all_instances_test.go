// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

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
