// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// Lint advises on suites that load but could be better. Nothing it says keeps a suite from running.
func Lint(p *Profile) []Problem {
	l := linter{used: map[string]bool{}}
	ids := map[string]bool{}
	for _, s := range slices.Concat(p.Suites, p.around) {
		for _, t := range s.Tests {
			ids[t.ID] = true
		}
	}
	folders := map[string]bool{}
	for _, s := range p.Suites {
		folders[path.Dir(s.At.File)] = true
		maps.Copy(l.used, s.used)
		seen := map[string]Position{}
		for _, t := range s.Tests {
			l.test(t, ids)
			if first, twice := seen[t.Name]; twice && t.Name != "" {
				l.advise(t.At, "the test at %s is called %s as well", first, t.Name)
			}
			seen[t.Name] = t.At
		}
		for _, u := range s.Untested {
			l.sentence(u.At, u.Says)
		}
	}
	for _, root := range p.Roots {
		l.root(root, ids)
	}
	for _, s := range p.SideEffects {
		for _, id := range s.Tests {
			if !anyMatches(id, ids) {
				l.advise(s.At, "%s changes %s as well, which is no test", s.Fault, id)
			}
		}
	}
	for _, s := range p.Suites {
		// Own suites also know the shared steps and conditions of the bundled ones, which are none of their business.
		for _, name := range sortedKeys(s.Shared) {
			if steps := s.Shared[name]; len(steps) > 0 && folders[path.Dir(steps[0].At.File)] && p.usersKnown(steps[0].At) && !l.used[steps[0].At.String()] {
				l.advise(steps[0].At, "nothing uses the shared steps %s", name)
			}
		}
		for _, name := range sortedKeys(s.conditions) {
			if at := s.conditions[name].at; folders[path.Dir(at.File)] && p.usersKnown(at) && !l.used[at.String()] {
				l.advise(at, "nothing uses the condition %s", name)
			}
		}
	}
	return sorted(l.problems)
}

type linter struct {
	problems []Problem
	used     map[string]bool // shared steps, by where the first of them stands, and conditions, by where they got their names
}

func (l *linter) advise(at Position, format string, args ...any) {
	l.problems = append(l.problems, Problem{at, fmt.Sprintf(format, args...)})
}

// root advises on members that are no tests, and on a root that nothing shows to be one.
func (l *linter) root(root *Root, ids map[string]bool) {
	l.sentence(root.At, root.Says)
	for _, sign := range root.Shows {
		for _, id := range sign.Tests {
			if !anyMatches(id, ids) {
				l.advise(sign.At, "%s shows the root %s, and is no test", id, root.Name)
			}
		}
	}
	if len(root.Faults) == 0 && BundledAs(root.At.File) != "" {
		l.advise(root.At, "no fault of the reference executor shows the root %s (faults)", root.Name)
	}
}

func (l *linter) test(t *Test, ids map[string]bool) {
	l.sentence(t.At, t.Says)
	ours := BundledAs(t.At.File) != "" // source and broken_by are for these
	if t.Source == "" && ours {
		l.advise(t.At, "%s does not say where the contract asks for it (source)", t.ID)
	}
	if len(t.BrokenBy) == 0 && t.Applies.Reserved == "" && ours {
		l.advise(t.At, "nothing shows that %s can fail (broken_by)", t.ID)
	}
	read := map[string]bool{}
	for _, s := range slices.Concat(t.Given, t.Steps) {
		l.eachStep(s, func(s *Step) {
			l.values(s, t.Suite)
			l.guards(s)
		})
	}
	l.steps(t.Given, read)
	if !l.steps(t.Steps, read) {
		l.advise(t.At, "no step of %s expects anything", t.ID)
	}
	for _, let := range t.Let {
		for _, ref := range let.names {
			read[ref.name] = true
		}
	}
	for _, let := range t.Let {
		if !read[let.Name] {
			l.advise(let.At, "nothing reads ${%s}", let.Name)
		}
	}
	l.cells(t, read)
	l.configured(t)
}

// guards advises on enough_when ahead of expect: whoever writes it so believes that it is looked at first.
func (l *linter) guards(s *Step) {
	if len(s.EnoughWhen) == 0 || len(s.Expect) == 0 {
		return
	}
	if enough, expect := s.EnoughWhen[0].At, s.Expect[0].At; enough.File == expect.File &&
		(enough.Line < expect.Line || enough.Line == expect.Line && enough.Col < expect.Col) {
		l.advise(enough, "enough_when is looked at after expect, and does not keep it from failing: write it behind, or into a step before this one")
	}
}

