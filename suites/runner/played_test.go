// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// TestEveryOptionIsPlayed: whatever field of an action a suite sets, the runner reads one of that name. What it does not read, a suite
// asks for in vain, and its verdicts are those of another test.
func TestEveryOptionIsPlayed(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		called := map[ast.Node]bool{} // a method of that name reads nothing
		ast.Inspect(parsed(t, name), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called[n.Fun] = true
			case *ast.SelectorExpr:
				read[n.Sel.Name] = read[n.Sel.Name] || !called[n]
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	ast.Inspect(parsed(t, "../actions.go"), func(n ast.Node) bool {
		action, is := n.(*ast.TypeSpec)
		if !is {
			return true
		}
		of, is := action.Type.(*ast.StructType)
		if !is {
			return true
		}
		for _, field := range of.Fields.List {
			for _, name := range field.Names {
				if fields++; !read[name.Name] {
					t.Errorf("nothing in suites/runner reads %s of suites.%s: the option can be written, and is not played", name.Name, action.Name.Name)
				}
			}
		}
		return true
	})
	if fields < 40 {
		t.Errorf("%d fields of actions were seen, which cannot be all", fields)
	}
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
