// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestTheFirstSuiteLoads: the suite with which the page of the suite format begins is one.
func TestTheFirstSuiteLoads(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("suite-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, suite, _ := strings.Cut(string(page), "```yaml\n")
	suite, _, _ = strings.Cut(suite, "```")
	profile, err := suites.LoadProfile(fstest.MapFS{"agentic-sandbox-v2/example.yaml": &fstest.MapFile{Data: []byte(suite)}}, "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	if len(profile.Suites) != 1 || len(profile.Suites[0].Tests) != 1 || len(profile.Suites[0].Tests[0].BrokenBy) != 1 {
		t.Errorf("it holds %+v, want one test with one fault", profile.Suites)
	}
}

// TestVerbsAndOptionsStandInTheTable: what a step can say, the page says as well, where it is about steps.
func TestVerbsAndOptionsStandInTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("suite-format.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := suites.GenerateSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Step struct{ Properties map[string]any }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## A step: ")
	section, _, _ = strings.Cut(section, "\n## ")
	said := map[string]bool{}
	for _, code := range regexp.MustCompile("`[^`\n]+`").FindAllString(section, -1) {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(code, -1) {
			said[name] = true
		}
	}
	if len(schema.Defs.Step.Properties) == 0 {
		t.Fatal("the schema has no steps")
	}
	for name := range schema.Defs.Step.Properties {
		if !said[name] {
			t.Errorf("suite-format.md says nothing of %q; add it to the table under \"A step\"", name)
		}
	}
}
