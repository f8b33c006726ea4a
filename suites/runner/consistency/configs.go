// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"fmt"
	"time"
)

// configured is the url with which a push configuration was made last, and since when that is known.
type configured struct {
	url   string
	since time.Time
}

// config is the answer of an operation about push configurations.
func (b *Book) config(a *Answer, result map[string]any) {
	task := text(member(a.Params, "taskId"))
	switch a.Operation {
	case "CreateTaskPushNotificationConfig":
		url := text(member(a.Params, "url"))
		b.same(a, result, a.At, "taskId", task)
		b.same(a, result, a.At, "url", url)
		if id := text(result["id"]); task != "" && id != "" && url != "" && len(b.configs) < maxTasks {
			b.configs[[2]string{task, id}] = configured{url, a.Known}
		}
	case "GetTaskPushNotificationConfig":
		id := text(member(a.Params, "id"))
		if _, ofAnother := b.configs[[2]string{text(result["taskId"]), id}]; !ofAnother { // asked for under another task than its own
			b.same(a, result, a.At, "taskId", task)
		}
		b.same(a, result, a.At, "id", id)
		b.asMade(a, result, a.At, task)
	case "ListTaskPushNotificationConfigs":
		configs, _ := result["configs"].([]any)
		for i, config := range configs {
			at := fmt.Sprintf("%s/configs/%d", a.At, i)
			b.same(a, config, at, "taskId", task)
			b.asMade(a, config, at, task)
		}
	}
}

// asMade holds the url of a configuration against the one that it was made with, if that was known when it was asked for.
func (b *Book) asMade(a *Answer, config any, at, task string) {
	if made, known := b.configs[[2]string{task, text(member(config, "id"))}]; known && made.since.Before(a.Asked) {
		b.same(a, config, at, "url", made.url)
	}
}

// same holds a text of a configuration against what it has to be, where both are there.
func (b *Book) same(a *Answer, config any, at, name, want string) {
	if is := text(member(config, name)); want != "" && is != "" && is != want {
		b.slip("another-config", a, at+"/"+name, is, want)
	}
}
