// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// TestReportsLinkToTheDocumentation: where a result leads, by the version of the program and --docs-url.
func TestReportsLinkToTheDocumentation(t *testing.T) {
	t.Parallel()
	const forge = "https://github.com/roctinam/agentic-sandbox-conformance/blob/"
	for _, c := range []struct{ name, version, docsURL, profile, id, want string }{
		{"a release", "v1.2.3", "", "agentic-sandbox-v2", "CARD-011", forge + "v1.2.3/docs/requirements.md#CARD-011"},
		{"another profile", "v1.2.3", "", "a2a-1.0", "A2A-CARD-001", forge + "v1.2.3/docs/requirements-a2a-1.0.md#A2A-CARD-001"},
		{"before a release", "v1.2.3-rc.1", "", "agentic-sandbox-v2", "CARD-011", forge + "v1.2.3-rc.1/docs/requirements.md#CARD-011"},
		{"a commit that may be on one machine only", "v1.2.4-0.20261126090000-0123456789ab", "", "agentic-sandbox-v2", "CARD-011", ""},
		{"commits behind a tag", "v1.2.3-4-g0123456", "", "agentic-sandbox-v2", "CARD-011", ""},
		{"changes that are in no commit", "v1.2.3-dirty", "", "agentic-sandbox-v2", "CARD-011", ""},
		{"the same, as the go command says it", "v1.2.3+dirty", "", "agentic-sandbox-v2", "CARD-011", ""},
		{"no version", "(devel)", "", "agentic-sandbox-v2", "CARD-011", ""},
		{"a site", "(devel)", "https://docs.example/kit/latest", "agentic-sandbox-v2", "CARD-011", "https://docs.example/kit/latest/requirements/agentic-sandbox-v2/card.html#CARD-011"},
		{"a site with a slash", "v1.2.3", "http://docs.example/v1.2.3/", "a2a-1.0", "A2A-CARD-001", "http://docs.example/v1.2.3/requirements/a2a-1.0/a2a-card.html#A2A-CARD-001"},
		{"none", "v1.2.3", "none", "agentic-sandbox-v2", "CARD-011", ""},
		{"a test of one's own", "v1.2.3", "", "agentic-sandbox-v2", "OWN-001", ""},
		{"a profile without a catalog", "v1.2.3", "", "greeter", "CARD-011", ""},
	} {
		s := &settings{docsURL: c.docsURL}
		run := &report.Run{Suites: report.SuiteSet{Profile: c.profile}, Results: []report.Result{{ID: c.id}}}
		if err := linkDocs(run, s.pages(c.version)); err != nil {
			t.Fatal(err)
		}
		if got := run.Results[0]; got.Docs != c.want || got.DocsLink() != c.want {
			t.Errorf("%s: %s of %s leads to %q, and %q is shown, want %q", c.name, c.id, c.version, got.Docs, got.DocsLink(), c.want)
		}
	}
}
