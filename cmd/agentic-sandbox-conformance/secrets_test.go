// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// A token that stands behind another flag as well, or instead, comes out nowhere: neither on the console nor in a report.
func TestATokenBehindAnotherFlag(t *testing.T) {
	t.Parallel()
	const token = "zq7hunter2secretXYZ"
	flags := []string{"title", "impl-commit", "instance", "tenant", "session", "v1-link", "v1-sunset", "jobs", "timeout", "seed", "time-factor", "insecure",
		"run", "surface", "level", "profile", "pty-dialect", "evidence", "report-format", "suite-dir", "baseline", "skip-budget", "config", "cacert", "cert",
		"jwks", "admin-url", "allow-host", "header", "redact-key", "token-file"}
	for _, flag := range flags {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var stdout, stderr bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now, env: func(string) (string, bool) { return "", false }}
			a.execute([]string{"run", "--executor-url", "http://127.0.0.1:1", "--admin-token", token, "--" + flag + "=" + token,
				"--report-out", filepath.Join(folder, "r.md")})
			if said := stdout.String() + stderr.String(); strings.Contains(said, token) {
				t.Errorf("the console shows the token:\n%s", said)
			}
			err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if bytes.Contains(text, []byte(token)) {
					t.Errorf("%s shows the token", filepath.Base(path))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A token that stands in the wrong place alone is not known to be one: what looks like it is not printed back.
func TestATokenInTheWrongPlace(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{
		"a JSON Web Token": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_x7", "base64": "sEcr3t-Zz9+y/Qw81kLm", "base64 with its end": "aB3/cD5eF7gH9iJ1kL3mN5o+pQ==",
	} {
		for _, line := range [][]string{
			{"run", token}, {"run", "--" + token}, {"run", "--quiet", token}, {"run", "--strict", token}, {"run", "--shuffle=" + token}, {"run", "--run", token},
			{"run", "--skip", token}, {"run", "--profile", token}, {"run", "--surface", token}, {"run", "--level", token}, {"run", "--report-format", token},
			{"run", "--evidence", token}, {"run", "--pty-dialect", token}, {"run", "--baseline", token}, {"run", "--skip-budget", token}, {"run", "--config", token},
			{"run", "--cacert", token}, {"run", "--cert", token, "--key", token}, {"run", "--token-file", token}, {"run", "--admin-token-file", token},
			{"run", "--suite-dir", token}, {"run", "--jwks", token}, {"run", "--jobs", token}, {"run", "--header", token}, {"run", "--v1-sunset", token},
			{"explain", token}, {"list", token}, {"list", "--profile", token}, {"version", token}, {"completion", token}, {"doctor", token}, {"demo", "--run", token},
			{"demo", "--fault", token}, {"reference", "--fault", token}, {"reference", "--listen", token}, {"self-test", "--run", token}, {"lint", token}, {"render", token},
			{"diff", token, token}, {"attest", token, "--key", token}, {"verify", token, "--key", token}, {token},
		} {
			if line[0] == "run" {
				line = append(line, "--executor-url", "http://127.0.0.1:1")
			}
			t.Run(strings.ReplaceAll(strings.Join(line, " "), token, name), func(t *testing.T) {
				t.Parallel()
				code, stdout, stderr := said(line...)
				if code != exitUsage {
					t.Errorf("exit code %d: %s", code, stderr)
				}
				if strings.Contains(stdout+stderr, token) {
					t.Errorf("the console shows it:\n%s%s", stdout, stderr)
				}
			})
		}
	}
	for _, text := range []string{
		"open " + filepath.Join(t.TempDir(), "missing-File7"), "open Reports/Of/Release7/Conformance.json: no such file", "SHA256:D28PNW38dpCEOp0giBNfZpZ1uazC5cJCZVDFuKzMCyI",
		"--run A2A-STREAM-011 matches no test", "https://Sandbox7.example.com/Agents/One",
	} {
		if got := guarded(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// What hooks got from the environment is secret, as far as it can be one.
func TestVariablesOfHooksAreSecret(t *testing.T) {
	t.Parallel()
	env := map[string]string{"KEY": "kq8-from-the-vault", "URL": "http://127.0.0.1:4001/restart", "PORT": "4001", "UNUSED": "never-named-here"}
	s, err := resolved(t, nil, env, "executor-url: http://h\nhooks: {restart: {command: [sh, \"${KEY}\", \"${PORT}\"]}, network-loss: {url: \"${URL}\"}}\n")
	if err != nil {
		t.Fatal(err)
	}
	target, err := s.target(&app{env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	said := secrets.New(nil, target).Clean("sh: kq8-from-the-vault: no answer from http://127.0.0.1:4001/restart")
	if want := "sh: [redacted]: no answer from http://127.0.0.1:4001/restart"; said != want {
		t.Errorf("the output of a hook becomes %q, want %q", said, want)
	}
}

// So is what cues got, unless it is a sentence. What begins with a slash or has dots is a path or a host only if it looks like one.
func TestVariablesThatLookLikeSomethingElse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		value, config string
		secret        bool
	}{
		{"pw-7-of-the-agent", `cues: {completed: "log in with ${V} first"}`, true},
		{"please finish 7 tasks", `cues: {completed: "${V}"}`, false},
		{"/aB3cD5eF7gH9", `hooks: {restart: {command: [sh, "-p=${V}"]}}`, true},
		{"/opt/agents/restart.sh", `hooks: {restart: {command: [sh, "${V}"]}}`, false},
		{"s.abcdefghijklmnop", `hooks: {restart: {command: [sh, "${V}"]}}`, true},
		{"k1d.s3cr3t", `hooks: {restart: {command: [sh, "${V}"]}}`, true},
		{"ops-7.example.com:8443", `hooks: {restart: {url: "https://${V}/restart"}}`, false},
		{"10.1.2.3:8443", `hooks: {restart: {command: [sh, "${V}"]}}`, false},
	} {
		s, err := resolved(t, nil, map[string]string{"V": row.value}, "executor-url: http://h\n"+row.config+"\n")
		if err != nil {
			t.Fatal(err)
		}
		target, err := s.target(&app{env: func(string) (string, bool) { return "", false }})
		if err != nil {
			t.Fatal(err)
		}
		if text := "said: " + row.value; (secrets.New(nil, target).Clean(text) != text) != row.secret {
			t.Errorf("%s from the environment in %s is a secret: %t, want %t", row.value, row.config, !row.secret, row.secret)
		}
	}
}
