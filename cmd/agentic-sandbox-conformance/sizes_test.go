// SPDX-License-Identifier: Apache-2.0

package main

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

// A package of more files than maxFiles besides tests is not looked through any more, and a type of more methods than maxMethods has more
// than one job: then the second topic moves into a package of its own.
const (
	maxFiles   = 45
	maxMethods = 40
)

// oneFileATopic are the packages that may have more files: the words of conditions, and the behaviour of a reference server with its
// faults. Nobody reads them as a whole.
var oneFileATopic = map[string]bool{
	"assertions": true, "reference-executor/executor": true, "reference-executor/executor/pty": true, "reference-executor/plain": true,
}

// TestSizes: packages and types stay small enough to be known.
func TestSizes(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	files, methods := map[string]int{}, map[string]int{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		in := path.Dir(name)
		files[in]++
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil {
				methods[in+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range files {
		if n > maxFiles && !oneFileATopic[name] {
			t.Errorf("package %s has %d files besides tests, want %d at most", name, n, maxFiles)
		}
	}
	for name := range oneFileATopic {
		if files[name] <= maxFiles {
			t.Errorf("package %s has %d files besides tests: it needs no exception any more", name, files[name])
		}
	}
	all := 0
	for name, n := range methods {
		if all += n; n > maxMethods {
			t.Errorf("type %s has %d methods, want %d at most", name, n, maxMethods)
		}
	}
	if len(files) < 60 || all < 1000 {
		t.Errorf("%d packages and %d methods were seen, which cannot be all", len(files), all)
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	}
	return "?"
}
