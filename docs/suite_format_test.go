// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
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
