// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// noDocs is what --docs-url says so that nothing links to the documentation.
const noDocs = "none"

// pages are the pages of requirements that reports of a version link to. Without --docs-url they are those that everybody can read, which
// is the case for a release only: a link to a commit that is nowhere, or to a site that nobody has made, would lead nowhere.
func (s *settings) pages(version string) docs.Pages {
	switch s.docsURL {
	case "":
		return docs.PagesOf(version)
	case noDocs:
		return docs.Pages{}
	}
	return docs.PagesAt(s.docsURL)
}

// linkDocs has each result name the page of its requirement. Those of the operator's own suites have none. The error is a bug.
func linkDocs(run *report.Run, pages docs.Pages) error {
	required, err := catalog.Of(run.Suites.Profile)
	if err != nil {
		return bug(err)
	}
	surfaces := map[string]string{} // by id
	for _, r := range required {
		surfaces[r.ID] = r.Surface
	}
	for i := range run.Results {
		r := &run.Results[i]
		if surface, there := surfaces[r.ID]; there {
			r.Docs = pages.Requirement(run.Suites.Profile, surface, r.ID)
		}
	}
	return nil
}
