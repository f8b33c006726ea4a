// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// adminLaterFaults show on the admin surface behind what is asked first: for another instance, for another method, or once the instance is
// gone.
var adminLaterFaults = map[string]func(*behaviour){
	"later-instances-are-read-under-the-first-name": adminAnswer("instance", func(c *call, a answer) answer {
		first := c.e.instances.all()[0]
		if c.vars["id"] == first.ID {
			return a
		}
		return changesBody(func(v map[string]any) { v["name"] = first.Name })(c, a)
	}),
	"later-instances-have-the-card-of-the-first": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) {
			first := in.e.instances.all()[0]
			v["agent_card_url"] = strings.Replace(v["agent_card_url"].(string), in.ID, first.ID, 1)
		}
	},
	"later-instances-are-not-read": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "instance" && c.vars["id"] == c.e.pair[1] {
				return c.refuse(noSuchInstance())
			}
			return a
		}
	},
	"instances-are-read-by-the-beginning-of-their-id": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation != "instance" || a.status != http.StatusNotFound {
				return a
			}
			for _, in := range c.e.instances.all() {
				if id := c.vars["id"]; len(id) >= 8 && strings.HasPrefix(in.ID, id) {
					return showInstance(c, in)
				}
			}
			return a
		}
	},
	"v1-admin-tokens-decommission-nothing": func(b *behaviour) {
		guards := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			_, found := c.e.instances.find(c.vars["id"]) // what is there can be decommissioned, for the sake of other requirements
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete && strings.Contains(c.r.URL.Path, "/instances/") && !found && c.shows(roleAdmin) {
				return c.e.b.auth.refusal(c, c.unauthorized("the token is of another version"))
			}
			return guards(c, next)
		}
	},
}
