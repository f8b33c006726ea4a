// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/names"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A namer says what names stand for in a row of a test.
type namer struct {
	run       *run
	test      *suites.Test
	transport target.Transport // what its operations are sent over
	cells     map[string]any   // of the row, names filled in
	names     *names.Scope
}

// lookup returns what ${name} stands for now. What `let` and `keep` named comes first; the fixed names are reserved, so
// neither can hide the other.
func (n *namer) lookup(name string) (any, error) {
	if v, found := n.names.Find(name); found {
		return v, nil
	}
	first, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		if v, found := n.run.Place.Named(name); found {
			return v, nil
		}
		if v, known, err := n.namedPlainly(name); known {
			return v, err
		}
		if name == "tokens" {
			return n.run.Explicit.List(), nil
		}
		if name == "receiver" {
			return n.run.someReceiver(), nil
		}
		if name == "plain_root" {
			if plain := n.run.Place.Plain(); plain != "" {
				return plain, nil
			}
			return nil, &target.Skipped{Reason: report.Reason{Code: "no-tls", Detail: "the target is used without TLS, so there is no separate plain listener"}}
		}
		if name == "token" {
			return n.run.TokenNamed("instance")
		}
		return nil, fmt.Errorf("nothing called ${%s} has been kept", name)
	}
	switch first {
	case "fresh":
		v, err := names.Fresh(rest)
		if token, is := v.(string); is && rest == "token" {
			n.run.secrets.Made(token)
		}
		return v, err
	case "filler":
		return names.Filler(rest)
	case "ago":
		d, err := time.ParseDuration(rest)
		return time.Now().Add(-d).UTC().Format(names.WholeMilliseconds), err
	case "fits", "breaks":
		return n.names.ValueFor(first, rest, n.cells)
	case "near":
		return n.names.Near(rest)
	case "floor":
		return n.names.Floor(rest)
	case "case":
		if v, found := n.cells[rest]; found {
			return v, nil
		}
	case "uri":
		if n.test.Suite != nil {
			if uri, found := n.test.Suite.URIs[rest]; found {
				return uri, nil
			}
		}
	case "token":
		return n.run.TokenNamed(rest)
	case "required_extensions":
		if rest == "swapped" {
			return target.Swapped(target.JoinURIs(n.run.Required)), nil
		}
	case "cue":
		return n.run.Cue(rest)
	case "announced":
		return n.run.Announced(rest)
	}
	return nil, fmt.Errorf("nothing is called ${%s}", name)
}

// namedPlainly is the value of a name that only plain A2A servers give: where the card was found, the address of a binding,
// the extensions that every request has to name.
func (n *namer) namedPlainly(name string) (v any, known bool, err error) {
	binding := map[string]string{"rest": "HTTP+JSON", "rpc": "JSONRPC"}[name]
	switch {
	case name == "card_url":
		return n.run.CardURL, true, nil
	case name == "old_card_url": // beside the card, wherever that is (AMB-26)
		return n.run.CardURL[:strings.LastIndexByte(n.run.CardURL, '/')+1] + "agent.json", true, nil
	case name == "required_extensions":
		return target.JoinURIs(n.run.Required), true, nil
	case name == "declared_extension":
		declared := slices.Concat(n.run.Required, n.run.Optional)
		if len(declared) == 0 {
			return nil, true, &target.Skipped{Reason: target.NoClaim("extensions")}
		}
		return declared[0], true, nil
	case name == "optional_extensions":
		return n.run.Optional, true, nil
	case binding == "":
		return nil, false, nil
	}
	if e := n.run.EndpointNamed(binding); e != nil {
		return e.URL, true, nil
	}
	if len(n.run.Endpoints) == 0 && !n.run.LeavesGRPC() {
		return nil, true, &target.Skipped{Reason: *n.run.NoInterface()}
	}
	if why := n.run.WithheldFrom(binding); why != nil {
		return nil, true, &target.Skipped{Reason: *why}
	}
	return nil, true, &target.Skipped{Reason: target.NoClaim("binding:" + binding)}
}
