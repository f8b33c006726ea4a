// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

const schemaFile = "../schemas/report.schema.json"

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := schemas.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schemas.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJSONKeepsTheSchema(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "report.schema.json")
	for name, sample := range reporttest.Samples {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(reporttest.Rendered(t, report.WriteJSON, sample())))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "report.schema.json")
	text := reporttest.Rendered(t, report.WriteJSON, reporttest.EveryOutcome())
	for name, change := range map[string][2]string{
		"an unknown member":      {`"verdict":`, `"verdikt": 1, "verdict":`},
		"an unknown result part": {`"outcome": "fail"`, `"outcome": "fail", "colour": "red"`},
		"an unknown outcome":     {`"outcome": "fail"`, `"outcome": "broken"`},
		"an unknown verdict":     {`"verdict": "fail"`, `"verdict": "conformant"`},
		"another schema":         {`report/v1`, `report/v2`},
		"a negative count":       {`"pass": 1`, `"pass": -1`},
		"a level of its own":     {`"level": "MUST"`, `"level": "OUGHT"`},
		"a missing member":       {`"verdict": "fail",`, ``},
		"a time that is none":    {`2026-11-21T09:30:00Z`, `yesterday`},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("%s: the change changes nothing", name)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

// The schema is written by hand, so that it can explain; this keeps it and the types together.
func TestSchemaHasTheMembersOfTheTypes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Required             []string
		AdditionalProperties *bool
		Properties           map[string]any
	}
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &schema.object); err != nil {
		t.Fatal(err)
	}
	types := map[string]any{
		"tool": report.Tool{}, "suites": report.SuiteSet{}, "contract": report.Contract{}, "chosen": report.Chosen{}, "target": report.Target{}, "flag": report.Flag{}, "summary": report.Summary{}, "budget": report.Budget{}, "claim": report.Claim{}, "route": report.Route{}, "cause": report.Cause{},
		"result": report.Result{}, "reason": report.Reason{}, "finding": report.Finding{}, "evidence": report.Evidence{}, "repro": report.Repro{}, "waiver": report.Waiver{},
		"policy": report.Policy{}, "accepted": report.Accepted{}, "root": report.Root{}, "ruling": report.Ruling{}, "next": report.Next{}, "step": report.Step{}, "late": report.Late{}, "rootSign": report.RootSign{},
	}
	schema.Defs["run"], types["run"] = schema.object, report.Run{}
	if len(schema.Defs) != len(types) {
		t.Errorf("the schema has %d definitions, want %d", len(schema.Defs), len(types))
	}
	for name, v := range types {
		o := schema.Defs[name]
		if o.AdditionalProperties == nil || *o.AdditionalProperties {
			t.Errorf("%s is open", name)
		}
		var members, required []string
		for f := range reflect.TypeOf(v).Fields() {
			member, omit, _ := strings.Cut(f.Tag.Get("json"), ",")
			members = append(members, member)
			if omit == "" {
				required = append(required, member)
			}
		}
		var properties []string
		for p := range o.Properties {
			properties = append(properties, p)
		}
		slices.Sort(members)
		slices.Sort(properties)
		slices.Sort(required)
		slices.Sort(o.Required)
		if diff := cmp.Diff(members, properties); diff != "" {
			t.Errorf("members of %s (-type +schema):\n%s", name, diff)
		}
		if diff := cmp.Diff(required, o.Required); diff != "" {
			t.Errorf("required members of %s (-type +schema):\n%s", name, diff)
		}
	}
}

func TestJSONIsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		text := reporttest.Rendered(t, report.WriteJSON, sample())
		run, err := report.ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(text, reporttest.Rendered(t, report.WriteJSON, run)); diff != "" {
			t.Errorf("%s changes when written again (-first +second):\n%s", name, diff)
		}
	}
}

