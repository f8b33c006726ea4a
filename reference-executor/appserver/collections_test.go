// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The paths of the collections that have pages.
var searches = []string{"/app-conversations", "/app-conversations/start-tasks", "/events", "/sandboxes", "/sandbox-specs"}

// Every page but the last is full, and a walk gives each item once.
func TestPages(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for _, path := range searches {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			all := column(items(t, s, prefix+path+"/search?limit=100"), "id")
			walked, next := []any{}, any("")
			for next != nil {
				query := "?limit=2"
				if next != "" {
					query += "&page_id=" + url.QueryEscape(next.(string))
				}
				page := get(t, s, prefix+path+"/search"+query).(object)
				some := page["items"].([]any)
				if next = page["next_page_id"]; next != nil && len(some) != 2 {
					t.Fatalf("a page that is not the last has %d items", len(some))
				}
				for _, item := range some {
					walked = append(walked, item.(object)["id"])
				}
			}
			if diff := cmp.Diff(all, walked); diff != "" {
				t.Errorf("the walk is not what one page has (-one +walk):\n%s", diff)
			}
		})
	}
}

// A limit is from 1 to 100, and 100 when nobody says one.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for _, path := range searches {
		for _, limit := range []string{"0", "-1", "101", "100000", "abc", "1.5", ""} {
			if got := ask(t, s, "GET", prefix+path+"/search?limit="+limit, ""); got.status != 422 {
				t.Errorf("%s with limit=%s is %d, want 422", path, limit, got.status)
			}
		}
		whole, some := items(t, s, prefix+path+"/search"), items(t, s, prefix+path+"/search?limit=100")
		if diff := cmp.Diff(column(some, "id"), column(whole, "id")); diff != "" {
			t.Errorf("%s without a limit (-with 100 +without):\n%s", path, diff)
		}
		if got := ask(t, s, "GET", prefix+path+"/search?page_id=conf-no-such-page", ""); got.status != 200 {
			t.Errorf("%s with an unknown page is %d", path, got.status)
		}
	}
}

// A batch has one element for each id, in their order.
func TestBatches(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for _, path := range searches {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			all, name, absent := column(items(t, s, prefix+path+"/search"), "id"), "id", noBox
			if strings.HasPrefix(path, "/app-conversations") {
				name, absent = "ids", nobodys
			}
			a, b := all[0].(string), all[1].(string)
			got := get(t, s, prefix+path+"?"+url.Values{name: {b, absent, a, b}}.Encode()).([]any)
			ids := []any{}
			for _, item := range got {
				if item == nil {
					ids = append(ids, nil)
					continue
				}
				ids = append(ids, item.(object)["id"])
			}
			if diff := cmp.Diff([]any{b, nil, a, b}, ids); diff != "" {
				t.Errorf("a batch (-want +got):\n%s", diff)
			}
			for n, status := range map[int]int{99: 200, 150: 400} {
				if got := ask(t, s, "GET", prefix+path+"?"+url.Values{name: slices.Repeat([]string{absent}, n)}.Encode(), ""); got.status != status {
					t.Errorf("%d ids are %d, want %d", n, got.status, status)
				}
			}
		})
	}
}

// Both spellings of a UUID name the same conversation.
func TestHyphens(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	id := items(t, s, prefix+"/app-conversations/search")[0]["id"].(string)
	if len(id) != 32 {
		t.Fatalf("an id is %q, want 32 hex digits", id)
	}
	bare, with := get(t, s, prefix+"/app-conversations?ids="+id), get(t, s, prefix+"/app-conversations?ids="+strings.ToUpper(hyphenated(id)))
	if diff := cmp.Diff(bare, with); diff != "" || bare.([]any)[0] == nil {
		t.Errorf("with hyphens there is another one (-without +with):\n%s", diff)
	}
}

// Filters do what their names say; counts agree with searches.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	conversation := items(t, s, prefix+"/app-conversations/search?title__contains=FLAKY")[0]
	id, created, updated := conversation["id"].(string), conversation["created_at"].(string), conversation["updated_at"].(string)
	for _, row := range []struct {
		path, filter string
		n            int
	}{
		{"/app-conversations", "title__contains=flaky+login", 1},
		{"/app-conversations", "title__contains=conf-none", 0},
		{"/app-conversations", "created_at__gte=" + created, 6},
		{"/app-conversations", "created_at__lt=" + created, 0},
		{"/app-conversations", "updated_at__gte=" + updated + "&updated_at__lt=" + created, 0},
		{"/app-conversations", "updated_at__gte=" + updated, 6},
		{"/app-conversations/start-tasks", "conversation_id__eq=" + id, 1},
		{"/app-conversations/start-tasks", "conversation_id__eq=" + nobodys, 0},
		{"/app-conversations/start-tasks", "created_at__gte=" + created, 5},
		{"/events", "conversation_id__eq=" + id, 6},
		{"/events", "conversation_id__eq=" + id + "&kind__eq=MessageEvent", 2},
		{"/events", "conversation_id__eq=" + nobodys, 0},
		{"/events", "timestamp__lt=2000-01-01T00:00:00Z", 0},
	} {
		sub := ""
		if row.path == "/app-conversations" {
			sub = "&include_sub_conversations=true"
		}
		if found := items(t, s, prefix+row.path+"/search?"+row.filter+sub); len(found) != row.n {
			t.Errorf("%s with %s: %d items, want %d", row.path, row.filter, len(found), row.n)
		}
		if n := get(t, s, prefix+row.path+"/count?"+row.filter); n != float64(row.n) {
			t.Errorf("%s with %s: the count is %v, want %d", row.path, row.filter, n, row.n)
		}
	}
	if some := items(t, s, prefix+"/app-conversations/search"); len(some) != 5 {
		t.Errorf("%d conversations are listed without their parts, want 5", len(some))
	}
}

// Each order is the other one from its end.
func TestOrders(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for path, orders := range map[string][3]string{
		"/app-conversations/start-tasks": {"CREATED_AT", "CREATED_AT_DESC", "created_at"},
		"/events":                        {"TIMESTAMP", "TIMESTAMP_DESC", "timestamp"},
	} {
		up, down := items(t, s, prefix+path+"/search?sort_order="+orders[0]), items(t, s, prefix+path+"/search?sort_order="+orders[1])
		if !slices.IsSortedFunc(up, func(a, b object) int { return strings.Compare(a[orders[2]].(string), b[orders[2]].(string)) }) {
			t.Errorf("%s are not in the order %s", path, orders[0])
		}
		ids := column(down, "id")
		slices.Reverse(ids)
		if diff := cmp.Diff(column(up, "id"), ids); diff != "" {
			t.Errorf("%s (-up +down from its end):\n%s", path, diff)
		}
	}
	newest := column(items(t, s, prefix+"/app-conversations/search"), "created_at")
	if !slices.IsSortedFunc(newest, func(a, b any) int { return strings.Compare(b.(string), a.(string)) }) {
		t.Errorf("conversations are not the newest first: %v", newest)
	}
}
