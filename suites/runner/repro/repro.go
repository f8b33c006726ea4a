// SPDX-License-Identifier: Apache-2.0

// Package repro says how a reader of a report plays again what was played: one test with the program, or one request with curl or
// grpcurl. Tokens are named in the commands, and never written.
package repro

import (
	"encoding/base64"
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxCurlBody is how long a body may be to stand in a command line.
const maxCurlBody = 8 << 10

// Commands writes the commands that play again what was played against one target.
type Commands struct {
	agent   *target.Agent
	secrets *secrets.Redactor
	again   Again
}

// Again is what the program that runs says of its own command line.
type Again struct {
	Words     []string // of the command that plays against the target, and takes --out as demo does; nil: run, with its URL
	Arguments []string // that repeat what the target does not say, such as "--max-wait", "1m0s"
}

// New writes commands for a target. The target may still be looked at: what is known of it is read when a command is written.
func New(agent *target.Agent, hidden *secrets.Redactor, again Again) *Commands {
	return &Commands{agent, hidden, again}
}

// Rerun is the command that plays one test again.
func (c *Commands) Rerun(id string) string {
	// To reports of its own: the one that shows this command stays as it is.
	words, out := slices.Clone(c.again.Words), []string{"--out", "rerun/" + id}
	if words == nil {
		words, out = c.runAgain(), []string{"--report-out", "rerun/" + id + ".md"}
	}
	for _, word := range slices.Concat(c.again.Arguments, []string{"--run", id}, out) {
		words = append(words, shellWord(word))
	}
	return strings.Join(words, " ")
}

// runAgain is the command that runs against the target, with the tokens named.
func (c *Commands) runAgain() []string {
	words := []string{"agentic-sandbox-conformance", "--executor-url", shellWord(target.PlainURL(c.agent.Config.ExecutorURL))}
	instance := c.agent.Config.Instance
	if _, _, named := target.SplitInstance(target.PlainURL(c.agent.Config.ExecutorURL)); instance == "" && !named {
		instance = c.agent.ChosenInstance
	}
	if c.agent.Profile.Name != "" && c.agent.Profile.Name != profiles.Default {
		words = append(words, "--profile", shellWord(c.agent.Profile.Name))
	}
	for _, flag := range []struct{ name, value string }{
		{"--instance", instance}, {"--admin-url", target.PlainURL(c.agent.Config.AdminURL)},
		{"--jwks", c.agent.Config.JWKS}, {"--tenant", c.agent.Config.Tenant},
	} {
		if flag.value != "" {
			words = append(words, flag.name, shellWord(flag.value))
		}
	}
	for _, identity := range []string{"instance", "admin"} {
		if c.agent.Explicit.Has(identity) {
			flag := "--token"
			if identity == "admin" {
				flag = "--admin-token"
			}
			words = append(words, flag, `"$`+target.TokenVariables[identity]+`"`)
		}
	}
	if c.agent.Config.Production {
		words = append(words, "--production")
	}
	if c.agent.Config.RequireAuth {
		words = append(words, "--require-auth")
	}
	return words
}

// Curl is a command line that sends a request again. Tokens are named, never written.
func (c *Commands) Curl(q *target.Request) string {
	if q.IsGRPC() {
		return c.grpcurl(q)
	}
	words := []string{"curl", "-isS"}
	if c.agent.Config.TLS != nil && c.agent.Config.TLS.InsecureSkipVerify {
		words = append(words, "-k")
	}
	if q.Raw {
		words = append(words, "--path-as-is")
	}
	follows := q.Redirects > 0 && !c.agent.Config.ShowsOwnHeader(q)
	if q.First != nil && follows { // the answer is that of the last one of a chain
		q = q.First
	}
	switch {
	case q.Upgrades:
		words = append(words, "--http1.1", "-N", "--max-time", "5")
	case q.Streamed:
		words = append(words, "-N", "--max-time", "30")
	}
	if follows {
		words = append(words, "-L", "--max-redirs", strconv.Itoa(q.Redirects))
	}
	if q.Method != "GET" || len(q.Body) > 0 {
		words = append(words, "-X", shellWord(q.Method))
	}
	for _, h := range q.Header {
		words = append(words, "-H", c.curlHeader(h.Name, h.Value, q.Identity))
	}
	if q.Chunked && len(q.Body) > 0 {
		words = append(words, "-H", shellWord("Transfer-Encoding: chunked"))
	}
	about, comment := "", ""
	switch {
	case len(q.Body) == 0:
	case len(q.Body) > maxCurlBody || !utf8.Valid(q.Body) || slices.Contains(q.Body, 0):
		words = append(words, "--data-binary", "@body")
		about = fmt.Sprintf(" # body: a file with the %d bytes that were sent, see the evidence", len(q.Body))
	default:
		body, fresh := c.freshBody(q)
		words = append(words, "--data-binary", body)
		if fresh {
			comment = " # with a new messageId each time; --run plays the whole test again"
		}
	}
	switch {
	case comment != "":
	case strings.Contains(strings.Replace(q.Route, "/agents/{id}", "", 1), "{id}"):
		comment = " # what the test had made may be gone by now, or in another state; --run plays the whole test again"
	case q.Method != "GET" && q.Method != "HEAD":
		comment = " # the target has seen this one and may answer otherwise now; --run plays the whole test again"
	}
	return strings.Join(append(words, shellWord(c.secrets.Clean(q.URL))), " ") + about + comment
}

// grpcurl is a command line that makes a call of gRPC again. The message is described by the proto file of A2A, which is
// the reader's to lend: servers need not describe themselves.
func (c *Commands) grpcurl(q *target.Request) string {
	words := []string{"grpcurl", "-proto", "a2a.proto", "-max-time", "30"}
	address, secured := strings.CutPrefix(q.Call.At.URL, "https://")
	if !secured {
		address = strings.TrimPrefix(address, "http://")
		words = append(words, "-plaintext")
	} else if c.agent.Config.TLS != nil && c.agent.Config.TLS.InsecureSkipVerify {
		words = append(words, "-insecure")
	}
	for _, h := range q.Header {
		if !a2agrpc.IsTransportHeader(h.Name) {
			words = append(words, "-H", c.curlHeader(h.Name, h.Value, q.Identity))
		}
	}
	if len(q.Body) <= maxCurlBody {
		body, _ := c.freshBody(q)
		words = append(words, "-d", body)
	} else {
		words = append(words, "-d", "@", "< body")
	}
	return strings.Join(append(words, shellWord(address), a2agrpc.Service+"/"+q.Call.Operation), " ") +
		" # a2a.proto: of the A2A specification; a member that it does not have went out as a field of its own"
}

func (c *Commands) curlHeader(name, value, identity string) string {
	if textproto.CanonicalMIMEHeaderKey(name) == "Authorization" {
		for _, whose := range identities(identity) {
			if token := c.agent.Token(whose); token != "" && value == "Bearer "+token {
				return `"` + name + `: Bearer $` + target.TokenVariable(whose) + `"`
			}
		}
	}
	if cookie := c.agent.Config.LoginCookie(); cookie != "" && name == "Cookie" {
		for _, whose := range identities(identity) {
			if token := c.agent.Token(whose); token != "" && value == cookie+"="+token {
				return `"` + name + ": " + cookie + "=$" + target.TokenVariable(whose) + `"`
			}
		}
	}
	if strings.ContainsAny(value, "\"$`\\") {
		return shellWord(c.secrets.Header(name, value))
	}
	for _, whose := range identities(identity) { // a token among the subprotocols
		token := c.agent.Token(whose)
		if before, after, found := strings.Cut(value, base64.RawURLEncoding.EncodeToString([]byte(token))); found && len(token) >= redact.Least {
			return fmt.Sprintf(`"%s: %s$(printf %%s "$%s" | base64 | tr '+/' '-_' | tr -d '=\n')%s"`, name, c.secrets.Clean(before), target.TokenVariable(whose), c.secrets.Clean(after))
		}
	}
	return shellWord(c.secrets.Header(name, value))
}

// identities are those whose tokens a request may carry, the likeliest first.
func identities(first string) []string {
	return []string{first, "instance", "admin", "operator", "observe", "foreign"}
}

// shellWord quotes a word for a POSIX shell.
func shellWord(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:,@%+=", c))
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
