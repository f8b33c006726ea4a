// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
)

// A trialSaid is what a trial under a mutant comes to.
type trialSaid struct {
	fate   mutants.Fate
	text   string // of its finding; empty: it has none
	outrun []string
}

// What is said of a mutant after one look is not the last word: that its likely tests let it live, that an answer was too late,
// and that the agent was too fast for a test. Each of these is looked at a second time, and what is seen then counts.
func TestMutantsThatLookWrongAreLookedAtAgain(t *testing.T) {
	t.Parallel()
	var all, watching []string
	for i := range firstLook + 2 {
		all = append(all, fmt.Sprintf("T-%03d", i))
	}
	for i := range maxWatching + 2 {
		watching = append(watching, fmt.Sprintf("W-%03d", i))
	}
	whenPlayed := func(id string) func(int, []string) trialSaid {
		return func(_ int, ids []string) trialSaid {
			if slices.Contains(ids, id) {
				return trialSaid{fate: mutants.Killed, text: "seen"}
			}
			return trialSaid{fate: mutants.Survived}
		}
	}
	inTurn := func(says ...trialSaid) func(int, []string) trialSaid {
		return func(n int, _ []string) trialSaid { return says[min(n, len(says)-1)] }
	}
	killed := trialSaid{fate: mutants.Killed, text: "seen"}
	late := trialSaid{fate: mutants.Unrelated, text: "exchange: no answer within 10s"}
	for _, row := range []struct {
		name   string
		how    string // operator, and mode if it is not always
		lawful bool   // that it lives is right: its likely tests are enough
		ids    []string
		says   func(n int, ids []string) trialSaid // of the trial n, from 0
		want   mutants.Fate
		trials int
	}{
		{"the likely tests see it", "drop", false, all, whenPlayed(all[0]), mutants.Killed, 1},
		{"the others see it", "drop", false, all, whenPlayed(all[len(all)-1]), mutants.Killed, 2},
		{"who looks at the whole run sees it", "drop", false, all, whenPlayed(watching[len(watching)-1]), mutants.Killed, 2},
		{"the likely tests did not reach it", "drop", false, all, inTurn(trialSaid{fate: mutants.Unreached}, killed), mutants.Killed, 2},
		{"only something else fails", "drop", false, all, inTurn(trialSaid{fate: mutants.Unrelated, text: "other"}, killed), mutants.Killed, 2},
		{"nobody sees it", "drop", false, all, inTurn(trialSaid{fate: mutants.Survived}), mutants.Survived, 2},
		{"nobody reaches it", "drop", false, all, inTurn(trialSaid{fate: mutants.Unreached}), mutants.Unreached, 2 + maxAgain},
		{"it is reached in the end", "drop", false, all, inTurn(trialSaid{fate: mutants.Unreached}, trialSaid{fate: mutants.Unreached}, killed), mutants.Killed, 3},
		{"of every third one test alone sees it", "drop | every-3rd", false, all, func(_ int, ids []string) trialSaid {
			if len(ids) == 1 && ids[0] == all[1] {
				return killed
			}
			return trialSaid{fate: mutants.Survived}
		}, mutants.Killed, 4},
		{"it may live", "drop", true, all, whenPlayed(all[len(all)-1]), mutants.Survived, 1},

		{"an answer was late", "drop", true, all[:1], inTurn(late, killed), mutants.Killed, 2},
		{"an answer was late, and what counts is seen then", "drop", true, all[:1], inTurn(late, trialSaid{fate: mutants.Survived}), mutants.Survived, 2},
		{"an answer is late on purpose", mutants.Delay, true, all[:1], inTurn(late, killed), mutants.Unrelated, 1},

		{"the agent was too fast", "drop", true, all[:2], inTurn(trialSaid{fate: mutants.Survived, outrun: all[1:2]}, killed), mutants.Killed, 2},
		{"the agent was too fast, and there is less to see then", "drop", true, all[:2],
			inTurn(trialSaid{fate: mutants.Unrelated, text: "other", outrun: all[1:2]}, trialSaid{fate: mutants.Survived}), mutants.Unrelated, 2},
	} {
		d := deployment{name: "default"}
		p := &mutator{prover: &prover{trials: trials{proof: &proof{deployments: []deployment{d}}}}, homes: map[string]deployment{}, texts: map[string]string{},
			recording: mutants.NewRecording(),
			wholeRun:  map[string][]string{d.name: watching}, killers: map[string]map[string]int{}}
		for _, id := range row.ids {
			p.homes[id] = d
		}
		for _, id := range watching {
			p.texts[id] = "watch: tasks"
		}
		trials := 0
		p.trial = func(_ mutants.Mutant, _ deployment, ids []string) (mutants.Fate, *mutants.Finding, []string, error) {
			said := row.says(trials, ids)
			trials++
			if said.text == "" {
				return said.fate, nil, said.outrun, nil
			}
			return said.fate, &mutants.Finding{Test: ids[0], Text: said.text}, said.outrun, nil
		}
		operator, mode, _ := strings.Cut(row.how, " | ")
		m := mutants.Mutant{Site: mutants.Site{Kind: "GET /x 200", Part: "json.a"}, Operator: operator, Mode: cmp.Or(mode, mutants.Always)}
		if got := p.fateAmong(m, row.ids, row.lawful); got.Fate != row.want || trials != row.trials {
			t.Errorf("%s: the mutant is %s after %d trials, want %s after %d", row.name, got.Fate, trials, row.want, row.trials)
		}
	}
}

