// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// openHands is what openhands-v1 is proved with: package appserver.
var openHands = &proof{
	profile:     "openhands-v1",
	deployments: appServersAs(appServerSetups),
	faults:      appserver.Faults,
	edited:      appserver.Edited,
	homesOnly:   true,
	crowded:     twoUsersDeployment,
}

// An appServerSetup is one way to set an app server up.
type appServerSetup struct {
	name   string
	judges func(*suites.Test) bool
	config func(*appserver.Config)
	target func(*runner.Target, *appserver.Server)

	traffic *mutants.Traffic // stands before the server; nil: nothing does
}

// tokensOfUsers are those of the users of the reference server.
var tokensOfUsers = []string{"token-of-the-first-user", "token-of-the-second-user", "token-of-the-third-user"}

// deploymentKey is the key that a whole deployment wants of everybody.
const deploymentKey = "key-of-the-whole-deployment"

// needsHook says whether a test needs one of these hooks.
func needsHook(t *suites.Test, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(t.Needs, "hook:"+name) })
}

func usual(t *suites.Test) bool {
	return !t.Applies.Production && !needsHook(t, "session-gate", "organizations")
}

func twoUsers(c *appserver.Config) { c.Token, c.SecondToken = tokensOfUsers[0], tokensOfUsers[1] }

func asTwoUsers(t *runner.Target, _ *appserver.Server) {
	t.RequireAuth = true
	t.Tokens = map[string]string{"instance": tokensOfUsers[0], "foreign": tokensOfUsers[1]}
}

// twoUsersDeployment is the name of the one that judges the most tests.
const twoUsersDeployment = "two users"

// loginCookie is the cookie by which users log in where they do not by a bearer token, and byCookie are the tests that are proved there.
const loginCookie = "keycloak_auth"

var byCookie = []string{"OHV1-AUTH-004", "OHV1-PRIV-012", "OHV1-USER-004"}

// appServerSetups in the order in which a test looks for its home.
var appServerSetups = []appServerSetup{
	{
		name:   "users with a cookie",
		judges: func(t *suites.Test) bool { return slices.Contains(byCookie, t.ID) },
		config: func(c *appserver.Config) {
			twoUsers(c)
			c.LoginCookie = loginCookie
		},
		target: func(t *runner.Target, s *appserver.Server) {
			asTwoUsers(t, s)
			t.Hooks["login-cookie"] = runner.Hook{Value: loginCookie}
		},
	},
	{
		name: twoUsersDeployment, judges: usual, config: twoUsers, target: asTwoUsers,
	},
	{
		name:   "one organization",
		judges: func(t *suites.Test) bool { return needsHook(t, "organizations") },
		config: func(c *appserver.Config) {
			twoUsers(c)
			c.ThirdToken, c.SharedOrg = tokensOfUsers[2], true
		},
		target: func(t *runner.Target, s *appserver.Server) {
			asTwoUsers(t, s)
			t.Hooks["organizations"] = runner.Hook{Value: s.Says("organizations", nil)}
		},
	},
	{
		name:   "one key for everybody",
		judges: func(t *suites.Test) bool { return needsHook(t, "session-gate") },
		config: func(c *appserver.Config) { c.SessionKey = deploymentKey },
		target: func(t *runner.Target, _ *appserver.Server) {
			t.Header = http.Header{"X-Session-Api-Key": {deploymentKey}}
			t.Hooks["session-gate"] = runner.Hook{Value: map[string]any{"key": deploymentKey}}
		},
	},
	{
		name:   "production",
		judges: func(t *suites.Test) bool { return t.Applies.Production },
		config: twoUsers,
		target: func(t *runner.Target, s *appserver.Server) {
			asTwoUsers(t, s)
			t.Production = true
		},
	},
	{
		name: "without a login",
		judges: func(t *suites.Test) bool {
			return usual(t) && !t.Applies.Auth && !slices.Contains(t.Needs, "token:foreign") && !needsHook(t, "fresh-user")
		},
	},
	{
		name:   "older",
		judges: func(t *suites.Test) bool { return usual(t) && t.ID != "OHV1-STRM-008" },
		config: func(c *appserver.Config) {
			twoUsers(c)
			c.Older, c.FrontEnd = true, true
		},
		target: asTwoUsers,
	},
	{
		name:   "layout of 2026",
		judges: func(t *suites.Test) bool { return usual(t) && t.ID != "OHV1-WH-003" }, // whose key it is says which sandbox it is, there
		config: func(c *appserver.Config) {
			twoUsers(c)
			c.Later = true
		},
		target: func(t *runner.Target, s *appserver.Server) {
			asTwoUsers(t, s)
			t.Hooks["v1-layout"] = runner.Hook{Value: "2026"}
		},
	},
}

func appServersAs(setups []appServerSetup) []deployment {
	all := make([]deployment, len(setups))
	for i, s := range setups {
		all[i] = deployment{
			name: s.name, judges: s.judges,
			serve: func(faults []string, consulted func(point string)) (subject, error) {
				return newAppServer(s, faults, consulted)
			},
			behind: func(traffic *mutants.Traffic) (subject, error) {
				mutated := s // the settings of this server alone: others are served at the same time
				mutated.traffic = traffic
				return newAppServer(mutated, nil, nil)
			},
		}
	}
	return all
}

// An appServerSubject is an app server under test.
type appServerSubject struct {
	setup  appServerSetup
	server *appserver.Server
	served chan error
	front  string // the address as the run is told it
}

// newAppServer sets up an app server, and serves; behind a proxy of traffic, if there is some.
func newAppServer(s appServerSetup, faults []string, consulted func(point string)) (*appServerSubject, error) {
	config := appserver.Config{Faults: faults, Consulted: consulted, NoRateLimit: true, Step: held(time.Second)}
	if s.config != nil {
		s.config(&config)
	}
	if s.traffic != nil && config.Certificate != nil {
		return nil, errNoProxy
	}
	server, err := appserver.New(config)
	if err != nil {
		return nil, fmt.Errorf("start the app server: %w", err)
	}
	a := &appServerSubject{setup: s, server: server, served: serve(server), front: server.URL()}
	if s.traffic != nil {
		front, err := s.traffic.Front()
		if err != nil {
			a.close()
			return nil, err
		}
		front.To(server.URL(), nil)
		a.front = front.URL()
	}
	return a, nil
}

// target is the server as a run is told of it, with everything that its operator configures.
func (a *appServerSubject) target() runner.Target {
	t := runner.Target{ExecutorURL: a.front, AllowHosts: []string{"127.0.0.1"}, Hooks: map[string]runner.Hook{}}
	for _, hook := range appserver.Hooks() {
		t.Hooks[hook] = runner.Hook{URL: a.server.URL() + appserver.OperatorPath + hook, Method: http.MethodPost, Parallel: true}
	}
	for _, hook := range appserver.Told() {
		t.Hooks[hook] = runner.Hook{Value: a.server.Says(hook, nil)}
	}
	t.Hooks["may-start"] = runner.Hook{Value: map[string]any{"seconds": 15}}
	t.Hooks["oss"] = runner.Hook{Value: true}
	if a.setup.target != nil {
		a.setup.target(&t, a.server)
	}
	return t
}

// alike takes out the addresses.
func (a *appServerSubject) alike(text string) string {
	for _, address := range []string{a.front, a.server.URL()} {
		text = strings.ReplaceAll(text, address, "{address}")
		_, host, _ := strings.Cut(address, "//")
		text = strings.ReplaceAll(text, host, "{host}")
	}
	return text
}

func (a *appServerSubject) close() { stop(a.server, a.served) }
