// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/suites/conformance"
)

// played is the variable that names what TestPlayed plays: tests that fail are played in a process of their own, and their output is read.
const played = "CONFORMANCE_PLAYED"

// goTest runs TestPlayed in a process of its own, with flags of go test, and returns its output.
func goTest(t *testing.T, what string, flags ...string) (output string, passed bool) {
	t.Helper()
	return goTestRun(t, what, append([]string{"-test.run", "^TestPlayed$"}, flags...)...)
}

func goTestRun(t *testing.T, what string, flags ...string) (output string, passed bool) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], flags...)
	c.Env = append(os.Environ(), played+"="+what)
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), err == nil
}

// newPlain makes the plain A2A server with faults.
func newPlain(t *testing.T, faults ...string) func(url string) http.Handler {
	return func(url string) http.Handler {
		s, err := plain.New(plain.Config{PublicURL: url, Bindings: []string{plain.BindingREST, plain.BindingRPC}, Token: token, Faults: faults, AllowLoopbackHooks: true})
		if err != nil {
			t.Error(err)
			return nil
		}
		t.Cleanup(func() { s.Shutdown(context.Background()) })
		return s
	}
}

// newExecutor makes the reference executor.
func newExecutor(t *testing.T) func(url string) http.Handler {
	return func(url string) http.Handler {
		e, err := executor.New(executor.Config{PublicURL: url, Token: token, AdminToken: adminToken})
		if err != nil {
			t.Error(err)
			return nil
		}
		t.Cleanup(func() { e.Shutdown(context.Background()) })
		return e
	}
}

// asked counts the requests that a handler is asked.
type asked struct {
	http.Handler
	times atomic.Int64
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.times.Add(1)
	a.Handler.ServeHTTP(w, r)
}

// TestPlayed plays what the environment names, and nothing else.
func TestPlayed(t *testing.T) {
	what := os.Getenv(played)
	play, there := plays[what]
	if !there {
		t.Skip("played by other tests, in a process of its own")
	}
	play(t)
}

// plays are what TestPlayed plays.
var plays = map[string]func(t *testing.T){
	"versions": func(t *testing.T) {
		o := versions(t)
		o.NewHandler = newPlain(t, "version-is-not-looked-at")
		conformance.Run(t, o)
	},
	"malformed": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, NewHandler: newPlain(t, "malformed-json-is-a-fault"), Token: token, Run: []string{"A2A-ERR-019"}})
	},
	"counted": func(t *testing.T) {
		o := versions(t)
		var counted asked
		o.NewHandler = func(url string) http.Handler {
			counted.Handler = newPlain(t)(url)
			return &counted
		}
		conformance.Run(t, o)
		t.Logf("%d requests were sent", counted.times.Load())
	},
	"accepted": func(t *testing.T) {
		o := versions(t)
		o.NewHandler, o.Baseline = newPlain(t, "version-is-not-looked-at"), "testdata/baseline.yaml"
		conformance.Run(t, o)
	},
	"nobody": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, URL: "http://127.0.0.1:1/", Token: token})
	},
	"something else": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, Handler: http.NotFoundHandler()})
	},
	"wrong token": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.AgenticSandbox, NewHandler: newExecutor(t), Token: "gt-wrong-3c7f51e0a8d24b96"})
	},
	"nothing configured": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, NewHandler: newPlain(t), Token: token, Run: []string{"A2A-REST-0[0-2]*"}})
	},
	"strict": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, NewHandler: newPlain(t), Token: token, Run: []string{"A2A-REST-0[0-2]*"}, Strict: true})
	},
	"hooks that fail": func(t *testing.T) {
		conformance.Run(t, conformance.Options{
			Profile: conformance.AgenticSandbox, NewHandler: newExecutor(t), Token: token, Run: []string{"CARD-029", "PTY-117"},
			Hooks: map[string]conformance.Hook{
				"restart":        {Func: func(context.Context, map[string]any) (any, error) { return nil, errors.New("nobody may restart it") }},
				"create-session": {Func: func(context.Context, map[string]any) (any, error) { panic("no sessions today") }},
			},
		})
	},
	"hooks": func(t *testing.T) {
		var made atomic.Int64
		var root string
		conformance.Run(t, conformance.Options{
			Profile: conformance.AgenticSandbox, Token: token, Run: []string{"PTY-117"},
			NewHandler: func(url string) http.Handler {
				root = url
				return newExecutor(t)(url)
			},
			Hooks: map[string]conformance.Hook{
				"echo-session": {Value: true},
				"create-session": {Func: func(ctx context.Context, with map[string]any) (any, error) {
					made.Add(1)
					return post(ctx, root+executor.OperatorPaths()["create-session"], with)
				}},
			},
		})
		t.Logf("%d sessions were made", made.Load())
	},
	"a handler that hangs": func(t *testing.T) {
		o := versions(t)
		var served atomic.Int64
		o.NewHandler = func(url string) http.Handler {
			server := newPlain(t)(url)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if served.Add(1) > 20 {
					<-r.Context().Done()
					return
				}
				server.ServeHTTP(w, r)
			})
		}
		conformance.Run(t, o)
	},
	"hostile answers": func(t *testing.T) {
		o := versions(t)
		o.NewHandler = func(url string) http.Handler {
			server := newPlain(t)(url)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					server.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/a2a+json")
				io.WriteString(w, reporttest.HostileText)
			})
		}
		conformance.Run(t, o)
	},
	"a hostile server": func(t *testing.T) {
		conformance.Run(t, conformance.Options{Profile: conformance.A2A, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, reporttest.HostileText)
		})})
	},
	"a report": func(t *testing.T) {
		o := versions(t)
		o.NewHandler, o.ReportDir = newPlain(t, "version-is-not-looked-at"), os.Getenv(played+"_REPORTS")
		conformance.Run(t, o)
	},
}

// post asks the reference executor as its operator.
func post(ctx context.Context, url string, with map[string]any) (answer any, err error) {
	body, err := json.Marshal(with)
	if err != nil {
		return nil, err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+adminToken)
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return answer, json.NewDecoder(r.Body).Decode(&answer)
}

// versions are the requirements on A2A-Version, of which one defect breaks several.
func versions(t *testing.T) conformance.Options {
	return conformance.Options{Profile: conformance.A2A, NewHandler: newPlain(t), Token: token, Cues: plain.Cues(), Run: []string{"A2A-VER-00[1-5]"}}
}
