// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"slices"
	"strconv"
)

// The sizes of a page of tasks.
const (
	usualPage = 50
	maxPage   = 100
)

// listTasks is ListTasks: the latest first.
func listTasks(c *call) answer {
	if f := c.s.b.input.version(c); f != nil {
		return c.refuse(f)
	}
	query := c.r.URL.Query()
	size, from := usualPage, 0
	for _, number := range []struct {
		name        string
		into        *int
		least, most int
	}{{"pageSize", &size, 1, maxPage}, {"pageToken", &from, 0, maxTasks}} {
		if text := query.Get(number.name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < number.least || n > number.most {
				return c.refuse(violation(number.name, "is out of range"))
			}
			*number.into = n
		}
	}
	found := slices.DeleteFunc(c.agent.all(), func(t *task) bool {
		context, state := query.Get("contextId"), query.Get("status")
		return context != "" && t.context != context || state != "" && state != completed
	})
	slices.Reverse(found)
	v := object{"tasks": []any{}, "nextPageToken": "", "pageSize": size, "totalSize": len(found)}
	page := found[min(from, len(found)):min(from+size, len(found))]
	shown := make([]any, len(page))
	for i, t := range page {
		one := c.taskObject(t)
		if query.Get("includeArtifacts") != "true" {
			delete(one, "artifacts")
		}
		shown[i] = one
	}
	v["tasks"] = shown
	if from+size < len(found) {
		v["nextPageToken"] = strconv.Itoa(from + size)
	}
	return c.json(http.StatusOK, mediaA2A, v)
}
