// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
)

// maxMemory is what a run may take, in KiB.
const maxMemory = 256 << 10

// A manner is how thoroughly the servers are played.
type manner struct {
	args  []string      // of the program, besides what every run has
	limit time.Duration // --max-time
	most  time.Duration // for one run, the beginning of the program and its reports included
}

var (
	thorough = manner{limit: 3 * time.Minute, most: 3*time.Minute + 30*time.Second}
	// hasty is for every test run: a test of each kind of traffic, and limits that a loopback connection never needs.
	hasty = manner{
		limit: 10 * time.Second,
		args: []string{"--timeout", "1s", "--max-wait", "1s", "--run",
			"CARD-00*,CARD-01*,CARD-02*,TASK-00*,TASK-020,SSE-00*,AUTH-00*,V1-001,OBS-001,PUSH-00*,PTY-001,PTY-008,PTY-06*,IDEM-00*,ERR-00*"},
		most: 40 * time.Second,
	}
)

// peaceful leads to the executor and does nothing else.
var peaceful = gauntlet.Server{Name: "nothing hostile", Place: "nowhere"}

// A game is the program under test, with what its runs share.
type game struct {
	program string
	folder  string
	keep    bool
	how     manner
	formats []string

	base      map[string]bool // ids of the tests that pass when nothing hostile is in between
	ofTheCard map[string]bool // ids of those that ask for nothing but the card and the key set
}

func newGame(program string, how manner, keep string) (*game, error) {
	path, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	g := &game{program: path, how: how, folder: keep, keep: keep != ""}
	if g.keep {
		err = os.MkdirAll(keep, 0o755)
	} else {
		g.folder, err = os.MkdirTemp("", "gauntlet-*")
	}
	if err != nil {
		return nil, err
	}
	g.folder, err = filepath.Abs(g.folder)
	if err != nil {
		return nil, err
	}
	g.formats, err = knownFormats(path)
	return g, err
}

func (g *game) close() {
	if !g.keep {
		os.RemoveAll(g.folder)
	}
}

// checked are the formats that there is a check for.
var checked = []string{"html", "json", "junit", "markdown"}

// knownFormats are those of them that the program writes.
func knownFormats(program string) ([]string, error) {
	said, _ := exec.Command(program, "--executor-url", "http://127.0.0.1:1", "--report-format", "none-of-them").CombinedOutput()
	_, list, found := strings.Cut(string(said), "known formats: ")
	if !found {
		return nil, fmt.Errorf("%s does not say which formats it knows: %s", program, said)
	}
	var known []string
	for _, name := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' }) {
		if slices.Contains(checked, name) {
			known = append(known, name)
		}
	}
	return known, nil
}

// A row is what came of one server.
type row struct {
	server     gauntlet.Server
	verdict    string
	code       int
	passed     int
	summary    string
	memory     int64 // KiB
	took       time.Duration
	complaints []string
}

func (r *row) complain(format string, args ...any) {
	if len(r.complaints) < 20 {
		r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// play plays the program against one server.
func (g *game) play(server gauntlet.Server) row {
	r := row{server: server, code: -1}
	running, err := server.Start()
	if err != nil {
		r.complain("the server does not start: %v", err)
		return r
	}
	defer running.Close()
	folder := filepath.Join(g.folder, notInNames.ReplaceAllString(strings.ToLower(string(server.Place)+" "+server.Name), "-"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		r.complain("%v", err)
		return r
	}
	secrets := map[string]string{"TOKEN": "gauntlet-instance-" + rand.Text(), "ADMIN_TOKEN": "gauntlet-admin-" + rand.Text(), "OPERATOR_TOKEN": "gauntlet-operator-" + rand.Text()}
	config := fmt.Sprintf("tokens: {operator: %s}\nheader: [\"X-Api-Key: %s\"]\n", secrets["OPERATOR_TOKEN"], secrets["ADMIN_TOKEN"])
	if server.NeedsExecutor() {
		behind, err := startExecutor(g.program, running.Root, secrets)
		if err != nil {
			r.complain("%v", err)
			return r
		}
		defer behind.close()
		running.Lead(behind.url)
		config += hooksOf(server, behind.url, secrets["ADMIN_TOKEN"])
	}
	o := outcome{folder: folder, secrets: secrets, evidence: server.Name == peaceful.Name, limit: g.how.limit}
	if server.Name == peaceful.Name { // which shows that the limit is the servers' doing, and not that of a busy machine
		o.limit = g.how.most * 3 / 4
	}
	r.took, err = g.run(running.URL(), config, &o)
	if err != nil {
		r.complain("%v", err)
	}
	r.code, r.memory = o.used.Code, o.used.Memory
	g.judge(&r, &o)
	for _, line := range running.Elsewhere() {
		for _, form := range o.forms() {
			if strings.Contains(line, form) {
				r.complain("another host was shown a secret: %.200q", line)
			}
		}
	}
	return r
}

// hostileHooks are the names under which a hook is configured that is up to no good, besides create-session.
var hostileHooks = []string{"create-session", "second-instance", "command-id", "exit-process", "restart", "runtime-down", "rate-limit", "short-ttl", "provision"}

// hooksOf is what the operator configures: sessions of the executor, or what the server has in place of that.
func hooksOf(server gauntlet.Server, executor *url.URL, token string) string {
	if server.Hook() == nil {
		return fmt.Sprintf("hooks: {create-session: {url: \"http://%s/operator/sessions\", header: {Authorization: Bearer %s}}}\n", executor.Host, token)
	}
	command, _ := json.Marshal(server.Hook())
	config := "hooks:\n"
	for _, name := range hostileHooks {
		config += fmt.Sprintf("  %s: {command: %s, parallel: true}\n", name, command)
	}
	return config
}

// An outcome is all that a run has left.
type outcome struct {
	folder         string
	secrets        map[string]string
	evidence       bool
	limit          time.Duration // --max-time
	used           usage
	stdout, stderr string
	files          map[string]string // by format
}

// run starts the program and waits for it.
func (g *game) run(target, config string, o *outcome) (time.Duration, error) {
	path := filepath.Join(o.folder, "config.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return 0, err
	}
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(context.Background(), g.how.most)
	defer cancel()
	c := exec.Command(g.program, append([]string{"--executor-url", target, "--config", path, "--token-file", "-", "-v",
		"--report-format", strings.Join(g.formats, ","), "--report-out", filepath.Join(o.folder, "report.md"), "--max-time", o.limit.String()}, g.how.args...)...)
	if o.evidence { // of what passes, too
		c.Args = append(c.Args, "--evidence", "all")
	}
	c.Dir = o.folder
	c.Env = append(os.Environ(), "AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN="+o.secrets["ADMIN_TOKEN"])
	c.Stdin = strings.NewReader(o.secrets["TOKEN"])
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	var err error
	o.used, err = measured(ctx, c, filepath.Join(o.folder, "used.json"))
	o.stdout, o.stderr = stdout.String(), stderr.String()
	_ = os.WriteFile(filepath.Join(o.folder, "stderr.txt"), stderr.Bytes(), 0o600)
	o.files = map[string]string{}
	for format, name := range map[string]string{"markdown": "report.md", "json": "report.json", "junit": "report.junit.xml", "html": "report.html"} {
		if !slices.Contains(g.formats, format) {
			continue
		}
		text, readErr := os.ReadFile(filepath.Join(o.folder, name))
		if readErr != nil && err == nil {
			err = readErr
		}
		o.files[format] = string(text)
	}
	return o.used.Took, err
}
