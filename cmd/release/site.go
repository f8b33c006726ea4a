// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// siteName is the name of the archive with the site of the documentation, without its ending, and of the folder in it.
func (s *source) siteName() string { return programName + "_" + s.number() + "_docs" }

// site makes the site of the documentation of the commit in a folder, and its archive. latest/ is left out: it is a copy.
func (s *source) site(ctx context.Context, folder, to string) error {
	c := exec.CommandContext(ctx, "go", "run", "-trimpath", "-buildvcs=false", "-mod=readonly", "./cmd/site", "-out", folder, "-version", s.version, "-commit", s.commit)
	c.Dir = s.tree
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if _, err := output(c); err != nil {
		return err
	}
	var files []file
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "latest":
			return fs.SkipDir
		case !e.IsDir():
			files = append(files, file{path.Join(s.siteName(), name), filepath.Join(folder, filepath.FromSlash(name)), 0o644})
		}
		return nil
	})
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(out, files, s.time), out.Close())
}
