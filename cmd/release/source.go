// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A source is a commit that is released: its files, and what they are called.
type source struct {
	tree      string // folder with the files of the commit, and nothing else
	commit    string // whole
	version   string // v1.2.3, or the pseudo-version of the commit
	time      time.Time
	toolchain string // that builds it: go1.26.8
	dirty     bool   // the working tree is not as the commit
}

// checkOut puts the files of a commit of the repository into a folder that is not there yet. An empty version is that of the
// commit's tag or, without one, the pseudo-version that the go command would make of it.
func checkOut(ctx context.Context, repository, revision, version, folder string) (*source, error) {
	git := func(args ...string) (string, error) { return said(ctx, repository, "git", args...) }
	s := &source{tree: folder, version: version}
	var err error
	if s.commit, err = git("rev-parse", "--verify", "--end-of-options", revision+"^{commit}"); err != nil {
		return nil, fmt.Errorf("-revision: %w", err)
	}
	seconds, err := git("show", "-s", "--format=%ct", s.commit)
	if err != nil {
		return nil, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the time of commit %s: %w", s.commit, err)
	}
	s.time = time.Unix(unix, 0).UTC()
	switch {
	case s.version == "":
		// Without a tag git fails, and so it may.
		tag, _ := git("describe", "--tags", "--exact-match", "--match", "v[0-9]*", s.commit)
		older, _ := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", s.commit)
		s.version = versionOf(tag, older, s.time, s.commit)
	case !isVersion(s.version):
		return nil, fmt.Errorf("-version is %q, want one like v1.2.3 that the go command can install (https://go.dev/ref/mod#versions)", s.version)
	}
	if s.toolchain, err = said(ctx, repository, "go", "env", "GOVERSION"); err != nil {
		return nil, err
	}
	changed, err := git("status", "--porcelain")
	if err != nil {
		return nil, err
	}
	s.dirty = changed != ""
	archive, err := said(ctx, repository, "git", "archive", "--format=tar", s.commit)
	if err != nil {
		return nil, err
	}
	return s, unpacked(strings.NewReader(archive), folder)
}

// versionOf is the version of a commit with that tag, or with an older tag before it; both may be missing.
func versionOf(tag, older string, at time.Time, commit string) string {
	if isVersion(tag) {
		return tag
	}
	if !isVersion(older) {
		older = ""
	}
	return module.PseudoVersion(semver.Major(older), older, at, commit[:12])
}

// isVersion says whether the go command installs this module at that version: from v2 on its path would have to end in /v2.
func isVersion(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == version && module.CheckPathMajor(version, "") == nil
}

// number is the version without its v, as archives and packages have it.
func (s *source) number() string { return strings.TrimPrefix(s.version, "v") }

// unpacked writes the files of a tar archive of git into a folder.
func unpacked(archive io.Reader, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for entries := tar.NewReader(archive); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive of the commit: %w", err)
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeXGlobalHeader:
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			var text []byte
			if text, err = io.ReadAll(entries); err == nil {
				err = errors.Join(root.MkdirAll(filepath.Dir(name), 0o755), root.WriteFile(name, text, os.FileMode(h.Mode).Perm()))
			}
		default:
			err = fmt.Errorf("the commit has %s, which is no file and no folder", h.Name)
		}
		if err != nil {
			return err
		}
	}
}

// said runs a command in a folder and returns its standard output without the last line break. An error has what it said.
func said(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	return output(c)
}

func output(c *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}
