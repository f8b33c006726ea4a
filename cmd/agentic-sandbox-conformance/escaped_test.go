// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What was written on the command line may come from a script or a file: nothing of it reaches the terminal in a form that
// the terminal, or a CI system that reads lines, obeys.
func TestNothingGivenIsPrintedRaw(t *testing.T) {
	t.Parallel()
	const raw = "\x1b[31mfoo\u009b2J\u202e\n::error::x\xff"
	for _, line := range [][]string{
		{raw}, {"--" + raw}, {"--" + raw + "=1"}, {"-" + raw}, {"-q" + raw}, {"run", raw}, {"run", "--" + raw}, {"run", "--quiet=" + raw}, {"run", "--run", raw},
		{"help", raw}, {"explain", raw}, {"explain", "CARD-001", "--" + raw}, {"list", raw}, {"list", "--profile", raw}, {"schema", raw}, {"version", raw},
		{"completion", raw}, {"completion", "bash", raw}, {"coverage", raw}, {"coverage", "--profile", raw}, {"doctor", raw}, {"demo", "--fault", raw}, {"demo", raw},
		{"reference", "--fault", raw}, {"reference", raw}, {"self-test", "--only", raw}, {"self-test", raw}, {"self-test", "--profile", raw},
		{"lint", raw}, {"lint", "--profile", raw}, {"render", raw}, {"render", "-", "--report-format", raw}, {"diff", raw, raw}, {"attest", raw, "--key", raw},
		{"verify", raw, "--key", raw}, {"verify", raw, "--" + raw},
		{"run", "--executor-url", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--admin-url", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--jwks", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--config", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--baseline", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--skip-budget", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--suite-dir", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--cacert", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--cert", raw, "--key", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--token-file", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--header", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--surface", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--levels", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--level", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--profile", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--pty-dialect", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--evidence", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--report-format", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--v1-sunset", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--allow-host", raw}, {"run", "--executor-url", "http://127.0.0.1:1", "--jobs", raw},
		{"run", "--executor-url", "http://127.0.0.1:1", "--report-out", filepath.Join(t.TempDir(), raw), "--run", "CARD-001"},
		{"__complete", raw}, {"run", "--", raw},
	} {
		t.Run(strings.ReplaceAll(strings.Join(line, " "), raw, "RAW"), func(t *testing.T) {
			t.Parallel()
			_, stdout, stderr := said(line...)
			for name, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
				if i := strings.IndexFunc(text, func(r rune) bool {
					return r != '\n' && r != '\t' && (unicode.IsControl(r) || r == '\u202e')
				}); i >= 0 {
					t.Errorf("%s holds %q", name, text[max(0, i-60):min(len(text), i+20)])
				}
				if !utf8.ValidString(text) {
					t.Errorf("%s is no UTF-8: %q", name, text)
				}
				if strings.Contains("\n"+text, "\n::") {
					t.Errorf("%s holds a line that GitHub obeys: %q", name, text)
				}
			}
		})
	}
}
