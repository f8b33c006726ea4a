// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func TestSharedStepsOfTheBundledProfilesLoad(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		file := name + "/shared.yaml"
		text, err := fs.ReadFile(suites.Embedded(), file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := suites.LoadProfile(fstest.MapFS{file: {Data: text}}, name); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}
