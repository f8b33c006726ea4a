// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for name, row := range map[string]struct{ tag, older, want string }{
		"a tag":                               {tag: "v1.2.3", older: "v1.2.3", want: "v1.2.3"},
		"a tag of a candidate":                {tag: "v1.2.3-rc.1", want: "v1.2.3-rc.1"},
		"no tag at all":                       {want: "v0.0.0-20260102030405-0123456789ab"},
		"a tag some commits ago":              {older: "v1.2.3", want: "v1.2.4-0.20260102030405-0123456789ab"},
		"a tag that is no version of Go":      {tag: "v1-final", want: "v0.0.0-20260102030405-0123456789ab"},
		"an older one that is no version":     {older: "v2024", want: "v0.0.0-20260102030405-0123456789ab"},
		"the commits after that of version 0": {older: "v0.3.0", want: "v0.3.1-0.20260102030405-0123456789ab"},
	} {
		if got := versionOf(row.tag, row.older, at, commit); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// TestCheckOut: what is released is the commit, and not what lies beside it.
func TestCheckOut(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if _, err := said(t.Context(), repository, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(repository, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("a.go", "the commit's")
	git("add", "a.go")
	git("commit", "-qm", "one", "--date", "2026-01-02T03:04:05Z")
	git("tag", "v1.2.3")
	write("a.go", "changed since")
	write("b.go", "not added")
	folder := filepath.Join(t.TempDir(), "tree")
	s, err := checkOut(t.Context(), repository, "HEAD", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	if s.version != "v1.2.3" || s.number() != "1.2.3" || !s.dirty || len(s.commit) != 40 || !strings.HasPrefix(s.toolchain, "go1.") {
		t.Errorf("the source is %+v", s)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "a.go")); err != nil || string(text) != "the commit's" {
		t.Errorf("a.go is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "b.go")); err == nil {
		t.Error("b.go is released, which is in no commit")
	}
	for _, row := range []struct{ revision, version, want string }{
		{"nosuch", "", "-revision: "},
		{"HEAD", "1.2.3", `-version is "1.2.3", want one like v1.2.3`},
		{"HEAD", "v1.2", `-version is "v1.2", want one like v1.2.3`},
		{"HEAD", "v2.0.0", `-version is "v2.0.0", want one like v1.2.3`},
		{"--all", "", "-revision: "},
	} {
		if _, err := checkOut(t.Context(), repository, row.revision, row.version, filepath.Join(t.TempDir(), "tree")); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: %v", row, err)
		}
	}
}
