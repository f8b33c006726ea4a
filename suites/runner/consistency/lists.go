// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// list is a page of tasks.
func (b *Book) list(a *Answer, page map[string]any) {
	tasks, is := page["tasks"].([]any)
	if !is {
		return
	}
	seen := map[string]bool{}
	newest := time.Time{} // of the ended tasks so far, the one that was listed last
	for i, v := range tasks {
		task, is := v.(map[string]any)
		if !is {
			continue
		}
		at := fmt.Sprintf("%s/tasks/%d", a.At, i)
		id := text(task["id"])
		if id != "" && seen[id] {
			b.slip("listed-twice", a, at+"/id", id, "another id")
			continue
		}
		seen[id] = true
		b.filtered(a, at, task)
		newest = b.ordered(a, at, task, newest)
		if _, has := task["artifacts"]; has && !isTrue(member(a.Params, "includeArtifacts")) {
			b.slip("unasked-artifacts", a, at+"/artifacts", task["artifacts"], "no such member")
		}
		b.history(a, at, task, member(a.Params, "historyLength"))
		b.lists(a, at, task)
		b.task(view{task, at, a})
	}
	b.counted(a, page, len(seen))
	b.saidSize(a, page, len(seen))
}

// lists holds a listed task that is to bring its artifacts, and brings none, against those that it was left with. Some of
// them, or others, are what an ended task must not be shown with.
func (b *Book) lists(a *Answer, at string, task map[string]any) {
	t := b.tasks[text(task["id"])]
	if t == nil || t.made > 1 || t.ended == nil || !hasEnded(task) || !isTrue(member(a.Params, "includeArtifacts")) {
		return
	}
	if len(artifactsOf(task)) == 0 && len(artifactsOf(t.ended.task)) > 0 {
		b.slip("unlisted-artifacts", a, at+"/artifacts", member(task, "artifacts"), t.ended.task["artifacts"])
	}
}

// saidSize holds the size that a page says it may have against the one that was asked for, and against the tasks that it
// has. A server may keep to a smaller one than was asked for, but not now and then.
func (b *Book) saidSize(a *Answer, page map[string]any, tasks int) {
	said, has := number(page["pageSize"])
	size, asked := number(member(a.Params, "pageSize"))
	if !has || asked && (size < 1 || size > 100 || tasks > size) { // other sizes: AMB-22; a page that is too long is another slip
		return
	}
	switch {
	case asked && said == size:
		b.honoured[size] = true
	case said < tasks:
		b.slip("said-size", a, a.At+"/pageSize", page["pageSize"], "not less than the "+strconv.Itoa(tasks)+" tasks of the page")
	case asked && (said > size || b.honoured[size] && said != tasks):
		b.slip("said-size", a, a.At+"/pageSize", page["pageSize"], assertions.Number(int64(size)))
	}
}

// counted holds how many tasks a page has, each once, against the size that was asked for and the total.
func (b *Book) counted(a *Answer, page map[string]any, tasks int) {
	is := assertions.Number(int64(tasks))
	if size, asked := number(member(a.Params, "pageSize")); asked && size >= 1 && size <= 100 && tasks > size { // other sizes: AMB-22
		b.slip("page-size", a, a.At+"/tasks", is, assertions.Number(int64(size)))
	}
	total, has := number(page["totalSize"])
	// All tasks of a context on one page are all that fit; without a context there may be some that were made meanwhile. What is no
	// task, or is listed twice, is for others.
	list, _ := page["tasks"].([]any)
	reached := b.reached(a, page, tasks)
	whole := text(member(a.Params, "contextId")) != "" && text(member(a.Params, "pageToken")) == "" && page["nextPageToken"] == ""
	switch {
	case has && (total < tasks || whole && total > len(list)):
		b.slip("total", a, a.At+"/totalSize", page["totalSize"], is)
	case has && total < reached:
		b.slip("total", a, a.At+"/totalSize", page["totalSize"], "at least the "+strconv.Itoa(reached)+" tasks of the pages so far")
	}
}

// maxWalks bounds the tokens that are remembered.
const maxWalks = 20_000

// reached is how many tasks there are on a page and on those before it, as far as these are known. Tasks in a state may be fewer by the next page.
func (b *Book) reached(a *Answer, page map[string]any, tasks int) int {
	if text(member(a.Params, "status")) != "" {
		return 0
	}
	walk := fmt.Sprintf("%s %s %s %q %v %v ", a.Test, a.By, a.Over, text(member(a.Params, "contextId")), member(a.Params, "statusTimestampAfter"), member(a.Params, "pageSize"))
	if token := text(member(a.Params, "pageToken")); token != "" {
		tasks += b.walked[walk+token]
	}
	if next := text(page["nextPageToken"]); next != "" && len(b.walked) < maxWalks {
		b.walked[walk+next] = tasks
	}
	return tasks
}

// filtered holds a listed task against the filters.
func (b *Book) filtered(a *Answer, at string, task map[string]any) {
	want, is := text(member(a.Params, "contextId")), member(task, "contextId")
	if _, isText := is.(string); want != "" && is != any(want) && (is == nil || isText) { // that it is a text is A2A-REST-070
		b.slip("filter-context", a, at+"/contextId", is, want)
	}
	if want, is := text(member(a.Params, "status")), text(member(task["status"], "state")); isState(want) && isState(is) && is != want {
		b.slip("filter-status", a, at+"/status/state", is, want)
	}
	after, asked := instant(member(a.Params, "statusTimestampAfter"))
	if is, has := instant(member(task["status"], "timestamp")); asked && has && is.Before(after) {
		b.slip("filter-time", a, at+"/status/timestamp", member(task["status"], "timestamp"), member(a.Params, "statusTimestampAfter"))
	}
}

// ordered holds a task that had ended before the list was asked for, so that it cannot have moved meanwhile, against those
// listed before it, and returns the earliest time of such a one. Lists may go by the time of the last update, which is near
// that of the status (AMB-23): hence OrderTells.
func (b *Book) ordered(a *Answer, at string, task map[string]any, last time.Time) time.Time {
	t := b.tasks[text(task["id"])]
	if t == nil || t.made > 1 || t.since.IsZero() || !t.since.Before(a.Asked) {
		return last
	}
	is, has := instant(member(task["status"], "timestamp"))
	if !has {
		return last
	}
	if !last.IsZero() && is.After(last) && is.Sub(last) >= b.OrderTells {
		b.slip("order", a, at+"/status/timestamp", member(task["status"], "timestamp"), "not later than "+last.Format(time.RFC3339Nano)+", the one before it")
	}
	if !last.IsZero() && is.After(last) {
		return last
	}
	return is
}

// history holds what is shown of a history against how much of it was asked for.
func (b *Book) history(a *Answer, at string, task map[string]any, limit any) {
	most, asked := number(limit)
	list, _ := task["history"].([]any)
	if !asked || most < 0 || len(list) <= most {
		return
	}
	rule := "history"
	if most == 0 {
		rule = "unwanted-history"
	}
	b.slip(rule, a, at+"/history", assertions.Number(int64(len(list))), assertions.Number(int64(most)))
}

// number is a whole number, as steps write it or answers do.
func number(v any) (int, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := strconv.Atoi(v.String())
		return n, err == nil
	case int:
		return v, true
	}
	return 0, false
}

func isTrue(v any) bool { return v == true || v == "true" }

func instant(v any) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, text(v))
	return t, err == nil
}

func isState(name string) bool {
	switch name {
	case "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED":
		return true
	}
	return hasEnded(map[string]any{"status": map[string]any{"state": name}})
}
