// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
)

// named is the variable with which TestNamed runs its subtests.
const named = "CONFORMANCE_NAMED"

// names of subtests, one inside the other.
var names = []string{"A2A-CARD-001", "A2A-CARD-002", "A2A-VER-001", "PTX-001"}

// TestNamed has subtests that do nothing, so that it shows which ones go test runs.
func TestNamed(t *testing.T) {
	if os.Getenv(named) == "" {
		t.Skip("run by TestWants, in a process of its own")
	}
	for _, inner := range []string{"one server", "another"} {
		t.Run(inner, func(t *testing.T) {
			for _, name := range names {
				t.Run(name, func(t *testing.T) { t.Log("is run") })
			}
		})
	}
}

// TestWants: what is expected of go test is what it does.
func TestWants(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		run, skip string
		want      int // subtests; go test decides which
	}{
		{"^TestNamed$", "", 8},
		{"TestNamed/one", "", 4},
		{"TestNamed/one server", "", 4},
		{"TestNamed//A2A-CARD-001", "", 2},
		{"TestNamed//^CARD", "", 0},
		{"TestNamed/./A2A-(CARD|VER)-001$", "", 4},
		{"TestNamed/another/[/A2]2A-CARD", "", 2},
		{"TestNamed/one/PTX|TestNamed/another/VER", "", 2},
		{`TestNamed/\w+/A2A\-VER`, "", 2},
		{"TestNamed/one/PTX/deeper", "", 1},
		{"TestNamed", "TestNamed/one", 4},
		{"TestNamed", "TestNamed/one/PTX", 7},
		{"TestNamed", "TestNamed//CARD|TestNamed/another", 2},
		{"TestNamed", "TestNamed/one/PTX/deeper", 8},
		{"TestNamed//A2A", "//VER", 4},
	} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", row.run, "-test.skip", row.skip)
		c.Env = append(os.Environ(), named+"=1")
		output, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", row.run, err, output)
		}
		var got, want []string
		for _, inner := range []string{"one_server", "another"} {
			for _, name := range names {
				name = "TestNamed/" + inner + "/" + name
				if strings.Contains(string(output), "--- PASS: "+name) {
					want = append(want, name)
				}
				if (goTest{run: row.run, skip: row.skip}).wants(name) {
					got = append(got, name)
				}
			}
		}
		if !slices.Equal(got, want) || len(want) != row.want {
			t.Errorf("-run %q -skip %q: expected are %q, go test runs %q, want %d", row.run, row.skip, got, want, row.want)
		}
	}
}

// TestPlayLate: a requirement that go test runs against expectation is played all the same.
func TestPlayLate(t *testing.T) {
	t.Parallel()
	play(t, Options{Profile: A2A, NewHandler: func(url string) http.Handler {
		s, err := plain.New(plain.Config{PublicURL: url, Bindings: []string{plain.BindingREST}})
		if err != nil {
			t.Error(err)
			return nil
		}
		t.Cleanup(func() { s.Shutdown(context.Background()) })
		return s
	}, Run: []string{"A2A-CARD-00[1-2]"}}, goTest{run: "/A2A-CARD-001"})
}

func TestTimeOf(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]time.Duration{
		-time.Second: time.Nanosecond, 4 * time.Second: 2 * time.Second, 30 * time.Second: 25 * time.Second, 100 * time.Second: 90 * time.Second,
		time.Hour: time.Hour - 30*time.Second,
	} {
		if got := timeOf(left); got != want {
			t.Errorf("of %v it is %v, want %v", left, got, want)
		}
	}
}

func TestPatternOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TestA2A/A2A-CARD-001":      `'^TestA2A$/^A2A-CARD-001$'`,
		"TestA2A/it's_(so)/PTX-001": `'^TestA2A$/^it'\''s_\(so\)$/^PTX-001$'`,
	} {
		if got := patternOf(name); got != want {
			t.Errorf("that of %s is %s, want %s", name, got, want)
		}
	}
}

// TestOddPatterns: what package testing would refuse is read all the same; nothing is left out because of it.
func TestOddPatterns(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"[", `\`, "(/)/]", "a)|(b", "//", "|", "\x00[|"} {
		goTest{run: pattern}.wants("TestA2A/A2A-CARD-001")
		goTest{skip: pattern}.wants("")
	}
	if !(goTest{run: "TestA2A/["}).wants("TestA2A/A2A-CARD-001") {
		t.Error("what cannot be read leaves something out")
	}
}
