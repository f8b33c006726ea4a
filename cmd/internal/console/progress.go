// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// redraw is how often a live line changes at most: fast enough for the eye, slow enough for a remote terminal.
const redraw = 100 * time.Millisecond

// A Progress shows how far a run is: a live line on a terminal, one line a surface elsewhere, every test where it is verbose. What comes
// from the target is escaped. A nil one shows nothing.
type Progress struct {
	out           io.Writer
	live, verbose bool
	color         bool
	width         int

	mu       sync.Mutex
	surfaces map[string]*surfaceProgress
	done     tally
	forecast forecast
	drawn    time.Time
	line     bool // a live line stands on the terminal
}

type surfaceProgress struct {
	left int
	sum  tally
}

// Options say where and how progress is shown.
type Options struct {
	Out      io.Writer
	Terminal *os.File // that Out leads to; nil, or another file: there is none, and the line is not live
	Env      func(string) (string, bool)
	Verbose  bool
	NoColor  bool

	Jobs    int           // tests at once
	MaxWait time.Duration // tests that wait longer are not played
}

// NewProgress counts the tests that are to be played.
func NewProgress(o Options, tests []*suites.Test) *Progress {
	p := &Progress{out: o.Out, verbose: o.Verbose, surfaces: map[string]*surfaceProgress{}, done: tally{}, width: 80,
		forecast: newForecast(o.Jobs, o.MaxWait)}
	if file := o.Terminal; file != nil && term.IsTerminal(int(file.Fd())) {
		noColor, set := o.Env("NO_COLOR")
		dumb, _ := o.Env("TERM")
		p.live = dumb != "dumb"
		p.color = p.live && !o.NoColor && !(set && noColor != "")
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			p.width = width
		}
	}
	for _, t := range tests {
		if p.surfaces[t.Suite.Surface] == nil {
			p.surfaces[t.Suite.Surface] = &surfaceProgress{sum: tally{}}
		}
		p.surfaces[t.Suite.Surface].left++
		p.forecast.add(t.ID, t.Slow)
	}
	return p
}

// Show is called by the runner after every test.
func (p *Progress) Show(now runner.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := now.Result
	if r == nil { // the plan is known
		p.forecast.begin(time.Now())
		p.draw(fmt.Sprintf("0/%d", now.Total))
		return
	}
	outcome := r.Outcome
	if r.Waived() {
		outcome = waived
	}
	p.done[outcome]++
	p.forecast.ended(r.ID)
	switch {
	case p.verbose:
		p.print(p.paint(outcome, Word(outcome)) + " " + r.ID + " " + r.Name + detail(r))
	case p.live && outcome == report.Fail:
		p.print(p.paint(outcome, Word(outcome)) + " " + r.ID + detail(r))
	}
	if s := p.surfaces[r.Surface]; s != nil {
		s.sum[outcome]++
		if s.left--; s.left == 0 && !p.live && !p.verbose {
			p.print(fmt.Sprintf("%-14s %s", Shown(r.Surface), s.sum))
		}
	}
	p.draw(fmt.Sprintf("%d/%d  %s  %s  %s %s", now.Done, now.Total, p.forecast.at(time.Now()), p.done, r.ID, r.Name))
}

// End removes the live line.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) print(line string) {
	p.clear()
	fmt.Fprintln(p.out, line)
}

func (p *Progress) draw(line string) {
	if !p.live || time.Since(p.drawn) < redraw {
		return
	}
	p.drawn = time.Now()
	p.clear()
	if runes := []rune(line); len(runes) >= p.width {
		line = string(runes[:p.width-1])
	}
	fmt.Fprint(p.out, line)
	p.line = true
}

func (p *Progress) clear() {
	if p.line {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.line = false
	}
}

// paint colours a word by what it says.
func (p *Progress) paint(o report.Outcome, word string) string {
	color := map[report.Outcome]string{report.Pass: "32", report.Fail: "31", report.Warn: "33", report.Blocked: "35", waived: "33"}[o]
	if !p.color || color == "" {
		return word
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m"
}

// waived is what progress calls a failure that the baseline accepts.
const waived report.Outcome = "waived"

// Word is an outcome at the beginning of a line.
func Word(o report.Outcome) string { return fmt.Sprintf("%-7s", strings.ToUpper(string(o))) }

// detail is why a test did not pass, on one line.
func detail(r *report.Result) string {
	switch {
	case r.Outcome == report.Pass:
		return fmt.Sprintf(" (%d ms)", r.DurationMS)
	case r.Reason != nil:
		return ": " + Shown(r.Reason.Code+", "+r.Reason.Detail)
	case len(r.Findings) > 0:
		return ": " + Shown(phrases.SeenPlainly(r))
	}
	return ""
}

// A tally counts outcomes.
type tally map[report.Outcome]int

// String is the counts that are not zero, in words.
func (t tally) String() string {
	var parts []string
	for _, c := range []struct {
		outcome report.Outcome
		word    string
	}{{report.Pass, "passed"}, {report.Fail, "failed"}, {waived, "waived"}, {report.Warn, "warned"}, {report.Skip, "skipped"}, {report.Blocked, "blocked"}} {
		if n := t[c.outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, c.word))
		}
	}
	return strings.Join(parts, ", ")
}
