// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

// A findings is what a check reads of the JSON report.
type findings struct {
	DurationMS int64 `json:"durationMs"`
	Verdict    string
	Because    string
	Summary    struct{ Pass, Fail, Warn, Skip, Blocked int }
	Results    []struct {
		ID, Outcome string
		Evidence    []struct{ Kind, Head string }
	}
}

// grace is how much longer a run may take than its limit, on a machine that is busy with others.
const grace = 10 * time.Second

// exitCodes are the ways to end that belong to a verdict.
var exitCodes = map[string]int{"pass": 0, "fail": 1, "unreachable": 3, "unauthorized": 4, "incomplete": 5}

// judge looks at all that a run has left.
func (g *game) judge(r *row, o *outcome) {
	var found findings
	if err := g.readJSON(o.files["json"], &found); err != nil {
		r.complain("JSON: %v", err)
	}
	s := found.Summary
	r.verdict, r.passed = found.Verdict, s.Pass
	r.summary = fmt.Sprintf("passed=%d failed=%d warned=%d skipped=%d blocked=%d", s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked)
	if want, known := exitCodes[found.Verdict]; !known || r.code != want {
		r.complain("exit code is %d, want %d for the verdict %q: %s", r.code, want, found.Verdict, lastLine(o.stderr))
	}
	checkLastLine(r, o.stderr)
	if took := time.Duration(found.DurationMS) * time.Millisecond; took > o.limit+grace {
		r.complain("the run took %s, want %s at most, and the time to end", took.Round(time.Second), o.limit)
	}
	for format, problem := range map[string]error{
		"JUnit": checkJUnit(o.files["junit"], found), "Markdown": checkMarkdown(o.files["markdown"]), "HTML": checkHTML(o.files["html"]),
		"standard error": checkLog(o.stderr), "standard output": checkLog(o.stdout), "JSON": checkPlain(o.files["json"]),
	} {
		if problem != nil {
			r.complain("%s: %v", format, problem)
		}
	}
	switch {
	case r.memory == 0:
		r.complain("peak memory is not known, want %d MiB at most", maxMemory>>10)
	case r.memory > maxMemory:
		r.complain("peak memory is %d MiB, want %d at most", r.memory>>10, maxMemory>>10)
	}
	g.judgePasses(r, found)
	checkSecrets(r, o)
}

// judgePasses looks whether each pass can have been measured.
func (g *game) judgePasses(r *row, found findings) {
	if r.server.Name == peaceful.Name {
		g.base, g.ofTheCard = map[string]bool{}, map[string]bool{}
	}
	for _, result := range found.Results {
		passed := result.Outcome == "pass"
		switch {
		case r.server.Name == peaceful.Name:
			g.base[result.ID] = passed || result.Outcome == "blocked" // that was not measured, on a busy machine
			g.ofTheCard[result.ID] = !slices.ContainsFunc(result.Evidence, func(e struct{ Kind, Head string }) bool {
				return e.Kind == "request" && !strings.Contains(e.Head, "/.well-known/") && !strings.HasSuffix(e.Head, "/extendedAgentCard")
			})
		case !passed:
		case r.server.Place == gauntlet.Everywhere:
			r.complain("%s passes on a server that is no executor", result.ID)
		case r.server.Place == gauntlet.BesideTheCard && r.server.OwnAnswers():
			if !g.excused(r.server.Name, result.ID) {
				r.complain("%s passes where only the card is as it should be", result.ID)
			}
		case r.server.Place == gauntlet.AtTheHooks && slices.Contains(believed, result.ID):
		case !g.base[result.ID]:
			r.complain("%s passes, and does not when nothing is in between", result.ID)
		}
	}
	if found.Verdict == "pass" && !r.server.MayPass() && r.server.Name != peaceful.Name {
		r.complain("the verdict is pass")
	}
	if r.server.Name == peaceful.Name && found.Verdict != "pass" {
		r.complain("nothing is in between, and the verdict is %s: %s", found.Verdict, found.Because)
	}
}

// believed are the tests of what an executor does behind a restart. A hook that ends well is believed that it has restarted it,
// whatever it says.
var believed = []string{"CARD-029", "IDEM-028", "RUN-017"}

// judgeTheCardAlone are the tests that do something else as well, but judge nothing of it: only whether the card changes with it.
var judgeTheCardAlone = []string{"CARD-028"}

// excused says whether a test may pass although everything but the card is hostile: because it asks for nothing else, or
// because what it asks for is what the server does.
func (g *game) excused(server, id string) bool {
	return g.ofTheCard[id] || slices.Contains(judgeTheCardAlone, id) || slices.ContainsFunc(passesBesideTheCard[server], func(pattern string) bool {
		matched, _ := path.Match(pattern, id)
		return matched
	})
}

// forms are the ways in which the secrets of a run can stand in a text.
func (o *outcome) forms() []string {
	var forms []string
	for _, secret := range o.secrets {
		b := []byte(secret)
		forms = append(forms, secret, url.QueryEscape(secret), hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)))
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 { // the secret may begin at any bit of a group
				text := encoding.EncodeToString(append(make([]byte, before), b...))
				forms = append(forms, text[4:len(text)-4])
			}
		}
	}
	return forms
}

func checkSecrets(r *row, o *outcome) {
	for name, text := range map[string]string{"standard output": o.stdout, "standard error": o.stderr,
		"Markdown": o.files["markdown"], "JSON": o.files["json"], "JUnit": o.files["junit"], "HTML": o.files["html"]} {
		for _, form := range o.forms() {
			if at := strings.Index(text, form); at >= 0 {
				r.complain("%s holds a secret: %.300q", name, text[max(0, at-100):])
			}
		}
	}
}

func (g *game) readJSON(text string, into *findings) error {
	schema, err := schemas.Read("report.schema.json")
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.schema.json", document); err != nil {
		return err
	}
	compiled, err := compiler.Compile("report.schema.json")
	if err != nil {
		return err
	}
	written, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	if err := compiled.Validate(written); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

var lastLineForm = regexp.MustCompile(`^CONFORMANCE-(PASS|FAIL|INCOMPLETE|UNREACHABLE|UNAUTHORIZED) (passed=\d+ failed=\d+ warned=\d+ skipped=\d+ blocked=\d+)( measured=\d+/\d+)?( partial=yes)? report=\S+$`)

func lastLine(stderr string) string {
	lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
	return lines[len(lines)-1]
}

func checkLastLine(r *row, stderr string) {
	last := lastLine(stderr)
	m := lastLineForm.FindStringSubmatch(last)
	switch {
	case m == nil:
		r.complain("the last line is %.200q", last)
	case strings.ToLower(m[1]) != r.verdict || m[2] != r.summary:
		r.complain("the last line is %q, and the JSON report says %s with %s", last, r.verdict, r.summary)
	}
	if n := strings.Count("\n"+stderr, "\nCONFORMANCE-"); n != 1 {
		r.complain("%d lines look like the last one", n)
	}
	for _, word := range []string{"panic:", "goroutine ", "bug:"} {
		if strings.Contains(stderr, word) {
			r.complain("standard error holds %q", word)
		}
	}
}
