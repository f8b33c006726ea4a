// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// What is not one YAML document is refused at a line and a column, with a remedy, whichever file it is in.
func TestFilesThatAreNotOneDocument(t *testing.T) {
	t.Parallel()
	files := []struct{ name, text, want string }{
		{"nul", "a: 1\nb: \"x\x00\"\n", `:2:6: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
		{"esc", "# \x1b[2J\na: 1\n", `:1:3: a file must not hold the character U+001B; take it out, or write "\u001b" in double quotes`},
		{"latin1", "a: 1\nb: M\xfcller\n", `:2:5: the file is not UTF-8: byte 0xfc belongs to no character; save it as UTF-8`},
		{"utf16", "\xff\xfea\x00", `:1:1: the file is not UTF-8: it begins as UTF-16 does; save it as UTF-8`},
		{"documents", "a: 1\n# b\n---\nb: 2\n", `:3:1: a second YAML document begins here; write one document a file`},
	}
	for _, flag := range []string{"lint", "explain", "--suite-dir", "--config", "--baseline", "--skip-budget", "demo"} {
		for _, row := range files {
			t.Run(flag+" "+row.name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "f.yaml")
				writeFile(t, path, row.text)
				args := []string{"run", "--executor-url", "http://127.0.0.1:1", flag, path}
				switch flag {
				case "lint":
					args = []string{"lint", path}
				case "explain":
					args = []string{"explain", "A-1", "--suite-dir", filepath.Dir(path)}
				case "demo":
					args = []string{"demo", "--baseline", path}
				}
				code, _, stderr := said(args...)
				if code != exitUsage || !strings.Contains(stderr, path+row.want) || strings.Contains(stderr, ":0:0") {
					t.Errorf("exit code %d, want %d; stderr is\n%s\nwant %s", code, exitUsage, stderr, row.want)
				}
			})
		}
	}
}

// said runs a command line without an environment and returns what it says.
func said(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) (string, bool) { return "", false }}
	code = a.execute(args)
	return code, out.String(), errs.String()
}

// A message repeats of a file what a person can read.
func TestLongNamesAreCut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.yaml")
	writeFile(t, path, "'"+strings.Repeat("é", 100_000)+"': 1\n")
	code, _, stderr := said("run", "--executor-url", "http://127.0.0.1:1", "--config", path)
	if code != exitUsage || len(stderr) > 2000 || !strings.Contains(stderr, "éé...") {
		t.Errorf("exit code %d, and %d bytes on stderr: %.500s", code, len(stderr), stderr)
	}
}
