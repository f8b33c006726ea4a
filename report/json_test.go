// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

const schemaFile = "../schemas/report.schema.json"

func rendered(t *testing.T, write func(io.Writer, Settled) error, run *Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, run.Settled()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

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
	for name, sample := range samples {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(rendered(t, WriteJSON, sample())))
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
	text := rendered(t, WriteJSON, everyOutcome())
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
		"tool": Tool{}, "suites": SuiteSet{}, "target": Target{}, "flag": Flag{}, "summary": Summary{}, "budget": Budget{}, "claim": Claim{}, "route": Route{}, "cause": Cause{},
		"result": Result{}, "reason": Reason{}, "finding": Finding{}, "evidence": Evidence{}, "repro": Repro{}, "waiver": Waiver{},
		"policy": Policy{}, "accepted": Accepted{}, "root": Root{}, "rootSign": RootSign{},
	}
	schema.Defs["run"], types["run"] = schema.object, Run{}
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
	for name, sample := range samples {
		text := rendered(t, WriteJSON, sample())
		run, err := ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(text, rendered(t, WriteJSON, run)); diff != "" {
			t.Errorf("%s changes when written again (-first +second):\n%s", name, diff)
		}
		// Every other format is rendered from the JSON report alone.
		for _, f := range forms {
			if diff := cmp.Diff(rendered(t, f.write, sample()), rendered(t, f.write, run)); diff != "" {
				t.Errorf("%s as %s differs when read from JSON:\n%s", name, f.name, diff)
			}
		}
	}
}

func TestJSONOfAHostileTargetIsInert(t *testing.T) {
	t.Parallel()
	text := rendered(t, WriteJSON, hostileRun())
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
	run := everyOutcome()
	run.Results[1].Evidence[1].Body = strings.Repeat("`", 10<<20)
	text := rendered(t, WriteJSON, run)
	if len(text) > 200<<10 {
		t.Errorf("the report has %d bytes", len(text))
	}
	back, err := ReadJSON(strings.NewReader(text))
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
	good := rendered(t, WriteJSON, everyOutcome())
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
		"a bad time":         {strings.Replace(good, "2026-11-21T09:30:00Z", "noon", 1), "23:17: startedAt is no RFC 3339 time: noon"},
		"null":               {"\n  null\n", "2:3: a report is an object"},
	} {
		_, err := ReadJSON(strings.NewReader(row.text))
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: error is %v, want one with %q", name, err, row.says)
		}
	}
}

func TestReadJSONTakesAdditions(t *testing.T) {
	t.Parallel()
	text := strings.Replace(rendered(t, WriteJSON, everyOutcome()), `"verdict":`, `"later": [1], "verdict":`, 1)
	if _, err := ReadJSON(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"schema":"agentic-sandbox-conformance/report/v1","verdict":"pass","results":[{"id":"A","outcome":"pass"}]}`))
	f.Add([]byte(`{"schema":"agentic-sandbox-conformance/report/v1","verdict":"fail","startedAt":"2026-01-01T00:00:00Z","results":[{"id":"A","outcome":"blocked","reason":null,"evidence":[{"kind":"response","header":"a\nb"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, format := range forms {
			if err := format.write(io.Discard, run.Settled()); err != nil && format.name != "json" {
				t.Errorf("%s: %v", format.name, err)
			}
		}
	})
}