func TestJSONOfAHostileTargetIsInert(t *testing.T) {
	t.Parallel()
	text := reporttest.Rendered(t, report.WriteJSON, reporttest.HostileRun())
	for _, bad := range []string{"<", "\x1b", "\u009b", "\u202e", "\u200b", "\ufeff", "\U000e0041", "##", "\x7f"} {
		if strings.Contains(text, bad) {
			t.Errorf("the JSON report contains %q", bad)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a line begins with a workflow command: %q", line)
		}
	}
}

func TestJSONBoundsBodies(t *testing.T) {
	t.Parallel()
	run := reporttest.EveryOutcome()
	run.Results[1].Evidence[1].Body = strings.Repeat("`", 10<<20)
	text := reporttest.Rendered(t, report.WriteJSON, run)
	if len(text) > 200<<10 {
		t.Errorf("the report has %d bytes", len(text))
	}
	back, err := report.ReadJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	e := back.Results[1].Evidence[1]
	if len(e.Body) != 64<<10 || e.BodyBytes != 10<<20 || len(e.SHA256) != 64 {
		t.Errorf("the body has %d of %d bytes and digest %q", len(e.Body), e.BodyBytes, e.SHA256)
	}
	if len(run.Results[1].Evidence[1].Body) != 10<<20 {
		t.Error("rendering changed the run")
	}
}

func TestReadJSONSaysWhere(t *testing.T) {
	t.Parallel()
	good := reporttest.Rendered(t, report.WriteJSON, reporttest.EveryOutcome())
	for name, row := range map[string]struct{ text, says string }{
		"nothing":            {"", "1:1: unexpected end"},
		"no JSON":            {"{\n  nonsense\n}", "2:3: invalid character 'n'"},
		"cut off":            {good[:len(good)/2], "unexpected end of JSON input"},
		"two reports":        {good + good, "invalid character '{' after top-level value"},
		"a wrong type":       {strings.Replace(good, `"durationMs": 83412`, `"durationMs": "long"`, 1), "durationMs is of the kind string, want int64"},
		"another schema":     {strings.Replace(good, "report/v1", "report/v9", 1), `schema is "agentic-sandbox-conformance/report/v9"`},
		"an unknown outcome": {strings.Replace(good, `"outcome": "fail"`, `"outcome": "grand"`, 1), `results[1].outcome is "grand"`},
		"an unknown verdict": {strings.Replace(good, `"verdict": "fail"`, `"verdict": "grand"`, 1), `verdict is "grand"`},
		"no id":              {strings.Replace(good, `"id": "TASK-020"`, `"id": ""`, 1), "results[1].id is missing"},
		"a bad time":         {strings.Replace(good, "2026-11-21T09:30:00Z", "noon", 1), "29:17: startedAt is no RFC 3339 time: noon"},
		"null":               {"\n  null\n", "2:3: a report is an object"},
	} {
		_, err := report.ReadJSON(strings.NewReader(row.text))
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: error is %v, want one with %q", name, err, row.says)
		}
	}
}

func TestReadJSONTakesAdditions(t *testing.T) {
	t.Parallel()
	text := strings.Replace(reporttest.Rendered(t, report.WriteJSON, reporttest.EveryOutcome()), `"verdict":`, `"later": [1], "verdict":`, 1)
	if _, err := report.ReadJSON(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

// What a report says of causes is computed, not read: a report that was changed says what its results say.
func TestCausesFollowFromTheResults(t *testing.T) {
	t.Parallel()
	run := reporttest.EveryOutcome()
	run.Causes = []report.Cause{{ID: "made-up", Kind: "dialect", Says: "x", Fix: "y", Tests: []string{"AUTH-004", "TASK-020"}}}
	run.Results[0].Cause = "made-up"
	text := reporttest.Rendered(t, report.WriteJSON, run)
	if strings.Contains(text, "made-up") || !strings.Contains(text, `"cause": "blocked-`) {
		t.Error(text)
	}
}
