// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// sandbox is what agentic-sandbox-v2 is proved with: package executor.
var sandbox = &proof{
	profile:     "agentic-sandbox-v2",
	deployments: deploymentsOf(setups),
	faults:      executor.Faults,
	edited:      executor.Edited,
	liberties:   executor.Liberties,
	freed:       executor.EditedFreely,
	costly:      []string{"PTY-053", "ERR-011"}, // they send megabytes
	below:       "/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee",
}

// A setup is one way to set an executor up.
type setup struct {
	name   string
	judges func(*suites.Test) bool
	config func(*executor.Config)
	target func(*runner.Target, *operator)

	traffic *mutants.Traffic // stands before every executor; nil: nothing does
}

func (s setup) deployment() deployment {
	return deployment{
		name: s.name, judges: s.judges,
		serve: func(faults []string, consulted func(point string)) (subject, error) {
			return newOperator(s, faults, consulted)
		},
		behind: func(traffic *mutants.Traffic) (subject, error) {
			mutated := s // the settings of this executor alone: others are served at the same time
			mutated.traffic = traffic
			return newOperator(mutated, nil, nil)
		},
	}
}

func deploymentsOf(setups []setup) []deployment {
	all := make([]deployment, len(setups))
	for i, s := range setups {
		all[i] = s.deployment()
	}
	return all
}

// keyframesInTime is the test that takes so long as the Keyframes of a terminal are apart.
const keyframesInTime = "PTX-047"

// slowReader is the test of a client that reads nothing, and so answers no Ping, for longer than the shortened times allow.
const slowReader = "PTX-061"

// endsOverRestarts is the test that is also about what tasks say behind a restart, of which others ask for one.
const endsOverRestarts = "TASK-032"

// setups in the order in which a test looks for its home.
var setups = []setup{
	{
		name: "default",
		judges: func(t *suites.Test) bool {
			return t.ID != keyframesInTime && t.ID != slowReader && t.ID != endsOverRestarts && !t.Applies.NoAuth && !t.Applies.Production && !slices.Contains(t.Needs, "hook:restart") && !slices.Contains(t.Needs, "hook:shell-session")
		},
	},
	{
		name:   "without credentials",
		judges: func(t *suites.Test) bool { return t.Applies.NoAuth },
		config: func(c *executor.Config) {
			c.Token, c.AdminToken, c.OperatorToken, c.ObserveToken, c.ForeignToken = "", "", "", "", ""
		},
		target: func(t *runner.Target, _ *operator) { t.Tokens, t.RequireAuth = nil, false },
	},
	{
		name:   "credentials that nobody asks for",
		judges: skipsItself("auth-enabled"),
		config: func(c *executor.Config) {
			c.Token, c.AdminToken, c.OperatorToken, c.ObserveToken, c.ForeignToken = "", "", "", "", ""
		},
		target: func(t *runner.Target, _ *operator) { t.RequireAuth = false },
	},
	{
		name:   "production",
		judges: func(t *suites.Test) bool { return t.Applies.Production },
		config: func(c *executor.Config) { c.PublicURL = "https://sandbox.example" },
		target: func(t *runner.Target, _ *operator) { t.Production = true },
	},
	{
		name:   "enforcing required extensions",
		judges: deferred,
		config: func(c *executor.Config) { c.EnforceExtensions = true },
	},
	{
		name:   "attaching the signed payload",
		judges: skipsItself("payload-detached"),
		config: func(c *executor.Config) { c.AttachPayload = true },
	},
	{
		name: "speaking JSON-RPC",
		judges: func(t *suites.Test) bool {
			return slices.Contains(t.Applies.Claims, "binding:JSONRPC") || skipsItself("when-present:jsonrpc-error")(t)
		},
		config: func(c *executor.Config) { c.JSONRPC = true },
	},
	{
		name:   "running shells",
		judges: func(t *suites.Test) bool { return slices.Contains(t.Needs, "hook:shell-session") },
		target: func(t *runner.Target, o *operator) {
			delete(t.Hooks, "echo-session")
			t.Hooks["shell-session"] = runner.Hook{Value: true}
			t.Hooks["create-session"] = runner.Hook{URL: o.url + "/shell-session"}
		},
	},
	{
		name:   "limiting how often artifacts are listed",
		judges: skipsItself("when-present:rate-limit"),
		config: func(c *executor.Config) { c.ArtifactReads = 1 },
	},
	{
		name:   "a token for each instance",
		judges: skipsItself("shared-credentials"),
		config: func(c *executor.Config) { c.SecondToken = secondToken },
		target: func(t *runner.Target, o *operator) {
			t.Hooks["second-instance"] = runner.Hook{Value: map[string]any{"id": o.secondInstance(), "token": secondToken}}
		},
	},
	{
		name:   "two controllers of a terminal",
		judges: skipsItself("single-controller"),
		config: func(c *executor.Config) { c.MaxControllers = 2 },
	},
	{
		name: "behind TLS",
		judges: func(t *suites.Test) bool {
			return slices.Contains(t.Wants, "hook:plain-listener") || slices.Contains(t.Needs, "hook:client-cert")
		},
		config: behindTLS,
		target: func(t *runner.Target, o *operator) {
			t.TLS, t.Production = askedOverTLS(), true
			t.Hooks["plain-listener"] = runner.Hook{Value: map[string]any{"url": o.executor.PlainURL()}}
		},
	},
	{
		name:   "keyframes every other second",
		judges: func(t *suites.Test) bool { return t.ID == keyframesInTime },
		config: func(c *executor.Config) { c.KeyframeInterval = 2 * time.Second },
	},
	{
		name:   "pings as seldom as they are",
		judges: func(t *suites.Test) bool { return t.ID == slowReader },
		config: func(c *executor.Config) { c.Ping, c.Reap = 30*time.Second, 90*time.Second },
	},
	{
		name:   "durable",
		judges: func(t *suites.Test) bool { return t.ID == endsOverRestarts || slices.Contains(t.Needs, "hook:restart") },
		target: func(t *runner.Target, o *operator) { t.Hooks["restart"] = runner.Hook{URL: o.url + "/restart"} },
	},
}

