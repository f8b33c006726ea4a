// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// wellKnownBefore is where agents published their card before 0.3.
const wellKnownBefore = "/.well-known/agent.json"

// olderVersion is how cards write the versions that came before 1.0.
var olderVersion = regexp.MustCompile(`^0\.[0-9]+(\.[0-9]+)?$`)

// olderCard says which version before 1.0 a card is of, and by what that is seen; empty for a card that declares 1.0, or
// that nobody can tell of.
func olderCard(v any) (version, seen string) {
	list, _ := readers.Member(v, "supportedInterfaces").([]any)
	for i, entry := range list {
		if readers.Speaks(entry, "1.0") {
			return "", ""
		}
		if declared := readers.MemberText(entry, "protocolVersion"); version == "" && olderVersion.MatchString(declared) {
			version, seen = majorMinor(declared), fmt.Sprintf("supportedInterfaces[%d].protocolVersion is %q", i, declared)
		}
	}
	if declared := readers.MemberText(v, "protocolVersion"); version == "" && olderVersion.MatchString(declared) {
		version, seen = majorMinor(declared), fmt.Sprintf("protocolVersion is %q", declared)
	}
	if version == "" && len(list) == 0 && readers.MemberText(v, "url") != "" {
		version, seen = "0.3 or an earlier version", "it has a url, and no supportedInterfaces"
	}
	return version, seen
}

func majorMinor(version string) string {
	return strings.Join(strings.SplitN(version, ".", 3)[:2], ".")
}

// beforeCards looks for a card where it stood before 0.3; nil when there is none either.
func (f *Preflight) beforeCards(ctx context.Context, given string) *Probe {
	var probes []*Probe
	for _, address := range CardAddresses(given) {
		if base, is := strings.CutSuffix(address, WellKnownCard); is {
			probes = append(probes, &Probe{URL: base + wellKnownBefore, Identity: Anonymous})
		}
	}
	f.Ask(ctx, probes...)
	for _, p := range probes {
		if p.Answer.Status == 200 && readers.ReadCard(p.Answer.Body) != nil {
			return p
		}
	}
	return nil
}

// older makes one headline of a target that speaks a version before 1.0: whatever fails because its card has the form of
// that version, has this one cause, and what needs an interface of 1.0 does not apply. at is where the card should be.
func (f *Preflight) older(at, found *Probe) {
	version, seen := olderCard(jsontext.Parse(found.Answer.Body))
	if version == "" {
		return
	}
	says := fmt.Sprintf("the target speaks A2A %s, not 1.0: of its card at %s, %s", version, pathAt(found.URL), seen)
	f.Facts.Older = says + "; declare the interfaces of 1.0 in supportedInterfaces and serve them (docs/migrating-from-0.3.md says what changes)"
	if other := f.ofAnother(found.Answer.Body); other != "" {
		f.Facts.Older += "; " + other
	}
	f.Out.Preflight = append(f.Out.Preflight, report.Finding{At: "PREFLIGHT", Subject: report.SubjectVersion, Observed: seen,
		Expected: "an interface with protocolVersion 1.0", Problem: f.Facts.Older, Severity: report.Fail,
		Route: at.route, Status: at.Answer.Status, Cause: says})
}

// pathAt is the path of a URL.
func pathAt(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.EscapedPath()
}
