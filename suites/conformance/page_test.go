// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// TestPage: the examples of docs/go-test.md are Go, and name options that there are.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/go-test.md")
	if err != nil {
		t.Fatal(err)
	}
	options := reflect.TypeFor[Options]()
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, block := range blocks {
		file, err := parser.ParseFile(token.NewFileSet(), "go-test.md", block[1], parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v in\n%s", err, block[1])
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, is := n.(*ast.CompositeLit)
			if !is {
				return true
			}
			if s, is := literal.Type.(*ast.SelectorExpr); !is || s.Sel.Name != "Options" {
				return true
			}
			for _, e := range literal.Elts {
				if name := e.(*ast.KeyValueExpr).Key.(*ast.Ident).Name; !fieldOf(options, name) {
					t.Errorf("there is no option %s", name)
				}
			}
			return true
		})
	}
	if len(blocks) < 3 {
		t.Errorf("%d examples were seen, which cannot be all", len(blocks))
	}
}

func fieldOf(of reflect.Type, name string) bool {
	_, there := of.FieldByName(name)
	return there
}

// TestOnlyThisPackagePromises: the README says which package is public, and that all others are not. No other package says anything else.
func TestOnlyThisPackagePromises(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, promise, _ := strings.Cut(strings.ReplaceAll(string(readme), "\n", " "), "## Promise")
	for _, sentence := range []string{"the Go package [`suites/conformance`](docs/go-test.md) are public API.", "Every other Go package is unstable"} {
		if !strings.Contains(promise, sentence) {
			t.Errorf("the promise does not say %q", sentence)
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{.Doc}}", "./...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	stable := regexp.MustCompile(`(?i)\b(public API|stable API|semver|backwards? compatib|compatibility promise)`)
	packages := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, doc := range packages {
		if path, _, _ := strings.Cut(doc, " "); !strings.HasSuffix(path, "/suites/conformance") && stable.MatchString(doc) {
			t.Errorf("a package that is not public promises something: %s", doc)
		}
	}
	if len(packages) < 60 {
		t.Errorf("go list shows %d packages, which cannot be all", len(packages))
	}
}

// TestExampleHasTheVersions: the example of a server of others is built with the versions that this module has. Its module is not looked into
// by anything else.
func TestExampleHasTheVersions(t *testing.T) {
	t.Parallel()
	versions := func(name string) map[string]string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, r := range file.Require {
			all[r.Mod.Path] = r.Mod.Version
		}
		return all
	}
	shared := 0
	ours := versions("../../go.mod")
	for path, version := range versions("../../fixtures/peers/a2a-go-test/go.mod") {
		if ours[path] == "" {
			continue
		}
		if shared++; semver.Compare(version, ours[path]) < 0 {
			t.Errorf("it has %s %s, and this module %s: go mod tidy in its folder mends that", path, version, ours[path])
		}
	}
	if shared < 10 {
		t.Errorf("%d modules are shared, which cannot be all", shared)
	}
}
