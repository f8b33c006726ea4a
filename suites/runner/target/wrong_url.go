// SPDX-License-Identifier: Apache-2.0

package target

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A target without a card is one of two things: a server of the profile that breaks the requirement of its card, or no such
// server at all, because the operator mistook the URL. Only the first is charged to requirements; the second is the verdict
// UNREACHABLE, whose sentence says what answers there instead.

// interfacePaths are where servers of A2A are usually mounted below their origin. They are asked only when there is no card.
var interfacePaths = []string{"", "/a2a", "/a2a/v1", "/a2a/rest", "/a2a/jsonrpc", "/rest", "/rpc", "/jsonrpc", "/v1", "/invoke"}

// cardPaths are where cards were seen that are not where section 8.2 wants them.
var cardPaths = []string{"/agent-card.json", wellKnownBefore, "/agent.json", ""}

// ofAnother says which other profile a target is of, as an answer of it looks; "" when nothing in it says so.
func (t *Target) ofAnother(answer []byte) string {
	for _, row := range profiles.All {
		if row.Mark != "" && row.Name != t.Profile.Name && bytes.Contains(answer, []byte(row.Mark)) {
			return row.Judges + " of " + row.Mark + " is played with --profile " + row.Name
		}
	}
	return ""
}

// noServer is the verdict when nothing that was asked shows that the target is a server of the profile.
func (f *Preflight) noServer(what, seen, remedy string) *report.Reason {
	problem := what + ": " + seen + "; " + remedy
	f.Facts.Unasked = report.Unasked{Verdict: report.Unreachable, Because: problem}
	f.Out.Preflight = []report.Finding{{At: "PREFLIGHT", Subject: "kind of server", Observed: seen,
		Expected: "a server of this profile", Problem: problem, Severity: report.Fail}}
	return &report.Reason{Code: "unreachable", Detail: "not measured: " + problem}
}

// wrongAgentURL is the verdict on a target that is to be an agent and has no card, and of which nothing speaks A2A; nil when
// something does.
func (f *Preflight) wrongAgentURL(ctx context.Context) *report.Reason {
	given := PlainURL(f.Config.ExecutorURL)
	asked := &Probe{URL: f.CardURL, Identity: Anonymous}
	known := &Probe{URL: f.CardURL, Identity: "instance"}
	hints := f.cardsNearby(given)
	f.Ask(ctx, append(hints, asked, known)...)
	if looksLikeCard(asked.Answer) || looksLikeCard(known.Answer) || f.leadsToCard(ctx, asked) {
		return nil
	}
	elsewhere := ""
	for _, p := range hints {
		switch {
		case !looksLikeCard(p.Answer):
		case !strings.HasSuffix(p.URL, WellKnownCard):
			return nil // a card, where none should be
		case elsewhere == "":
			elsewhere = p.URL
		}
	}
	if elsewhere == "" && f.speaksA2A(ctx, given) || ctx.Err() != nil {
		return nil
	}
	if Refused(asked) && Refused(known) {
		if f.Token("instance") == "" && len(f.Config.Header) == 0 {
			return f.unauthorized(asked, "requests without credentials, and no token was given (--token, or --header for an API key)")
		}
		return f.unauthorized(known, "the credentials")
	}
	seen, remedy := f.insteadOfCard(asked), "give --executor-url "+f.Profile.Give
	switch {
	case elsewhere != "":
		remedy = "there is a card at " + elsewhere + ": give that URL if it is that of the agent"
	case wantsTLS(asked.Answer):
		remedy = "the server there wants TLS: give the https:// URL"
	default:
		if other := f.ofAnother(asked.Answer.Body); other != "" {
			remedy = other + "; " + remedy
		}
	}
	if elsewhere == "" {
		seen += ", and no GetTask is answered as A2A has it"
	}
	return f.noServer(f.Profile.Nobody+" at "+given, seen, remedy)
}

// insteadOfCard says what was answered in place of a card.
func (f *Preflight) insteadOfCard(p *Probe) string {
	x := p.Answer
	seen := fmt.Sprintf("GET %s: %s", p.URL, Answered(x))
	if to := x.Header.Get("Location"); to != "" && x.Status >= 300 && x.Status <= 399 {
		return seen + " and leads to " + plaintext.Brief(to)
	}
	if x.Status == 0 {
		return seen
	}
	return seen + ", the body is no AgentCard: " + Begins(x.Body)
}

// wantsTLS says whether a server has told that it was asked in the clear where it wants TLS, as those of Go, nginx and
// Apache do.
func wantsTLS(x *Exchange) bool {
	text := strings.ToLower(string(x.Body[:min(len(x.Body), 2048)]))
	return x.Status == http.StatusBadRequest &&
		(strings.Contains(text, "http request to an https server") || strings.Contains(text, "plain http request was sent to https port") ||
			strings.Contains(text, "speaking plain http to an ssl-enabled server port"))
}

// cardsNearby are the places where the card of an agent may be instead: at paths that are not those of section 8.2, and
// above the path that was given.
func (f *Preflight) cardsNearby(given string) []*Probe {
	home := strings.TrimSuffix(given, WellKnownCard)
	top := Origin(given)
	var all []string
	for _, base := range []string{home, top} {
		for _, path := range cardPaths {
			all = append(all, base+path)
		}
	}
	for above, left := home, 4; left > 0 && len(above) > len(top); left-- {
		above = above[:max(strings.LastIndex(above, "/"), len(top))]
		all = append(all, above+WellKnownCard)
	}
	asked := CardAddresses(given)
	var probes []*Probe
	for i, address := range all {
		if !slices.Contains(all[:i], address) && !slices.Contains(asked, address) {
			probes = append(probes, &Probe{URL: address, Identity: Anonymous})
		}
	}
	return probes
}

