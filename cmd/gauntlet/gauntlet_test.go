// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
)

func TestMain(m *testing.M) {
	if measures() {
		return
	}
	os.Exit(m.Run())
}

// built is the program, as make builds it.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agentic-sandbox-conformance")
	build := exec.Command("go", "build", "-o", path, "../agentic-sandbox-conformance")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// inTests are the servers that every test run plays; the command plays all.
var inTests = map[gauntlet.Place][]string{
	gauntlet.Everywhere:    {"floods with headers", "a redirect to another host"},
	gauntlet.BesideTheCard: {"a body that never ends", "a gigabyte unpacked", "a redirect to another host", "an echo of what was sent", "JSON that acts", "headers that act"},
	gauntlet.OneInSeven:    {"a reset in the body", "text that acts, in a right answer", "an echo of credentials, in a right answer"},
	gauntlet.InTheCard:     {"a card that leads to another host", "a card that acts"},
	gauntlet.AtTheTerminal: {"garbage in text frames", "numbers that overflow", "frames of one byte"},
	gauntlet.AtTheWebhook:  {"300 deliveries of 4 MiB that are held", "deliveries of 80000 header lines", "deliveries of many values"},
	gauntlet.AtTheStreams:  {"events of one byte"},
	gauntlet.AtTheHooks:    {"400 MB on standard output, and a failure", "an array of values up to the bound"},
}

// The built program meets hostile servers: verdicts, limits, memory, secrets and reports are as they should be.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	g, err := newGame(built(t), hasty, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	if r := g.play(peaceful); len(r.complaints) > 0 {
		t.Fatal(r.complaints)
	}
	played := 0
	for _, server := range gauntlet.Servers() {
		for _, name := range inTests[server.Place] {
			if name != server.Name {
				continue
			}
			played++
			t.Run(string(server.Place)+": "+name, func(t *testing.T) {
				t.Parallel()
				r := g.play(server)
				for _, complaint := range r.complaints {
					t.Error(complaint)
				}
				t.Logf("%s, exit %d, %s, %d MiB, %s", r.verdict, r.code, r.summary, r.memory>>10, r.took.Round(time.Millisecond))
			})
		}
	}
	want := 0
	for _, names := range inTests {
		want += len(names)
	}
	if played != want {
		t.Errorf("%d servers were played, want %d", played, want)
	}
}

// What the checks are for, they find.
func TestChecksSayNo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		check error
	}{
		{"a bidi control", checkPlain("a\u202eb")},
		{"an escape sequence", checkPlain("\x1b[2J")},
		{"a carriage return", checkPlain("a\rb")},
		{"bytes that are no UTF-8", checkPlain("\xff")},
		{"a workflow command", checkLog("x\n  ::error::y\n")},
		{"a command to Azure Pipelines", checkLog("x ##vso[task.complete]")},
		{"a tag", checkMarkdown("a <script>b</script>\n")},
		{"a link", checkMarkdown("[a](b)\n")},
		{"an open fence", checkMarkdown("```\n<script>\n")},
		{"an open fold", checkMarkdown("<details>\n")},
		{"a tag after a span that is none", checkMarkdown("`` a ` <b>\n")},
		{"a long page", checkMarkdown(string(make([]byte, maxMarkdown+1)))},
		{"no XML", checkJUnit("<testsuites", findings{})},
		{"more than one file", checkJUnit("<testsuites></testsuites><x/>", findings{Verdict: "pass"})},
		{"wrong counts", checkJUnit(`<testsuites tests="1"></testsuites>`, findings{Verdict: "pass"})},
		{"a green file of no pass", checkJUnit(`<testsuites tests="0"></testsuites>`, findings{Verdict: "incomplete"})},
		{"an attribute that acts", checkHTML(`<p onclick="` + gauntlet.Mark + `">`)},
		{"a link that acts", checkHTML(`<a href="javascript:x">y</a>`)},
		{"an image", checkHTML(`<img src="x.png">`)},
		{"a comment of the target", checkHTML("<!-- " + gauntlet.Mark + " -->")},
		{"a script of the target", checkHTML(`<script>"` + gauntlet.Mark + `"</script>`)},
	} {
		if row.check == nil {
			t.Errorf("%s is not found", row.name)
		}
	}
	for _, fine := range []string{"a `<script>` b\n", "```\n<b>\n```\n", "``a`<b>``\n", "<details><summary>a</summary>\n</details>\n"} {
		if err := checkMarkdown(fine); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
}
