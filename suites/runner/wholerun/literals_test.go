// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// TestLongStringsAreKeptOnce: an answer that is kept is the answer that came, and what an agent has written is kept once,
// however often its task is read.
func TestLongStringsAreKeptOnce(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`so much \"said\" \\`, 400)
	task := func(id int) string {
		return fmt.Sprintf(`{"id":"task-%d","artifacts":[{"parts":[{"text":"%s"}]}]}`, id, long)
	}
	kept, room := literals{}, budget.Of(1<<20).Part(16<<10)
	for id := range 50 {
		body := task(id) + "\n"
		if back := strings.Join(kept.pack([]byte(body), room), ""); back != body {
			t.Fatalf("the body of %d bytes came back with %d", len(body), len(back))
		}
	}
	if held := int(room.Held()); held < len(long) || held > len(long)+50*100 {
		t.Errorf("50 tasks with one text of %d bytes are kept in %d", len(long), held)
	}
	if pieces := kept.pack([]byte(`"`+strings.Repeat("other", 2000)+`"`), room); pieces != nil || len(kept) != 1 {
		t.Errorf("what there is no room for is kept: %d pieces, %d long strings", len(pieces), len(kept))
	}
	one, other := kept.share(jsontext.Parse([]byte(task(1)))), jsontext.Parse([]byte(task(1)))
	if diff := cmp.Diff(other, one); diff != "" {
		t.Errorf("a value that shares its texts is another one (-want +got):\n%s", diff)
	}
}

// FuzzPack: whatever bytes an answer is, they are kept as they came.
func FuzzPack(f *testing.F) {
	for _, body := range []string{``, `"`, `"\`, `{"a":"b"}`, `"` + strings.Repeat("x", 600), `"` + strings.Repeat(`\"`, 300) + `" : "` + strings.Repeat("ü", 300) + `"`, strings.Repeat("x", 600) + `\`, strings.Repeat(`"\`, 600)} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		kept := literals{}
		for range 2 {
			pieces := kept.pack(body, budget.Of(1<<30).Part(1<<30))
			if got := strings.Join(pieces, ""); got != string(body) {
				t.Errorf("%q came back as %q", body, got)
			}
		}
	})
}
