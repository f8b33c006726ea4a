// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v4"
)

const gateToken = "token-of-the-gates-test"

// A gate is what a forge would run: a script, in a folder where the files of the repository are, with an environment.
type gate struct {
	script string
	env    map[string]string
	junit  string // where the forge looks for JUnit files; empty: nowhere
}

// gates are those of docs/ci, as the user of each writes it down, but for the target.
var gates = map[string]func(t *testing.T) gate{
	"GitHub":    func(t *testing.T) gate { return actionGate(t, "github") },
	"Forgejo":   func(t *testing.T) gate { return actionGate(t, "forgejo") },
	"GitLab":    gitlabGate,
	"Jenkins":   jenkinsGate,
	"Buildkite": buildkiteGate,
}

// TestGates runs the script of every gate against the reference executor, once as it should be and once with a fault, with a release
// that lies in a folder, and reads what it writes.
func TestGates(t *testing.T) {
	withTools(t)
	downloads := releaseFolder(t)
	kept := referenceServer(t)
	broken := referenceServer(t, "--fault", "card-shows-a-bearer-token")
	for name, read := range gates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := read(t)
			for _, row := range []struct {
				says, url, verdict string
				code               int
			}{
				{"an executor that keeps its contract", kept, "pass", 0},
				{"an executor that breaks it", broken, "fail", 1},
			} {
				folder := t.TempDir()
				g.env["AGENTIC_SANDBOX_CONFORMANCE_EXECUTOR_URL"] = row.url
				g.env["AGENTIC_SANDBOX_CONFORMANCE_TOKEN"] = gateToken
				g.env["AGENTIC_SANDBOX_CONFORMANCE_SURFACE"] = "card" // seconds, and not a minute
				g.env["CONFORMANCE_DOWNLOADS"] = downloads
				code, out := g.run(t, folder)
				if code != row.code || !strings.Contains(out, "CONFORMANCE-"+strings.ToUpper(row.verdict)+" ") {
					t.Fatalf("%s: exit code %d, want %d:\n%s", row.says, code, row.code, out)
				}
				if strings.Contains(out, gateToken) {
					t.Errorf("%s: the token is in the log", row.says)
				}
				g.written(t, folder, row.verdict)
			}
		})
	}
}

// withTools skips a test where a forge's runner has what this machine has not.
func withTools(t *testing.T) {
	t.Helper()
	if host().os == "windows" {
		t.Skip("the gates are scripts of a shell")
	}
	for _, tool := range []string{"bash", "curl", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the gates need %s, which is not here", tool)
		}
	}
}

// run runs the script, and returns its exit code and both streams.
func (g gate) run(t *testing.T, folder string) (int, string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-e", "-c", g.script)
	c.Dir = folder
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "TMPDIR=" + folder, "NO_COLOR=1"}
	for name, value := range g.env {
		c.Env = append(c.Env, name+"="+strings.ReplaceAll(value, "{folder}", folder))
	}
	out, err := c.CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// written checks the files that the forge reads.
func (g gate) written(t *testing.T, folder, verdict string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, g.junit))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %v, %v", g.junit, found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures := 0, 0
	for _, s := range suites.Suites {
		tests += s.Tests
		failures += s.Failures
	}
	if tests < 10 || (failures > 0) != (verdict == "fail") {
		t.Errorf("JUnit has %d tests and %d failures, and the verdict is %s", tests, failures, verdict)
	}
	if output := g.env["GITHUB_OUTPUT"]; output != "" {
		got, err := os.ReadFile(strings.ReplaceAll(output, "{folder}", folder))
		want := map[string]string{"pass": "verdict=pass\nexit-code=0\nreports=conformance-report\n", "fail": "verdict=fail\nexit-code=1\nreports=conformance-report\n"}[verdict]
		if err != nil || string(got) != want {
			t.Errorf("the outputs are %q, want %q (%v)", got, want, err)
		}
		summary, err := os.ReadFile(strings.ReplaceAll(g.env["GITHUB_STEP_SUMMARY"], "{folder}", folder))
		if wanted := strings.Contains(g.env["CONFORMANCE_FORMATS"], "github"); wanted != strings.Contains(string(summary), "# "+strings.ToUpper(verdict)) {
			t.Errorf("the summary is %.80q (%v)", summary, err)
		}
	}
}

