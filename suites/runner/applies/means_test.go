// SPDX-License-Identifier: Apache-2.0

package applies

import (
	"os"
	"strings"
	"testing"
)

// What reports say of a reason stands in the documentation in the same words.
func TestReasonsMeanWhatTheDocumentationSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/reading-a-report.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for i, code := range strings.Split(cells[0], "`") {
			if i%2 == 1 {
				said[strings.TrimSuffix(code, "…")] = cells[1]
			}
		}
	}
	codes := []string{"when-present:"}
	for code := range means {
		codes = append(codes, code)
	}
	for _, code := range codes {
		if !strings.HasPrefix(strings.ReplaceAll(said[code], "`", ""), Means(code)) {
			t.Errorf("%s: a report says %q, and docs/reading-a-report.md says %q", code, Means(code), said[code])
		}
	}
}
