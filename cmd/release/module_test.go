// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const modulePath = "github.com/roctinam/agentic-sandbox-conformance"

// TestModuleCanBeInstalled: `go install module/cmd/...@version` refuses a module with replacements, and a module of which a file
// cannot stand in its archive.
func TestModuleCanBeInstalled(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Replace)+len(parsed.Exclude) > 0 || parsed.Module.Mod.Path != modulePath {
		t.Errorf("module %s has %d replacements and %d exclusions, with which nobody can install it", parsed.Module.Mod.Path, len(parsed.Replace), len(parsed.Exclude))
	}
	checked, err := zip.CheckDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := checked.Err(); err != nil {
		t.Error(err)
	}
	if len(checked.Valid) < 500 {
		t.Errorf("the module has %d files, which cannot be all", len(checked.Valid))
	}
}

// moduleProxy makes a folder that serves a version of the module as a proxy does, from the files of the source.
func moduleProxy(t *testing.T, s *source) string {
	t.Helper()
	proxy := t.TempDir()
	folder := filepath.Join(proxy, modulePath, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(folder, s.version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.CreateFromDir(archive, module.Version{Path: modulePath, Version: s.version}, s.tree); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.tree, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{s.version + ".mod": string(text), s.version + ".info": `{"Version":"` + s.version + `"}`, "list": s.version + "\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return proxy
}

// installed installs the program as its users do, by its version, and checks that it knows it.
func installed(t *testing.T, s *source) {
	t.Helper()
	cache, err := said(t.Context(), ".", "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	bin, modules := t.TempDir(), t.TempDir()
	// What the module needs is on this machine, because it was built here; of the network nothing is asked.
	proxies := "file://" + moduleProxy(t, s) + ",file://" + filepath.Join(cache, "cache", "download") + ",off"
	c := exec.CommandContext(t.Context(), "go", "install", modulePath+"/cmd/"+programName+"@"+s.version)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "GOPROXY="+proxies, "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-modcacherw", "GOBIN="+bin, "GOMODCACHE="+modules, "GOWORK=off", "CGO_ENABLED=0")
	if _, err := output(c); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, host().program())
	says, err := said(t.Context(), bin, program, "version")
	if err != nil || !strings.HasPrefix(says, programName+" "+s.version) {
		t.Errorf("version: %q, %v; want %s", says, err, s.version)
	}
	// Suites and schemas are in it.
	if says, err := said(t.Context(), bin, program, "explain", "CARD-001"); err != nil || !strings.Contains(says, "CARD-001") {
		t.Errorf("explain: %v\n%s", err, says)
	}
}
