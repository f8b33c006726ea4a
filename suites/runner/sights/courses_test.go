// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// A task has begun with the contextId with which it was seen first, and with the tenant that was named first.
func TestTasksBeginWithAContextAndATenant(t *testing.T) {
	t.Parallel()
	c := &courses{of: map[string]*course{"t": {}}}
	for _, step := range []struct {
		key   string
		shown any
		want  string
	}{{"other", "a", "<missing>"}, {"t", nil, "<missing>"}, {"t", "", "<missing>"}, {"t", "a", "a"}, {"t", "b", "a"}, {"t", nil, "a"}} {
		context, tenant := c.beginning(step.key, map[string]any{"contextId": step.shown, "metadata": map[string]any{"tenant_id": step.shown}})
		for _, got := range []any{context, tenant} {
			if text, is := got.(string); is && text != step.want || !is && step.want != "<missing>" {
				t.Errorf("after %v it began as %v, want %s", step.shown, got, step.want)
			}
		}
	}
}

// What a terminal answers to a read is so since the read was sent; of all else that it shows nobody knows since when.
func TestAnswersOnTerminalsAreAsOldAsTheirRequests(t *testing.T) {
	t.Parallel()
	c := &courses{}
	one, other := &observe.Connection{ID: 1, Session: "s"}, &observe.Connection{ID: 2, Session: "s"}
	began := time.Now()
	sent := func(text string, after time.Duration) {
		c.message(one, &observe.Message{FromHarness: true, JSON: object(t, text), Arrived: began.Add(after)})
	}
	sent(`{"op":"GetTask","id":"A"}`, time.Second)
	sent(`{"op":"GetTask","id":"a"}`, time.Hour)
	sent(`{"op":"ListTasks","id":"b"}`, 2*time.Second)
	sent(`{"op":"CancelTask","id":"c"}`, 3*time.Second)
	sent(`{"op":"SendMessage","id":"d"}`, 4*time.Second)
	sent(`{"op":"GetTask"}`, 5*time.Second)
	for _, row := range []struct {
		on   *observe.Connection
		text string
		want time.Time
	}{
		{one, `{"op":"GetTask.Response","id":"a"}`, began.Add(time.Second)},
		{one, `{"op":"ListTasks.Response","id":"B"}`, began.Add(2 * time.Second)},
		{one, `{"op":"CancelTask.Response","id":"c"}`, began.Add(3 * time.Second)},
		{one, `{"op":"SendMessage.Response","id":"d"}`, time.Time{}},
		{one, `{"op":"TaskStatusUpdate","id":"a"}`, time.Time{}},
		{one, `{"op":"GetTask.Response"}`, time.Time{}},
		{one, `{}`, time.Time{}},
		{other, `{"op":"GetTask.Response","id":"a"}`, time.Time{}},
	} {
		if got := c.askedFor(row.on, &observe.Message{JSON: object(t, row.text)}); !got.Equal(row.want) {
			t.Errorf("%s on connection %d is so since %v, want %v", row.text, row.on.ID, got, row.want)
		}
	}
	if c.hungUp(one); len(c.reads) != 0 {
		t.Errorf("%d connections are remembered that have ended", len(c.reads))
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	return members
}
