// SPDX-License-Identifier: Apache-2.0

package target

import (
	"crypto/tls"
	"net/http"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// ListedSessions is the operator's list: of the target, or as the value of the hook.
func (c *Config) ListedSessions() []string {
	list := c.Sessions
	values, _ := c.Hooks[CreateSessionHook].Value.([]any)
	for _, v := range values {
		if id := SessionID(v); id != "" {
			list = append(list[:len(list):len(list)], id)
		}
	}
	if ids, is := c.Hooks[CreateSessionHook].Value.([]string); is {
		list = append(list[:len(list):len(list)], ids...)
	}
	return list
}

// SessionID finds the id in what a hook answers: an object with session_id or id, or a text.
func SessionID(answer any) string {
	switch v := answer.(type) {
	case string:
		return strings.TrimSpace(v)
	case map[string]any:
		for _, name := range []string{"session_id", "id"} {
			if id, is := v[name].(string); is && id != "" {
				return id
			}
		}
	}
	return ""
}

// TypesExit says whether the process of a session is ended by typing `exit` into its shell: nobody configures another way.
func (c *Config) TypesExit() bool {
	_, configured := c.Hooks[ExitProcessHook]
	_, shell := c.Hooks[ShellSessionHook]
	return shell && !configured
}

// IsWatchedUnder says whether the watch of a step has anything to say in this run: the frames of another dialect are read, not
// judged.
func (c *Config) IsWatchedUnder(do suites.Watch) bool {
	return do.What != "frames" && do.What != "closes" || c.PTYDialect == ""
}

// ShowsOwnHeader says whether a request carries a header that the operator gave. curl would carry it along to any host that it is
// redirected to, which we do not: the command then asks where the redirects have led.
func (c *Config) ShowsOwnHeader(q *Request) bool {
	return slices.ContainsFunc(q.Header, func(h suites.Header) bool { return len(c.Header.Values(h.Name)) > 0 })
}

// A Config is the executor under test and what its operator configures.
type Config struct {
	ExecutorURL string // as the operator gave it: deployment root or instance URL
	Instance    string // --instance; empty: found out
	AdminURL    string // empty: derived
	JWKS        string // URL or file; empty: derived
	Tenant      string

	Tokens map[string]string // by identity: "instance", "admin", "operator", "observe", "foreign", ...
	Header http.Header       // sent with every request that is not anonymous: any of them may be a credential
	// PublicHeader is sent with anonymous requests too, but for what the card calls a credential.
	PublicHeader http.Header
	AllowHosts   []string    // hosts, hosts with a port and origins beside that of ExecutorURL which credentials may be sent to
	TLS          *tls.Config // nil: the default

	// Secrets are further texts that no report may show, such as what hooks got from the environment.
	Secrets []string
	// EnvironmentIsKnown says that whoever has the run played takes the secrets of the environment out of its report: of many runs in one
	// process, each would look for those of all.
	EnvironmentIsKnown bool

	Hooks       map[string]Hook
	Cues        map[string]any    // text, or a message as JSON value under "json"
	Sessions    []string          // PTY sessions the operator names
	Announced   map[string]string // "v1-sunset", "v1-link": what the operator announces about the deployment
	RequireAuth bool
	Production  bool
	PTYDialect  string // the dialect that terminals speak, to be read for a diagnosis; empty: pty-ws/v1

	Shared           bool // others use the target as well
	ProtectedMetrics bool // metrics want credentials, by policy
}

// A Hook is something the operator configures: a command, a URL, or a value.
type Hook struct {
	Command []string
	URL     string
	Method  string // POST when empty
	Header  http.Header
	Value   any

	Parallel bool // tests may ask it at the same time
}

// RuntimeDownHook stops the runtime behind the instance, or behind another one whose URL it answers.
const RuntimeDownHook = "runtime-down"

// ExitProcessHook ends the process of a terminal session with an exit code.
const ExitProcessHook = "exit-process"

// EchoSessionHook states that the terminal sessions return what is typed.
const EchoSessionHook = "echo-session"

// ShellSessionHook states that the terminal sessions run a shell.
const ShellSessionHook = "shell-session"

// CreateSessionHook is the name of the hook that makes sessions, EndSessionHook of the one that ends them again.
const (
	CreateSessionHook = "create-session"
	EndSessionHook    = "end-session"
)

// LoginCookieHook names the cookie in which users show that they are logged in.
const LoginCookieHook = "login-cookie"

// LoginCookie is the name of the cookie in which tokens are sent; empty: they are bearer tokens.
func (c *Config) LoginCookie() string {
	name, _ := c.Hooks[LoginCookieHook].Value.(string)
	return name
}

// LayoutHook states that an app server of openhands-v1 has its routes where the layout of 2026 has them (ruling C19).
const LayoutHook = "v1-layout"

// InLaterLayout says whether the target has the layout of 2026.
func (c *Config) InLaterLayout() bool {
	_, declared := c.Hooks[LayoutHook]
	return declared
}

// InTurns says whether only one may ask the hook at a time.
func (h Hook) InTurns() bool { return !h.Parallel && (len(h.Command) > 0 || h.URL != "") }

// hasCredentials says whether the operator gave any for the instance: a token, a header, a certificate.
func (c *Config) hasCredentials() bool {
	return c.Tokens["instance"] != "" || len(c.Header) > 0 || c.TLS != nil && len(c.TLS.Certificates) > 0
}

// stated are hooks by which an operator says of what some requirements do not ask.
var stated = []string{"no-legacy-ui", "session-gate", LayoutHook}

// Policy is what the operator announces that decides between two right answers: a part of exchange.
func (c *Config) Policy() any {
	policy := map[string]any{"shared": c.Shared, "protected_metrics": c.ProtectedMetrics, "credentials": c.hasCredentials()}
	for _, name := range stated {
		_, policy[name] = c.Hooks[name]
	}
	return policy
}