// eachStep does something for a step and those inside it. Shared ones are looked at for each test that uses them; what is said of them
// is said once.
func (l *linter) eachStep(s *Step, do func(*Step)) {
	do(s)
	if block, is := s.Do.(Block); is {
		for _, one := range block.Inside() {
			l.eachStep(one, do)
		}
	}
}

// BundledAs names the profile whose folder a file stands in, of the bundled suites or a working copy of them; "" when it is a suite of
// somebody's own.
func BundledAs(file string) string {
	absolute, err := filepath.Abs(file)
	if err != nil || strings.HasPrefix(file, "<") {
		return ""
	}
	if folder := filepath.Base(filepath.Dir(absolute)); slices.Contains(Profiles(), folder) {
		return folder
	}
	return ""
}

// configured advises on hooks and cues that the profile does not have and that were probably meant to be one that it has. Suites of one's own may
// name any: what is like none is not a mistake.
func (l *linter) configured(t *Test) {
	row := t.Suite.row
	known := row.Configurable()
	for _, o := range hooks.Operations {
		if !o.Asks { // else the profile has it, or has not
			known = append(known, "hook:"+o.Name)
		}
	}
	for _, need := range slices.Concat(t.Needs, t.Wants) {
		kind, name, _ := strings.Cut(need, ":")
		if kind != "hook" && kind != "cue" || slices.Contains(known, need) {
			continue
		}
		_, ofHook := row.Hook(name)
		_, ofCue := row.Cue(name)
		if kind == "hook" && ofHook || kind == "cue" && ofCue { // another profile has it
			continue
		}
		var same []string
		for _, other := range known {
			if other, is := strings.CutPrefix(other, kind+":"); is {
				same = append(same, other)
			}
		}
		if meant := didYouMean(name, same); meant != "" {
			l.advise(t.At, "%s has no %s %s%s", row.Name, kind, name, meant)
		}
	}
}

// cells advises on columns of the table that no step reads; the column `name` is read by people.
func (l *linter) cells(t *Test, read map[string]bool) {
	told := map[string]bool{"name": true}
	for _, row := range t.Cases {
		for _, cell := range sortedKeys(row.Cells) {
			if !told[cell] && !read["case."+cell] {
				l.advise(row.At, "nothing reads ${case.%s}", cell)
			}
			told[cell] = true
		}
	}
}

// steps notes the names that steps read and the shared steps they use, and says whether one of them judges something.
func (l *linter) steps(steps []*Step, read map[string]bool) bool {
	judges := false
	for _, s := range steps {
		for _, ref := range s.names {
			read[ref.name] = true
			for _, family := range []string{"near.", "floor."} {
				if kept, is := strings.CutPrefix(ref.name, family); is {
					read[kept] = true
				}
			}
			if _, cell, is := strings.Cut(ref.name, ".case."); is { // ${breaks.schema.case.way}
				read["case."+cell] = true
			}
		}
		judges = judges || len(s.Expect) > 0 || len(s.Softened) > 0
		switch do := s.Do.(type) {
		case Use:
			if len(do.Steps) > 0 {
				l.used[do.Steps[0].At.String()] = true
			}
			judges = l.steps(do.Steps, read) || judges
		case Together:
			for _, let := range do.Let {
				for _, ref := range let.names {
					read[ref.name] = true
				}
			}
			judges = l.steps(do.Inside(), read) || judges
		case If, Part:
			judges = l.steps(do.(Block).Inside(), read) || judges
		case Receive, Silence, Await:
			judges = true // what they wait for, or must not see, is judged
		case Poll:
			judges = judges || len(do.Until) > 0
		case Type:
			judges = judges || len(do.Until) > 0
		case Stream:
			judges = judges || len(do.Until) > 0 || do.UntilClosed
		}
	}
	return judges
}

func (l *linter) sentence(at Position, says string) {
	if strings.HasSuffix(says, ".") {
		l.advise(at, "the sentence ends in a full stop; reports go on after it")
	}
	if strings.Contains(says, "${") {
		l.advise(at, "the sentence holds a ${name}, which is not filled in there")
	}
}

// anyMatches says whether an id, or a pattern with *, names a test.
func anyMatches(pattern string, ids map[string]bool) bool {
	for id := range ids {
		if matched, err := path.Match(pattern, id); err == nil && matched {
			return true
		}
	}
	return false
}
