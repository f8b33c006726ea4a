// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A sequence is a sequence diagram, as far as the pages use what Mermaid knows: participants, messages, and notes over some of them.
type sequence struct {
	names []string // of the participants, from left to right
	keys  []string // what the lines call them
	steps []step
}

// A step is a message, or a note over participants.
type step struct {
	from, to int // columns; of a note the first and the last
	note     bool
	reply    bool // the line is broken
	lost     bool // it ends in a cross
	lines    []string
}

var (
	isParticipant = regexp.MustCompile(`^participant (\w+)(?: as (.+))?$`)
	isMessage     = regexp.MustCompile(`^(\w+)(-{1,2})(>>|x)(\w+): *(.+)$`)
	isNote        = regexp.MustCompile(`^Note over (\w+)(?:, ?(\w+))?: *(.+)$`)
)

// parsedSequence reads a diagram; false: there is something in it that cannot be drawn here.
func parsedSequence(text string) (*sequence, bool) {
	d := &sequence{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if i == 0 {
			if line != "sequenceDiagram" {
				return nil, false
			}
			continue
		}
		if m := isParticipant.FindStringSubmatch(line); m != nil {
			name := m[2]
			if name == "" {
				name = m[1]
			}
			d.keys, d.names = append(d.keys, m[1]), append(d.names, name)
			continue
		}
		var s step
		first, last, says := "", "", ""
		if m := isMessage.FindStringSubmatch(line); m != nil {
			first, last, says, s.reply, s.lost = m[1], m[4], m[5], m[2] == "--", m[3] == "x"
		} else if m := isNote.FindStringSubmatch(line); m != nil {
			first, last, says, s.note = m[1], m[2], m[3], true
			if last == "" {
				last = first
			}
		}
		s.from, s.to = slices.Index(d.keys, first), slices.Index(d.keys, last)
		if s.from < 0 || s.to < 0 || !s.note && s.from == s.to {
			return nil, false
		}
		if s.note && s.from > s.to {
			s.from, s.to = s.to, s.from
		}
		s.lines = strings.Split(strings.ReplaceAll(says, "<br>", "<br/>"), "<br/>")
		d.steps = append(d.steps, s)
	}
	return d, len(d.keys) > 0 && len(d.steps) > 0
}

// Sizes in pixels. The text is of one width a character, so that no browser has to be asked.
const (
	wideChar   = 7.25
	highLine   = 16
	highHead   = 30
	aroundText = 28
)

func wideText(lines ...string) float64 {
	most := 0
	for _, line := range lines {
		most = max(most, utf8.RuneCountInString(line))
	}
	return wideChar*float64(most) + aroundText
}

// columns are where the lines of life stand, and how wide all is.
func (d *sequence) columns() (x []float64, width float64) {
	x = make([]float64, len(d.names))
	left, right := wideText(d.names[0])/2, wideText(d.names[len(d.names)-1])/2
	for _, s := range d.steps {
		if s.note && s.from == s.to {
			half := wideText(s.lines...) / 2
			if s.from == 0 {
				left = max(left, half)
			}
			if s.to == len(d.names)-1 {
				right = max(right, half)
			}
		}
	}
	x[0] = left + 1
	for i := 1; i < len(x); i++ {
		x[i] = x[i-1] + max((wideText(d.names[i-1])+wideText(d.names[i]))/2+10, 120)
		for _, s := range d.steps {
			from, to := min(s.from, s.to), max(s.from, s.to)
			if to == i && from < to { // what spans several columns makes room in front of its last
				x[i] = max(x[i], x[from]+wideText(s.lines...))
			}
		}
	}
	return x, x[len(x)-1] + right + 1
}

// svg draws the diagram. Colours are those of the page.
func (d *sequence) svg() string {
	x, width := d.columns()
	high := highHead + 12
	for _, s := range d.steps {
		high += s.height()
	}
	high += 14
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="sequence" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" aria-label="Sequence diagram of %s">`,
		width, high, width, high, html.EscapeString(strings.Join(d.names, ", ")))
	for i, name := range d.names {
		wide := wideText(name)
		fmt.Fprintf(&b, `<line class="life" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x[i], highHead, x[i], high)
		fmt.Fprintf(&b, `<rect class="head" x="%.1f" y="1" width="%.1f" height="%d" rx="4"/>`, x[i]-wide/2, wide, highHead-2)
		fmt.Fprintf(&b, `<text x="%.1f" y="20" text-anchor="middle">%s</text>`, x[i], html.EscapeString(name))
	}
	y := highHead + 12
	for _, s := range d.steps {
		s.draw(&b, x, y)
		y += s.height()
	}
	b.WriteString("</svg>")
	return b.String()
}

func (s *step) height() int { return highLine*len(s.lines) + 18 }

// draw draws a step below a height.
func (s *step) draw(b *strings.Builder, x []float64, y int) {
	from, to := x[s.from], x[s.to]
	middle := (from + to) / 2
	top := y + 13
	if s.note {
		wide := max(wideText(s.lines...), to-from+60)
		fmt.Fprintf(b, `<rect class="note" x="%.1f" y="%d" width="%.1f" height="%d" rx="4"/>`, middle-wide/2, y, wide, highLine*len(s.lines)+8)
		top = y + 16
	}
	for i, line := range s.lines {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, middle, top+i*highLine, html.EscapeString(line))
	}
	if s.note {
		return
	}
	class, at, tip := "sent", y+highLine*len(s.lines)+5, 8.0
	if s.reply {
		class = "reply"
	}
	if to < from {
		tip = -8
	}
	fmt.Fprintf(b, `<line class="%s" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, class, from, at, to-tip, at)
	if s.lost {
		fmt.Fprintf(b, `<path class="sent" d="M%.1f %dl10 10m0 -10l-10 10"/>`, to-tip-5, at-5)
		return
	}
	fmt.Fprintf(b, `<polygon points="%.1f,%d %.1f,%d %.1f,%d"/>`, to, at, to-tip, at-4, to-tip, at+4)
}

// figure is a diagram with its text, for those who cannot see it.
func figure(text string) (string, bool) {
	d, drawn := parsedSequence(text)
	if !drawn {
		return "", false
	}
	return `<figure><div class="wide" tabindex="0">` + d.svg() + "</div>\n<details><summary>The diagram as text</summary>\n<pre tabindex=\"0\"><code>" +
		html.EscapeString(text) + "</code></pre>\n</details></figure>\n", true
}