// actionGate is the step of the action as the workflow of a forge uses it.
func actionGate(t *testing.T, forge string) gate {
	t.Helper()
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Outputs map[string]struct{ Value string }
		Runs    struct {
			Using string
			Steps []struct {
				ID, Shell, Run, Uses string
				Env                  map[string]string
			}
		}
	}
	readYAML(t, "../../action.yml", &action)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				Env  map[string]string
				With map[string]string
			}
		}
	}
	readYAML(t, "../../docs/ci/"+forge+"/conformance.yml", &workflow)
	inputs := map[string]string{}
	for name, input := range action.Inputs {
		inputs["inputs."+name] = input.Default
	}
	for _, step := range workflow.Jobs["conformance"].Steps {
		at, version, _ := strings.Cut(step.Uses, "@")
		if !strings.HasSuffix(at, "roctinam/agentic-sandbox-conformance") {
			continue
		}
		inputs["github.action_ref"] = version
		for name, value := range step.With {
			if _, known := action.Inputs[name]; !known {
				t.Errorf("the workflow gives the input %s, which the action does not have", name)
			}
			inputs["inputs."+name] = value
		}
		if step.Env["AGENTIC_SANDBOX_CONFORMANCE_TOKEN"] != "${{ secrets.SANDBOX_TOKEN }}" {
			t.Errorf("the workflow gives no token: %v", step.Env)
		}
	}
	for name, input := range action.Inputs {
		if input.Required && inputs["inputs."+name] == "" {
			t.Errorf("the workflow does not give the input %s", name)
		}
	}
	step := action.Runs.Steps[0]
	if action.Runs.Using != "composite" || step.ID != "gate" || step.Shell != "bash" || strings.Contains(step.Run, "${{") {
		t.Fatalf("the step is %+v", step)
	}
	for name, o := range action.Outputs {
		if o.Value != "${{ steps.gate.outputs."+name+" }}" {
			t.Errorf("the output %s is %s", name, o.Value)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	g := gate{script: step.Run, junit: "conformance-report/*.junit.xml", env: map[string]string{"GITHUB_ACTION_PATH": root, "GITHUB_OUTPUT": "{folder}/output", "GITHUB_STEP_SUMMARY": "{folder}/summary"}}
	for name, value := range step.Env {
		g.env[name] = expression(t, value, inputs)
	}
	return g
}

// expression is the value of an expression of a workflow: names, texts, ==, && and || are all that the action uses.
func expression(t *testing.T, text string, values map[string]string) string {
	t.Helper()
	inner, is := strings.CutPrefix(text, "${{ ")
	inner, ends := strings.CutSuffix(inner, " }}")
	if !is || !ends {
		return text
	}
	operand := func(o string) string {
		if strings.HasPrefix(o, "'") {
			return strings.Trim(o, "'")
		}
		value, known := values[o]
		if !known {
			t.Fatalf("%s: nobody knows %s", text, o)
		}
		return value
	}
	for choice := range strings.SplitSeq(inner, " || ") {
		value := ""
		for part := range strings.SplitSeq(choice, " && ") {
			if one, other, compares := strings.Cut(part, " == "); !compares {
				value = operand(part)
			} else if value = ""; operand(one) == operand(other) {
				value = "true"
			}
			if value == "" {
				break
			}
		}
		if value != "" {
			return value
		}
	}
	return ""
}

// gitlabGate is the job of the component with the inputs that its comment shows.
func gitlabGate(t *testing.T) gate {
	t.Helper()
	text, err := os.ReadFile("../../templates/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\n---\n")
	var spec struct {
		Spec struct {
			Inputs map[string]struct {
				Default string
				Options []string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(head), &spec); err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"url": "https://your-deployment/", "version": "v1.2.3"}
	body = regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`).ReplaceAllStringFunc(body, func(use string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(use, "$[[ inputs."), " ]]")
		input, known := spec.Spec.Inputs[name]
		if !known {
			t.Errorf("the component uses the input %s, which it does not have", name)
		}
		if value := given[name]; value != "" {
			return value
		}
		return input.Default
	})
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct {
			When    string
			Reports struct{ JUnit string }
		}
	}
	if err := yaml.Unmarshal([]byte(body), &jobs); err != nil {
		t.Fatal(err)
	}
	job := jobs["conformance"]
	script, err := os.ReadFile("../../docs/ci/gate.sh")
	if err != nil || len(job.Script) != 1 || job.Script[0] != string(script) {
		t.Errorf("the script of templates/conformance.yml is not docs/ci/gate.sh, word by word (%v)", err)
	}
	if job.Artifacts.When != "always" {
		t.Errorf("the reports of a failure are not kept: %+v", job.Artifacts)
	}
	return gate{script: strings.Join(job.Script, "\n"), env: job.Variables, junit: job.Artifacts.Reports.JUnit}
}

// jenkinsGate is the stage of the Jenkinsfile.
func jenkinsGate(t *testing.T) gate {
	t.Helper()
	text, err := os.ReadFile("../../docs/ci/jenkins/Jenkinsfile")
	if err != nil {
		t.Fatal(err)
	}
	one := func(pattern string) []string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
		if len(found) != 1 {
			t.Fatalf("the Jenkinsfile matches %s %d times, want once", pattern, len(found))
		}
		return found[0]
	}
	g := gate{env: map[string]string{}, script: one(`(?m)^ +sh '([^']+)'$`)[1], junit: one(`(?m)^ +junit '([^']+)'$`)[1]}
	for _, m := range regexp.MustCompile(`(?m)^    (\w+) = '([^']*)'$`).FindAllStringSubmatch(one(`(?s)environment \{(.*?)\n  \}`)[1], -1) {
		g.env[m[1]] = m[2]
	}
	one(`withCredentials\(\[string\(credentialsId: 'sandbox-token', variable: 'AGENTIC_SANDBOX_CONFORMANCE_TOKEN'\)\]\)`)
	if opened, closed := strings.Count(string(text), "{"), strings.Count(string(text), "}"); opened != closed {
		t.Errorf("%d braces are opened and %d closed", opened, closed)
	}
	return g.inRepository(t)
}

