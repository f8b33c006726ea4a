// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// TestAPI: what this package exports is what it has promised. A line that goes from the file, or changes, breaks the promise of the README:
// it is for a new major version. A line more has to be right, because it can never be taken back.
func TestAPI(t *testing.T) {
	t.Parallel()
	text, err := exec.CommandContext(t.Context(), "go", "doc", "-all", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, declared, _ := strings.Cut(string(text), "\nCONSTANTS\n")
	reporttest.Golden(t, "testdata/api.txt", declared)
}

// TestAPIStandsAlone: nothing that is exported is made of a type of another package of this module, all of which may change.
func TestAPIStandsAlone(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	exported := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]bool{}
		for _, imported := range file.Imports {
			if path := strings.Trim(imported.Path.Value, `"`); strings.HasPrefix(path, "github.com/roctinam/agentic-sandbox-conformance/") {
				ours[path[strings.LastIndexByte(path, '/')+1:]] = true
			}
		}
		seen := func(what string, node ast.Node) {
			exported++
			ast.Inspect(node, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					if in, is := s.X.(*ast.Ident); is && ours[in.Name] {
						t.Errorf("%s is made of %s.%s", what, in.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Recv == nil {
					seen(d.Name.Name, d.Type)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, is := s.(*ast.TypeSpec); is && s.Name.IsExported() {
						seen(s.Name.Name, s.Type)
					}
				}
			}
		}
	}
	if exported < 3 {
		t.Errorf("%d exported names were seen, which cannot be all", exported)
	}
}
