// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

//go:generate go test -run TestPictureOfARun -update-picture

var updatePicture = flag.Bool("update-picture", false, "draw the picture of a run anew")

// TestPictureOfARun: docs/run.svg, which the README shows, is what the program says of a demo with a fault, but for what differs from run to run.
func TestPictureOfARun(t *testing.T) {
	t.Parallel()
	const file, fault = "../../docs/run.svg", "collision-without-message-id"
	out := t.TempDir()
	var said bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &said, stderr: &said, now: time.Now, env: func(string) (string, bool) { return "", false }}
	if code := a.execute([]string{"demo", "--run", "IDEM-*", "--fault", fault, "--out", out}); code != 1 {
		t.Fatalf("the demo ended with %d:\n%s", code, said.String())
	}
	text := strings.ReplaceAll(said.String(), out, "demo-report")
	for _, varies := range []struct{ of, is string }{
		{`127\.0\.0\.1:\d+`, "127.0.0.1:8080"},
		{`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"},
		{`\d{4}-\d\d-\d\d \d\d:\d\d UTC`, "2026-12-01 09:00 UTC"},
		{`(revision|SHA-256) [0-9a-f]{12,}`, "$1 0123456789ab..."}, // of the suites, which are not what the picture is about
	} {
		text = regexp.MustCompile(varies.of).ReplaceAllString(text, varies.is)
	}
	picture := drawn("$ " + program + " demo --run 'IDEM-*' --fault " + fault + "\n" + text)
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
	if len(picture) > 20<<10 {
		t.Errorf("the picture has %d bytes", len(picture))
	}
	if *updatePicture {
		if err := os.WriteFile(file, []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if there, err := os.ReadFile(file); err != nil || string(there) != picture {
		t.Errorf("%s is not what a run says (%v); go generate ./cmd/... draws it anew:\n%s", file, err, text)
	}
}

// columns is how many characters a line of the picture has; the rest goes on in the next one.
const columns = 116

// drawn is what stands on a terminal, as a picture in light or dark.
func drawn(said string) string {
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(said), "\n") {
		runes := []rune(line)
		for len(runes) > columns {
			at := columns
			if space := strings.LastIndexByte(string(runes[:columns]), ' '); space > columns/2 {
				at = len([]rune(string(runes[:columns])[:space])) + 1
			}
			lines = append(lines, string(runes[:at]))
			runes = append([]rune("        "), runes[at:]...)
		}
		lines = append(lines, string(runes))
	}
	const high, wide, margin = 18, 783, 14 // wide in hundredths
	var b strings.Builder
	width, height := columns*wide/100+2*margin, len(lines)*high+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="The console at the end of a run">
<style>
  rect { fill: #f6f8fa; stroke: #d0d7de }
  text { fill: #1f2328; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
  .prompt { fill: #59636e } .FAIL { fill: #cf222e; font-weight: bold } .WARN { fill: #9a6700; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #3d444d } text { fill: #e6edf3 } .prompt { fill: #9198a1 } .FAIL { fill: #ff7b72 } .WARN { fill: #d29922 }
  }
</style>
<rect x="0.5" y="0.5" width="%d" height="%d" rx="6"/>
`, width, height, width, height, width-1, height-1)
	for i, line := range lines {
		var escaped bytes.Buffer
		xml.EscapeText(&escaped, []byte(line))
		shown := painted.ReplaceAllString(escaped.String(), `<tspan class="$1">$1</tspan>`)
		class := ""
		if strings.HasPrefix(line, "$ ") {
			class = ` class="prompt"`
		}
		// As wide as its columns, whatever the font.
		fmt.Fprintf(&b, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
			margin, margin+13+i*high, len([]rune(line))*wide/100, class, shown)
	}
	return b.String() + "</svg>\n"
}

// painted are the words that have a colour on a terminal.
var painted = regexp.MustCompile(`^(FAIL|WARN)\b`)