// buildkiteGate is the first step of the pipeline.
func buildkiteGate(t *testing.T) gate {
	t.Helper()
	var pipeline struct {
		Env   map[string]string
		Steps []struct {
			Command       string
			ArtifactPaths string `yaml:"artifact_paths"`
			Plugins       []map[string]struct{ Artifacts string }
		}
	}
	readYAML(t, "../../docs/ci/buildkite/pipeline.yml", &pipeline)
	g := gate{script: pipeline.Steps[0].Command, env: pipeline.Env}
	for _, step := range pipeline.Steps {
		for _, plugin := range step.Plugins {
			for _, p := range plugin {
				g.junit = p.Artifacts
			}
		}
	}
	if got := pipeline.Steps[0].ArtifactPaths; got != "conformance-report/*" {
		t.Errorf("the artifacts are %s", got)
	}
	return g.inRepository(t)
}

// inRepository puts the script into the repository, as its comment says.
func (g gate) inRepository(t *testing.T) gate {
	t.Helper()
	script, err := filepath.Abs("../../docs/ci/gate.sh")
	if err != nil {
		t.Fatal(err)
	}
	g.script = fmt.Sprintf("mkdir ci && cp '%s' ci/gate.sh\n%s", script, g.script)
	return g
}

// TestGateScript: what closes a gate, and what a gate refuses to run.
func TestGateScript(t *testing.T) {
	t.Parallel()
	withTools(t)
	script, err := filepath.Abs("../../docs/ci/gate.sh")
	if err != nil {
		t.Fatal(err)
	}
	tampered := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(tampered, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := here(t).archiveName(host())
	write("v1.2.3/"+archive, "another", 0o644)
	write("v1.2.3/SHA256SUMS", strings.Repeat("0", 64)+"  "+archive+"\n", 0o644)
	write("v1.2.4/"+strings.ReplaceAll(archive, "1.2.3", "1.2.4"), "another", 0o644)
	write("v1.2.4/SHA256SUMS", "", 0o644)
	// The program of these rows ends with the code of the variable ENDS, and keeps its arguments.
	program := write("program", "#!/bin/sh\nprintf '%s\\n' \"$@\" >arguments\nexit \"$ENDS\"\n", 0o755)
	ends := func(code, on string) map[string]string {
		return map[string]string{"CONFORMANCE_PROGRAM": program, "ENDS": code, "CONFORMANCE_FAIL_ON": on}
	}
	installs := func(version string) map[string]string {
		return map[string]string{"CONFORMANCE_VERSION": version, "CONFORMANCE_DOWNLOADS": "file://" + tampered}
	}
	for name, row := range map[string]struct {
		env  map[string]string
		code int
		says string
	}{
		"a pass":                                {ends("0", ""), 0, ""},
		"a broken requirement":                  {ends("1", ""), 1, ""},
		"a gap":                                 {ends("5", ""), 5, ""},
		"fail: a broken requirement":            {ends("1", "fail"), 1, ""},
		"fail: a gap":                           {ends("5", "fail"), 0, "the verdict is incomplete, which CONFORMANCE_FAIL_ON=fail lets pass"},
		"never: a broken requirement":           {ends("1", "never"), 0, "the verdict is fail, which CONFORMANCE_FAIL_ON=never lets pass"},
		"never: a gap":                          {ends("5", "never"), 0, "the verdict is incomplete"},
		"never: a wrong configuration":          {ends("2", "never"), 2, ""},
		"never: nobody is there":                {ends("3", "never"), 3, ""},
		"never: a rejected token":               {ends("4", "never"), 4, ""},
		"never: a bug":                          {ends("70", "never"), 70, ""},
		"a word that it does not know":          {ends("0", "sometimes"), 2, `CONFORMANCE_FAIL_ON is "sometimes", want incomplete, fail or never`},
		"no version":                            {nil, 2, `CONFORMANCE_VERSION is "", want a release like v1.2.3`},
		"a branch":                              {installs("main"), 2, `CONFORMANCE_VERSION is "main"`},
		"a release that is not there":           {installs("v9.9.9"), 2, "cannot download file://"},
		"an archive that is not the one signed": {installs("v1.2.3"), 2, "is not what SHA256SUMS says; it is not run"},
		"an archive without a checksum":         {installs("v1.2.4"), 2, "SHA256SUMS of v1.2.4 has no "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gate{script: "sh " + script, env: map[string]string{"AGENTIC_SANDBOX_CONFORMANCE_TOKEN": gateToken, "AGENTIC_SANDBOX_CONFORMANCE_PROFILE": ""}}
			for name, value := range row.env {
				g.env[name] = value
			}
			folder := t.TempDir()
			code, out := g.run(t, folder)
			if code != row.code || !strings.Contains(out, row.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, row.code, row.says, out)
			}
			if arguments, err := os.ReadFile(filepath.Join(folder, "arguments")); err == nil {
				if want := "run\n--report-format\nmarkdown,json,junit\n--report-out\nconformance-report/conformance.report.md\n"; string(arguments) != want {
					t.Errorf("the arguments are %q, want %q: a token must not be among them", arguments, want)
				}
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
}

// releaseFolder is where a gate of these tests finds release v1.2.3: the archive for this machine, and the checksums.
func releaseFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	s, at := here(t), filepath.Join(folder, "v1.2.3")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.archive(filepath.Join(at, s.archiveName(host())), host(), builtProgram(t), &documents{}); err != nil {
		t.Fatal(err)
	}
	if _, err := writeSums(at); err != nil {
		t.Fatal(err)
	}
	return "file://" + folder
}

// referenceServer is the URL of a reference executor that runs until the test is over.
func referenceServer(t *testing.T, flags ...string) string {
	t.Helper()
	c := exec.Command(builtProgram(t), append([]string{"reference"}, flags...)...)
	c.Env = append(os.Environ(), "AGENTIC_SANDBOX_REFERENCE_TOKEN="+gateToken)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, is := strings.CutPrefix(strings.TrimSpace(line), "reference-executor ready: ")
	if err != nil || !is {
		t.Fatalf("the first line is %q: %v", line, err)
	}
	return url
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
