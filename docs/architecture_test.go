// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test -run "TestArchitecture$|TestOperators$" -update

var update = flag.Bool("update", false, "draw the picture of architecture.md and the tables of operators.md anew")

const page = "architecture.md"

// TestArchitecture: the picture of the page is that of the packages as they are.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- floors: generated -->\n", "<!-- floors: end -->"
	head, rest, found := strings.Cut(string(text), begin)
	old, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the picture", page)
	}
	drawn := picture(importsOf(t))
	if *update {
		if err := os.WriteFile(page, []byte(head+begin+drawn+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(drawn, old); diff != "" {
		t.Errorf("%s does not show the packages as they are; go generate ./docs draws them (-packages +page):\n%s", page, diff)
	}
}

// TestArchitectureNamesWhatIsThere: the words of the page are about files and names that exist.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string][]string{} // by package
	for name := range importsOf(t) {
		folders[path.Base(name)] = append(folders[path.Base(name)], name)
	}
	names := 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
		word := m[1]
		if strings.HasSuffix(word, ".go") {
			if _, err := os.Stat(filepath.Join("..", word)); err != nil {
				t.Errorf("there is no %s", word)
			}
		}
		if in, name, is := strings.Cut(word, "."); is && folders[in] != nil {
			names++
			if !slices.ContainsFunc(folders[in], func(folder string) bool { return declares(t, folder, name) }) {
				t.Errorf("there is no %s", word)
			}
		}
	}
	if names < 10 {
		t.Errorf("the page has %d names of packages, which cannot be all", names)
	}
}

// declares says whether a package declares a name.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^(func|type|var|const) ` + regexp.QuoteMeta(name) + `\b`)
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && declared.Match(text)
	})
}

// importsOf are the packages with those of ours that they import.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir = ".."
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	const module = "github.com/roctinam/agentic-sandbox-conformance/"
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		ours := []string{}
		for _, imported := range fields[1:] {
			if name, is := strings.CutPrefix(imported, module); is {
				ours = append(ours, name)
			}
		}
		all[strings.TrimPrefix(fields[0], module)] = ours
	}
	return all
}

// towers are the columns of the picture: what stands in each, by how the names of its packages begin. What begins with none
// of them belongs to the harness.
var towers = []struct {
	name   string
	begins []string
}{
	{"reference servers", []string{"reference-executor/executor", "reference-executor/plain", "reference-executor/points", "reference-executor/lawful", "reference-executor$"}},
	{"tools, test data", []string{"cmd/bench", "cmd/gauntlet", "cmd/internal/peak", "cmd/release$", "cmd/site", "fixtures"}},
}

// towerOf is the column of a package; 0 is that of the harness.
func towerOf(name string) int {
	for i, tower := range towers {
		for _, begin := range tower.begins {
			if name+"$" == begin || name == begin || strings.HasPrefix(name, begin+"/") {
				return i + 1
			}
		}
	}
	return 0
}

// picture draws the floors, the highest first.
func picture(imports map[string][]string) string {
	floors := map[string]int{}
	var floor func(name string) int
	floor = func(name string) int {
		if at, known := floors[name]; known {
			return at
		}
		highest := -1
		for _, imported := range imports[name] {
			highest = max(highest, floor(imported))
		}
		floors[name] = highest + 1
		return highest + 1
	}
	top := 0
	var names []string
	for name := range imports {
		top = max(top, floor(name))
		names = append(names, name)
	}
	slices.Sort(names)
	cells := make([][3][]string, top+1)
	wide := [2]int{len("harness"), len(towers[0].name)}
	for at := range cells {
		for _, name := range names {
			if floors[name] == at {
				cells[at][towerOf(name)] = append(cells[at][towerOf(name)], name)
			}
		}
		for column := range cells[at] {
			cells[at][column] = inFolders(cells[at][column])
			for _, line := range cells[at][column] {
				if column < len(wide) {
					wide[column] = max(wide[column], len(line))
				}
			}
		}
	}
	var b strings.Builder
	row := func(at string, cells ...string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("    %-5s  %-*s  %-*s  %s", at, wide[0], cells[0], wide[1], cells[1], cells[2]), " ") + "\n")
	}
	b.WriteString("\n")
	row("floor", "harness", towers[0].name, towers[1].name)
	for at := top; at >= 0; at-- {
		columns := cells[at]
		for i := range max(len(columns[0]), len(columns[1]), len(columns[2])) {
			var cells [3]string
			for c := range columns {
				if i < len(columns[c]) {
					cells[c] = columns[c][i]
				}
			}
			label := ""
			if i == 0 {
				label = fmt.Sprint(at)
			}
			row(label, cells[:]...)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// inFolders are packages in lines of the picture, those of one folder together: "suites/runner/{sights, webhooks}".
func inFolders(names []string) []string {
	var folders []string
	of := map[string][]string{}
	for _, name := range names {
		folder := path.Dir(name)
		if of[folder] == nil {
			folders = append(folders, folder)
		}
		of[folder] = append(of[folder], path.Base(name))
	}
	var lines []string
	for _, folder := range folders {
		all := of[folder]
		if len(all) == 1 {
			lines = append(lines, path.Join(folder, all[0]))
			continue
		}
		line := "{"
		if folder != "." {
			line = folder + "/{"
		}
		for i, name := range all {
			if name += ", "; i == len(all)-1 {
				name = all[i] + "}"
			}
			if len(line)+len(name) > maxInFolder {
				lines, line = append(lines, strings.TrimRight(line, " ")), "    "
			}
			line += name
		}
		lines = append(lines, line)
	}
	return lines
}

// maxInFolder is the longest line of packages of one folder, in characters.
const maxInFolder = 52
