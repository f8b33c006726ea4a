// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// here is the working tree as a source: what the tests build without a commit of it.
func here(t *testing.T) *source {
	t.Helper()
	return &source{tree: repository, version: "v1.2.3", commit: "0123456789012345678901234567890123456789", time: time.Unix(1767225600, 0).UTC()}
}

// built builds the program once for all tests, into a folder that TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "release-test-"); err != nil {
		return "", err
	}
	path := filepath.Join(builtIn, host().program())
	s := &source{version: "v1.2.3", commit: "0123456789012345678901234567890123456789"}
	return path, s.build(context.Background(), repository, "", host(), path)
})

// repository is the working tree, wherever a test stands; builtIn is the folder of [built].
var repository, builtIn string

func TestMain(m *testing.M) {
	if code, is := asContainer(); is {
		os.Exit(code)
	}
	var err error
	if repository, err = filepath.Abs("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// builtProgram is the program for this machine, as a release has it.
func builtProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTwoFolders: a program that is built from a copy of the tree in another folder has the same bytes. What is compiled may come
// from the cache here, the names of the files in it do not; with an empty cache that is done by every release.
func TestTwoFolders(t *testing.T) {
	first := builtProgram(t)
	s := here(t)
	copied := filepath.Join(t.TempDir(), "quite", "another", "folder")
	if err := os.MkdirAll(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"assertions", "cmd", "docs", "fixtures", "reference-executor", "report", "schemas", "suites"} {
		if err := os.CopyFS(filepath.Join(copied, name), os.DirFS(filepath.Join(s.tree, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(s.tree, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second := filepath.Join(t.TempDir(), host().program())
	if err := s.build(t.Context(), copied, "", host(), second); err != nil {
		t.Fatal(err)
	}
	if err := sameBytes(first, second); err != nil {
		t.Error(err)
	}
	// The comparison can fail.
	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2]++
	if err := os.WriteFile(second, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := sameBytes(first, second); err == nil {
		t.Error("programs that differ in one byte are the same")
	}
}

// TestNeedsNothing: the program needs neither a dynamic linker nor a library, and knows what it is. A program that does is told.
func TestNeedsNothing(t *testing.T) {
	program := builtProgram(t)
	if err := needsNothing(host(), program); err != nil {
		t.Error(err)
	}
	if says, err := said(t.Context(), t.TempDir(), program, "version"); err != nil || !strings.HasPrefix(says, programName+" v1.2.3 (0123456789012345678901234567890123456789)") {
		t.Errorf("version: %q, %v", says, err)
	}
	for _, linked := range []string{"/bin/ls", "/usr/bin/env", "/bin/sh"} {
		if err := needsNothing(target{os: "linux"}, linked); err != nil && strings.Contains(err.Error(), "dynamic linker") {
			return
		}
	}
	if host().os == "linux" {
		t.Error("no program of this machine is said to need a dynamic linker, which cannot be")
	}
}
