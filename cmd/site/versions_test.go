// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompare: from the newest to the oldest.
func TestCompare(t *testing.T) {
	t.Parallel()
	want := []string{"v1.10.0", "v1.9.0", "v0.4.0", "v2.0.0-rc.1", "v1.11.0-beta", "v1.10.1-0.20261126090000-0123456789ab", "v1.10.0-dirty", "v1.10.0-3-g0123456", "devel", "0123456"}
	got := slices.Sorted(slices.Values(want))
	slices.SortFunc(got, func(a, b string) int { return compare(b, a) })
	if !slices.Equal(got, want) {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

// TestVersions: versions stand side by side, what is made again is replaced, and latest is the newest release.
func TestVersions(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	publish := func(version, page string) {
		t.Helper()
		s, err := build(tree(page), version, "")
		if err == nil {
			err = s.write(out)
		}
		if err == nil {
			_, err = writeIndex(out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	publish("v1.0.0", "# Old\n\n## Below\n")
	publish("v1.1.0", "# New\n\n## Below\n")
	publish("v1.2.0-rc.1", "# Next\n\n## Below\n")
	publish("v1.0.0", "# Old, again\n\n## Below\n")
	if err := os.Mkdir(filepath.Join(out, "foreign"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"latest/page.html", "<h1 id=\"new\">New</h1>"},
		{"latest/page.html", "agentic-sandbox-conformance v1.1.0"},
		{"v1.0.0/page.html", "Old, again"},
		{"v1.2.0-rc.1/page.html", "Next"},
		{"index.html", "which is v1.1.0"},
		{"index.html", `<a href="v1.0.0/index.html">v1.0.0</a>`},
	} {
		text, err := os.ReadFile(filepath.Join(out, c.file))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s does not hold %q (%v)", c.file, c.want, err)
		}
	}
	all, err := versionsIn(out)
	if err != nil || !slices.Equal(names(all), []string{"v1.1.0", "v1.0.0", "v1.2.0-rc.1"}) {
		t.Errorf("the versions are %v (%v)", names(all), err)
	}
	pages := documents(t, out)
	for name, page := range pages {
		for n := range page.root.Descendants() {
			if to := attribute(n, "href"); to != "" && to != "data:," {
				if problem := leadsTo(out, pages, name, to); problem != "" {
					t.Errorf("%s: %s", name, problem)
				}
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(out, "v1.1.0")); err != nil {
		t.Fatal(err)
	}
	o := options{tree: out, out: out, version: "v9.9.9", onlyIndex: true, say: func(string, ...any) {}}
	if err := o.make(); err != nil {
		t.Fatal(err)
	}
	if v, _ := readMark(filepath.Join(out, latest)); v.Version != "v1.0.0" {
		t.Errorf("latest is %s after the newest was removed", v.Version)
	}
}

// TestForeignFolders are left alone.
func TestForeignFolders(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"mine.txt": "x", mark: "{}", "sub/" + mark: `{"schema": "` + versionForm + `"}`} {
		out := t.TempDir()
		if err := put(filepath.Join(out, "v1.0.0"), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		s, err := build(tree("# Page\n\n## Below\n"), "v1.0.0", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.write(out); err == nil || !strings.Contains(err.Error(), "is left alone") {
			t.Errorf("a folder with %s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(out, "v1.0.0", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestUnfinished: a folder in which the program was ended is written anew.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := put(filepath.Join(out, "v1.0.0"), unfinished, nil); err != nil {
		t.Fatal(err)
	}
	s, err := build(tree("# Page\n\n## Below\n"), "v1.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "v1.0.0", unfinished)); err == nil {
		t.Error("it is still unfinished")
	}
}

// TestWrongOptions: each with what to do about it.
func TestWrongOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    options
		args []string
		want string
	}{
		{options{tree: "nowhere"}, nil, "-tree: "},
		{options{tree: repository}, []string{"more"}, `unexpected argument "more"`},
		{options{tree: repository, version: "../x"}, nil, `-version is "../x", want the name of a folder: v1.2.3`},
		{options{tree: repository, version: "latest"}, nil, `-version is "latest"`},
		{options{tree: repository, version: ".."}, nil, `-version is ".."`},
		{options{tree: repository, version: "(devel)"}, nil, `-version is "(devel)"`},
	} {
		if err := c.o.check(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: the error is %v, want %s", c.o, err, c.want)
		}
	}
	empty := options{tree: repository, out: t.TempDir(), onlyIndex: true}
	if err := empty.make(); err == nil || !strings.Contains(err.Error(), "there is no version in") {
		t.Errorf("an index of nothing: %v", err)
	}
}
