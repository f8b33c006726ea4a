// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxWalked bounds the bytes of the pages of one walk; it stops at the page that goes beyond, and what the pages say
// together is not known.
const maxWalked = 16 << 20

// listTooLong is the reason to skip what a list that goes on after the pages of a walk has to show as a whole.
const listTooLong = "list-too-long"

// pauseOfWalks is how long a walk that is begun anew waits first; every next one waits twice as long.
const pauseOfWalks = 300 * time.Millisecond

// walk follows a list's cursor to its end, or to where the step has seen enough. The subjects are those of the last page,
// and all pages together. Where the step says so, it is begun anew for a while if it has not seen that: a list that is some seconds old is
// the finding of one test, and not of all that look something up in it.
func (c caller) walk(ctx context.Context, step *suites.Step, q *target.Request, do suites.Request) *subjects.Observation {
	again := scale(do.WalkAgain.Min, c.run.options.TimeFactor) // of waiting: a long list takes its time to be walked
	for pause := pauseOfWalks; ; pause *= 2 {
		o, pages := c.walkOnce(ctx, step, q, do)
		if do.WalkAgain.Min == 0 || o.Blocked != "" || o.Get("walk_cut") == true || o.Get("status") != assertions.Number(http.StatusOK) {
			return o
		}
		if found, err := c.holds(do.WalkUntil, o); found || err != nil {
			return o
		}
		if again <= 0 || !c.pause(ctx, min(pause, again)) {
			return o
		}
		again -= pause
		for _, page := range pages {
			c.weight.Leave(page)
		}
	}
}

// walkOnce is one walk, and its pages.
func (c caller) walkOnce(ctx context.Context, step *suites.Step, q *target.Request, do suites.Request) (*subjects.Observation, []*subjects.Observation) {
	var pages []*subjects.Observation
	ended, cut, size, full := false, false, 0, false
	passed, idsAlone := map[string]bool{}, looksAtIDsAlone(step, do)
	for next := *q; ; {
		sent := next
		x := c.exchange(ctx, &sent)
		if n := len(pages); n > 0 && idsAlone {
			whole, short := pages[n-1], shortened(pages[n-1])
			size += short.Size - whole.Size
			c.weight.Leave(whole)
			c.weight.Keep(short)
			pages[n-1] = short
		}
		last := observeRequest(x)
		pages = append(pages, last)
		size += last.Size
		full = !c.weight.Keep(last) || size > maxWalked
		if x.Status != http.StatusOK && (q.Call == nil || x.Status < 200 || x.Status > 299) { // of operations AMB-64
			break
		}
		cursor, more := last.Get("page_cursor").(string)
		if !more {
			ended = true
			break
		}
		if len(do.WalkUntil) > 0 {
			if found, err := c.holds(do.WalkUntil, walked(pages, false, false)); found || err != nil {
				break
			}
		}
		// A cursor that comes again leads round in circles, however many pages are left.
		if passed[cursor] || ctx.Err() != nil {
			break
		}
		if len(pages) >= max(do.WalkMax, 1) {
			cut = goesOn(pages)
			break
		}
		if full {
			cut = goesOn(pages)
			o := walked(pages, false, cut)
			if cut && mayBeTooLong(step) {
				return o, pages
			}
			o.Blocked = fmt.Sprintf("the first %d pages of the list are longer than what is kept of all pages (%d MiB), and the list has not ended", len(pages), maxWalked>>20)
			return o, pages
		}
		passed[cursor] = true
		if q.Call != nil {
			page, err := c.nextPage(q, do.Walk, cursor)
			if err != nil {
				return unfilled(err), pages
			}
			next = *page
			continue
		}
		next.URL = target.WithQuery(q.URL, do.Walk, cursor)
	}
	return walked(pages, ended, cut), pages
}

// listedIDs is what most walks look at, of all pages together.
const listedIDs = "listed[*].id"

