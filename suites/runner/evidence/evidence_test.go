// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"slices"
	"strconv"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
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

// However many bodies come while a row is played, what is kept of them until the report is bounded; each is told by length and digest.
func TestTheBodiesOfARowAreBounded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		length int
		most   int
	}{
		{"that reports show whole", maxShown, maxKept + maxOfRow},
		{"longer than that", 4 << 20, maxKept + maxOfRow},
		{"short ones", alwaysKept, maxEntries * alwaysKept},
	} {
		var rec Recorder
		body := make([]byte, row.length)
		for range min(maxEntries, 64<<20/row.length) {
			rec.Record("frame", "", "text", "", body)
		}
		kept := 0
		for _, e := range rec.entries {
			kept += len(e.Body)
			if e.Size != int64(row.length) || len(e.Body) < row.length && len(e.digest) != 64 {
				t.Fatalf("%s: an entry of %d bytes has the digest %q", row.name, e.Size, e.digest)
			}
		}
		if kept > row.most || rec.kept != kept {
			t.Errorf("%s: %d bytes are kept, counted as %d, want %d at most", row.name, kept, rec.kept, row.most)
		}
		shown := 0
		for _, e := range rec.Report(secrets.New(nil), "", new(Room)) {
			shown += len(e.Body)
			if e.Body == "" && e.SHA256 == "" && e.Kind == "frame" {
				t.Fatalf("%s: an entry has neither body nor digest: %+v", row.name, e)
			}
		}
		if shown > maxOfRow {
			t.Errorf("%s: %d bytes are shown", row.name, shown)
		}
	}
}

func TestWhatIsJudgedIsMarked(t *testing.T) {
	t.Parallel()
	var run Room
	first, second := new(target.Request), new(target.Request)
	rec := Recorder{Judged: second}
	for _, q := range []*target.Request{first, second} {
		x := &target.Exchange{Request: q}
		x.Status, x.Line = 200, "HTTP/1.1 200 OK"
		rec.Exchange(x)
	}
	var marked []bool
	for _, e := range rec.Report(secrets.New(nil), "a case", &run) {
		marked = append(marked, e.Judged)
	}
	if want := []bool{false, false, false, true, true}; !slices.Equal(marked, want) {
		t.Errorf("marked are %v, want %v: the case, and two requests with their answers", marked, want)
	}
}
