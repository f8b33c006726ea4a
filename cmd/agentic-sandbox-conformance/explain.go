// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

func (a *app) explainCommand() *cobra.Command {
	var name string
	var dirs []string
	c := &cobra.Command{
		Use:   "explain ID|REASON",
		Short: "Say what a test asks, sends, accepts and rejects, and how to fix what it finds",
		Long: `Say what a test asks, sends, accepts and rejects, why it may be skipped, and how to fix what it finds.

In the place of an ID it takes the code of a reason for which tests were skipped or blocked, and says what to lend, with
the lines of the configuration file (explain no-hook:restart); and a ruling, where the contract can be read in more than
one way (explain AMB-18). Rulings of different contracts can be called alike: --profile says which one is meant.`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			profiles, err := chosenProfiles(name)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var all []string
			for _, p := range profiles {
				all = append(all, ids(p)...)
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("explain needs the id or the name of one test (list shows them), the code of a reason, or a ruling")
			}
			return nil
		},
	}
	c.Flags().StringVar(&name, "profile", "", "`name` of the profile to look in (default: all)")
	c.Flags().StringArrayVar(&dirs, "suite-dir", nil, "`folder` with suites of your own, which use what the profile shares; repeatable")
	c.RunE = func(_ *cobra.Command, args []string) error {
		profiles, err := chosenProfiles(name)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if err := addOwn(profiles[0], dir); err != nil {
				return err
			}
		}
		return a.explain(args[0], profiles)
	}
	return c
}

// explain prints the requirement with that id or name.
func (a *app) explain(wanted string, profiles []*suites.Profile) error {
	var known []string
	found := false
	for _, p := range profiles {
		for _, s := range p.Suites {
			for _, t := range s.Tests {
				known = append(known, t.ID, t.Name)
				if strings.EqualFold(t.ID, wanted) || t.Name == wanted {
					if err := explainTest(a.stdout, p, t); err != nil {
						return err
					}
					found = true
				}
			}
			for _, u := range s.Untested {
				known = append(known, u.ID)
				if strings.EqualFold(u.ID, wanted) {
					explainUntested(a.stdout, p, u)
					found = true
				}
			}
		}
	}
	if found {
		return nil
	}
	for _, explain := range []func([]*suites.Profile, string, *[]string) (bool, error){a.explainNoTest, a.explainCode, a.explainRulingOf} {
		explained, err := explain(profiles, wanted, &known)
		if err != nil {
			return bug(err)
		}
		if explained {
			return nil
		}
	}
	return usage("there is no test %q%s; list shows the ids", wanted, didYouMean(wanted, known))
}

// explainNoTest prints a requirement whose test is still to be written. It notes the names there are, as those below do.
func (a *app) explainNoTest(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	for _, p := range profiles {
		missing, err := missingOf(p)
		if err != nil {
			return false, err
		}
		for i := range missing {
			row := &missing[i]
			if *known = append(*known, row.ID); !strings.EqualFold(row.ID, wanted) {
				continue
			}
			fmt.Fprintf(a.stdout, "%s  (%s, no test yet)\n\n  %s\n\n", row.ID, p.Name, plainText(row.Summary)+".")
			field(a.stdout, "Level", row.Level)
			field(a.stdout, "Source", row.Source)
			field(a.stdout, "Applies", row.judged())
			field(a.stdout, "Lend", strings.Join(row.Lend, ", "))
			return true, nil
		}
	}
	return false, nil
}

// explainCode prints the reason of that code, with the tests of every profile that it can meet.
func (a *app) explainCode(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	var meets []*suites.Profile
	code := ""
	for _, p := range profiles {
		for _, one := range knownReasons(p) {
			if *known = append(*known, one); strings.EqualFold(one, wanted) {
				meets, code = append(meets, p), one
				break
			}
		}
	}
	if code == "" {
		return false, nil
	}
	explainReason(a.stdout, meets, code)
	return true, nil
}