// deferred says whether a test has something to judge only where required extensions are enforced, which the contract
// leaves open until v2.1: it skips itself with the reason "deferred" elsewhere.
func deferred(t *suites.Test) bool { return t.Applies.Since != "" || skipsItself("deferred")(t) }

// skipsItself finds the tests that have nothing to judge on the default executor, and say so with this reason.
func skipsItself(reason string) func(*suites.Test) bool {
	return func(t *suites.Test) bool {
		return slices.ContainsFunc(slices.Concat(t.Given, t.Steps), func(s *suites.Step) bool {
			return slices.ContainsFunc(s.SkipUnless, func(u suites.SkipUnless) bool { return u.Reason == reason })
		})
	}
}

// tokens of the executors under test. They are no secrets, but they look like some: a leak must be recognisable.
var tokens = map[string]string{
	"instance": "st-instance-4c1f9be2d07a48d6",
	"admin":    "st-admin-93b7e6a1f05c4d28",
	"operator": "st-operator-7d20c8f4e19b4a63",
	"observe":  "st-observe-e58a1b6c3f974d02",
	"foreign":  "st-foreign-0a9d4e7f62c84b15",
}

// secondToken opens the second instance only, where each has a token of its own.
const secondToken = "st-second-b61f08d3e7a24c95"

// target is the executor as a run is told of it, with everything that its operator configures.
func (o *operator) target() runner.Target {
	target := runner.Target{
		ExecutorURL: o.address(o.executor.InstanceURLs()[0]),
		Tokens:      tokens,
		RequireAuth: true, // so that an executor that lets everybody in is a finding, not a reason to skip
		Hooks: map[string]runner.Hook{
			"echo-session":    {Value: true},
			"instance-token":  {Value: true},
			"second-instance": {Value: map[string]any{"id": o.secondInstance(), "token": tokens["instance"]}},
			"sunset-env":      {URL: o.url + "/sunset-env"},
			"runtime-down":    {URL: o.url + "/runtime-down"},
			"short-ttl":       {URL: o.url + "/short-ttl"},
			"provision":       {Value: map[string]any{"body": map[string]any{"name": "self-test", "runtime": "docker", "loadout": "slim"}, "seconds": 4}},
			"storage":         {Value: true},
		},
		Cues: executor.Cues(),
	}
	for name, path := range executor.OperatorPaths() {
		if name != "end-session" { // sessions end with the executor, which is soon enough
			target.Hooks[name] = runner.Hook{URL: o.executor.URL() + path, Header: http.Header{"Authorization": {"Bearer " + tokens["admin"]}}}
		}
	}
	if o.setup.target != nil {
		o.setup.target(&target, o)
	}
	return target
}

// alike takes out the executor's address and the ids of its instances.
func (o *operator) alike(text string) string {
	for i, address := range o.executor.InstanceURLs() {
		id := address[strings.LastIndexByte(address, '/')+1:]
		text = strings.ReplaceAll(text, id, fmt.Sprintf("{instance %d}", i))
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, o.executor.URL(), "{root}"), o.address(o.executor.URL()), "{root}")
}

// newExecutor sets up an executor as s wants it, not yet serving.
func (s setup) newExecutor(data, listen string, faults []string, consulted func(point string), change func(*executor.Config)) (*executor.Executor, error) {
	c := executor.Config{
		Listen: listen, Token: tokens["instance"], AdminToken: tokens["admin"], OperatorToken: tokens["operator"],
		ObserveToken: tokens["observe"], ForeignToken: tokens["foreign"], Data: data,
		Heartbeat: held(15 * time.Second), Ping: held(30 * time.Second), Reap: held(90 * time.Second),
		RetryPause: held(time.Second), Consulted: consulted,
		AdminApart: true,
	}
	c.Faults, c.Liberties = parted(faults, executor.Liberties())
	if s.config != nil {
		s.config(&c)
	}
	if change != nil {
		change(&c)
	}
	if s.traffic != nil {
		return s.behindTraffic(c)
	}
	return executor.New(c)
}

// needsData says whether the executor must survive a restart.
func (s setup) needsData() bool { return s.name == "durable" }

// tempData makes a folder for an executor's data and says how to remove it.
func tempData() (string, func(), error) {
	dir, err := os.MkdirTemp("", "selftest-*")
	return dir, func() { os.RemoveAll(dir) }, err
}
