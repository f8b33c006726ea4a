// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// makeOddIDs gives tasks, contexts, messages and push configurations ids that the protocol allows, as it says of an id only
// that it is a string, and that a client gets right only if it escapes them wherever they stand in an address.
func makeOddIDs(b *behaviour) {
	b.tasks.id = func(*call, object) string { return oddID("task") }
	b.tasks.context = func(_ *call, message object) string {
		if given, ok := message["contextId"].(string); ok {
			return given
		}
		return oddID("context")
	}
	b.tasks.message = func() string { return oddID("message") }
	b.push.id = func() string { return oddID("config") }
}

// oddID has each character that a path, a query or a decoder of one reads in a way of its own, and one outside ASCII.
func oddID(kind string) string { return kind + "/ü?a=1&b#" + uuid.NewString() + " 1+1 %2F;%" }

// lastSnapshot shows the Task as it has become, which the protocol allows as the last item of a stream.
func (st *eventStream) lastSnapshot(ctx context.Context, t task) {
	after := st.c.s.config.LastSnapshot
	if after == 0 || !terminal(t.state) {
		return
	}
	select {
	case <-time.After(after):
		st.emit(event{kind: "task", task: t})
	case <-ctx.Done():
	}
}