// explainRulingOf prints the ruling of that id; where several contracts have one, each under the name of its profile.
func (a *app) explainRulingOf(profiles []*suites.Profile, wanted string, known *[]string) (bool, error) {
	var found []catalog.Ruling
	var of []string
	for _, p := range profiles {
		all, err := catalog.Rulings(p.Name)
		if err != nil {
			return false, err
		}
		for _, r := range all {
			if *known = append(*known, r.ID); strings.EqualFold(r.ID, wanted) {
				found, of = append(found, r), append(of, p.Name)
			}
		}
	}
	for i, r := range found {
		if len(found) > 1 {
			fmt.Fprintf(a.stdout, "%s%s\n\n", strings.Repeat("\n", min(i, 1)), of[i])
		}
		explainRuling(a.stdout, r)
		fmt.Fprintf(a.stdout, "\nRequirements that it decides\n  %s\n", cmp.Or(strings.Join(r.Requirements, ", "), "none by itself"))
	}
	return len(found) > 0, nil
}

func explainUntested(w io.Writer, p *suites.Profile, u suites.Untested) {
	fmt.Fprintf(w, "%s  (%s, untested)\n\n  The %s %s %s.\n\n", u.ID, p.Name, judged(p), u.Level, u.Says)
	field(w, "Source", u.Source)
	field(w, "Suite", u.At.String())
	field(w, "Untested", u.Because)
}

func explainTest(w io.Writer, p *suites.Profile, t *suites.Test) error {
	fmt.Fprintf(w, "%s  %s\n\n  The %s %s %s.\n\n", t.ID, t.Name, judged(p), t.Level, t.Says)
	field(w, "Source", t.Source)
	field(w, "Profile", p.Name+", surface "+t.Suite.Surface)
	field(w, "Suite", t.At.String())
	field(w, "Applies", applies(t.Applies))
	field(w, "Over", playedOver(t))
	field(w, "Level", levelMeans(t))
	if len(t.Cases) > 0 {
		var labels []string
		for _, c := range t.Cases {
			labels = append(labels, c.Label)
		}
		field(w, "Rows", fmt.Sprintf("the steps are done once for each of %d: %s", len(labels), strings.Join(labels, "; ")))
	}
	fmt.Fprintln(w)
	d := &describer{w: w}
	if len(t.Given) > 0 {
		fmt.Fprintln(w, "Preparation (what goes wrong here blocks the test, it does not fail it)")
		d.steps(t.Given, 1)
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "What is sent, and what is accepted")
	d.steps(t.Steps, 1)
	fmt.Fprintln(w)
	if len(d.words) > 0 {
		fmt.Fprintln(w, "Words used")
		d.meanings()
		fmt.Fprintln(w)
	}
	explainRejected(w, p, t)
	explainFix(w, t)
	if err := explainRulings(w, p, t); err != nil {
		return err
	}
	explainSkips(w, t)
	return nil
}

// explainRejected shows what the test is proved to reject: faults of the reference executor, with what it then says.
func explainRejected(w io.Writer, p *suites.Profile, t *suites.Test) {
	fmt.Fprintln(w, "What is rejected")
	if len(t.BrokenBy) == 0 {
		fmt.Fprint(w, "  whatever is not accepted above; no fault of the reference executor is named for it\n\n")
		return
	}
	for _, b := range t.BrokenBy {
		only := ""
		if shows := t.Shows(b); shows != suites.Failure {
			only = ", which is no more than a " + shows
		}
		fmt.Fprintf(w, "  - fault %s: the finding then matches %q%s\n", b.Fault, b.Says, only)
	}
	best := slices.MinFunc(t.BrokenBy, func(a, b suites.Breakage) int { return cmp.Compare(weakness(t, a), weakness(t, b)) })
	see, wait := "See it fail", ""
	if t.Shows(best) != suites.Failure {
		see = "See it"
	}
	if t.Slow > demoMaxWait {
		wait = " --max-wait " + t.Slow.String()
	}
	of := ""
	if p.Name != defaultProfile {
		of = " --profile " + p.Name
	}
	fmt.Fprintf(w, "  %s: %s demo%s --run %s --fault %s%s\n\n", see, program, of, t.ID, best.Fault, wait)
}

