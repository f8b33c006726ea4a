// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFiguresReplaceFigures: the rest of the page stays as it is.
func TestFiguresReplaceFigures(t *testing.T) {
	t.Parallel()
	got, err := replaced("# Page\n\n"+pageBegin+"\n\nold\n\n"+pageEnd+"\n\n## By others\n", "new\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# Page\n\n"+pageBegin+"\n\nnew\n\n"+pageEnd+"\n\n## By others\n", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := replaced("# Page\n", "new"); err == nil {
		t.Error("a page without marks was taken")
	}
}

// TestThePageHasItsMarks: make bench can write into docs/performance.md.
func TestThePageHasItsMarks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaced(string(page), ""); err != nil {
		t.Error(err)
	}
}

func TestAimed(t *testing.T) {
	t.Parallel()
	got := aimed([]aim{{"2,000 tests", 0.9, 0.874, "x"}, {"the start", 15, 15.31, " ms"}, {"far", 45, 45, " s"}, {"memory", 64, 110.4, " MiB"}})
	want := `| What | Aim | Measured | |
|---|---:|---:|---|
| 2,000 tests | at most 0.9x | 0.87x | held |
| the start | at most 15 ms | 15.3 ms | **missed** |
| far | at most 45 s | 45 s | held |
| memory | at most 64 MiB | 110 MiB | **missed** |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSpentTable: of all that -v says, the table alone.
func TestSpentTable(t *testing.T) {
	t.Parallel()
	const table = "where the time went  6.20s  tests\n  side by side       5.50s  371\n  risky              0.70s  1"
	if diff := cmp.Diff(table, spentTable("PASS    T-001 a (1 ms)\n"+table+"\ntested: it\n  else\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := spentTable("PASS    T-001 a (1 ms)\n"); got != "" {
		t.Errorf("a table is found where there is none: %q", got)
	}
}
