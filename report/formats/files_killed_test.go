// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A program that is killed between any two steps of giving reports their names leaves no reports of two runs.
func TestKilledBetweenTwoNames(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	for steps := range 7 {
		t.Run(fmt.Sprintf("after %d steps", steps), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var files []staged
			for _, name := range []string{"report.html", "report.json", "report.md"} {
				f := staged{path: filepath.Join(folder, name), temp: filepath.Join(folder, name+".tmp")}
				for path, run := range map[string]string{f.path: "earlier", f.temp: "later"} {
					if err := os.WriteFile(path, []byte(run), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				files = append(files, f)
			}
			left := steps
			step := func() {
				if left--; left < 0 {
					panic(killed)
				}
			}
			func() {
				defer func() {
					if why := recover(); why != nil && why != killed {
						panic(why)
					}
				}()
				err := takePlaces(files,
					func(path string) error { step(); return os.Remove(path) },
					func(from, to string) error { step(); return os.Rename(from, to) })
				if err != nil {
					t.Error(err)
				}
			}()
			var runs []string
			for _, f := range files {
				if text, err := os.ReadFile(f.path); err == nil {
					runs = append(runs, string(text))
				}
			}
			if slices.Sort(runs); len(slices.Compact(slices.Clone(runs))) > 1 {
				t.Errorf("the files are of the runs %q, want one run", runs)
			}
			if steps == 6 && !slices.Equal(runs, []string{"later", "later", "later"}) {
				t.Errorf("the files are of the runs %q, want all of the later run", runs)
			}
		})
	}
}
