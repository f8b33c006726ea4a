// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// documents are what the program says about itself, in the forms that systems want: paths of files.
type documents struct {
	manuals     []string // man pages: agentic-sandbox-conformance-run.1
	completions []string // one a shell, under the name that the shell looks for
}

// shells are the completions, by the name of the file that a shell looks for.
var shells = []struct{ shell, file string }{
	{"bash", programName + ".bash"},
	{"zsh", "_" + programName},
	{"fish", programName + ".fish"},
	{"powershell", programName + ".ps1"},
}

// document asks the program for its man pages and completions. It is one that this machine can run.
func (s *source) document(ctx context.Context, folder string) (*documents, error) {
	program := filepath.Join(folder, "program", host().program())
	manuals := filepath.Join(folder, "man1")
	if err := errors.Join(os.MkdirAll(manuals, 0o755), os.MkdirAll(filepath.Join(folder, "completions"), 0o755)); err != nil {
		return nil, err
	}
	if err := s.build(ctx, s.tree, "", host(), program); err != nil {
		return nil, err
	}
	ask := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, program, args...)
		c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+fmt.Sprint(s.time.Unix()))
		return output(c)
	}
	if _, err := ask("man", manuals); err != nil {
		return nil, err
	}
	d := &documents{}
	var err error
	if d.manuals, err = filepath.Glob(filepath.Join(manuals, "*.1")); err != nil {
		return nil, err
	}
	for _, s := range shells {
		text, err := ask("completion", s.shell)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, "completions", s.file)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			return nil, err
		}
		d.completions = append(d.completions, path)
	}
	if len(d.manuals) == 0 {
		return nil, errors.New("the program has written no man page")
	}
	return d, nil
}

// completion is the path of the completion of a shell.
func (d *documents) completion(shell string) string {
	for i, s := range shells {
		if s.shell == shell {
			return d.completions[i]
		}
	}
	return ""
}
