// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// OtherProfile says which other profile the card of a target speaks of, and by what that is seen, once [Preflight.Look] is over; nil
// when the card does not decide. A card decides that declares interfaces which the other profile can drive and bears no mark of the one
// that was looked for, if it stands at the URL that was given or names that URL among its interfaces. A card that speaks of both profiles
// decides nothing, and neither does one beside an admin surface that lists instances.
func (f *Preflight) OtherProfile(ctx context.Context, limits Limits) (profile string, chosen *report.Chosen) {
	if f.Profile.Mark == "" || f.Facts.silent || f.Facts.manages || f.Facts.Unasked.Verdict == "" && !f.Facts.plainCard {
		return "", nil
	}
	for _, row := range profiles.All {
		if row.Name == f.Profile.Name || row.Finds != profiles.AnAgent {
			continue
		}
		for _, as := range []string{Anonymous, "instance"} {
			at, bindings := f.declaredFor(ctx, row, limits, as)
			if len(bindings) == 0 {
				continue
			}
			because := fmt.Sprintf("the card at %s declares A2A 1.0 over %s and names nothing of %s", at, strings.Join(bindings, ", "), f.Profile.Mark)
			if f.Facts.noTasks != "" {
				because += ", and " + f.Facts.noTasks
			}
			return row.Name, &report.Chosen{By: report.ChosenByCard, Because: because}
		}
	}
	return "", nil
}

// declaredFor is what a profile would find in the card of the target: where the card is, and the bindings that can be driven. There are none
// where the card bears the mark of another profile, or describes somebody else than the URL that was given.
func (f *Preflight) declaredFor(ctx context.Context, row profiles.Profile, limits Limits, as string) (at string, bindings []string) {
	agent := &Agent{}
	agent.Open(row, f.Config, limits)
	defer agent.Client.Close()
	look := &Preflight{Agent: agent, Out: &report.Run{}, CardAs: as}
	if stop := look.FindAgent(ctx); stop != nil || agent.Facts.marked || agent.Facts.astray {
		return "", nil
	}
	for _, e := range agent.Interfaces {
		if !slices.Contains(bindings, e.Binding) {
			bindings = append(bindings, e.Binding)
		}
	}
	return agent.CardURL, bindings
}
