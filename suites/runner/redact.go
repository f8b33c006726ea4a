// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// redacted stands for what nobody may read.
const redacted = redact.Mark

// A redactor takes secrets out of texts. A token that is too short to be looked for in them is still removed from the headers
// that carry it.
type redactor struct {
	keys    *regexp.Regexp  // members named by --redact-key; nil: none
	names   map[string]bool // headers named by --redact-key, and those the operator sends
	secrets redact.Finder
}

var (
	userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s@"'<>\\]+@`)
	// The private members of a JSON Web Key hold at least 32 bytes; 20 characters cannot be an ordinary "d" or "k".
	// A text that was cut may lack the end of the value.
	privateKey = regexp.MustCompile(`("(?:d|p|q|dp|dq|qi|k)"\s*:\s*")[A-Za-z0-9_\-+/=]{20,}("?)`)
)

func newRedactor(config target.Config, keys []string) *redactor {
	r := &redactor{names: map[string]bool{}}
	r.given(config)
	r.named(keys)
	return r
}

// given adds what the operator has given for a target.
func (r *redactor) given(config target.Config) {
	for _, header := range []http.Header{config.Header, config.PublicHeader} {
		for name := range header {
			r.names[textproto.CanonicalMIMEHeaderKey(name)] = true
		}
	}
	for _, secret := range secretsOf(config) {
		r.learn(secret)
	}
}

// learn adds a secret, such as one that the harness has made up and given to the target.
func (r *redactor) learn(secret string) {
	if r != nil && secret != "" { // nil: what is asked for before the run makes no report
		r.secrets.Learn(secret, target.Altered(secret), target.Swapped(secret))
		if len(secret) > 2*redact.Least { // what is left of a short one may be a word
			r.secrets.Learn(target.Shortened(secret))
		}
	}
}

// named prepares for the members and headers that the operator wants removed.
func (r *redactor) named(keys []string) {
	var quoted []string
	for _, key := range keys {
		if key != "" {
			quoted = append(quoted, regexp.QuoteMeta(key))
			r.names[textproto.CanonicalMIMEHeaderKey(key)] = true
		}
	}
	if len(quoted) > 0 {
		either := strings.Join(quoted, "|")
		r.keys = regexp.MustCompile(`(?i)("(?:` + either + `)"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,}\]]+)|([?&;](?:` + either + `)=)[^&\s"'#]*`)
	}
}

// clean takes every secret out of a text.
func (r *redactor) clean(s string) string {
	if s == "" {
		return s
	}
	s = r.secrets.Clean(s)
	if strings.Contains(s, "@") && strings.Contains(s, "://") {
		s = userInfo.ReplaceAllString(s, "${1}"+redacted+"@")
	}
	if strings.Contains(s, `"kty"`) || strings.Contains(s, `"d"`) {
		s = privateKey.ReplaceAllString(s, "${1}"+redacted+"${2}")
	}
	if r.keys != nil {
		s = r.keys.ReplaceAllStringFunc(s, func(found string) string {
			parts := r.keys.FindStringSubmatch(found)
			if parts[2] != "" {
				return parts[2] + redacted
			}
			return parts[1] + `"` + redacted + `"`
		})
	}
	return s
}

// header is a header line, without the value when that is a credential.
func (r *redactor) header(name, value string) string {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	if !target.IsSecretHeader(canonical) && !r.names[canonical] {
		return name + ": " + r.clean(value)
	}
	if scheme, _, found := strings.Cut(value, " "); found && strings.HasSuffix(canonical, "Authorization") {
		return name + ": " + r.clean(scheme) + " " + redacted
	}
	return name + ": " + redacted
}

func (r *redactor) texts(list []string) {
	for i := range list {
		list[i] = r.clean(list[i])
	}
}

func (r *redactor) findings(list []report.Finding) {
	for i := range list {
		f := &list[i]
		f.Observed, f.Expected, f.Problem = r.clean(f.Observed), r.clean(f.Expected), r.clean(f.Problem)
		f.Case, f.Subject = r.clean(f.Case), r.clean(f.Subject)
		f.Route, f.Curl, f.Cause = r.clean(f.Route), r.clean(f.Curl), r.clean(f.Cause)
	}
}

func (r *redactor) reason(reason *report.Reason) *report.Reason {
	if reason == nil {
		return nil
	}
	clean := &report.Reason{Code: r.clean(reason.Code), Detail: r.clean(reason.Detail), Cause: r.clean(reason.Cause)}
	if reason.Finding != nil {
		met := []report.Finding{*reason.Finding}
		r.findings(met)
		clean.Finding = &met[0]
	}
	return clean
}

// result takes the secrets out of everything in a result but the evidence, which comes without.
func (r *redactor) result(result *report.Result) {
	r.findings(result.Findings)
	r.texts(result.Notes)
	result.Reason = r.reason(result.Reason)
	if result.Repro != nil {
		result.Repro.Command, result.Repro.Curl = r.clean(result.Repro.Command), r.clean(result.Repro.Curl)
	}
}

// report takes the secrets out of what a report says besides its results.
func (r *redactor) report(out *report.Run) {
	t := &out.Target
	for _, s := range []*string{&t.ExecutorURL, &t.InstanceID, &t.AdminURL, &t.CardName, &t.CardVersion, &out.Because} {
		*s = r.clean(*s)
	}
	r.texts(out.Partial)
	r.texts(out.Warnings)
	r.findings(out.Preflight)
	for i := range out.Claims {
		out.Claims[i].Name = r.clean(out.Claims[i].Name)
		r.texts(out.Claims[i].Why)
	}
}
