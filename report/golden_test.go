// SPDX-License-Identifier: Apache-2.0

package report

import (
	"flag"
	"os"
	"path/filepath"
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

func TestFormatsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range samples {
		for _, f := range Formats {
			if f.Announce != nil { // its file is the Markdown report
				t.Run(name+"/"+f.Name, func(t *testing.T) {
					t.Parallel()
					golden(t, name+"."+f.Name+".txt", rendered(t, f.Announce, sample()))
				})
				continue
			}
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				t.Parallel()
				got := rendered(t, f.Write, sample())
				if f.Name == "html" {
					golden(t, name+".html.txt", outline(t, got))
					return
				}
				golden(t, name+f.Extensions[0], got)
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
