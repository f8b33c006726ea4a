// SPDX-License-Identifier: Apache-2.0

package consistency

// delivered holds the end that a delivery tells of a task against the end that reads show: a task has one, and stays there.
func (b *Book) delivered(a *Answer, item map[string]any) {
	for _, kind := range []struct{ name, id string }{{"statusUpdate", "taskId"}, {"task", "id"}} {
		told, is := item[kind.name].(map[string]any)
		if !is || !hasEnded(told) {
			continue
		}
		v := view{map[string]any{"id": told[kind.id], "status": told["status"]}, a.At + "/" + kind.name, a}
		t := b.known(v.task)
		switch {
		case t == nil || t.made > 1:
		case t.ended != nil:
			b.sameEndDelivered(&v, t.ended)
		case t.delivered == nil:
			t.delivered = &v
		}
	}
}

// readAfterDelivery holds a read against an end that was delivered before any read showed one: it shows the same end or, if it was
// asked for as the delivery came, none yet.
func (b *Book) readAfterDelivery(read view, t *known) {
	told := t.delivered
	if told == nil || read.in.Operation != "GetTask" {
		return
	}
	if hasEnded(read.task) {
		t.delivered = nil
		b.sameEndDelivered(told, &read)
		return
	}
	if read.in.Asked.Sub(told.in.Known) >= b.Settles && isState(stateOf(read.task)) {
		t.delivered = nil
		b.slip("delivered-end", told.in, told.at+"/status/state", stateOf(told.task), stateOf(read.task))
	}
}

func (b *Book) sameEndDelivered(told, read *view) {
	if is, want := stateOf(told.task), stateOf(read.task); is != want {
		b.slip("delivered-end", told.in, told.at+"/status/state", is, want)
	}
}

func stateOf(task map[string]any) string { return text(member(task["status"], "state")) }
