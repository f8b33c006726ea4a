// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// repository is where everybody can read the files of a release; the path of the module leads there.
const repository = "https://github.com/roctinam/agentic-sandbox-conformance"

// released are the versions whose files stand there under a tag of that name. A commit between two of them, or one that was changed, may be
// on one machine only.
var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(?:-(?:alpha|beta|rc)(?:\.?[0-9]+)*)?$`)

// RequirementsFile is the page of docs/ with the requirements of a profile: "requirements-a2a-1.0.md".
func RequirementsFile(profile string) string {
	if profile == profiles.Default {
		return "requirements.md"
	}
	return "requirements-" + profile + ".md"
}

// Pages are pages with an anchor for each requirement. The zero value has none.
type Pages struct {
	base   string // ends in a slash
	onSite bool   // those that `make site` makes; otherwise those of docs/, as a forge shows them
}

// PagesAt are the pages of a site below a URL, that of the folder of one version: "https://docs.example/v1.2.3/".
func PagesAt(url string) Pages { return Pages{strings.TrimRight(url, "/") + "/", true} }

// PagesOf are the pages that everybody can read about a version of the program without anybody having published a site: those of docs/ on
// the forge. What is no release has none, because nobody knows whether the commit is there.
func PagesOf(version string) Pages {
	if !released.MatchString(version) {
		return Pages{}
	}
	return Pages{base: repository + "/blob/" + version + "/docs/"}
}

// Requirement is the address of a requirement; "" where there are no pages.
func (p Pages) Requirement(profile, surface, id string) string {
	switch {
	case p.base == "":
		return ""
	case p.onSite:
		return p.base + RequirementOnSite(profile, surface, id)
	}
	return p.base + url.PathEscape(RequirementsFile(profile)) + "#" + url.PathEscape(id)
}

// RequirementOnSite is the address of a requirement from the folder of a version: "requirements/a2a-1.0/a2a-card.html#A2A-CARD-001".
func RequirementOnSite(profile, surface, id string) string {
	return "requirements/" + url.PathEscape(profile) + "/" + url.PathEscape(surface) + ".html#" + url.PathEscape(id)
}
