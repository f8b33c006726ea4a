// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// mistakes are what is wrong with options, each in a sentence that begins with the option.
type mistakes []error

func (m *mistakes) add(format string, args ...any) {
	*m = append(*m, fmt.Errorf("conformance: Options."+format, args...))
}

// check is everything that can be seen to be wrong before suites are read. What was given is quoted only where it is no secret.
func (o *Options) check() error {
	var wrong mistakes
	if known := suites.Profiles(); !slices.Contains(known, o.Profile) {
		wrong.add("Profile is %q%s; there is %s", o.Profile, spelling.DidYouMean(o.Profile, known), strings.Join(known, ", "))
	}
	o.checkServer(&wrong)
	o.checkCredentials(&wrong)
	if slices.Contains(suites.Profiles(), o.Profile) {
		o.checkNames(&wrong)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Hooks)) {
		if h := o.Hooks[name]; (h.Func == nil) == (h.Value == nil) {
			wrong.add("Hooks[%q] has %s, want one of them", name, map[bool]string{true: "neither Func nor Value", false: "both Func and Value"}[h.Func == nil])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Cues)) {
		if o.Cues[name] == nil || o.Cues[name] == "" {
			wrong.add("Cues[%q] is empty; leave it out, and what needs it is skipped", name)
		}
	}
	if o.MaxWait < 0 {
		wrong.add("MaxWait is %v, want 0 (15s) or more", o.MaxWait)
	}
	if !(o.TimeFactor >= 0 && o.TimeFactor <= 1000) {
		wrong.add("TimeFactor is %v, want more than 0 and at most 1000, or 0 (1)", o.TimeFactor)
	}
	if o.Jobs < 0 || o.Jobs > 1000 {
		wrong.add("Jobs is %d, want 1 to 1000, or 0 (16)", o.Jobs)
	}
	return errors.Join(wrong...)
}

// checkServer checks that there is one server.
func (o *Options) checkServer(wrong *mistakes) {
	var given []string
	for _, one := range []struct {
		name string
		is   bool
	}{{"URL", o.URL != ""}, {"Handler", o.Handler != nil}, {"NewHandler", o.NewHandler != nil}} {
		if one.is {
			given = append(given, one.name)
		}
	}
	switch {
	case len(given) == 0:
		wrong.add("URL, Handler and NewHandler are all empty: which server? Give one of them")
	case len(given) > 1:
		wrong.add("%s exclude each other", strings.Join(given, " and "))
	}
	if o.URL == "" {
		return
	}
	u, err := url.Parse(o.URL)
	var parse *url.Error
	switch {
	case errors.As(err, &parse):
		wrong.add("URL is no URL: %w", parse.Err) // without the address, which may hold a password
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		wrong.add("URL is no http or https URL with a host")
	case u.User != nil:
		wrong.add("URL holds credentials; they are given as Token or Header")
	case u.RawQuery != "" || u.Fragment != "":
		wrong.add("URL has a query or a fragment, which a base address cannot have")
	}
}

// headerValue is what a header can carry (RFC 9110, 5.5), without the obsolete bytes above ASCII.
var headerValue = regexp.MustCompile(`^[\t -~]*$`)

