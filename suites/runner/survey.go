// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A Survey is what the first look at a target has shown, without a test being played, and what a run could measure there.
type Survey struct {
	Verdict report.Verdict // why nothing can be measured: unreachable, unauthorized; empty: something can
	Because string         // likewise, in a sentence
	Foreign string         // what makes the target look like one of another profile; empty: nothing does
	ByCard  *report.Chosen // why the card has decided for the profile; nil: somebody has named it, or it is the default one
	Remarks []string       // what was unusual

	Auth       bool           // requests without credentials are refused
	Instance   string         // the one that is judged; empty: the target has none
	Chosen     bool           // nobody has named it
	Second     string         // another instance, which takes the same token; empty: none was seen
	Admin      string         // URL of the admin surface; empty: the target has none
	Card       string         // name and version; empty: there is none that could be read
	Claims     []report.Claim // what the card declares
	Interfaces []string       // of A2A 1.0, that operations are sent to: binding and URL
	Sessions   bool           // there are terminal sessions for tests

	Requirements, Measured int          // of the profile, and those that a run would measure, as far as that is known
	Next                   *report.Next // what to configure so that it measures more
}

// secondInstanceHook is what the survey fills in by itself where it sees another instance.
const secondInstanceHook = "second-instance"

// Survey looks at a target as a run does before its first test. It starts no task; on an executor it attaches to one terminal that does
// not exist. The error is a bug of the harness.
func (s *Started) Survey(profile *suites.Profile) (*Survey, error) {
	<-s.ready
	defer s.end()
	r := s.run
	r.profile = profile
	out := &Survey{Verdict: r.Facts.Unasked.Verdict, Because: r.Facts.Unasked.Because, Foreign: r.Facts.Foreign, Requirements: len(profile.Tests())}
	for _, f := range s.out.Preflight {
		out.Remarks = append(out.Remarks, f.Problem)
	}
	if s.stop == nil {
		r.survey(s.ctx, out)
	}
	clean := r.secrets.Clean
	out.Because, out.Foreign, out.Card, out.Instance, out.Second = clean(out.Because), clean(out.Foreign), clean(out.Card), clean(out.Instance), clean(out.Second)
	for _, list := range [][]string{out.Remarks, out.Interfaces} {
		for i := range list {
			list[i] = clean(list[i])
		}
	}
	return out, r.allBugs()
}

// survey fills in what can be seen, and what would be measured with it.
func (r *run) survey(ctx context.Context, out *Survey) {
	out.Auth, out.Instance, out.Chosen = r.Facts.AuthEnabled, r.Place.IID, r.ChosenInstance != ""
	if r.Card != nil {
		out.Card, out.Claims = r.Card.Name+" "+r.Card.Version, r.Card.Claims
	}
	for _, e := range r.Interfaces {
		out.Interfaces = append(out.Interfaces, e.Binding+" "+e.URL)
	}
	if r.Profile.Finds == profiles.AnExecutor {
		out.Admin = r.Place.Admin
		r.seeSecond(ctx, out)
		if !r.operator.HasSessions() {
			r.operator.NewSession(ctx, operator.HookTime) // tries whether the executor makes them
		}
		out.Sessions = r.operator.HasSessions()
	}
	out.Measured, out.Next = r.terms.Foresee(r.profile.Tests())
}

// seeSecond looks for another instance that takes the token of the first, as what the operator would configure.
func (r *run) seeSecond(ctx context.Context, out *Survey) {
	if _, configured := r.Config.Hooks[secondInstanceHook]; configured || r.Place.IID == "" {
		return
	}
	listed := &target.Probe{URL: target.Join(r.Place.Admin, "instances"), Identity: "admin"}
	r.Ask(ctx, listed)
	const most = 8
	ids := slices.DeleteFunc(target.Ready(listed.Answer), func(id string) bool { return id == r.Place.IID })
	for _, id := range ids[:min(len(ids), most)] {
		own := &target.Probe{URL: target.Join(r.Place.Root, "agents/"+url.PathEscape(id)+"/v1/tasks"), Identity: "instance"}
		if r.Ask(ctx, own); own.Answer.Status == 200 {
			out.Second = id
			r.Config.Hooks = maps.Clone(r.Config.Hooks)
			if r.Config.Hooks == nil {
				r.Config.Hooks = map[string]Hook{}
			}
			r.Config.Hooks[secondInstanceHook] = Hook{Value: id}
			return
		}
	}
}
