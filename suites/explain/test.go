// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/sources"
)

// A Program is what the reader has at hand to see a test fail.
type Program struct {
	Demo    func(profile string) string // the command that judges the profile's reference server: "PROGRAM demo"
	MaxWait time.Duration               // tests that wait longer are skipped by it unless told otherwise
	Means   func(reason string) string  // what the code of a skip means, as Markdown; "" or no function: nothing is known
}

// Test tells a test of a profile: what is asked, what is sent, what is accepted and rejected, how to mend what it finds, and
// why it may be skipped. No line is longer than 120 characters.
func Test(w io.Writer, program Program, profile *suites.Profile, t *suites.Test, rulings []catalog.Ruling) {
	p := &page{w: w}
	fmt.Fprintf(w, "%s  %s\n\n", t.ID, t.Name)
	p.line(1, fmt.Sprintf("The %s %s %s.", profile.Row.Noun(), t.Level, t.Says))
	fmt.Fprintln(w)
	p.field("Source", t.Source)
	for i, url := range sources.URLs(t.Source) {
		p.field([]string{"Read it", ""}[min(i, 1)], url)
	}
	p.field("Profile", profile.Name+", surface "+t.Suite.Surface)
	p.field("Suite", t.At.String())
	p.field("Applies", applies(t.Applies))
	p.field("Over", playedOver(t))
	p.field("Level", levelMeans(t))
	if len(t.Cases) > 0 {
		var labels []string
		for _, c := range t.Cases {
			labels = append(labels, c.Label)
		}
		p.field("Rows", fmt.Sprintf("the steps are done once for each of %d: %s", len(labels), strings.Join(labels, "; ")))
	}
	p.field("Time", takes(t))
	fmt.Fprintln(w)
	if len(t.Given) > 0 {
		fmt.Fprintln(w, "Preparation (a setup failure here blocks the test, it does not fail it)")
		p.steps(t.Given, 1)
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "What is sent, and what is accepted")
	p.steps(t.Steps, 1)
	fmt.Fprintln(w)
	p.rejected(program, profile, t)
	p.fix(profile, t)
	p.rulings(t, rulings)
	p.skips(program, t)
	if len(p.reads.lives) > 0 {
		fmt.Fprintln(w, "\nLife cycle")
		p.cycles()
	}
}

// Untested tells a requirement that no client can observe.
func Untested(w io.Writer, profile *suites.Profile, u suites.Untested) {
	p := &page{w: w}
	fmt.Fprintf(w, "%s  (%s, untested)\n\n", u.ID, profile.Name)
	p.line(1, fmt.Sprintf("The %s %s %s.", profile.Row.Noun(), u.Level, u.Says))
	fmt.Fprintln(w)
	p.field("Source", u.Source)
	p.field("Suite", u.At.String())
	p.field("Untested", u.Because)
}

// Skipped tells below a test under which condition it is skipped for a reason, or else under which one it goes on.
func Skipped(w io.Writer, depth int, skip suites.SkipUnless) {
	(&page{w: w}).skipCondition(depth, "skipped when", "goes on only when", skip)
}

// Paragraph writes a text at a depth, over several lines where it is long.
func Paragraph(w io.Writer, depth int, text string) { (&page{w: w}).paragraph(depth, text) }

// Field writes one line about a requirement; nothing where there is nothing to say.
func Field(w io.Writer, name, value string) { (&page{w: w}).field(name, value) }

func (p *page) field(name, value string) {
	if value == "" {
		return
	}
	for i, line := range Wrapped(value, widest-10) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(p.w, "%-9s %s\n", name, line)
	}
}

// levelMeans says what becomes of a broken requirement.
func levelMeans(t *suites.Test) string {
	switch {
	case t.Applies.Since != "":
		return fmt.Sprintf("%s from %s on (until then a violation is a note)", t.Level, t.Applies.Since)
	}
	return string(t.Level) + " (a violation " + map[string]string{suites.Failure: "fails the run", suites.Warning: "is a warning", suites.Note: "is a note"}[t.Gravest()] + ")"
}

// playedOver says over which bindings the operations of a test are sent; "" when it has none.
func playedOver(t *suites.Test) string {
	switch {
	case !t.Operates:
		return ""
	case slices.Contains(t.Over, suites.Pairs):
		return "every two bindings that the card declares, in either order"
	case len(t.Over) > 0:
		return strings.Join(t.Over, ", ")
	}
	return "every binding that the card declares, once each"
}

// applies is the applicability in one line.
func applies(a suites.Applies) string {
	var parts []string
	for _, claim := range a.Claims {
		parts = append(parts, "when the card declares "+claim)
	}
	for _, claim := range a.Lacks {
		parts = append(parts, "when the card does not declare "+claim)
	}
	for _, c := range []struct {
		on   bool
		says string
	}{
		{a.Auth, "when anonymous requests are refused"},
		{a.NoAuth, "when anonymous requests are answered"},
		{a.Production, "in production"},
		{a.Observers > 0, fmt.Sprintf("when the card's max_observers is at least %d", a.Observers)},
		{a.Since != "", "enforced from " + a.Since + " on"},
		{a.Reserved != "", "reserved for " + a.Reserved},
	} {
		if c.on {
			parts = append(parts, c.says)
		}
	}
	if len(parts) == 0 {
		return "always"
	}
	return strings.Join(parts, ", and ")
}