// looksAtIDsAlone says whether a step looks at no more of a walk than the ids that were listed and how it ended, besides the last page:
// then no more is kept of the pages before.
func looksAtIDsAlone(step *suites.Step, do suites.Request) bool {
	expected := slices.Concat(step.Assume, step.Expect, step.EnoughWhen, do.WalkUntil)
	for _, skip := range step.SkipUnless {
		expected = append(expected, skip.Unless...)
	}
	for _, soft := range step.Softened {
		expected = append(expected, soft.Expect...)
	}
	subjects := make([]assertions.Path, 0, len(expected)+len(step.Keep))
	for _, e := range expected {
		subjects = append(subjects, e.Subject)
	}
	for _, k := range step.Keep {
		subjects = append(subjects, k.Path)
	}
	return !slices.ContainsFunc(subjects, func(s assertions.Path) bool {
		switch s.Head() {
		case "listed":
			return s.String() != listedIDs
		case "pages":
			return true
		}
		return false
	})
}

// idCost is what a task of which the id alone is kept counts as held, in bytes, beside the id.
const idCost = 64

// shortened is a page with nothing but the ids of what it lists; the page itself where one of them is no text.
func shortened(page *subjects.Observation) *subjects.Observation {
	listed, _ := page.Get("tasks").([]any)
	short, tasks := subjects.New(), make([]any, len(listed))
	for i, task := range listed {
		kept := map[string]any{}
		switch id := readers.Member(task, "id").(type) {
		case string:
			kept["id"] = strings.Clone(id)
			short.Size += len(id)
		default:
			if !assertions.IsMissing(id) {
				return page
			}
		}
		tasks[i] = kept
		short.Size += idCost
	}
	short.Value("tasks", tasks)
	short.Request = page.Request
	short.Value("status", page.Get("status"))
	return short
}

// mayBeTooLong says whether a step has a reason to skip what a list says that is longer than a run follows.
func mayBeTooLong(step *suites.Step) bool {
	return slices.ContainsFunc(step.SkipUnless, func(skip suites.SkipUnless) bool { return skip.Reason == listTooLong })
}

// goesOn says whether the last page of a walk lists what no page before it has: a list that never ends shows nothing at some time,
// or something twice.
func goesOn(pages []*subjects.Observation) bool {
	seen := map[string]bool{}
	for _, page := range pages[:len(pages)-1] {
		for _, id := range idsOn(page) {
			seen[id] = true
		}
	}
	last := idsOn(pages[len(pages)-1])
	return len(last) > 0 && !slices.ContainsFunc(last, func(id string) bool { return seen[id] })
}

func idsOn(page *subjects.Observation) []string {
	var ids []string
	tasks, _ := page.Get("tasks").([]any)
	for _, task := range tasks {
		if id := readers.MemberText(task, "id"); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// repeatedOn is how many of the tasks on pages an earlier page has as well.
func repeatedOn(pages []*subjects.Observation) int {
	n, seen := 0, map[string]bool{}
	for _, page := range pages {
		for _, id := range idsOn(page) {
			if seen[id] {
				n++
			}
			seen[id] = true
		}
	}
	return n
}

// walked is the observation of the last page, with all of them.
func walked(pages []*subjects.Observation, ended, cut bool) *subjects.Observation {
	pages = slices.Clip(pages)
	o := pages[len(pages)-1]
	o.Value("walk_ended", ended)
	o.Value("walk_cut", cut)
	for _, name := range []string{"pages", "listed", "walk_ended", "walk_cut"} {
		o.LeavesListUnread(name, pages...)
	}
	o.Placed = func(subject string) string { return subjects.InPages(subject, sizesOf(pages), repeatedOn(pages)) }
	o.Among = func(subject string) *subjects.Observation {
		if page := subjects.PageOf(subject, sizesOf(pages)); page >= 0 {
			return pages[page]
		}
		return nil
	}
	o.Set("pages", func() any {
		list := make([]any, len(pages))
		for i, page := range pages {
			list[i] = page.All()
		}
		return list
	})
	o.Set("listed", func() any {
		listed := []any{}
		for _, page := range pages {
			list, _ := page.Get("tasks").([]any)
			listed = append(listed, list...)
		}
		return listed
	})
	return o
}

// sizesOf are how many tasks, or push configurations, each page lists; -1 of one that lists neither.
func sizesOf(pages []*subjects.Observation) []int {
	sizes := make([]int, len(pages))
	for i, page := range pages {
		sizes[i] = -1
		for _, name := range []string{"configs", "tasks"} {
			if list, is := page.Get(name).([]any); is {
				sizes[i] = len(list)
			}
		}
	}
	return sizes
}
