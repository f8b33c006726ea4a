// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// runFlags are some flags of a run.
func runFlags() *pflag.FlagSet {
	flags := newFlags()
	flags.String("profile", "", "")
	return flags
}

// listed reads a list of targets.
func listed(t testing.TB, text string) (*Targets, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "targets.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := ReadTargets(path, runFlags())
	if err != nil {
		err = &shortened{strings.ReplaceAll(err.Error(), filepath.Dir(path)+string(filepath.Separator), "")}
	}
	return list, err
}

// A shortened is an error without the folder of the test.
type shortened struct{ text string }

func (s *shortened) Error() string { return s.text }

func TestTargetsAreRead(t *testing.T) {
	t.Parallel()
	type seen struct {
		Name, URL, Profile string
		Labels             map[string]string
	}
	for name, row := range map[string]struct {
		text string
		want []seen
	}{
		"one URL a line": {"# the fleet\nhttps://a.example/\n\n  https://b.example/agents/1\r\n", []seen{{URL: "https://a.example/"}, {URL: "https://b.example/agents/1"}}},
		"a YAML list": {"- https://a.example/\n- executor-url: https://b.example/\n  name: b\n  profile: a2a-1.0\n  labels: {region: eu, shard: 1}\n",
			[]seen{{URL: "https://a.example/"}, {Name: "b", URL: "https://b.example/", Profile: "a2a-1.0", Labels: map[string]string{"region": "eu", "shard": "1"}}}},
		"a URL of the environment": {"- {executor-url: \"${B_URL}\", name: b}\n", []seen{{Name: "b", URL: "${B_URL}"}}},
		"tokens by name":           {"- {executor-url: https://a.example/, tokens: {instance: \"${A}\", admin: \"${B}\"}, header: [\"X-Key: ${C}\"]}\n", []seen{{URL: "https://a.example/"}}},
		"tokens in files":          {"- {executor-url: https://a.example/, token-file: a.txt, admin-token-file: b.txt}\n", []seen{{URL: "https://a.example/"}}},
	} {
		list, err := listed(t, row.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []seen
		for _, e := range list.Entries {
			got = append(got, seen{e.Name, e.URL, e.Profile, e.Labels})
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTargetsThatAreRefused(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-T0ken-0f-a-target"
	for name, row := range map[string][2]string{
		"nothing":                      {"# nobody\n", "there is no target in it"},
		"an empty list":                {"[]\n", "there is no target in it"},
		"a mapping":                    {"targets: [https://a.example/]\n", "targets.yaml:1:1: a list of targets is wanted here"},
		"no YAML":                      {"- [\n", "targets.yaml:"},
		"two words in a line":          {"https://a.example/ eu\n", "targets.yaml:1: one URL a line"},
		"a password in a line":         {"https://me:" + secret + "@a.example/\n", "targets.yaml:1: the URL holds credentials"},
		"no URL":                       {"- {name: a}\n", "targets.yaml:1:3: executor-url is missing"},
		"no scheme":                    {"- {executor-url: a.example}\n", "targets.yaml:1:3: executor-url has no scheme"},
		"an unknown key":               {"- {executor-url: https://a.example/, lables: {a: b}}\n", `targets.yaml:1:38: unknown key "lables" (did you mean "labels"?)`},
		"a key of the whole":           {"- {executor-url: https://a.example/, report-out: x}\n", "report-out is for all targets together"},
		"one name twice":               {"- {executor-url: https://a.example/, name: a}\n- {executor-url: https://b.example/, name: A}\n", `targets.yaml:2:3: the name "A" is given to two targets`},
		"a name that leads elsewhere":  {"- {executor-url: https://a.example/, name: ../a}\n", "a name is made of letters"},
		"a token":                      {"- {executor-url: https://a.example/, token: " + secret + "}\n", "targets.yaml:1:45: a token stands here itself: name a variable of the environment"},
		"a token among others":         {"- {executor-url: https://a.example/, tokens: {instance: \"${A}\", operator: " + secret + "}}\n", "a token stands here itself"},
		"a token with a variable":      {"- {executor-url: https://a.example/, token: \"" + secret + "${A}\"}\n", "a token stands here itself"},
		"a header":                     {"- {executor-url: https://a.example/, header: [\"X-Key: " + secret + "\"]}\n", "the value of a header that is sent as a credential stands here itself"},
		"standard input":               {"- {executor-url: https://a.example/, token-file: \"-\"}\n", "standard input cannot be the token"},
		"a URL of nobody":              {"- {executor-url: \"${A}\"}\n", "needs a name"},
		"a label that is a list":       {"- {executor-url: https://a.example/, labels: {a: [b]}}\n", "a label is a plain value"},
		"an alias":                     {"- &a {executor-url: https://a.example/}\n- *a\n", "targets.yaml:"},
		"more than a list may be long": {strings.Repeat("https://a.example/\n", maxTargets+1), "want at most 5000"},
	} {
		_, err := listed(t, row[0])
		if err == nil || !strings.Contains(err.Error(), row[1]) {
			t.Errorf("%s: error is %v, want one with %q", name, err, row[1])
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

// What stands in the list is above everything that is shared; what says where one target is, is not shared.
func TestATargetHasWhatItsListSays(t *testing.T) {
	t.Parallel()
	list, err := listed(t, "- {executor-url: https://a.example/, token-file: own.txt, jobs: 3, hooks: {restart: {value: 1}}, cues: {completed: \"${CUE}\"}}\n- https://b.example/\n")
	if err != nil {
		t.Fatal(err)
	}
	shared := runFlags()
	if err := shared.Parse([]string{"--executor-url", "http://shared", "--token", "shared-token", "--jobs", "5", "--run", "A-*,B-*", "--title", "all"}); err != nil {
		t.Fatal(err)
	}
	configured := Configured{Hooks: map[string]runner.Hook{"restart": {Value: "shared"}, "shutdown": {Value: "shared"}}}
	env := func(name string) (string, bool) { return "say done", name == "CUE" }
	got := map[string]string{}
	for i, e := range list.Entries {
		flags := runFlags()
		c, err := e.Resolve(flags, Shared{Flags: shared, Configured: configured}, env)
		if err != nil {
			t.Fatal(err)
		}
		name := string(rune('a' + i))
		for _, flag := range []string{"executor-url", "token", "token-file", "jobs", "run", "title"} {
			got[name+" "+flag] = flags.Lookup(flag).Value.String()
		}
		for _, hook := range []string{"restart", "shutdown"} {
			got[name+" hook "+hook] = asText(c.Hooks[hook].Value)
		}
		got[name+" cue"] = asText(c.Cues["completed"])
	}
	want := map[string]string{
		"a executor-url": "https://a.example/", "a token": "", "a token-file": "own.txt", "a jobs": "3", "a run": "[A-*,B-*]", "a title": "all", "a hook restart": "1", "a hook shutdown": "shared", "a cue": "say done",
		"b executor-url": "https://b.example/", "b token": "shared-token", "b token-file": "", "b jobs": "5", "b run": "[A-*,B-*]", "b title": "all", "b hook restart": "shared", "b hook shutdown": "shared", "b cue": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// asText is a value of a hook or a cue, and "" where there is none.
func asText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// FuzzTargets: whatever stands in a list, it is read or refused, and what is read can be resolved or not.
func FuzzTargets(f *testing.F) {
	for _, text := range []string{"https://a.example/\n#x\n", "- https://a.example/\n", "- {executor-url: https://a.example/, name: a, labels: {a: b}, tokens: {instance: \"${A}\"}}\n", "- executor-url: \"${A}\"\n  name: x\n  hooks: {restart: {command: [a]}}\n", "- *a\n", "- - a\n", "- {header: [a, {b: c}], token: [x]}\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := listed(t, text)
		if err != nil {
			return
		}
		if len(list.Entries) == 0 {
			t.Error("a list of nobody is read")
		}
		for _, e := range list.Entries {
			_, _ = e.Resolve(runFlags(), Shared{Flags: runFlags()}, func(string) (string, bool) { return "https://c.example/", true })
			if e.Place() == "" {
				t.Error("a target stands nowhere")
			}
		}
	})
}
