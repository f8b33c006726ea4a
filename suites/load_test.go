// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

func TestBundledProfilesLoad(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
			continue
		}
		if len(profile.Digest) != 64 || profile.Name != name {
			t.Errorf("profile %q has digest %q, name %q", name, profile.Digest, profile.Name)
		}
	}
}

func TestBundledSuitesNeedNoAdvice(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatalf("%s:\n%v", name, err)
		}
		required, err := catalog.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		there := len(profile.Tests())
		for _, s := range profile.Suites {
			there += len(s.Untested)
		}
		for _, advice := range suites.Lint(profile) {
			// What uses shared steps can still be to be written.
			if there >= len(required) || !strings.HasPrefix(advice.What, "nothing uses the shared steps ") {
				t.Error(advice)
			}
		}
	}
}

func everything(t *testing.T) *suites.Profile {
	t.Helper()
	profile, err := suites.LoadProfile(os.DirFS("testdata"), "everything")
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// stepsOf are the steps of a test in the order in which they are done, each use followed by what it stands for.
func stepsOf(steps []*suites.Step) []*suites.Step {
	var all []*suites.Step
	for _, s := range steps {
		all = append(all, s)
		if block, is := s.Do.(suites.Block); is {
			all = append(all, stepsOf(block.Inside())...)
		}
	}
	return all
}

func TestASuiteTakesOverWhatItsFolderShares(t *testing.T) {
	t.Parallel()
	s := everything(t).Suites[0]
	want := []suites.Header{{Name: "X-Default", Drop: true}, {Name: "X-Own", Value: "a"}, {Name: "X-Own", Value: "b ${token}"},
		{Name: "A2A-Extensions", Value: "${uri.runtime}"}}
	if diff := cmp.Diff(want, s.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if s.Surface != "every-verb" || s.As != "operator" || s.URIs["runtime"] != "https://x.example/runtime/v1" {
		t.Errorf("surface is %q, as is %q, uris are %v", s.Surface, s.As, s.URIs)
	}
	lifecycles := map[string]suites.Lifecycle{
		"task":  {Initial: []string{"submitted"}, Open: []string{"working"}, Final: []string{"completed"}},
		"light": {Open: []string{"red", "green"}, Final: []string{"dark"}},
	}
	if diff := cmp.Diff(lifecycles, s.Lifecycles); diff != "" {
		t.Errorf("lifecycles (-want +got):\n%s", diff)
	}
	untested := suites.Untested{At: suites.Position{File: "everything/all.yaml", Line: 172, Col: 5}, ID: "ALL-003",
		Level: suites.May, Says: "be anything", Source: "nowhere", Because: "nobody sees it"}
	if diff := cmp.Diff([]suites.Untested{untested}, s.Untested); diff != "" {
		t.Errorf("untested (-want +got):\n%s", diff)
	}
}

func TestATestIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	tests := everything(t).Tests()
	got := tests[0]
	applies := suites.Applies{Claims: []string{"streaming", "idempotency/v1"}, Auth: true, Production: true, Since: "v2.1", Reserved: "v2.2"}
	if diff := cmp.Diff(applies, got.Applies); diff != "" {
		t.Errorf("applies (-want +got):\n%s", diff)
	}
	if got.Slow != 40*time.Second || !got.Alone || !got.Last || got.Level != suites.Must || got.Says != "hold" {
		t.Errorf("test is %+v", got)
	}
	needs := []string{"cue:completed", "hook:restart", "token:admin", "token:instance", "token:operator"}
	if diff := cmp.Diff(needs, got.Needs); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cue:failed", "hook:command-id"}, got.Wants); diff != "" || !got.AtOnce {
		t.Errorf("wants (-want +got):\n%s", diff)
	}
	if got.Cases[0].Label != "empty body" || got.Cases[1].Label != "an object" {
		t.Errorf("rows are called %q and %q", got.Cases[0].Label, got.Cases[1].Label)
	}
	body := map[string]any{"a": []any{json.Number("1.50"), json.Number("-2e3")}}
	if diff := cmp.Diff(body, got.Cases[1].Cells["body"]); diff != "" {
		t.Errorf("cell (-want +got):\n%s", diff)
	}
	pair := []any{"${case.body}", json.Number("2"), nil, true, map[string]any{"a": "$${b}"}}
	if diff := cmp.Diff(pair, got.Let[2].Value); diff != "" {
		t.Errorf("let (-want +got):\n%s", diff)
	}
	if tests[1].Level != suites.ShouldNot || tests[1].BrokenBy[0].Fault != "says-nothing" || tests[1].BrokenBy[0].Shows != suites.Note {
		t.Errorf("second test is %+v", tests[1])
	}
	if got := everything(t).Beside("says-nothing"); !slices.Equal(got, []string{"ALL-001", "PTY-*"}) || everything(t).Beside("cancel-is-ignored") != nil {
		t.Errorf("the side effects are %v", got)
	}
}

