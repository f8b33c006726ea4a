// SPDX-License-Identifier: Apache-2.0

package next

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// The names of what is configured outside of tokens, hooks and cues.
const (
	MaxWait    = "max-wait"   // the time that a test may wait by its nature
	AllowHost  = "allow-host" // hosts that credentials may be sent to
	ClientCert = "cert"       // with key
	JWKS       = "jwks"       // the key set for signatures of the card
	Session    = "hook:create-session"
)

// Entries say how what can be configured stands in the configuration file.
type Entries struct {
	Profile profiles.Profile
	MaxWait string   // that the slowest test asks for: "2m40s"
	Hosts   []string // of [AllowHost]
}

// An entry is one thing in the configuration file.
type entry struct {
	section string // tokens, hooks or cues; empty: the top
	line    string // "name: value"
	what    string // what it is, as the end of a sentence
}

// tokens are what the identities are for, as a part of a sentence.
var tokens = map[string]string{
	"instance": "the bearer token of the instance under test",
	"admin":    "a token that opens the admin and v1 surfaces",
	"operator": "a valid token without admin rights",
	"observe":  "a token that may watch terminal sessions or read, and nothing more",
	"foreign":  "a valid token of somebody else, without rights to any session or task",
}

// entry is how a name is configured.
func (e *Entries) entry(name string) entry {
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "token":
		return entry{"tokens", fmt.Sprintf("%s: ${%s}", rest, target.TokenVariable(rest)), tokens[rest]}
	case "hook":
		form, what := "{command: [...]}", ""
		if known, _ := e.Profile.Hook(rest); known.Entry != "" {
			form, what = known.Entry, strings.TrimPrefix(known.What, "which ")
		}
		return entry{"hooks", rest + ": " + strings.ReplaceAll(form, "[...]", "[PROGRAM, ARGUMENT]"), what}
	case "cue":
		text, what := "WHAT YOU WOULD TELL THE AGENT", ""
		known, _ := e.Profile.Cue(rest)
		if what = plain("the agent " + known.Does); known.Needs != "" {
			text, what = "VALUE", known.Needs
		}
		return entry{"cues", fmt.Sprintf("%s: %q", rest, text), what}
	}
	switch name {
	case MaxWait:
		return entry{"", MaxWait + ": " + e.MaxWait, "the longest wait that the contract makes a test take"}
	case AllowHost:
		hosts := make([]string, len(e.Hosts)) // a card has named them
		for i, host := range e.Hosts {
			hosts[i] = yamltext.Quoted(strings.ReplaceAll(host, "${", "$${"))
		}
		return entry{"", AllowHost + ": [" + strings.Join(hosts, ", ") + "]", "hosts that the card names, which the credentials may be sent to"}
	case ClientCert:
		return entry{"", "cert: FILE.pem\nkey: FILE.pem", "a client certificate that the target accepts, and its key"}
	case JWKS:
		return entry{"", "jwks: URL-OR-FILE", "if you trust a key set for the signatures of the card"}
	}
	return entry{"", name + ": VALUE", ""}
}

// isStatement says whether what is configured under a name says what a deployment is like, or what its operator allows: it has to be
// true.
func (e *Entries) isStatement(name string) bool { return strings.HasPrefix(e.entry(name).what, "if ") }

// what says in words what is to be provided.
func (e *Entries) what(names []string) string {
	var parts []string
	for _, name := range names {
		if what := e.entry(name).what; what != "" {
			parts = append(parts, what)
		}
	}
	return strings.Join(parts, "; ")
}

// lines are a part of the configuration file, with a comment above each entry: what it is, and how many requirements the step adds
// that it belongs to; of one that adds none, that it adds cases.
func (e *Entries) lines(names []string, adds map[string]int) string {
	var b strings.Builder
	for _, section := range []string{"", "tokens", "hooks", "cues"} {
		indent, begun := "", section == ""
		if section != "" {
			indent = "  "
		}
		for _, name := range names {
			at := e.entry(name)
			if at.section != section {
				continue
			}
			if !begun {
				begun = true
				b.WriteString(section + ":\n")
			}
			gain := "more cases"
			if n := adds[name]; n > 0 {
				gain = fmt.Sprintf("+%d", n)
			}
			fmt.Fprintf(&b, "%s# %s: %s\n", indent, gain, cmp.Or(at.what, name))
			for line := range strings.SplitSeq(at.line, "\n") {
				b.WriteString(indent + line + "\n")
			}
		}
	}
	return b.String()
}

// plain is a text of a page without its marks.
func plain(markdown string) string { return strings.NewReplacer("`", "", "*", "").Replace(markdown) }
