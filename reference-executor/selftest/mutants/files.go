// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// WriteFiles writes mutants-PROFILE.md and mutants-PROFILE.json into dir, which is made if need be, and returns their paths.
func (r *Report) WriteFiles(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	asJSON, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range []struct {
		suffix string
		text   []byte
	}{{".md", slices.Concat([]byte("# Mutants\n\n"), r.Markdown(), r.VariationsMarkdown())}, {".json", append(asJSON, '\n')}} {
		path := filepath.Join(dir, "mutants-"+r.Profile+file.suffix)
		if err := os.WriteFile(path, file.text, 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Page is a page of which the sections on what was played of the profile are those of this report; the rest stays as it was.
// An empty page is begun.
func (r *Report) Page(page []byte) []byte {
	if len(page) == 0 {
		page = []byte(pageHead)
	}
	if len(r.Results) > 0 {
		page = replaced(page, r.Profile, r.Markdown())
	}
	if len(r.Variations) > 0 {
		page = replaced(page, "variations of "+r.Profile, r.VariationsMarkdown())
	}
	return page
}

// replaced is a page with another section of that name, at its end if it has none yet.
func replaced(page []byte, name string, text []byte) []byte {
	begin, end := fmt.Appendf(nil, "<!-- begin %s -->\n", name), fmt.Appendf(nil, "<!-- end %s -->\n", name)
	section := slices.Concat(begin, text, end)
	from, to := bytes.Index(page, begin), bytes.Index(page, end)
	if from < 0 || to < from {
		return slices.Concat(page, []byte("\n"), section)
	}
	return slices.Concat(page[:from], section, page[to+len(end):])
}

const pageHead = `# Mutants

A fault of the reference executor is a defect that somebody thought of. A mutant is one that nobody did. Every test is
played alone against the correct reference server behind a proxy that records what passes; from the recording, operators
make mutants: every status, header, JSON member, event, frame and delivery is dropped, emptied, made another type, replaced
by a value seen elsewhere, doubled, swapped, cut or late; always, every third time, on later pages only, for a second client
only, or in large bodies only. A card that is changed is signed again, as a server with that defect would sign it.

A mutant is *killed* when a requirement about what it changes fails or warns: its finding names the changed part, and, where
the name is a common one, is a judgement of the same route. When other requirements fail only, it counts as *unrelated*.
*Lawful* ones survive for a reviewed reason, of which ` + "`lawful.yaml`" + ` in ` + "`reference-executor/selftest/mutants/`" + ` has the list. *Not reached*: the
tests that were played did not make the change happen.

What is not played: tests over gRPC, tests that send megabytes, and deployments behind TLS or at a public host. A mutant is
tried on the ten tests that are most likely to see it, in their deployments, beside a dozen of those that look at the whole
run and pass there; one that works on large bodies, later pages or a second client also on those that judge the same place elsewhere. Then
come up to thirty more that met the place it changes, and the rest of those that look at the whole run; one that has a reason
to survive is spared that. A form that is at work in some occurrences only is not played when the form that always is has
survived.

A sample takes turns among what is changed, by which operator, and how often: what is rare is in it as often as what is
common, so its figures are not those of all mutants.

The aim is that 97 % are killed or lawful, and nothing is unexplained. It is not met: what is listed below as unexplained is
either a gap of the suites or waits for its reason.

The figures are made again by

    agentic-sandbox-conformance self-test --mutants --profile PROFILE --mutants-page docs/mutants.md

(` + "`--sample`" + ` and ` + "`--sample-seed`" + ` choose which mutants, ` + "`--variation`" + ` plays lawful variations only), and one mutant is repeated by ` + "`self-test --profile PROFILE --mutant 'ID'`" + `.
`

// Explained says whether nothing survived without a reason, and no lawful variation changed a verdict.
func (r *Report) Explained() bool {
	for _, v := range r.Variations {
		if len(v.Changed) > 0 {
			return false
		}
	}
	return r.Tally(nil).Unexplained == 0
}
