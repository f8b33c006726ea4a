// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// What Debian packages and the formula of Homebrew say of the program.
const (
	homepage    = "https://github.com/roctinam/agentic-sandbox-conformance"
	description = "Checks whether a running agent server keeps its contract"
	license     = "Apache-2.0"
)

// debian writes the Debian package of a target into a folder.
func (s *source) debian(ctx context.Context, t target, program string, d *documents, temp, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return err
	}
	type content struct {
		Source      string `json:"src"`
		Destination string `json:"dst"`
		Info        struct {
			Mode int `json:"mode"`
		} `json:"file_info"`
	}
	var contents []content
	add := func(source, destination string, mode int) {
		c := content{Source: source, Destination: destination}
		c.Info.Mode = mode
		contents = append(contents, c)
	}
	add(program, "/usr/bin/"+programName, 0o755)
	add(filepath.Join(s.tree, "LICENSE"), "/usr/share/doc/"+programName+"/copyright", 0o644)
	add(d.completion("bash"), "/usr/share/bash-completion/completions/"+programName, 0o644)
	add(d.completion("zsh"), "/usr/share/zsh/vendor-completions/_"+programName, 0o644)
	add(d.completion("fish"), "/usr/share/fish/vendor_completions.d/"+programName+".fish", 0o644)
	for _, manual := range d.manuals {
		packed := filepath.Join(temp, filepath.Base(manual)+".gz")
		if err := compress(manual, packed); err != nil {
			return err
		}
		add(packed, "/usr/share/man/man1/"+filepath.Base(packed), 0o644)
	}
	// JSON is YAML, and needs no writer of it here.
	text, err := json.MarshalIndent(map[string]any{
		"name": programName, "arch": t.arch, "platform": "linux", "version": s.version, "version_schema": "semver", "section": "devel", "priority": "optional",
		"maintainer": "roctinam <roctinam@users.noreply.github.com>", "description": description, "homepage": homepage, "license": license,
		"mtime": s.time.Format(time.RFC3339), "contents": contents,
	}, "", "  ")
	if err != nil {
		return err
	}
	config := filepath.Join(temp, t.debian+".yaml")
	if err := os.WriteFile(config, text, 0o644); err != nil {
		return err
	}
	name := programName + "_" + s.number() + "_" + t.debian + ".deb"
	return s.tool(ctx, temp, packageTool, "package", "--config", config, "--packager", "deb", "--target", filepath.Join(to, name))
}

// compress writes a file compressed by gzip, without its name and time.
func compress(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close(), out.Close())
}
