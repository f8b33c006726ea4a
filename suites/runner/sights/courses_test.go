// SPDX-License-Identifier: Apache-2.0

package sights

import "testing"

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
