// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A file that never ends is refused, wherever a user can name one.
func TestFilesThatNeverEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the files that never end are /dev/zero and /dev/urandom, which Windows does not have")
	}
	for _, line := range []string{
		"lint /dev/zero", "render /dev/zero", "diff /dev/zero /dev/zero", "attest /dev/zero --key /dev/zero", "verify /dev/zero --key /dev/zero",
		"run --executor-url http://127.0.0.1:1 --cert /dev/zero --key /dev/zero", "run --executor-url http://127.0.0.1:1 --cert /dev/urandom --key /dev/urandom",
		"lint /dev/urandom", "render /dev/urandom", "run --executor-url http://127.0.0.1:1 --cacert /dev/zero",
		"run --executor-url http://127.0.0.1:1 --config /dev/zero", "run --executor-url http://127.0.0.1:1 --baseline /dev/zero",
		"run --executor-url http://127.0.0.1:1 --skip-budget /dev/zero", "run --executor-url http://127.0.0.1:1 --suite-dir /dev/zero",
		"run --executor-url http://127.0.0.1:1 --token-file /dev/zero",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now, env: func(string) (string, bool) { return "", false }}
			if code := a.execute(strings.Fields(line)); code != exitUsage {
				t.Errorf("exit code %d, want %d: %s", code, exitUsage, stderr.String())
			}
		})
	}
}

// unbounded reads a whole file or stream, however long it is.
var unbounded = regexp.MustCompile(`\bos\.ReadFile\(|\btls\.LoadX509KeyPair\(|\bio\.ReadAll\(([^i]|i[^o]|io\.[^L])`)

// What is read has a bound, in every package that reads what users or targets give.
func TestEverythingIsReadWithABound(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "../../suites", "../../report", "../../assertions", "../../schemas"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				if unbounded.MatchString(line) {
					t.Errorf("%s:%d reads without a bound: %s", path, i+1, strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
