// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// WriteFiles writes kill-matrix.md and kill-matrix.json into dir, which is made if need be, and returns their paths.
func (r *Report) WriteFiles(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	asJSON, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"kill-matrix.md": r.Markdown(), "kill-matrix.json": append(asJSON, '\n')}
	var paths []string
	for _, name := range []string{"kill-matrix.md", "kill-matrix.json"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Markdown is the kill matrix for a reader: test by test, which fault made it fail, and what the finding said.
func (r *Report) Markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Kill matrix of %s\n\n%s.\n\n", r.Profile, r.Sentence())
	fmt.Fprintf(&b, "%d expectations stand under steps; %d of them were tripped by a fault, each of the others rejects a subject that is not there.\n\n", r.Expectations, r.Tripped)
	if r.Focus != nil {
		for _, line := range r.Focus.Lines() {
			fmt.Fprintf(&b, "%s\n\n", line)
		}
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(&b, "## Problems\n\n")
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "- `%s`: %s (rule %d)\n", cell(p.At), cell(p.Says), p.Rule)
		}
		fmt.Fprintln(&b)
	}
	if len(r.Vacuous) > 0 {
		fmt.Fprintf(&b, "## Servers that are not executors\n\n| A server that | verdict | passed |\n|---|---|---|\n")
		for _, v := range r.Vacuous {
			fmt.Fprintf(&b, "| %s | %s | %d |\n", cell(v.Server), v.Verdict, len(v.Passed))
		}
		fmt.Fprintln(&b)
	}
	if r.ManyAtOnce != nil {
		r.ManyAtOnce.Markdown(&b, r.Profile)
	}
	if len(r.Taken) > 0 {
		fmt.Fprintf(&b, "## The slowest faults\n\n%s\n", r.Slowest())
	}
	fmt.Fprintf(&b, "## Kills\n\n| Test | Fault | Outcome | What the finding said |\n|---|---|---|---|\n")
	for _, k := range r.Kills {
		outcome := string(k.Outcome)
		if !k.Killed {
			outcome += " (**not killed**)"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", k.Test, k.Fault, outcome, cell(k.Finding))
	}
	return b.Bytes()
}

// cell makes text safe inside a table cell.
func cell(text string) string {
	text = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "'").Replace(text)
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}
