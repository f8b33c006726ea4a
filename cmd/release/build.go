// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const programName = "agentic-sandbox-conformance"

// A target is a system that the program is built for.
type target struct {
	os, arch string // as Go names them
	debian   string // as Debian names the architecture; empty: there is no package
}

var targets = []target{
	{"linux", "amd64", "amd64"},
	{"linux", "arm64", "arm64"},
	{"darwin", "amd64", ""},
	{"darwin", "arm64", ""},
	{"windows", "amd64", ""},
	{"windows", "arm64", ""},
}

func (t target) String() string { return t.os + "_" + t.arch }

// program is the file name of the program there.
func (t target) program() string {
	if t.os == "windows" {
		return programName + ".exe"
	}
	return programName
}

// host is the target that this command runs on; one that is not in the table if nothing is released for it.
func host() target {
	for _, t := range targets {
		if t.os == runtime.GOOS && t.arch == runtime.GOARCH {
			return t
		}
	}
	return target{os: runtime.GOOS, arch: runtime.GOARCH}
}

func names(all []target) string {
	var b []string
	for _, t := range all {
		b = append(b, t.String())
	}
	return strings.Join(b, ", ")
}

// build builds the program for a target from a tree. An empty cache is the usual one of the go command.
func (s *source) build(ctx context.Context, tree, cache string, t target, to string) error {
	c := exec.CommandContext(ctx, "go", s.buildArguments(to)...)
	c.Dir = tree
	c.Env = buildEnvironment(t)
	if cache != "" {
		c.Env = append(c.Env, "GOCACHE="+cache)
	}
	_, err := output(c)
	return err
}

// buildArguments are those of the go command. Nothing of the folder, the clock or the repository gets into the program but the
// version and the commit.
func (s *source) buildArguments(to string) []string {
	return []string{"build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-ldflags", "-s -w -buildid= -X main.version=" + s.version + " -X main.commit=" + s.commit,
		"-o", to, "./cmd/" + programName}
}

// buildEnvironment is the environment of a build, without what would change its bytes.
func buildEnvironment(t target) []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off")
}

// buildAgain builds programs a second time, from a copy of the tree in another folder and with an empty cache, so that every file
// is compiled anew. It is an error when one differs from the first.
func (s *source) buildAgain(ctx context.Context, again []target, programs map[target]string, temp string) error {
	folder := filepath.Join(temp, "again", "in", "another", "folder")
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS(s.tree)); err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Join(temp, "again"))
	for _, t := range again {
		second := filepath.Join(temp, "again", t.String(), t.program())
		if err := s.build(ctx, folder, filepath.Join(temp, "again", "cache"), t, second); err != nil {
			return err
		}
		if err := sameBytes(programs[t], second); err != nil {
			return fmt.Errorf("the build for %s cannot be reproduced: %w", t, err)
		}
	}
	return nil
}

// sameBytes is nil when two files are the same.
func sameBytes(one, other string) error {
	first, err := sum(one)
	if err != nil {
		return err
	}
	second, err := sum(other)
	if err != nil {
		return err
	}
	if first != second {
		return fmt.Errorf("the SHA-256 was %s, and in another folder it is %s", first, second)
	}
	return nil
}

// sum is the SHA-256 of a file, in hexadecimal.
func sum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// needsNothing says in what a program for Linux needs something of the system that it is started on: a dynamic linker, or a
// library. Programs for other systems always need theirs and are not looked at.
func needsNothing(t target, path string) error {
	if t.os != "linux" {
		return nil
	}
	file, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			linker, _ := io.ReadAll(p.Open())
			return fmt.Errorf("%s needs the dynamic linker %s", path, strings.TrimRight(string(linker), "\x00"))
		}
	}
	if libraries, err := file.ImportedLibraries(); err == nil && len(libraries) > 0 {
		return fmt.Errorf("%s needs the libraries %s", path, strings.Join(libraries, ", "))
	}
	return nil
}
