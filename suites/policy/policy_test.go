// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// known is a profile of a MUST and a SHOULD.
var known = &suites.Profile{Suites: []*suites.Suite{{Tests: []*suites.Test{
	{ID: "A-1", Level: suites.Must}, {ID: "A-2", Level: suites.Should}, {ID: "A-3", Level: suites.MustNot},
}}}}

func TestBaselineFile(t *testing.T) {
	t.Parallel()
	const rest = ", reason: it is known, owner: me, expires: 2027-01-31}"
	for name, row := range map[string]struct{ text, says string }{
		"an entry":               {"- {id: A-1" + rest, ""},
		"quoted":                 {`- {id: "A-1", reason: 'x', owner: "me", expires: "2027-01-31"}`, ""},
		"of a MUST NOT":          {"- {id: A-3" + rest, ""},
		"nothing":                {"", ""},
		"a comment":              {"# none\n", ""},
		"an empty list":          {"[]", ""},
		"no list":                {"id: A-1", "b.yaml:1:1: a baseline is a list of entries"},
		"no mapping":             {"- A-1", "b.yaml:1:3: an entry of a baseline is a mapping"},
		"no id":                  {"- {reason: x, owner: me, expires: 2027-01-31}", "b.yaml:1:3: the entry lacks its id"},
		"no reason":              {"- {id: A-1, owner: me, expires: 2027-01-31}", "the entry lacks its reason"},
		"no day":                 {"- {id: A-1, reason: x, owner: me}", "the entry lacks its expires"},
		"a blank owner":          {`- {id: A-1, reason: x, owner: " ", expires: 2027-01-31}`, "b.yaml:1:31: owner is empty"},
		"a list of ids":          {"- {id: [A-1], reason: x, owner: me, expires: 2027-01-31}", "b.yaml:1:8: id is empty; it is a text"},
		"a null":                 {"- {id: A-1, reason: ~, owner: me, expires: 2027-01-31}", "reason is empty"},
		"a key twice":            {"- {id: A-1, id: A-2" + rest, "id is given twice"},
		"a day without zeros":    {"- {id: A-1, reason: x, owner: me, expires: 2027-1-31}", `expires is "2027-1-31", want the last day`},
		"a time":                 {"- {id: A-1, reason: x, owner: me, expires: 2027-01-31T00:00:00Z}", "want the last day"},
		"never":                  {"- {id: A-1, reason: x, owner: me, expires: never}", "want the last day"},
		"the 29th of a February": {"- {id: A-1, reason: x, owner: me, expires: 2027-02-29}", "want the last day"},
		"an alias":               {"- &a {id: A-1" + rest + "\n- *a", "an entry of a baseline is a mapping"},
		"an unknown id":          {"- {id: a-1" + rest, `b.yaml:1:8: there is no test "a-1" (did you mean "A-1"?)`},
		"another profile's id":   {"- {id: A2A-REST-005" + rest, "b.yaml:1:8: A2A-REST-005 is a test of a2a-1.0, and the run is judged by"},
		"a glob":                 {"- {id: 'A-*'" + rest, `there is no test "A-*"`},
		"a SHOULD":               {"- {id: A-2" + rest, "A-2 is a SHOULD, which never fails a run"},
		"an id twice":            {"- {id: A-1" + rest + "\n- {id: A-1" + rest, "b.yaml:2:8: A-1 has an entry already, at b.yaml:1:8"},
		"no YAML":                {"- {id: A-1", "b.yaml:"},
		"two documents":          {"- {id: A-1" + rest + "\n---\n[]", "b.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := yamltext.ParseFile("b.yaml", []byte(row.text))
			if err == nil {
				err = baselineOf(file).Against(known)
			}
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("error is %v, want one with %q", err, row.says)
			}
		})
	}
}

func TestTheDayIsThatOfUTC(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	west := time.FixedZone("west", -8*60*60)
	file, err := yamltext.ParseFile("b.yaml", []byte("- {id: A-1, reason: x, owner: me, expires: 2027-01-31}"))
	if err != nil {
		t.Fatal(err)
	}
	b := baselineOf(file)
	for name, row := range map[string]struct {
		now    time.Time
		waives bool
	}{
		"the last second of the day":             {time.Date(2027, 1, 31, 23, 59, 59, 0, time.UTC), true},
		"the day after":                          {time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC), false},
		"the day after only in the east":         {time.Date(2027, 2, 1, 1, 59, 0, 0, east), true},
		"the day after also where it is evening": {time.Date(2027, 1, 31, 16, 0, 0, 0, west), false},
	} {
		if got := len(b.On(row.now).Waivers()) == 1; got != row.waives {
			t.Errorf("%s: it waives: %v", name, got)
		}
	}
}

func TestGateTakesTheClockOfTheProgram(t *testing.T) {
	t.Parallel()
	file, err := yamltext.ParseFile("b.yaml", []byte("- {id: A-1, reason: x, owner: me, expires: 2027-01-31}"))
	if err != nil {
		t.Fatal(err)
	}
	gate, err := Files{Baseline: baselineOf(file)}.Gate(known, func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) })
	if err != nil || gate.Baseline.Day != "2030-01-01" || len(gate.Baseline.Waivers()) != 0 {
		t.Errorf("%+v, %v", gate.Baseline, err)
	}
}

func FuzzPolicyFiles(f *testing.F) {
	f.Add("- {id: A-1, reason: x, owner: me, expires: 2027-01-31}")
	f.Add("no-hook:*: 3\nothers: 0\n")
	f.Add("- &a {id: A-1}\n- *a\n- <<: *a")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := yamltext.ParseFile("f.yaml", []byte(text))
		if err != nil || file.Root == nil {
			return
		}
		b := baselineOf(file)
		if b.Against(known) == nil {
			run := &report.Run{Verdict: report.Passed}
			report.Gate{Baseline: b.On(time.Now())}.Judge(run)
			for _, e := range b.entries {
				if e.ID == "" || e.Reason == "" || e.Owner == "" || len(e.Expires) != len("2027-01-31") {
					t.Errorf("%q gives %+v", text, e)
				}
			}
		}
		again, err := yamltext.ParseFile("f.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_ = budgetOf(again).Against(known) // must not panic
	})
}
