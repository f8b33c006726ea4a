// SPDX-License-Identifier: Apache-2.0

// Package secrets keeps what nobody may read out of reports and terminals. It knows where the secrets of a run come from (what operators
// give: tokens, headers, hooks, a key set, the environment; what hooks answer; what the harness makes up) and under which names
// credentials stand. How a secret is found in a text, however it is spelled there, is known to package redact.
package secrets

import (
	"maps"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A Redactor takes secrets out of texts. A token that is too short to be looked for in them is still removed from the headers
// that carry it.
type Redactor struct {
	keys    *regexp.Regexp  // members named by --redact-key; nil: none
	names   map[string]bool // headers named by --redact-key, and those the operator sends
	secrets redact.Finder

	tokens map[string]string // the identities of the operator's tokens
	shapes map[string]string // what tests make of those, in words
}

var (
	userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s@"'<>\\]+@`)
	// The private members of a JSON Web Key hold at least 32 bytes; 20 characters cannot be an ordinary "d" or "k".
	// A text that was cut may lack the end of the value.
	privateKey = regexp.MustCompile(`("(?:d|p|q|dp|dq|qi|k)"\s*:\s*")[A-Za-z0-9_\-+/=]{20,}("?)`)
)

// New makes a redactor for what operators have given for some targets, and for members and headers with the names that they
// want removed (--redact-key). To make it takes longer than to use it.
func New(keys []string, configs ...target.Config) *Redactor {
	r := &Redactor{names: map[string]bool{}, tokens: map[string]string{}, shapes: map[string]string{}}
	for _, config := range configs {
		r.given(config)
	}
	r.named(keys)
	return r
}

// given adds what the operator has given for a target.
func (r *Redactor) given(config target.Config) {
	for _, header := range []http.Header{config.Header, config.PublicHeader} {
		for name := range header {
			r.names[textproto.CanonicalMIMEHeaderKey(name)] = true
		}
	}
	for _, secret := range secretsOf(config) {
		r.Learn(secret)
	}
	maps.Copy(r.shapes, shapesOf(config.Tokens))
	for _, identity := range slices.Backward(slices.Sorted(maps.Keys(config.Tokens))) {
		r.tokens[config.Tokens[identity]] = identity
	}
	r.tokens[config.Tokens[own]] = own
	for _, value := range config.Header.Values("Authorization") {
		if _, credentials, found := strings.Cut(value, " "); found {
			r.tokens[credentials] = own
		}
	}
	delete(r.tokens, "")
}

// Learn adds a secret, and what tests make of a token.
func (r *Redactor) Learn(secret string) {
	if r != nil && secret != "" { // nil: what is asked for before the run makes no report
		r.secrets.Learn(secret, target.Altered(secret), target.Swapped(secret))
		if len(secret) > 2*redact.Least { // what is left of a short one may be a word
			r.secrets.Learn(target.Shortened(secret))
		}
	}
}

// Made adds a token that the harness has made up. No test makes other tokens of it.
func (r *Redactor) Made(token string) {
	if r != nil {
		r.secrets.Learn(token)
	}
}

// LearnFrom adds the secrets in a value that a hook has answered with.
func (r *Redactor) LearnFrom(answer any) {
	for _, secret := range inValue(answer) {
		r.Learn(secret)
	}
}

// named prepares for the members and headers that the operator wants removed.
func (r *Redactor) named(keys []string) {
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

// Clean takes every secret out of a text.
func (r *Redactor) Clean(s string) string {
	if s == "" {
		return s
	}
	s = r.secrets.Clean(s)
	if strings.Contains(s, "@") && strings.Contains(s, "://") {
		s = userInfo.ReplaceAllString(s, "${1}"+redact.Mark+"@")
	}
	if strings.Contains(s, `"kty"`) || strings.Contains(s, `"d"`) {
		s = privateKey.ReplaceAllString(s, "${1}"+redact.Mark+"${2}")
	}
	if r.keys != nil {
		s = r.keys.ReplaceAllStringFunc(s, func(found string) string {
			parts := r.keys.FindStringSubmatch(found)
			if parts[2] != "" {
				return parts[2] + redact.Mark
			}
			return parts[1] + `"` + redact.Mark + `"`
		})
	}
	return s
}

// Header is a header line, without the value when that is a credential. Of one that a test has made wrong on purpose it says how it is wrong.
func (r *Redactor) Header(name, value string) string {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	if !target.IsSecretHeader(canonical) && !r.names[canonical] {
		return name + ": " + r.Clean(value)
	}
	hasScheme := strings.HasSuffix(canonical, "Authorization")
	switch scheme, credentials, found := strings.Cut(value, " "); {
	case hasScheme && found:
		return name + ": " + r.Clean(scheme) + " " + r.marked(scheme, credentials, true)
	case hasScheme && slices.Contains(schemes, strings.ToLower(value)):
		return name + ": " + value + " " + r.marked(value, "", true)
	}
	return name + ": " + r.marked("", value, hasScheme)
}

func (r *Redactor) texts(list []string) {
	for i := range list {
		list[i] = r.Clean(list[i])
	}
}

func (r *Redactor) findings(list []report.Finding) {
	for i := range list {
		f := &list[i]
		f.Observed, f.Expected, f.Problem = r.Clean(f.Observed), r.Clean(f.Expected), r.Clean(f.Problem)
		f.Case, f.Subject = r.Clean(f.Case), r.Clean(f.Subject)
		f.Actor, f.Nearest, f.Route, f.Where, f.SeenAt, f.Common, f.Curl, f.Cause = r.Clean(f.Actor), r.Clean(f.Nearest), r.Clean(f.Route), r.Clean(f.Where), r.Clean(f.SeenAt), r.Clean(f.Common), r.Clean(f.Curl), r.Clean(f.Cause)
		f.Says = r.Clean(f.Says)
	}
}

func (r *Redactor) reason(reason *report.Reason) *report.Reason {
	if reason == nil {
		return nil
	}
	clean := &report.Reason{Code: r.Clean(reason.Code), Detail: r.Clean(reason.Detail), Cause: r.Clean(reason.Cause)}
	if reason.Finding != nil {
		met := []report.Finding{*reason.Finding}
		r.findings(met)
		clean.Finding = &met[0]
	}
	return clean
}

// Result takes the secrets out of everything in a result but the evidence, which comes without.
func (r *Redactor) Result(result *report.Result) {
	r.findings(result.Findings)
	r.texts(result.Notes)
	result.Reason = r.reason(result.Reason)
	if result.Repro != nil {
		result.Repro.Command, result.Repro.Curl = r.Clean(result.Repro.Command), r.Clean(result.Repro.Curl)
	}
}

// Report takes the secrets out of what a report says besides its results.
func (r *Redactor) Report(out *report.Run) {
	t := &out.Target
	for _, s := range []*string{&t.ExecutorURL, &t.InstanceID, &t.AdminURL, &t.CardName, &t.CardVersion, &out.Because} {
		*s = r.Clean(*s)
	}
	r.texts(out.Partial)
	r.texts(out.Warnings)
	r.findings(out.Preflight)
	for i := range out.Claims {
		out.Claims[i].Name = r.Clean(out.Claims[i].Name)
		r.texts(out.Claims[i].Why)
	}
}
