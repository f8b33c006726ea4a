// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"slices"

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

// walk follows a list's cursor to its end, or to where the step has seen enough. The subjects are those of the last page,
// and all pages together.
func (c caller) walk(ctx context.Context, step *suites.Step, q *target.Request, do suites.Request) *subjects.Observation {
	var pages []*subjects.Observation
	ended, cut, size, full := false, false, 0, false
	passed := map[string]bool{}
	for next := *q; ; {
		sent := next
		x := c.exchange(ctx, &sent)
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
				return o
			}
			o.Blocked = fmt.Sprintf("the first %d pages of the list are longer than what is kept of all pages (%d MiB), and the list has not ended", len(pages), maxWalked>>20)
			return o
		}
		passed[cursor] = true
		if q.Call != nil {
			page, err := c.nextPage(q, do.Walk, cursor)
			if err != nil {
				return unfilled(err)
			}
			next = *page
			continue
		}
		next.URL = target.WithQuery(q.URL, do.Walk, cursor)
	}
	return walked(pages, ended, cut)
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

// walked is the observation of the last page, with all of them.
func walked(pages []*subjects.Observation, ended, cut bool) *subjects.Observation {
	pages = slices.Clip(pages)
	o := pages[len(pages)-1]
	o.Value("walk_ended", ended)
	o.Value("walk_cut", cut)
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
