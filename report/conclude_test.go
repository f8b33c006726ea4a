// SPDX-License-Identifier: Apache-2.0

package report

import "testing"

// TestConclude: what the verdict is, and which of several reasons it names.
func TestConclude(t *testing.T) {
	t.Parallel()
	pass, skip := Result{Level: "MUST", Outcome: Pass}, Result{Level: "MUST", Outcome: Skip, Reason: &Reason{Code: "no-session"}}
	fail, blocked := Result{Level: "MUST", Outcome: Fail}, Result{Level: "MUST", Outcome: Blocked, Reason: &Reason{Code: "blocked"}}
	lenient := Result{Level: "SHOULD", Outcome: Blocked, Reason: &Reason{Code: "blocked"}}
	waived := Result{Level: "MUST", Outcome: Fail, Waiver: &Waiver{}}
	everything := Ending{Broken: "the dialect", Cut: "time-is-up", Hooks: []string{"the hook says no"}, Unmeasured: []string{"pty-ws"}, About: ", and it is no executor"}
	without := func(change func(*Ending)) Ending {
		e := everything
		change(&e)
		return e
	}
	for name, row := range map[string]struct {
		results []Result
		end     Ending
		verdict Verdict
		because string
	}{
		"all holds":                {[]Result{pass, skip}, Ending{}, Passed, "every MUST that was measured holds"},
		"a waived failure is none": {[]Result{pass, waived}, Ending{}, Passed, "every MUST that was measured holds but 1 that is waived"},
		"nothing could be asked, whatever else there is": {[]Result{fail}, Ending{Unasked: Unasked{Unreachable, "nothing listens"}, Broken: "x"}, Unreachable, "nothing listens"},
		"broken comes before everything":                 {[]Result{pass, fail, blocked}, everything, Failed, "1 requirement is broken; the dialect"},
		"broken on what looks like no executor":          {[]Result{fail}, without(func(e *Ending) { e.Broken = "" }), Failed, "1 requirement is broken, and it is no executor"},
		"a dialect that blocks counts as broken":         {[]Result{pass, blocked}, everything, Failed, "the dialect"},
		"a run that was cut short":                       {[]Result{pass, blocked}, without(func(e *Ending) { e.Broken = "" }), Incomplete, "the run ended before everything was measured: time-is-up"},
		"no test":                                        {nil, Ending{}, Incomplete, "no test was selected"},
		"a hook that failed":                             {[]Result{pass, blocked}, Ending{Hooks: []string{"the hook says no"}, Unmeasured: []string{"pty-ws"}}, Incomplete, "the hook says no"},
		"a MUST that is blocked":                         {[]Result{pass, blocked, lenient}, Ending{Unmeasured: []string{"pty-ws"}}, Incomplete, "1 requirement applies but could not be exercised"},
		"a SHOULD that is blocked":                       {[]Result{pass, lenient}, Ending{}, Passed, "every MUST that was measured holds"},
		"a surface without a measurement":                {[]Result{pass}, Ending{Unmeasured: []string{"pty-ws", "push"}}, Incomplete, "nothing was measured on pty-ws, push"},
		"nothing but skips":                              {[]Result{skip}, Ending{}, Incomplete, "nothing was measured"},
		"what is said first":                             {[]Result{fail}, Ending{First: []string{"it has no card", "it speaks 0.3"}}, Failed, "it has no card; it speaks 0.3; 1 requirement is broken"},
	} {
		run := &Run{Results: row.results}
		run.Conclude(row.end)
		if run.Verdict != row.verdict || run.Because != row.because {
			t.Errorf("%s: %s, %q, want %s, %q", name, run.Verdict, run.Because, row.verdict, row.because)
		}
	}
}
