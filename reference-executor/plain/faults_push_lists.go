// SPDX-License-Identifier: Apache-2.0

package plain

// pushListFaults are about the lists of configurations.
var pushListFaults = map[string]func(*behaviour){
	"push-lists-a-bare-array": func(b *behaviour) {
		b.output.configs = func(_ *call, v object) any { return v["configs"] }
	},
	"push-lists-ids-only": func(b *behaviour) {
		b.output.configs = func(_ *call, v object) any {
			for _, config := range v["configs"].([]any) {
				delete(config.(object), "taskId")
				delete(config.(object), "url")
			}
			return v
		}
	},
	"push-lists-null": func(b *behaviour) {
		b.output.configs = func(_ *call, v object) any {
			if len(v["configs"].([]any)) == 0 {
				v["configs"] = nil
			}
			return v
		}
	},
	"push-lists-nothing-as-an-array": func(b *behaviour) {
		b.output.configs = func(_ *call, v object) any {
			if list := v["configs"].([]any); len(list) == 0 {
				return list
			}
			return v
		}
	},
	"push-lists-configs-of-other-tasks": func(b *behaviour) {
		b.push.lists = func(c *call, task string) []*pushConfig {
			return append(c.s.push[task], &pushConfig{id: "other", task: "other", url: "https://other.example/"})
		}
	},
	"push-deleted-configs-are-listed": func(b *behaviour) {
		deleted := map[string][]*pushConfig{} // with the lock held
		b.push.removes = func(c *call, task, id string) bool {
			p := conformantPush.finds(c, task, id)
			if p != nil {
				deleted[task] = append(deleted[task], p)
			}
			return conformantPush.removes(c, task, id)
		}
		b.push.lists = func(c *call, task string) []*pushConfig { return append(deleted[task], c.s.push[task]...) }
	},
	"push-undeclared-lists-nothing": undeclaredPush("ListTaskPushNotificationConfigs", nil),
	"push-undeclared-lists-pages": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			if c.r.URL.Query().Has("pageSize") && op.name == "ListTaskPushNotificationConfigs" {
				return nil
			}
			return lacksCapability(c, op)
		}
	},
	"pages-of-configs-are-without-their-urls": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if c.params["pageSize"] != nil {
					delete(config.(object), "url")
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-no-configs-are-null": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			if configs, _ := v["configs"].([]any); len(configs) == 0 && c.params["pageSize"] != nil {
				return object{"configs": nil}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-configs-have-short-urls": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if url, is := config.(object)["url"].(string); is && c.params["pageSize"] != nil {
					config.(object)["url"] = url[:len(url)/2]
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-configs-name-another-task": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if _, asked := c.params["pageSize"]; asked {
					config.(object)["taskId"] = "another"
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-configs-of-unknown-tasks-are-empty": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "ListTaskPushNotificationConfigs") && c.params["pageSize"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"refused-push-configs-leave-an-empty-list": func(b *behaviour) {
		asked := map[string]bool{} // by task; with the lock held
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "ListTaskPushNotificationConfigs") && asked[id] {
				return t, nil
			}
			asked[id] = asked[id] || isOp(c, "CreateTaskPushNotificationConfig") && c.s.tasks[id] == nil
			return t, f
		}
	},
}