// maxLeading is how far more redirects are followed to find out whether they lead to a card.
const maxLeading = 10

// leadsToCard says whether redirects on the same origin, more of them than section 8.2 lets pass, lead to a card.
func (f *Preflight) leadsToCard(ctx context.Context, p *Probe) bool {
	for range maxLeading {
		next := f.PlainGet(p.URL, p.Identity).Redirected(p.Answer)
		if next == nil {
			return false
		}
		if x := f.Send(ctx, next); looksLikeCard(x) {
			return true
		} else {
			p = &Probe{URL: next.URL, Identity: p.Identity, Answer: x}
		}
	}
	return false
}

// looksLikeCard says whether an answer was meant to be a card, however badly it is written.
func looksLikeCard(x *Exchange) bool {
	if x.Status != http.StatusOK {
		return false
	}
	if readers.ReadCard(x.Body) != nil {
		return true
	}
	said := 0
	for _, name := range []string{`"supportedInterfaces"`, `"protocolVersion"`, `"skills"`, `"capabilities"`, `"defaultInputModes"`} {
		if bytes.Contains(x.Body, []byte(name)) {
			said++
		}
	}
	return said >= 2
}

// speaksA2A says whether anything at the usual paths below the URL, or below its origin, answers GetTask of A2A, be it
// with an error.
func (f *Preflight) speaksA2A(ctx context.Context, given string) bool {
	var calls []*Call
	bases := []string{strings.TrimSuffix(given, WellKnownCard)}
	if top := Origin(given); top != bases[0] {
		bases = append(bases, top)
	}
	for _, base := range bases {
		for _, path := range interfacePaths {
			for _, binding := range []string{"HTTP+JSON", "JSONRPC"} {
				at := &Endpoint{Binding: binding, URL: base + path, nth: 1}
				calls = append(calls, &Call{Operation: "GetTask", At: at, Given: true, Params: map[string]any{"id": uuid.NewString()}})
			}
		}
	}
	answers := make([]*Exchange, len(calls))
	var all sync.WaitGroup
	for i, c := range calls {
		all.Go(func() {
			defer f.Guard("asking for " + c.At.URL)
			answers[i] = f.CallOf(ctx, c, "instance")
		})
	}
	all.Wait()
	for i, x := range answers {
		if x != nil && isA2A(calls[i].At.Binding, x) {
			return true
		}
	}
	return false
}

// isA2A says whether an answer to GetTask of an unknown task is that of a server of A2A: it names one of its errors, or it
// is an error of JSON-RPC other than that the method is not known.
func isA2A(binding string, x *Exchange) bool {
	if x.Status == 0 {
		return false
	}
	if bytes.Contains(x.Body, []byte(`"a2a-protocol.org"`)) || mediaOf(x) == "application/a2a+json" {
		return true
	}
	body := jsontext.Parse(x.Body)
	if binding != "JSONRPC" {
		return bytes.Contains(x.Body, []byte(readers.ErrorInfo)) && bytes.Contains(x.Body, []byte(`"TASK_NOT_FOUND"`))
	}
	if readers.MemberText(body, "jsonrpc") != "2.0" {
		return false
	}
	code, is := readers.Member(readers.Member(body, "error"), "code").(json.Number)
	n, err := code.Int64()
	return is && err == nil && (n >= -32099 && n <= -32001 || n == -32603 || n == -32602)
}

// wrongExecutorURL is the verdict on a target that is to be an executor and serves neither a card nor tasks; nil when it
// serves one of them, however badly.
func (f *Preflight) wrongExecutorURL(own, described, instances *Probe) *report.Reason {
	if f.Profile.Nobody == "" || f.Card != nil || looksLikeCard(described.Answer) || servesTasks(own.Answer) {
		return nil
	}
	seen := fmt.Sprintf("GET %s: %s; %s", own.URL, Answered(own.Answer), f.insteadOfCard(described))
	remedy := "give --executor-url " + f.Profile.Give
	switch {
	case lists(instances.Answer):
		seen = fmt.Sprintf("GET %s lists instances, but %s", instances.URL, seen)
		remedy = "is it the admin port? Give --executor-url the URL that serves the instances, and --admin-url this one"
	case wantsTLS(own.Answer):
		remedy = "the server there wants TLS: give the https:// URL"
	}
	return f.noServer(f.Profile.Nobody+" at "+f.Place.Base, seen, remedy)
}

// lists says whether an answer is the admin surface's list of instances, be it empty.
func lists(x *Exchange) bool {
	_, listed := readers.Member(jsontext.Parse(x.Body), "items").([]any)
	return x.Status == http.StatusOK && listed
}

// servesTasks says whether an answer to GET /tasks is that of an instance: a list, or a refusal by a problem document that is
// not about the instance or the route.
func servesTasks(x *Exchange) bool {
	body, is := jsontext.Parse(x.Body).(map[string]any)
	if !is || x.Status == http.StatusNotFound || x.Status == http.StatusMethodNotAllowed {
		return false
	}
	if x.Status == http.StatusOK {
		for _, v := range body {
			if _, list := v.([]any); list {
				return true
			}
		}
		return false
	}
	return mediaOf(x) == "application/problem+json"
}

// mediaOf is the media type of an answer, without parameters; empty where it has none that can be read.
func mediaOf(x *Exchange) string {
	media, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
	return media
}