// judged is what a profile judges.
func judged(p *suites.Profile) string {
	if p.Name == defaultProfile {
		return "executor"
	}
	return "server"
}

// weakness orders faults by how little becomes of them.
func weakness(t *suites.Test, b suites.Breakage) int {
	return slices.Index([]string{suites.Failure, suites.Warning, suites.Note}, t.Shows(b))
}

// explainSkips shows every reason for which the test may not be judged.
func explainSkips(w io.Writer, t *suites.Test) {
	reasons := applicability(t)
	for _, list := range [][]*suites.Step{t.Given, t.Steps} {
		for _, reason := range skipReasons(list) {
			if reason = "as " + reason + ", found out while it runs"; !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	fmt.Fprintln(w, "Why it may be skipped")
	if len(reasons) == 0 {
		fmt.Fprintln(w, "  never: it applies to every target")
	}
	for _, r := range reasons {
		fmt.Fprintf(w, "  - %s\n", r)
	}
}

// applicability is the reasons that are known before the test runs.
func applicability(t *suites.Test) []string {
	var reasons []string
	add := func(when bool, format string, args ...any) {
		if when {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	for _, claim := range t.Applies.Claims {
		add(true, "the card does not declare %s", claim)
	}
	for _, claim := range t.Applies.Lacks {
		add(true, "the card declares %s", claim)
	}
	switch over := strings.Join(t.Over, " or "); {
	case over == suites.Pairs:
		add(t.Operates, "the card does not declare two bindings of A2A 1.0")
	case over != "":
		add(t.Operates, "the card declares no interface of A2A 1.0 over %s", over)
	default:
		add(t.Operates, "the card declares no interface of A2A 1.0 over a binding that can be driven")
	}
	add(t.Applies.Auth, "the target answers anonymous requests (and --require-auth is not given)")
	add(t.Applies.NoAuth, "the target refuses anonymous requests")
	add(t.Applies.Production, "--production is not given")
	add(t.Applies.Observers > 0, "the card lets fewer observers into a terminal than %d", t.Applies.Observers)
	add(t.Applies.Reserved != "", "always: the contract reserves it for %s", t.Applies.Reserved)
	for _, need := range t.Needs {
		kind, name, _ := strings.Cut(need, ":")
		add(true, "the operator lends no %s %s (%ss: in the configuration file)", kind, name, kind)
	}
	for _, want := range t.Wants {
		kind, name, _ := strings.Cut(want, ":")
		add(true, "in part, where the operator lends no %s %s (%ss: in the configuration file)", kind, name, kind)
	}
	add(t.Slow > 0, "it waits %s by its nature, and --max-wait allows less", t.Slow)
	return reasons
}

func skipReasons(steps []*suites.Step) []string {
	var reasons []string
	for _, s := range steps {
		for _, skip := range s.SkipUnless {
			reasons = append(reasons, skip.Reason)
		}
		switch do := s.Do.(type) {
		case suites.Use:
			reasons = append(reasons, skipReasons(do.Steps)...)
		case suites.Together:
			reasons = append(reasons, skipReasons(do.All())...)
		}
	}
	return reasons
}

// levelMeans says what becomes of a broken requirement.
func levelMeans(t *suites.Test) string {
	switch {
	case t.Applies.Since != "":
		return fmt.Sprintf("%s from %s on; until then, broken, it is noted", t.Level, t.Applies.Since)
	case t.Level == suites.Must || t.Level == suites.MustNot:
		return string(t.Level) + ": broken, the run fails"
	case t.Level == suites.Should || t.Level == suites.ShouldNot:
		return string(t.Level) + ": broken, the run warns"
	}
	return string(t.Level) + ": broken, it is noted"
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

func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%-9s %s\n", name, value)
	}
}
