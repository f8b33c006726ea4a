// SPDX-License-Identifier: Apache-2.0

package suites

import "testing"

func TestExpandAddress(t *testing.T) {
	t.Parallel()
	values := map[string]any{
		"api": "http://a.example/agents/x/v1", "task": "a/b?c=d#e %2F ü", "plain": "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "number": 7,
		"cursor": "a+b&c=d/e==", "there": "/agents/x/v1/tasks/1?x=1", "whole": "http://b.example/x", "path": "of/our/own", "host": "b.example",
	}
	data := map[string]bool{"task": true, "plain": true, "number": true, "cursor": true, "there": true, "whole": true, "host": true}
	for _, row := range []struct{ name, address, want string }{
		{"an id in a segment", "${api}/tasks/${task}/cancel", "http://a.example/agents/x/v1/tasks/a%2Fb%3Fc=d%23e%20%252F%20%C3%BC/cancel"},
		{"an id before a verb", "${api}/tasks/${task}:cancel", "http://a.example/agents/x/v1/tasks/a%2Fb%3Fc=d%23e%20%252F%20%C3%BC:cancel"},
		{"an ordinary id", "${api}/tasks/${plain}", "http://a.example/agents/x/v1/tasks/018fc0a2-7777-7aaa-bbbb-ccccddddeeee"},
		{"a number", "${api}/tasks/${number}", "http://a.example/agents/x/v1/tasks/7"},
		{"a cursor in the query", "${api}/tasks?limit=1&cursor=${cursor}", "http://a.example/agents/x/v1/tasks?limit=1&cursor=a%2Bb%26c%3Dd%2Fe%3D%3D"},
		{"an id with a slash in the query", "${api}/tasks?of=/${task}", "http://a.example/agents/x/v1/tasks?of=/a/b?c=d#e %2F ü"},
		{"a whole address", "${whole}", "http://b.example/x"},
		{"an address and more", "${whole}/tasks", "http://b.example/x/tasks"},
		{"a path from a header", "http://a.example${there}", "http://a.example/agents/x/v1/tasks/1?x=1"},
		{"what the suite has made", "${api}/storage/${path}", "http://a.example/agents/x/v1/storage/of/our/own"},
		{"a host", "http://${host}/x", "http://b.example/x"},
		{"a part of a segment", "${api}/tasks/x-${task}", "http://a.example/agents/x/v1/tasks/x-a/b?c=d#e %2F ü"},
		{"a literal", "${api}/tasks/$${task}", "http://a.example/agents/x/v1/tasks/${task}"},
	} {
		got, err := ExpandAddress(row.address, func(name string) (any, error) { return values[name], nil }, func(name string) bool { return data[name] })
		if err != nil || got != row.want {
			t.Errorf("%s: %q, %v, want %q", row.name, got, err, row.want)
		}
	}
}
