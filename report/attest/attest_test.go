// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before you commit them")

// testKey is the same in every run.
var testKey = ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSignedAndVerified: what is signed is what the golden file shows, and verifies. The reports are kept as the first
// version of this program wrote them: what was signed once has to verify for ever.
func TestSignedAndVerified(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"every-outcome": "FAILED",
		"unreachable":   "FAILED", // nothing was measured, which in-toto has no word for
		"empty":         "FAILED",
		"interrupted":   "FAILED",
		"hostile":       "FAILED",
		"diagnostic":    "WARNED",
		"all-passed":    "PASSED",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := fixture(t, name+".json")
			markdown := Subject{"conformance.report.md", Digest{strings.Repeat("ab", 32)}}
			statement, err := State("conformance.report.json", text, []Subject{markdown})
			if err != nil {
				t.Fatal(err)
			}
			sealed, err := statement.Sign(testKey)
			if err != nil {
				t.Fatal(err)
			}
			opened := open(t, sealed, public(testKey))
			golden(t, name+".statement.json", opened)
			if got := opened.Result(); got != result {
				t.Errorf("result is %s, want %s", got, result)
			}
			subject, err := opened.Report()
			if err != nil || !subject.Is(text) || subject.Name != "conformance.report.json" {
				t.Errorf("the report is subject %v: %v", subject, err)
			}
			if _, err := opened.Agrees(text); err != nil {
				t.Error(err)
			}
		})
	}
}

func open(t *testing.T, sealed []byte, key ed25519.PublicKey) *Statement {
	t.Helper()
	envelope, err := ParseEnvelope(sealed)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := envelope.Verify(key)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := ParseStatement(envelope.PayloadType, payload)
	if err != nil {
		t.Fatal(err)
	}
	return statement
}

func golden(t *testing.T, name string, s *Statement) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(fixture(t, name)), b.String()); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

// TestEnvelopeMadeElsewhere: another implementation (Python's cryptography) wrote it, indented, in the other alphabet,
// without padding, with members that we do not know, and with a signature of somebody else in front.
func TestEnvelopeMadeElsewhere(t *testing.T) {
	t.Parallel()
	key, err := ParsePublicKey(fixture(t, "elsewhere.pem"))
	if err != nil {
		t.Fatal(err)
	}
	statement := open(t, fixture(t, "elsewhere.intoto.json"), key)
	if _, err := statement.Agrees(fixture(t, "every-outcome.json")); err != nil {
		t.Error(err)
	}
	if _, err := statement.Agrees(fixture(t, "all-passed.json")); err == nil {
		t.Error("the statement agrees with another report")
	}
	envelope, err := ParseEnvelope(fixture(t, "elsewhere.intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envelope.Verify(public(testKey)); err == nil {
		t.Error("the signature holds for another key")
	}
	envelope.PayloadType = "text/plain"
	if _, err := envelope.Verify(key); err == nil {
		t.Error("the signature holds for another payload type")
	}
}

// TestEditedReport: a report that was edited before it was signed is refused, by who signs and by who verifies.
func TestEditedReport(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ report, from, to, says string }{
		"a failure is not counted":       {"every-outcome.json", `"fail": 1`, `"fail": 0`, "the counts do not follow from the cases: the report says 1 passed, 0 failed"},
		"the failure was a pass":         {"every-outcome.json", `"outcome": "fail"`, `"outcome": "pass"`, "the counts do not follow"},
		"failures that decide nothing":   {"every-outcome.json", `"verdict": "fail"`, `"verdict": "incomplete"`, "the report says incomplete, though 1 tests failed"},
		"failures, but unreachable":      {"every-outcome.json", `"verdict": "fail"`, `"verdict": "unreachable"`, "the report says unreachable, the cases give fail"},
		"nothing was measured, but pass": {"empty.json", `"verdict": "incomplete"`, `"verdict": "pass"`, "the verdict does not follow from the cases: the report says pass, the cases give incomplete"},
		"unreachable, but pass":          {"unreachable.json", `"verdict": "unreachable"`, `"verdict": "pass"`, "the verdict does not follow"},
		"a diagnosis that boasts":        {"diagnostic.json", `"because": "`, `"because": "conformant: `, "the sentence of the verdict does not follow"},
		"two verdicts":                   {"all-passed.json", `"verdict": "pass"`, `"verdict": "fail", "verdict": "pass"`, `the member "verdict" appears twice`},
		"two verdicts, one in capitals":  {"all-passed.json", `"verdict": "pass"`, `"verdict": "fail", "VERDICT": "pass"`, `the member "VERDICT" appears twice`},
		"the verdict in capitals alone":  {"all-passed.json", `"verdict": "pass"`, `"VERDICT": "pass"`, "the member verdict is missing"},
		"another schema":                 {"all-passed.json", `report/v1"`, `report/v2"`, "schema is"},
		"two reports":                    {"all-passed.json", "\n}\n", "\n}\n{}\n", "after top-level value"},
		"an outcome in capitals":         {"all-passed.json", `"outcome": "pass"`, `"OUTCOME": "pass"`, "the member results[0].outcome is missing"},
		"a count in capitals":            {"all-passed.json", `"fail": 0`, `"FAIL": 0`, "the member summary.fail is missing"},
		"a count less":                   {"all-passed.json", `"fail": 0,`, ``, "the member summary.fail is missing"},
		"preflight in capitals":          {"all-passed.json", `"verdict"`, `"Preflight": [{"problem": "x"}], "verdict"`, "the member preflight is missing"},
		"a failure without a failing":    {"all-passed.json", `"verdict": "pass"`, `"verdict": "fail"`, "the report says fail, though no test failed"},
		"everything, but incomplete":     {"all-passed.json", `"verdict": "pass"`, `"verdict": "incomplete"`, "though everything was measured"},
		"a waiver that is over":          {"every-outcome.json", `"expires": "2027-01-31"`, `"expires": "2026-01-31"`, `the failure of "OBS-011" is waived until 2026-01-31, and the run began later`},
		"a finding that is no failure":   {"every-outcome.json", `"severity": "fail"`, `"severity": "pass"`, `the outcome of "TASK-020" does not follow from its findings`},
		"no report":                      {"all-passed.json", `{`, `[`, "invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited := bytes.Replace(fixture(t, c.report), []byte(c.from), []byte(c.to), 1)
			if bytes.Equal(edited, fixture(t, c.report)) {
				t.Fatal("the edit changes nothing")
			}
			if _, err := State("report.json", edited, nil); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("State says %v, want %q", err, c.says)
			}
			// Whoever signs it with a program of his own is refused by who verifies.
			if _, err := forged(t, edited).Agrees(edited); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Agrees says %v, want %q", err, c.says)
			}
		})
	}
}

