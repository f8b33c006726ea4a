// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"strconv"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

func TestTheEvidenceOfARunIsBounded(t *testing.T) {
	t.Parallel()
	var run Room
	total, entries := 0, 0
	for range 40 {
		var rec Recorder
		for range 30 {
			body := make([]byte, 60<<10)
			for i := range body {
				body[i] = 'x'
			}
			rec.Add(Entry{Kind: "response", Body: body, Size: int64(len(body))})
		}
		for _, e := range rec.Report(secrets.New(nil), "", &run) {
			total, entries = total+len(e.Body), entries+1
			if e.Body == "" && len(e.SHA256) != 64 {
				t.Fatal("a body that is not shown has no digest")
			}
		}
	}
	if total > maxOfRun || total < maxOfRun-maxOfRow || entries != 1200 {
		t.Errorf("%d entries show %d bytes", entries, total)
	}
}

func TestTheEntriesOfARunAreBounded(t *testing.T) {
	t.Parallel()
	var run Room
	for test := range 15 {
		var rec Recorder
		for i := range maxEntries {
			rec.Add(Entry{Kind: "frame", Head: strconv.Itoa(i)})
		}
		all := rec.Report(secrets.New(nil), "", &run)
		if test < maxEntriesOfRun/maxEntries {
			if len(all) != maxEntries {
				t.Errorf("test %d shows %d entries, want all %d", test, len(all), maxEntries)
			}
			continue
		}
		if len(all) != fewEntries+1 || all[0].Head != "0" || all[fewEntries].Head != strconv.Itoa(maxEntries-1) ||
			all[fewEntries/2].Head != strconv.Itoa(maxEntries-fewEntries)+" entries are left out: the report has too many" {
			t.Errorf("test %d shows %d entries, in the middle %q", test, len(all), all[len(all)/2].Head)
		}
	}
}
