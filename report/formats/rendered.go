// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// NotRendered says in what the content of a file is not what the format that its name stands for ("conformance.report.md")
// writes of a run; nil when it is the same to the byte. A report says the same in every format, so that whatever differs was
// changed, or written by another version of the program, which words it otherwise. A name that stands for no format is an
// error too: its content cannot follow from a report.
func NotRendered(run *report.Run, name string, content io.Reader) error {
	_, owner := splitExtension(name)
	if owner == "" {
		return fmt.Errorf("is no form of a report: %s", strings.Join(extensions(), ", "))
	}
	f, err := formatNamed(owner)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.render(&b, run.Settled); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(content, int64(b.Len())+1))
	if err != nil {
		return err
	}
	if bytes.Equal(text, b.Bytes()) {
		return nil
	}
	line, seen, wanted := firstDifference(text, b.Bytes())
	return fmt.Errorf("does not follow from the JSON report: line %d is %q, where %s writes %q", line, show.Brief(seen, 120), f.Name, show.Brief(wanted, 120))
}

// extensions are those by which the formats are told.
func extensions() []string {
	var all []string
	for _, f := range Formats {
		all = append(all, f.Extensions...)
	}
	return all
}

// firstDifference finds the first line, counted from 1, that two texts do not share.
func firstDifference(seen, wanted []byte) (line int, is, want string) {
	a, b := bytes.Split(seen, []byte("\n")), bytes.Split(wanted, []byte("\n"))
	for i := range max(len(a), len(b)) {
		is, want = "", ""
		if i < len(a) {
			is = string(a[i])
		}
		if i < len(b) {
			want = string(b[i])
		}
		if is != want || i >= len(a) || i >= len(b) {
			return i + 1, is, want
		}
	}
	return 0, "", ""
}