// TestOutcomesFollowFromFindings: who makes a pass of a failure and counts it as one has left the finding.
func TestOutcomesFollowFromFindings(t *testing.T) {
	t.Parallel()
	for _, outcome := range []report.Outcome{report.Pass, report.Warn, report.Skip, report.Blocked} {
		run, err := report.ReadJSON(bytes.NewReader(fixture(t, "every-outcome.json")))
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Results {
			if run.Results[i].ID == "TASK-020" {
				run.Results[i].Outcome = outcome
			}
		}
		run.Count()
		run.Verdict, run.Because, run.Policy = report.Passed, "every MUST that was measured holds", nil
		var b bytes.Buffer
		if err := report.WriteJSON(&b, run.Settled()); err != nil {
			t.Fatal(err)
		}
		if _, err := State("report.json", b.Bytes(), nil); err == nil || !strings.Contains(err.Error(), `the outcome of "TASK-020" does not follow from its findings`) {
			t.Errorf("a failure that is said to be a %s: State says %v", outcome, err)
		}
	}
}

// TestBugOfTheHarness: a run that ended so is no verdict on what it seems to have measured, and can be signed as that.
func TestBugOfTheHarness(t *testing.T) {
	t.Parallel()
	text := bytes.Replace(fixture(t, "every-outcome.json"), []byte(`"verdict": "fail"`), []byte(`"verdict": "incomplete"`), 1)
	text = bytes.Replace(text, []byte(`"because": "`), []byte(`"because": "internal error, do not rely on these results: `), 1)
	statement, err := State("report.json", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := statement.Result(); got != "FAILED" {
		t.Errorf("result is %s, want FAILED", got)
	}
}

// forged is a statement about a report that State refuses.
func forged(t *testing.T, text []byte) *Statement {
	t.Helper()
	run := new(report.Run)
	_ = json.Unmarshal(text, run)
	p, err := predicateOf("report.json", run, text)
	if err != nil {
		p = &predicate{Run: &Run{Report: "report.json"}}
	}
	digest, err := DigestOf(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &Statement{Type: StatementType, PredicateType: PredicateType, Subject: []Subject{{"report.json", digest}}}
	if s.Predicate, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEditedStatement: a statement that says of a report what it does not say itself is refused, though it is signed.
func TestEditedStatement(t *testing.T) {
	t.Parallel()
	text := fixture(t, "every-outcome.json")
	statement, err := State("report.json", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, says string }{
		"another result":           {`"result":"FAILED"`, `"result":"PASSED"`, "result differs"},
		"no result":                {`"result":"FAILED"`, `"Outcome":"FAILED"`, "result differs"},
		"a failure less":           {`"failedTests":["TASK-020","OBS-011"]`, `"failedTests":["OBS-011"]`, "failedTests differs"},
		"a pass more":              {`"passedTests":[`, `"passedTests":["TASK-020",`, "passedTests differs"},
		"other suites":             {`5a5a5a`, `6a6a6a`, "configuration differs"},
		"another verdict":          {`"verdict":"fail"`, `"verdict":"pass"`, "run of the run differs"},
		"another target":           {`"executorUrl":"https://sandbox.example`, `"executorUrl":"https://other.example`, "run of the run differs"},
		"something said of itself": {`"verdict":"fail"`, `"verdict":"fail","partial":[]`, "run of the run differs"},
		"something kept quiet":     {`"warnings":["--insecure: certificates were not verified"]`, `"warnings":[]`, "run of the run differs"},
		"no waiver":                {`"waivedTests":["OBS-011"]`, `"waivedTests":[]`, "waivedTests of the run differs"},
		"measured after all":       {`"tests":["EXT-031","EXT-032"]`, `"tests":["EXT-031"]`, "notMeasured of the run differs"},
		"another report":           {`"report":"report.json"`, `"report":"other.json"`, "names \"other.json\" as the JSON report, which is no subject"},
		"a plain test result":      {RunExtension, "https://other.example/run", "was not written by this program"},
		"more is said":             {`"result":"FAILED"`, `"result":"FAILED","url":"https://ci.example/1"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			edited := *statement
			edited.Predicate = bytes.Replace(statement.Predicate, []byte(c.from), []byte(c.to), 1)
			if bytes.Equal(edited.Predicate, statement.Predicate) {
				t.Fatalf("the edit changes nothing of %s", statement.Predicate)
			}
			_, err := edited.Agrees(text)
			switch {
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("says %v, want %q", err, c.says)
			}
		})
	}
}

// TestParseStatement: what is signed, but no statement of ours, is said in what it is not.
func TestParseStatement(t *testing.T) {
	t.Parallel()
	good := `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"r.json","digest":{"sha256":"` + strings.Repeat("0a", 32) + `"}}],` +
		`"predicateType":"https://in-toto.io/attestation/test-result/v0.1","predicate":{}}`
	if _, err := ParseStatement(PayloadType, []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, says string }{
		"an older statement":  {"Statement/v1", "Statement/v0.1", "the statement type is"},
		"other predicate":     {"test-result/v0.1", "vuln/v0.1", "the predicate type is"},
		"no subject":          {`{"name":"r.json","digest":{"sha256":"` + strings.Repeat("0a", 32) + `"}}`, "", "it has no subject"},
		"a subject elsewhere": {"r.json", "../r.json", `subject[0].name is "../r.json", want the name of a file without folders`},
		"another system's":    {"r.json", `c:\\r.json`, "without folders"},
		"no digest":           {"sha256", "sha512", "want 64 hexadecimal digits"},
		"a digest in capital": {"0a0a", "0A0A", "want 64 hexadecimal digits in lower case"},
		"two types":           {`"_type"`, `"_Type":"x","_type"`, "appears twice"},
		"no JSON":             {"}}", "}", "invalid character"},
		"another shape":       {`"subject":[`, `"subject":7,"s":[`, "the payload is no statement"},
	} {
		if _, err := ParseStatement(PayloadType, []byte(strings.Replace(good, c.from, c.to, 1))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: says %v, want %q", name, err, c.says)
		}
	}
	if _, err := ParseStatement("application/json", []byte(good)); err == nil || !strings.Contains(err.Error(), "the payload type is") {
		t.Errorf("another payload type: %v", err)
	}
	if _, err := State("folder/r.json", fixture(t, "all-passed.json"), nil); err == nil {
		t.Error("a subject in another folder is signed")
	}
	twice := []Subject{{"r.json", Digest{strings.Repeat("0a", 32)}}}
	if _, err := State("r.json", fixture(t, "all-passed.json"), twice); err == nil || !strings.Contains(err.Error(), "another subject too") {
		t.Errorf("two subjects of one name: %v", err)
	}
}

// TestResult: who knows in-toto's three words alone never takes a run for more than it is.
func TestResult(t *testing.T) {
	t.Parallel()
	pass := func() *report.Run {
		return &report.Run{Verdict: report.Passed, Summary: report.Summary{Pass: 3, Skip: 1}}
	}
	for name, c := range map[string]struct {
		change func(*report.Run)
		want   string
	}{
		"the whole profile":     {func(*report.Run) {}, "PASSED"},
		"a warning":             {func(r *report.Run) { r.Summary.Warn = 1 }, "WARNED"},
		"a waiver":              {func(r *report.Run) { r.Summary.Waived = 1 }, "WARNED"},
		"a blocked test":        {func(r *report.Run) { r.Summary.Blocked = 1 }, "WARNED"},
		"a part of the profile": {func(r *report.Run) { r.Partial = []string{"--run"} }, "WARNED"},
		"a diagnosis":           {func(r *report.Run) { r.Diagnostic = "pty-dialect:compact" }, "WARNED"},
		"nothing measured":      {func(r *report.Run) { r.Summary = report.Summary{Skip: 4} }, "FAILED"},
		"incomplete":            {func(r *report.Run) { r.Verdict = report.Incomplete }, "FAILED"},
		"unreachable":           {func(r *report.Run) { r.Verdict = report.Unreachable }, "FAILED"},
		"unauthorized":          {func(r *report.Run) { r.Verdict = report.Unauthorized }, "FAILED"},
		"a failure":             {func(r *report.Run) { r.Verdict, r.Summary.Fail = report.Failed, 1 }, "FAILED"},
	} {
		run := pass()
		c.change(run)
		if got := resultOf(run); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