func TestExpectationsNameOneSubjectEach(t *testing.T) {
	t.Parallel()
	var got []string
	for _, e := range everything(t).Tests()[0].Steps[0].Expect {
		named := ""
		if e.Named {
			named = " named"
		}
		got = append(got, e.At.String()+" "+e.Subject.String()+" "+e.Want.Checks[0].Word.Name+named)
	}
	want := []string{
		"everything/all.yaml:43:11 status equals",
		"everything/all.yaml:44:20 header.Content-Type equals",
		"everything/all.yaml:44:52 header.Link matches",
		"everything/all.yaml:45:11 headers.Set-Cookie absent",
		"everything/all.yaml:47:13 json.id equals named",
		"everything/all.yaml:48:13 json.status.state one_of named",
		`everything/all.yaml:49:13 json["a.b"] equals named`,
		"everything/all.yaml:50:13 json[0].x equals",
		`everything/all.yaml:51:11 json.metadata["https://x.example/runtime/v1"] members`,
		"everything/all.yaml:52:11 exchange any_of",
		"everything/all.yaml:53:11 task present",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expectations (-want +got):\n%s", diff)
	}
}

func TestSharedStepsInheritActorAndCredentials(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range stepsOf(everything(t).Tests()[0].Given) {
		got = append(got, s.Do.Verb()+" "+s.By+" "+s.As)
	}
	want := []string{"use alice ", "use alice ", "request alice ", "use alice admin", "request alice admin"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestMistakesInSeveralFilesAreReportedTogether(t *testing.T) {
	t.Parallel()
	const test = "suite: S\ntests:\n  - {id: A-1, test: t, must: m, steps: [{use: loop}, {use: keeps}, {request: \"GET ${kept}/${base}\"}, {use: wants}]}\n"
	_, err := load(map[string]string{
		"shared.yaml": "shared:\n" +
			"  loop: [{use: pool}]\n  pool: [{use: loop}]\n" +
			"  keeps: [{request: \"GET ${base}\", keep: {kept: text}}]\n" +
			"  wants: [{request: \"GET ${base}/${given}/${fresh.nothing}\", expect: {frame: {a: 1}}}]\n" +
			"  unused: [{use: nowhere}]\n",
		"a.yaml": test,
		"b.yaml": test + "shared:\n  wants: [{type: x}]\n",
	})
	want := strings.TrimSpace(`
p/b.yaml:3:5: the id A-1 is already taken, at p/a.yaml:3:5
p/b.yaml:5:3: shared steps called wants are already in p/shared.yaml:5:3
p/shared.yaml:2:10: the shared steps pool use themselves: pool -> loop -> pool
p/shared.yaml:3:10: the shared steps loop use themselves: loop -> pool -> loop
p/shared.yaml:5:21: nothing called ${given} is known here (used from p/a.yaml:3:102)
p/shared.yaml:5:21: nothing called ${given} is known here (used from p/b.yaml:3:102)
p/shared.yaml:5:21: there is no ${fresh.nothing}
p/shared.yaml:5:79: a request step does not show frame; it shows status, header, headers, json, body, bytes, text, took, exchange, task, tasks, errcode, listed_instance, normal, hyphened, inner, page_cursor, configs, fail_kind, tenant_echo, declared, interfaces, pty_params, signing, echoed or location
p/shared.yaml:6:12: there are no shared steps "nowhere"`)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestSharedStepsThatGrowWithoutEndAreRefused(t *testing.T) {
	t.Parallel()
	shared := "shared:\n  s0: [{type: x}]\n"
	for i := 1; i <= 40; i++ {
		from, to := string(rune('0'+i/10))+string(rune('0'+i%10)), string(rune('0'+(i-1)/10))+string(rune('0'+(i-1)%10))
		shared += "  s" + from + ": [{use: s" + to + "}, {use: s" + to + "}]\n"
	}
	_, err := load(map[string]string{"shared.yaml": strings.ReplaceAll(shared, "s00", "s0"), "s.yaml": withSteps("- use: s40")})
	if err == nil || !strings.Contains(err.Error(), "more than 3000") {
		t.Errorf("error is %.200v, want one about more than 3000 steps", err)
	}
}

func TestOwnSuitesStandBesideTheBundledOnes(t *testing.T) {
	t.Parallel()
	bundled, err := load(map[string]string{
		"shared.yaml": "uris: {x: \"https://x.example\"}\nheader: {X: \"1\"}\nshared:\n  look: [{request: \"GET ${base}\", keep: {seen: text}}]\n",
		"a.yaml":      "suite: S\ntests:\n  - {id: A-1, test: t, must: m, steps: [{use: look}]}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	const own = "suite: Own\ntests:\n  - {id: my.own, test: t, may: m, steps: [{use: look}, {use: more}, {request: \"GET ${base}/${seen}?${uri.x}${uri.y}\"}]}\n"
	folder := t.TempDir()
	write(t, folder, "own.yaml", own)
	write(t, folder, "shared.yaml", "uris: {y: \"https://y.example\"}\nheader: {Y: \"2\"}\nshared:\n  more: [{use: look}]\n")
	single := filepath.Join(folder, "own.yaml")
	for name, paths := range map[string][]string{"a folder": {folder}, "a file": {single}, "both": {folder, single}} {
		profile, err := suites.LoadFiles(paths, bundled)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(profile.Suites) != 1 || len(profile.Tests()) != 1 {
			t.Errorf("%s gives %d suites and %d tests, want one of each", name, len(profile.Suites), len(profile.Tests()))
		}
		if diff := cmp.Diff([]suites.Header{{Name: "Y", Value: "2"}, {Name: "X", Value: "1"}}, profile.Suites[0].Header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", name, diff)
		}
	}

	write(t, folder, "taken.yaml", "suite: Own\ntests:\n  - {id: A-1, test: t, may: m, steps: [type: x]}\n")
	if _, err := suites.LoadFiles([]string{folder}, bundled); err == nil || !strings.Contains(err.Error(), "A-1 is already taken, at p/a.yaml:3:5") {
		t.Errorf("error is %v, want one about the id A-1 of the bundled suite", err)
	}
	if _, err := suites.LoadFiles([]string{single}, nil); err == nil || !strings.Contains(err.Error(), `no shared steps "look"`) {
		t.Errorf("error is %v, want one about the shared steps of the bundled suites", err)
	}
	if _, err := suites.LoadFiles([]string{filepath.Join(folder, "none.yaml")}, nil); err == nil {
		t.Error("a file that is not there is no error")
	}
	if _, err := suites.LoadFiles([]string{t.TempDir()}, nil); err == nil {
		t.Error("a folder without suites is no error")
	}
}

func TestAWorkingCopyOfTheBundledSuitesStandsForItself(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "p")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "suite: S\ntests:\n  - {id: A-1, test: t, must: m, steps: [type: x]}\n"
	bundled, err := load(map[string]string{"a.yaml": text})
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "a.yaml", text)
	if _, err := suites.LoadFiles([]string{folder}, bundled); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheDigestFollowsTheText(t *testing.T) {
	t.Parallel()
	digest := func(text string) string {
		profile, err := load(map[string]string{"a.yaml": text})
		if err != nil {
			t.Fatal(err)
		}
		return profile.Digest
	}
	const text = "suite: S\nuntested: [{id: A, may: x, because: y}]\n"
	if first, again := digest(text), digest(text); first != again {
		t.Error("the same text has two digests")
	}
	if digest(text) == digest(text+"\n") {
		t.Error("another text has the same digest")
	}
}

func TestFoldersWithoutSuitesAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := load(map[string]string{"a.txt": "x"}); err == nil {
		t.Error("a folder without YAML files is no error")
	}
	if _, err := suites.LoadProfile(suites.Embedded(), "nowhere"); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if _, err := fs.Stat(suites.Embedded(), "agentic-sandbox-v2/shared.yaml"); err != nil {
		t.Error(err)
	}
}