// checkCredentials checks tokens and headers, and quotes neither.
func (o *Options) checkCredentials(wrong *mistakes) {
	if o.Token != "" && o.Tokens["instance"] != "" {
		wrong.add(`Token and Tokens["instance"] are the same token; give one of them`)
	}
	var known []string
	for _, s := range docs.Settings() {
		if s.Kind == "token" {
			known = append(known, s.Name)
		}
	}
	for _, identity := range slices.Sorted(maps.Keys(o.Tokens)) {
		switch {
		case !slices.Contains(known, identity):
			wrong.add("Tokens has the identity %q, which no requirement knows%s; there is %s", identity, spelling.DidYouMean(identity, known), strings.Join(known, ", "))
		case o.Tokens[identity] == "":
			wrong.add("Tokens[%q] is empty; leave it out to run without that token", identity)
		}
	}
	for identity, token := range o.tokens() {
		if !headerValue.MatchString(token) || strings.ContainsAny(token, " \t") {
			wrong.add("Tokens: that of %s holds a blank or a character that no header can carry; it is given without \"Bearer\"", identity)
		}
	}
	for _, line := range o.Header.Values("Authorization") {
		if scheme, _, _ := strings.Cut(line, " "); strings.EqualFold(scheme, "Bearer") {
			wrong.add("Header holds a bearer token; give it as Token, so that tests can leave it out or change it")
		}
	}
	for name, lines := range o.Header {
		if name != http.CanonicalHeaderKey(name) || slices.ContainsFunc(lines, func(line string) bool { return !headerValue.MatchString(line) }) {
			wrong.add("Header: %q is not written as http.Header.Add writes it, or its value holds a character that no header can carry", name)
		}
	}
	for _, entry := range o.AllowHosts {
		address := entry
		if !strings.Contains(entry, "://") {
			address = "https://" + entry
		}
		if u, err := url.Parse(address); err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || strings.Contains(u.Hostname(), "*") {
			wrong.add("AllowHosts names hosts (agent.example), hosts with a port (agent.example:8443) and origins (https://agent.example)")
		}
	}
}

// tokens are all of them by identity.
func (o *Options) tokens() map[string]string {
	all := maps.Clone(o.Tokens)
	if all == nil {
		all = map[string]string{}
	}
	if o.Token != "" {
		all["instance"] = o.Token
	}
	return all
}

// checkNames checks that hooks and cues are not misspelt.
func (o *Options) checkNames(wrong *mistakes) {
	for _, u := range o.unknown() {
		if hint := spelling.DidYouMean(u.name, u.known); hint != "" {
			wrong.add("%s has %q, which %s does not know%s", u.option, u.name, o.Profile, hint)
		}
	}
}

// An unknownName is a hook or a cue that the profile does not have.
type unknownName struct {
	option, name string
	known        []string
}

// unknown are the hooks and cues that the profile does not have, by name. One that is like no other does no harm: the same map may serve
// several profiles.
func (o *Options) unknown() []unknownName {
	known := map[string][]string{}
	for _, what := range profiles.Of(o.Profile).Configurable() {
		kind, name, _ := strings.Cut(what, ":")
		known[kind] = append(known[kind], name)
	}
	var all []unknownName
	for _, given := range []struct {
		option, kind string
		names        []string
	}{{"Hooks", "hook", slices.Sorted(maps.Keys(o.Hooks))}, {"Cues", "cue", slices.Sorted(maps.Keys(o.Cues))}} {
		for _, name := range given.names {
			if !slices.Contains(known[given.kind], name) {
				all = append(all, unknownName{given.option, name, known[given.kind]})
			}
		}
	}
	return all
}

// selected are the tests that the options leave, in suite order.
func (o *Options) selected(profile *suites.Profile) ([]*suites.Test, error) {
	var wrong mistakes
	all := profile.Tests()
	for _, given := range []struct {
		option   string
		patterns []string
	}{{"Run", o.Run}, {"Skip", o.Skip}} {
		for _, pattern := range given.patterns {
			if _, err := path.Match(pattern, ""); err != nil {
				wrong.add("%s: the pattern %q is malformed: %w", given.option, pattern, err)
			} else if !slices.ContainsFunc(all, func(t *suites.Test) bool { return matchesAny([]string{pattern}, t) }) {
				var known []string
				for _, t := range all {
					known = append(known, t.ID, t.Name)
				}
				wrong.add("%s: %q matches no requirement of %s%s", given.option, pattern, profile.Name, spelling.DidYouMean(pattern, known))
			}
		}
	}
	var left []*suites.Test
	for _, t := range all {
		if (len(o.Run) == 0 || matchesAny(o.Run, t)) && !matchesAny(o.Skip, t) {
			left = append(left, t)
		}
	}
	if len(wrong) == 0 && len(left) == 0 {
		wrong.add("Run and Skip leave none of the %d requirements of %s", len(all), profile.Name)
	}
	return left, errors.Join(wrong...)
}

func matchesAny(patterns []string, t *suites.Test) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		byID, _ := path.Match(pattern, t.ID)
		byName, _ := path.Match(pattern, t.Name)
		return byID || byName
	})
}
