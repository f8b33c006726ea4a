// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSequence: every kind of line is drawn, what it says is shown as text, and the drawing is XML.
func TestSequence(t *testing.T) {
	t.Parallel()
	const text = "sequenceDiagram\n    participant H as <harness>\n    participant E\n    H->>E: GET /x<br/>Upgrade: a & b\n    E-->>H: 101\n    Note over H,E: both\n    Note over E: one\n    H-xE: cut\n"
	d, drawn := parsedSequence(text)
	if !drawn {
		t.Fatal("it is not drawn")
	}
	svg := d.svg()
	for _, want := range []string{"&lt;harness&gt;", ">GET /x<", ">Upgrade: a &amp; b<", `class="sent"`, `class="reply"`, ">both<", ">one<", `class="note"`, ">cut<", "<path"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing does not hold %s", want)
		}
	}
	if strings.Count(svg, "<polygon") != 2 || strings.Count(svg, `class="life"`) != 2 {
		t.Errorf("there are not two arrows between two lines of life: %s", svg)
	}
	for read := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := read.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoSequence: what cannot be drawn is shown as it is written.
func TestNoSequence(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "flowchart LR\n a --> b\n", "sequenceDiagram\n", "sequenceDiagram\n participant A\n", "sequenceDiagram\n participant A\n A->>B: x\n",
		"sequenceDiagram\n participant A\n A->>A: x\n", "sequenceDiagram\n participant A\n participant B\n A->>B: x\n loop often\n",
	} {
		if _, drawn := parsedSequence(text); drawn {
			t.Errorf("%q is drawn", text)
		}
		source := []byte("```mermaid\n" + text + "```\n")
		if got, err := rendered(parsed(source), source); err != nil || !strings.Contains(string(got), `<code class="language-mermaid">`) {
			t.Errorf("%q becomes %q (%v)", text, got, err)
		}
	}
}

// TestDiagramsAreDrawn: all diagrams of the pages are of the kind that is drawn.
func TestDiagramsAreDrawn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(madeSite(t), tested, "pty.html"))
	if err != nil {
		t.Fatal(err)
	}
	if drawn := strings.Count(string(text), `<svg class="sequence"`); drawn < 10 || strings.Contains(string(text), "language-mermaid") {
		t.Errorf("%d diagrams are drawn, and some may be left", drawn)
	}
}
