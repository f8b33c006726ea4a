// SPDX-License-Identifier: Apache-2.0

package report

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before you commit them")

var samples = map[string]func() *Run{
	"every-outcome":  everyOutcome,
	"common-causes":  commonCauses,
	"hostile":        hostileRun,
	"hostile-causes": hostileCauses,
	"unreachable":    unreachable,
	"interrupted":    interrupted,
	"diagnostic":     diagnostic,
	"empty":          empty,
	"all-passed":     allPassed,
	"waived":         waived,
	"policy-unmet":   policyUnmet,
}

// A form is one written form of a run, with the extension of its golden files.
type form struct {
	name, extension string
	write           func(io.Writer, Settled) error
}

// forms are those that are written as files of their own.
var forms = []form{{"html", ".html.txt", WriteHTML}, {"json", ".json", WriteJSON}, {"junit", ".junit.xml", WriteJUnit}, {"markdown", ".md", WriteMarkdown}}

func TestFormatsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range samples {
		for _, f := range append(slices.Clone(forms), form{"github", ".github.txt", WriteAnnotations}) {
			t.Run(name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				got := rendered(t, f.write, sample())
				if f.name == "html" {
					got = outline(t, got)
				}
				golden(t, name+f.extension, got)
			})
		}
		t.Run(name+"/lines", func(t *testing.T) {
			t.Parallel()
			r := sample()
			golden(t, name+".lines.txt", OneLine(r)+"\n"+LastLine(r, []string{"conformance.report.md", "conformance.report.junit.xml"})+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}