// What comes with another token shows where each instance has one of its own. That deployment is there for one test, and those
// that look at the whole run are played beside it all the same.
func TestTestsOfTheWholeRunAreGuestsOfEveryDeployment(t *testing.T) {
	t.Parallel()
	base, err := newProver(t.Context(), Options{Profile: "agentic-sandbox-v2"})
	if err != nil {
		t.Fatal(err)
	}
	p := &mutator{prover: base, recording: mutants.NewRecording(), wholeRun: map[string][]string{}}
	all, err := base.testTexts()
	if err != nil {
		t.Fatal(err)
	}
	p.texts = map[string]string{"TASK-010": all["TASK-010"], "TASK-011": all["TASK-011"]} // of which one looks at the whole run
	at := slices.IndexFunc(p.proof.deployments, func(d deployment) bool { return d.name == "a token for each instance" })
	if at < 0 {
		t.Fatal("there is no deployment with a token for each instance")
	}
	d := p.proof.deployments[at]
	m, err := mutants.Parse("GET /agents/{iid}/v1/tasks/{tid} 200 | json.id | truncate | second-client")
	if err != nil {
		t.Fatal(err)
	}
	guests := p.watchingIn(d, m)
	if got := strings.Join(guests, " "); got != "TASK-010" {
		t.Errorf("beside are played %q, want TASK-010", got)
	}
	if fate, finding, _, err := p.withMutant(m, d, append(guests, "AUTH-016")); fate != mutants.Killed || finding.Test != "TASK-010" {
		t.Errorf("the mutant is %s (%v, %v), want killed by TASK-010", fate, finding, err)
	}
}

// That a terminal was given up for lack of a Pong says how busy the machine was, but of a mutant of Pings and Pongs.
func TestTerminalsThatWereGivenUpSayNothing(t *testing.T) {
	t.Parallel()
	const attach = "WS /agents/{iid}/sessions/{sid}/attach "
	lost := mutants.Finding{Test: "PTY-001", Text: `frame: frame is missing (the connection was closed by the executor with 1011 "no pong for too long")`}
	for _, row := range []struct {
		kind, operator string
		finding        mutants.Finding
		want           bool
	}{
		{attach + "frame pty.session_frame/Output", mutants.Drop, lost, true},
		{attach + "frame pong", mutants.Drop, lost, true}, // the answer to an envelope
		{attach + "ping", mutants.Drop, lost, false},
		{attach + "ping", mutants.Delay, lost, true},
		{attach + "pong", mutants.Drop, lost, false},
		{attach + "frame pty.session_frame/Output", mutants.Drop, mutants.Finding{Test: "PTY-001", Text: "frame: frame is missing"}, false},
	} {
		m := mutants.Mutant{Site: mutants.Site{Kind: row.kind, Part: "frame"}, Operator: row.operator, Mode: mutants.Always}
		if got := gaveUp(m, row.finding); got != row.want {
			t.Errorf("%s: %q says nothing is %v, want %v", m, row.finding.Text, got, row.want)
		}
	}
}

// A list that is short for a test alone is long beside others: what changes long ones only is played on that test as well, at
// home, and what shows for another client only is not.
func TestShortListsAreLongBesideOthers(t *testing.T) {
	t.Parallel()
	base, err := newProver(t.Context(), Options{Profile: "agentic-sandbox-v2"})
	if err != nil {
		t.Fatal(err)
	}
	d := base.proof.deployments[0]
	seen, err := base.recordIn(d, base.tests["TASK-014"])
	if err != nil || seen == nil {
		t.Fatalf("TASK-014 was not recorded (%v)", err)
	}
	p := &mutator{prover: base, recording: mutants.NewRecording(), homes: map[string]deployment{"TASK-014": d}, passes: map[string]bool{}}
	p.recording.Add("TASK-014", seen)
	for mode, want := range map[string]string{mutants.Large: "TASK-014", mutants.Second: ""} {
		m := mutants.Mutant{Site: mutants.Site{Kind: "GET /agents/{iid}/v1/tasks 200", Part: "json.tasks"}, Operator: mutants.Swap, Mode: mode}
		if met := p.recording.Tests(m); len(met) > 0 {
			t.Errorf("%s: alone, %v met it", mode, met)
		}
		if got := strings.Join(p.visiting(d, m), " "); got != want {
			t.Errorf("%s: beside are played %q, want %q", mode, got, want)
		}
	}
}
