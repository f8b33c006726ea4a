// SPDX-License-Identifier: Apache-2.0

package overview_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

func TestOverviewsKeepTheSchema(t *testing.T) {
	t.Parallel()
	text, err := schemas.Read("overview.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(doc)
	}
	for name, o := range map[string]*overview.Overview{"fleet": reporttest.Fleet(), "passes": reporttest.FleetOfPasses(), "nobody": overview.NewBuilder(overview.List{}, nil).Overview(report.Tool{})} {
		var b bytes.Buffer
		if err := overview.WriteJSON(&b, o); err != nil {
			t.Fatal(err)
		}
		if err := valid(b.String()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "fleet" {
			continue
		}
		reporttest.Golden(t, "testdata/fleet.json", b.String())
		for what, change := range map[string][2]string{
			"an unknown member": {`"verdict":`, `"verdikt": 1, "verdict":`}, "an unknown verdict": {`"verdict": "fail"`, `"verdict": "good"`}, "another schema": {"overview/v1", "overview/v2"},
			"an unknown way": {`"by": "all"`, `"by": "many"`}, "a negative count": {`"missing": 2`, `"missing": -2`},
		} {
			changed := strings.Replace(b.String(), change[0], change[1], 1)
			if changed == b.String() || valid(changed) == nil {
				t.Errorf("the schema takes %s", what)
			}
		}
	}
}

// A waived failure is known: it is neither shared nor anybody's alone.
func TestAnOverviewCountsWhatIsMeasured(t *testing.T) {
	t.Parallel()
	o := reporttest.Fleet()
	if want := (overview.Counts{Fail: 3, Unreachable: 1, Missing: 2}); o.Counts != want {
		t.Errorf("counts are %+v, want %+v", o.Counts, want)
	}
	var order []string
	for _, e := range o.Entries {
		order = append(order, e.Name)
	}
	if got, want := strings.Join(order, " "), "us-east eu-west staging idle ap-south gone"; got != want {
		t.Errorf("the worst first: %s, want %s", got, want)
	}
	if line := o.LastLine([]string{"a b/overview.md"}); !strings.HasPrefix(line, "CONFORMANCE-FAIL passed=2 failed=4 warned=1 ") || !strings.HasSuffix(line, ` targets=6 targets-passed=0 targets-failed=3 targets-missing=2 report="a b/overview.md"`) {
		t.Errorf("the last line is %s", line)
	}
}
